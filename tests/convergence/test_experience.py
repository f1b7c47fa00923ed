"""How answers came about, and what recorded runs say of such."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from approving import Approving

from aeon.convergence.calibrated import ConfidenceMap, experience, home_of
from aeon.convergence.engine import ConvergenceEngine
from aeon.convergence.experience import LEAST_RUNS, Experience, Seen, counted, kind_of, shipped
from aeon.errors import InputFileError
from aeon.llm.catalogue import CATALOGUE
from aeon.multipass.effects import AssessConvergence
from aeon.schema import (
    Action,
    Agreement,
    ConvergenceAssessment,
    ConvergenceThresholds,
    Derivation,
    Plan,
    Reasoning,
    SemanticValidationReport,
    StateMonitor,
    Step,
    StepMode,
    Task,
    ToolCall,
    Writing,
)
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.supervisor import Supervisor

pytestmark = pytest.mark.requirement("G4")
AGREED = Agreement(derivations=(Derivation(method="worked", text="1", answer="1", agrees=True),))
DISAGREED = Agreement(derivations=(Derivation(method="worked", text="1", answer="1"),))

REPEATED = Agreement(derivations=(Derivation(method="query", text="1", answer="1", agrees=True, repeats=True),))


def step(name: str, action: Action, mode: StepMode = "tool") -> Step:
    """A step that is complete."""
    return Step(id=name, description=f"find {name}", action=action, status="complete", mode=mode, output=1)


QUERY = step("s1", ToolCall(tool="sql"))
QUOTE = step("s2", ToolCall(tool="quote"))
SUM = step("s3", ToolCall(tool="calculator"))
READ = step("s1", ToolCall(tool="lookup"), "reading")


@pytest.mark.parametrize(
    ("plan", "kind"),
    [
        (Plan(steps=(QUERY,)), "table"),
        (Plan(steps=(QUOTE, SUM)), "sentence + sum"),
        (Plan(steps=(SUM, QUOTE)), "sentence + sum"),
        (Plan(steps=(QUERY, QUOTE, SUM)), "sentence + sum + table"),
        (Plan(steps=(READ,)), "reading"),
        (Plan(steps=(READ.changed(output=None, clarity="PARTIALLY_CLEAR"),)), "refusal, doubtful"),
        (Plan(steps=(READ.changed(likelihood=0.9),), likelihood=0.01), "reading, sure"),
        (Plan(steps=(step("s1", ToolCall(tool="days_between")), QUOTE)), "date + sentence"),
        (Plan(steps=(step("s1", ToolCall(tool="choose")), QUOTE)), "sentence"),
        (Plan(steps=(step("s1", ToolCall(tool="weather")),)), "weather"),
        (Plan(steps=(step("s1", Writing(task="a line"), "reasoning"),)), "text"),
        (Plan(steps=(step("s1", Reasoning(), "reasoning"),)), "reasoning"),
        (Plan(steps=(QUERY.changed(status="failed"),)), "nothing"),
        (Plan(steps=(SUM,), agreement=AGREED), "sum, agreed"),
        (Plan(steps=(READ.changed(clarity="PARTIALLY_CLEAR"),)), "reading, doubtful"),
        (Plan(steps=(SUM,), agreement=DISAGREED, doubts=("use 6 too",)), "sum, disagreed, doubtful"),
        (Plan(steps=(SUM,), agreement=Agreement()), "sum"),
        (Plan(steps=(SUM,), agreement=REPEATED), "sum"),
        (Plan(steps=(QUERY.changed(mode="tool_repaired"),)), "table, mended"),
        (Plan(steps=(QUERY,), likelihood=0.3), "table, sure"),
        (Plan(steps=(QUERY,), likelihood=0.29), "table, fairly sure"),
        (Plan(steps=(QUERY,), likelihood=0.1), "table, fairly sure"),
        (Plan(steps=(QUERY,), likelihood=0.0), "table, unsure"),
        (Plan(steps=(QUOTE, SUM), likelihood=1.0, agreement=AGREED), "sentence + sum, agreed, sure"),
        (Plan(steps=(SUM,), likelihood=0.0, agreement=AGREED), "sum, agreed"),
        (Plan(steps=(QUOTE,), likelihood=0.4, vouched=0.6), "sentence, vouched, sure"),
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
        task=Task(text="How many?"), plan=Plan(steps=(QUERY,), answer=("s1",), likelihood=likelihood),
        report=SemanticValidationReport(),
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
    """Those with the same notes: what is doubtful is held against what was doubtful."""
    doubtful = {"sum, doubtful": Seen(right=3, runs=6), "sentence, doubtful": Seen(right=1, runs=4)}
    known = Experience(kinds={"table": Seen(right=9, runs=9), "table, doubtful": Seen(right=0, runs=1), **doubtful})
    assert known.of(Plan(steps=(QUERY,))) == Seen(right=9, runs=9)
    assert known.of(Plan(steps=(QUERY,), doubts=("?",))) == Seen(right=4, runs=11)
    assert known.of(Plan(steps=(QUERY, QUOTE))) == Seen(right=9, runs=9)
    assert known.of(Plan(steps=(SUM,), agreement=AGREED)).probability is None


def test_what_is_known_against_an_answer_outweighs_an_agreement_that_was_never_seen() -> None:
    """Doubtful answers that agree are read with the doubtful ones where too few of them were seen."""
    doubtful = {"table, doubtful": Seen(right=3, runs=10), "sentence + sum, agreed": Seen(right=20, runs=20)}
    made = Plan(steps=(QUERY,), doubts=("use 48 too",), agreement=AGREED)
    assert Experience(kinds=doubtful).of(made) == Seen(right=3, runs=10)
    assert Experience(kinds=doubtful).of(made.changed(doubts=())) == Seen(right=20, runs=20)


def test_how_sure_the_model_was_counts_before_what_the_answer_rests_on() -> None:
    """Where too few of a kind were seen: others of which it was as sure; then the kind, however sure it was."""
    seen = {"table": Seen(right=6, runs=9), "sentence, unsure": Seen(right=2, runs=8), "table, unsure": Seen(runs=1)}
    made = Plan(steps=(QUERY,), likelihood=0.01)
    assert Experience(kinds=seen).of(made) == Seen(right=2, runs=9)
    assert Experience(kinds=seen).of(made.changed(likelihood=0.9)) == Seen(right=6, runs=10)
    assert Experience(kinds={"table": Seen(right=6, runs=9)}).of(made) == Seen(right=6, runs=9)


def test_where_nobody_told_how_sure_the_model_was_all_of_a_kind_count() -> None:
    """Not those alone of which it was fairly sure; others of which nobody told it go first."""
    seen = {"table, sure": Seen(right=40, runs=40), "table, fairly sure": Seen(right=2, runs=10)}
    assert Experience(kinds=seen).of(Plan(steps=(QUERY,))) == Seen(right=42, runs=50)
    told = {**seen, "table": Seen(right=7, runs=9)}
    assert Experience(kinds=told).of(Plan(steps=(QUERY,))) == Seen(right=7, runs=9)
    assert Experience(kinds=seen).of(Plan(steps=(QUERY,), likelihood=0.2)) == Seen(right=2, runs=10)


def test_those_of_which_it_was_sure_say_nothing_for_one_of_which_it_was_not() -> None:
    """As long as others of which it was unsure were seen, whatever else is known against these."""
    few = {name: Seen(runs=7) for name in ("table, unsure", "table, doubtful, unsure")}
    known = Experience(kinds={"table, sure": Seen(right=40, runs=40), **few})
    assert known.of(Plan(steps=(QUERY,), likelihood=0.01)) == Seen(runs=14)
    agreed = known.changed(kinds={**known.kinds, "table, agreed, sure": Seen(right=9, runs=9)})
    assert agreed.of(Plan(steps=(QUERY,), likelihood=0.01, agreement=AGREED)) == Seen(right=9, runs=9)
    vouched = known.changed(kinds={**known.kinds, "sentence, vouched, sure": Seen(right=9, runs=9)})
    assert vouched.of(Plan(steps=(QUOTE,), likelihood=0.01, vouched=0.6)) == Seen(right=9, runs=9)


def test_answers_from_files_say_nothing_of_answers_without_them() -> None:
    """Nor the other way round, but where all that is known is against one."""
    known = Experience(kinds={"table": Seen(right=2, runs=10), "sum, agreed": Seen(right=20, runs=20)})
    date, weather = ToolCall(tool="add_days"), ToolCall(tool="weather")
    for call in (date, weather):
        assert known.of(Plan(steps=(step("s1", call),))).probability is None
    assert known.of(Plan(steps=(QUERY,), agreement=AGREED)).probability is None
    assert known.of(Plan(steps=(QUOTE,))) == Seen(right=2, runs=10)
    mended = known.changed(kinds={"table, mended": Seen(right=2, runs=10)})
    assert mended.of(Plan(steps=(step("s1", date, "tool_repaired"),))) == Seen(right=2, runs=10)


def test_what_was_seen_elsewhere_speaks_where_too_little_was_seen_here() -> None:
    """Own runs go first, as far as they say anything; a kind of which neither says anything stays unknown."""
    elsewhere = Experience(kinds={"table": Seen(right=9, runs=9), "sum, agreed": Seen(right=8, runs=8)})
    known = Experience(kinds={"table": Seen(right=1, runs=LEAST_RUNS)}, fallback=elsewhere)
    assert known.of(Plan(steps=(QUERY,))) == Seen(right=1, runs=LEAST_RUNS)
    assert known.of(Plan(steps=(SUM,), agreement=AGREED)) == Seen(right=8, runs=8)
    assert known.of(Plan(steps=(SUM,), agreement=DISAGREED)).probability is None
    few = known.changed(kinds={"table": Seen(right=1, runs=LEAST_RUNS - 1)})
    assert few.of(Plan(steps=(QUERY,))) == Seen(right=9, runs=9)


def test_what_is_shipped_can_be_read() -> None:
    """Of each model that was measured; of another one nothing is known."""
    for name in CATALOGUE:
        assert all(seen.right <= seen.runs for seen in shipped(name).kinds.values())
    assert shipped("no-such-model") == Experience()


def test_runs_are_counted_by_how_their_answers_came_about() -> None:
    """Right and wrong ones of each kind."""
    table, sentence = Plan(steps=(QUERY,)), Plan(steps=(QUOTE,))
    found = counted([(table, True), (sentence, False), (table, False), (table, True)])
    assert found == {"sentence": Seen(right=0, runs=1), "table": Seen(right=2, runs=3)}


def test_a_calibration_of_the_users_own_goes_before_what_is_shipped(tmp_path: Path) -> None:
    """One without counts leaves what is shipped, which is the fallback in any case."""
    path = tmp_path / "map.json"
    monitor = StateMonitor(confidence_model="calibrated", calibration=str(path))
    own = {"table": Seen(right=1, runs=9)}
    path.write_text(ConfidenceMap(runs=9, kinds=own).model_dump_json())
    assert experience(monitor, "any").kinds == own
    assert experience(StateMonitor(), "any") == Experience()
    name = next(iter(CATALOGUE))
    path.write_text(ConfidenceMap(runs=9, points=((0.5, 0.5),)).model_dump_json())
    assert experience(monitor, name) == shipped(name)
    path.write_text(ConfidenceMap(runs=9, kinds=own).model_dump_json())
    assert experience(monitor, name) == Experience(kinds=own, fallback=shipped(name))


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
