"""How answers came about, and what recorded runs say of such."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from approving import Approving

from aeon.convergence.calibrated import ConfidenceMap, experience, home_of
from aeon.convergence.engine import ConvergenceEngine
from aeon.convergence.experience import LEAST_RUNS, Experience, Seen, counted, kind_of
from aeon.errors import InputFileError
from aeon.multipass.effects import AssessConvergence
from aeon.schema import (
    Agreement,
    ConvergenceAssessment,
    ConvergenceThresholds,
    Derivation,
    Plan,
    SemanticValidationReport,
    StateMonitor,
    Step,
    Task,
    ToolLoop,
    ToolUse,
)
from aeon.schema.weight import Weight
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.supervisor import Supervisor

pytestmark = pytest.mark.requirement("G4")
AGREED = Agreement(derivations=(Derivation(method="worked", text="1", answer="1", agrees=True),))
DISAGREED = Agreement(derivations=(Derivation(method="worked", text="1", answer="1"),))


def used(tool: str, problem: str = "") -> ToolUse:
    """A call of a tool."""
    return ToolUse(id=f"s1.{tool}", tool=tool, arguments={}, output=None if problem else 1, problem=problem)


def step(name: str, *tools: str, **more: Any) -> Step:
    """A step that is complete, and rests on these tools."""
    uses = tuple(map(used, tools))
    made = Step(id=name, description=f"find {name}", action=ToolLoop(form="program"), status="complete", output=1)
    return made.changed(mode="program" if uses else "reasoning", uses=uses, **more)


def plan_of(*steps: Step, **more: Any) -> Plan:
    """A plan of these steps, the last of which gives the answer."""
    return Plan(steps=(*steps[:-1], steps[-1].changed(**more)), answer=(steps[-1].id,))


def judged(score: float | None) -> Weight:
    """What a judge makes of a result."""
    return Weight(score=score, form="probability", standing="measured")


QUERY = step("s1", "sql")
QUOTE = step("s2", "quote")
SUM = step("s3", "calculator")
TEXT = step("s1")


@pytest.mark.parametrize(
    ("plan", "kind"),
    [
        (plan_of(QUERY), "table"),
        (plan_of(QUOTE, SUM), "sentence + sum"),
        (plan_of(SUM, QUOTE), "sentence + sum"),
        (plan_of(step("s1", "calculator", "sql", "quote", "sql")), "sentence + sum + table"),
        (plan_of(TEXT), "text"),
        (plan_of(step("s1", "weather")), "weather"),
        (plan_of(QUERY, output=None), "absent"),
        (plan_of(step("s1").changed(uses=(used("sql", "no such table"), used("quote")))), "sentence"),
        (plan_of(QUERY.changed(status="failed")), "nothing"),
        (Plan(), "nothing"),
        (plan_of(SUM, agreement=AGREED), "sum, agreed"),
        (plan_of(SUM, agreement=DISAGREED), "sum, disagreed"),
        (plan_of(SUM, agreement=DISAGREED.changed(ahead=True)), "sum"),
        (plan_of(SUM, agreement=Agreement()), "sum"),
        (plan_of(QUERY, weight=judged(0.5)), "table, judged right"),
        (plan_of(QUERY, weight=judged(0.49)), "table, judged wrong"),
        (plan_of(QUERY, weight=judged(None)), "table"),
        (plan_of(QUERY.changed(weight=judged(0.2)), QUOTE, weight=judged(0.9)), "sentence + table, judged wrong"),
        (plan_of(QUERY, likelihood=0.3), "table, sure"),
        (plan_of(QUERY, likelihood=0.29), "table, fairly sure"),
        (plan_of(QUERY, likelihood=0.1), "table, fairly sure"),
        (plan_of(QUERY, likelihood=0.0), "table, unsure"),
        (plan_of(QUERY.changed(likelihood=0.05), QUOTE, likelihood=0.9), "sentence + table, unsure"),
        (
            plan_of(QUERY, agreement=AGREED, weight=judged(0.9), likelihood=0.9),
            "table, agreed, judged right, sure",
        ),
    ],
)
def test_the_kind_says_how_an_answer_came_about(plan: Plan, kind: str) -> None:
    """What it rests on, and what is known for or against it."""
    assert kind_of(plan) == kind


def assessed(
    experience: Experience | None, threshold: float = 0.75, likelihood: float | None = None
) -> ConvergenceAssessment:
    """The assessment of an answer out of a table."""
    effect = AssessConvergence(
        task=Task(text="How many?"), plan=plan_of(QUERY, likelihood=likelihood), report=SemanticValidationReport(),
        thresholds=ConvergenceThresholds(probability=threshold),
    )  # fmt: skip
    engine = ConvergenceEngine(Supervisor(Approving([])), Briefing(), experience=experience)
    return asyncio.run(engine.assess(effect))


@pytest.mark.parametrize(("right", "codes"), [(9, ()), (8, ()), (5, ("uncertain",)), (0, ("uncertain",))])
def test_what_was_too_often_wrong_does_not_converge(right: int, codes: tuple[str, ...]) -> None:
    """The probability is by the rule of succession, and says from how many runs."""
    found = assessed(Experience(kinds={"table": Seen(right=right, runs=10)}))
    assert (found.converged, found.reason_codes) == (not codes, codes)
    assert (found.probability, found.runs) == (round((right + 1) / 12, 3), 10)


def test_a_model_that_was_unsure_of_its_program_does_not_converge_where_such_were_wrong() -> None:
    """The same answer does where it was sure."""
    known = Experience(kinds={"table, unsure": Seen(right=3, runs=10), "table, sure": Seen(right=9, runs=10)})
    assert assessed(known, likelihood=0.05).reason_codes == ("uncertain",)
    assert assessed(known, likelihood=0.5).converged


def test_the_threshold_is_a_setting() -> None:
    """Another one, another verdict."""
    known = Experience(kinds={"table": Seen(right=5, runs=10)})
    assert assessed(known, 0.4).converged and not assessed(known, 0.6).converged


@pytest.mark.parametrize(
    "known",
    [
        None,
        Experience(kinds={"table": Seen(right=0, runs=LEAST_RUNS - 1)}),
        Experience(kinds={"sum, agreed": Seen(right=0, runs=99)}),
    ],
)
def test_where_too_little_was_seen_nothing_is_said(known: Experience | None) -> None:
    """No probability, and rules alone decide."""
    found = assessed(known)
    assert found.converged and found.probability is None


def test_a_kind_of_which_too_little_was_seen_is_read_with_others_like_it() -> None:
    """Those with the same notes, whatever they rest on: what disagreed is held against what disagreed."""
    apart = {"sum, disagreed": Seen(right=3, runs=6), "sentence, disagreed": Seen(right=1, runs=4)}
    known = Experience(kinds={"table": Seen(right=9, runs=9), "table, disagreed": Seen(right=0, runs=1), **apart})
    assert known.of(plan_of(QUERY)) == Seen(right=9, runs=9)
    assert known.of(plan_of(QUERY, agreement=DISAGREED)) == Seen(right=4, runs=11)
    assert known.of(plan_of(QUERY, QUOTE)) == Seen(right=9, runs=9)
    assert known.of(plan_of(SUM, agreement=AGREED)).probability is None


def test_enough_of_the_very_kind_is_read_alone() -> None:
    """However many others have the same notes."""
    seen = {"table, agreed, sure": Seen(right=2, runs=LEAST_RUNS), "sum, agreed, sure": Seen(right=90, runs=90)}
    made = plan_of(QUERY, agreement=AGREED, likelihood=0.9)
    assert Experience(kinds=seen).of(made) == Seen(right=2, runs=LEAST_RUNS)
    few = {**seen, "table, agreed, sure": Seen(right=2, runs=LEAST_RUNS - 1)}
    assert Experience(kinds=few).of(made) == Seen(right=92, runs=97)


def test_what_was_judged_wrong_is_not_read_with_what_was_judged_right() -> None:
    """Nor with what nobody judged: each note counts."""
    seen = {"table, judged right": Seen(right=20, runs=20), "table": Seen(right=9, runs=9)}
    known = Experience(kinds={**seen, "sum, judged wrong": Seen(right=1, runs=9)})
    assert known.of(plan_of(QUERY, weight=judged(0.2))) == Seen(right=1, runs=9)
    assert known.of(plan_of(QUERY, weight=judged(0.7))) == Seen(right=20, runs=20)
    assert known.of(plan_of(QUERY, weight=judged(0.7), agreement=AGREED)).probability is None


def test_runs_are_counted_by_how_their_answers_came_about() -> None:
    """Right and wrong ones of each kind."""
    table, sentence = plan_of(QUERY), plan_of(QUOTE)
    found = counted([(table, True), (sentence, False), (table, False), (table, True)])
    assert found == {"sentence": Seen(right=0, runs=1), "table": Seen(right=2, runs=3)}


def test_the_counts_of_a_calibration_are_used(tmp_path: Path) -> None:
    """One without counts says nothing of a kind."""
    path = tmp_path / "map.json"
    monitor = StateMonitor(confidence_model="calibrated", calibration=str(path))
    own = {"table": Seen(right=1, runs=9)}
    path.write_text(ConfidenceMap(runs=9, kinds=own).model_dump_json())
    assert experience(monitor, "any").kinds == own
    assert experience(StateMonitor(), "any") == Experience()
    path.write_text(ConfidenceMap(runs=9, points=((0.5, 0.5),)).model_dump_json())
    assert experience(monitor, "any") == Experience()


def test_counts_at_home_are_used_without_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the model alone; a file that the settings name goes first, and a damaged one is no run's guess."""
    monkeypatch.setenv("AEON_HOME", str(tmp_path))
    home, own = home_of("m"), {"table": Seen(right=1, runs=9)}
    home.parent.mkdir()
    home.write_text(ConfidenceMap(runs=9, kinds=own, model="m").model_dump_json())
    assert experience(StateMonitor(), "m").kinds == own
    assert experience(StateMonitor(), "n") == experience(StateMonitor(), "") == Experience()
    (tmp_path / "map.json").write_text(ConfidenceMap(runs=8, kinds={"sum": Seen(right=1, runs=8)}).model_dump_json())
    named = StateMonitor(confidence_model="calibrated", calibration=str(tmp_path / "map.json"))
    assert [*experience(named, "m").kinds] == ["sum"]
    home.write_text("{")
    with pytest.raises(InputFileError, match="is no calibration; make one with: aeon calibrate"):
        experience(StateMonitor(), "m")
