"""What the terminal says of an effect, of any engine and of the multi-pass engine."""

from __future__ import annotations

import pytest

from aeon.cli.narration import Narrator, Past
from aeon.cli.narrators import narrator_of
from aeon.cli.passes import PassNarrator
from aeon.kernel.passes import MULTIPASS
from aeon.multipass.effects import (
    AssessConvergence,
    DraftPlan,
    ExecuteStep,
    InferProfile,
    PassNote,
    RunProgram,
    ValidatePlan,
    WeighResult,
)
from aeon.observability.lines import Line, plain
from aeon.runtime.events import EffectEnded, Noted
from aeon.schema import (
    Config,
    Contradiction,
    ConvergenceAssessment,
    Decision,
    Dimensions,
    Evaluation,
    Failure,
    Gaps,
    Issue,
    Outcome,
    Plan,
    SemanticValidationReport,
    Step,
    StepResult,
    Task,
    TaskProfile,
    ToolLoop,
    ToolUse,
    Value,
    Writing,
)
from aeon.schema.effects import Effect, EffectOf, Note
from aeon.schema.programs import Candidate, ProgramText, Ran
from aeon.schema.weight import Weight

TASK = Task(text="How much?")
STEP = ExecuteStep(task=TASK, step=Step(id="s2", description="add it up"))


class Hits(Value):
    """What a search found."""

    texts: tuple[str, ...]


class Search(EffectOf[Hits]):
    """An effect of an engine that nobody here knows."""

    phase = "search"
    query: str


def ended(effect: Effect, outcome: Outcome, recorded: bool = False) -> EffectEnded:
    """The event of an effect that has its outcome."""
    return EffectEnded(line=4, number=3, effect=effect, outcome=outcome, recorded=recorded)


def said(lines: list[Line]) -> str:
    """The lines as text."""
    return plain(lines)


@pytest.mark.requirement("K4", "X3")
@pytest.mark.parametrize(
    ("kind", "mark"),
    [("skipped", "○"), ("interrupted", "○"), ("endpoint", "○"), ("allowance", "○"), ("journal", "○"), ("tool", "✗"),
     ("completion", "✗")],
)  # fmt: skip
def test_a_step_that_was_not_done_is_shown_as_pending_and_one_that_failed_as_failed(kind: str, mark: str) -> None:
    """A step that waits for one without an output did nothing wrong."""
    failure = Failure.model_validate({"kind": kind, "message": "this is why"})
    narrator = narrator_of(MULTIPASS.name)(MULTIPASS.name, "a model")
    assert isinstance(narrator, PassNarrator)
    assert f"{mark} s2" in said(narrator.lines(ended(STEP, Outcome(failure=failure))))


@pytest.mark.requirement("M1")
def test_an_effect_of_an_unknown_engine_is_one_line() -> None:
    """What it is about, how long it took, and what came of it in short; control characters are escaped."""
    narrator = narrator_of("search/1")("search/1", "a model")
    assert type(narrator) is Narrator
    effect = Search(task=TASK, query="rolls")
    outcome = Outcome(value=Hits(texts=("one", "two\x1b[2J" + "x" * 200)), started=1.0, ended=4.25)
    (line,) = said(narrator.lines(ended(effect, outcome))).splitlines()
    assert line.split()[:3] == ["search", "3.2", "s"] and '["one", "two\\u001b[2J' in line
    assert line.endswith("…") and len(line) <= 80
    assert narrator.doing(effect) == "search"


@pytest.mark.requirement("M1")
def test_a_failure_of_an_unknown_engine_says_why() -> None:
    """The kind of the failure and its message; a nested run's effect has its scope."""
    effect = Search(task=TASK, query="rolls", scope="/1")
    failure = Failure(kind="tool", message="no network")
    line = said(Narrator("search/1", "a model").lines(ended(effect, Outcome(failure=failure))))
    assert "/1 search" in line and "tool: no network" in line


@pytest.mark.requirement("M1")
def test_a_decision_of_any_engine_is_told() -> None:
    """A note with a decision gives its action, its reason and its detail."""
    decision = Decision(action="OUTPUT", reason="found_enough", detail="two hits", sufficient=True)
    event = Noted(line=2, note=Note(decision=decision))
    assert "stop, found enough: two hits" in said(Narrator("search/1", "a model").lines(event))


@pytest.mark.requirement("H3")
@pytest.mark.parametrize("engine", ["search/1", MULTIPASS.name])
def test_an_altered_outcome_of_the_past_is_marked(engine: str) -> None:
    """Where a fork put an outcome in, the story of the past says so."""
    narrator = narrator_of(engine)(engine, "a model", past=Past(4, frozenset({3})))
    outcome = Outcome(value=Hits(texts=("one",)))
    told = said(narrator.lines(ended(Search(task=TASK, query="rolls"), outcome, recorded=True)))
    assert "altered" in told and "one" in told
    other = narrator_of(engine)(engine, "a model", past=Past(4))
    assert "altered" not in said(other.lines(ended(Search(task=TASK, query="rolls"), outcome, recorded=True)))


def test_the_multi_pass_narrator_knows_no_other_phase_and_does_not_mind() -> None:
    """An effect of a phase that it has no words for is named by its subject."""
    assert PassNarrator(MULTIPASS.name, "a model").doing(Search(task=TASK, query="rolls")) == "search"


def shown(effect: Effect, value: Value) -> str:
    """What the multi-pass narrator says of an effect that came to this value in no time."""
    return said(PassNarrator(MULTIPASS.name, "a model").lines(ended(effect, Outcome(value=value))))


REPORT = SemanticValidationReport(evidence=("measured to be too poor to decide: plan_leads",), standing="bad")
UNJUDGED = ConvergenceAssessment(
    converged=True,
    completeness=None,
    coherence=None,
    consistency=None,
    detected_issues=tuple(f"measured to be too poor to decide: {name}" for name in ("coherence", "completeness")),
    evaluation=Evaluation(coverage=1.0, dimensions=Dimensions(), warnings=("no result rests on a tool",)),
)
ASSESS = AssessConvergence(task=TASK, plan=Plan(), report=REPORT, thresholds=Config().convergence)
CHECK = ValidatePlan(task=TASK, plan=Plan())


@pytest.mark.requirement("T3a")
def test_judgments_that_nobody_was_asked_for_are_left_out() -> None:
    """A profile that stands in for one, a report on which no model was asked, and an assessment of nothing measured."""
    assert shown(InferProfile(task=TASK), TaskProfile(inferred=False)) == ""
    assert shown(CHECK, REPORT) == "" and shown(ASSESS, UNJUDGED) == ""


@pytest.mark.requirement("T3a")
def test_what_was_judged_or_counted_is_shown() -> None:
    """With the figures that were measured only: a verdict, an issue, a fact, a failure, a gap, what is not met."""
    assert "depth 3 of 5" in shown(InferProfile(task=TASK), TaskProfile())
    assert "no issues" in shown(CHECK, REPORT.changed(form="verdict"))
    assert "s3: not checked" in shown(CHECK, REPORT.changed(evidence=(*REPORT.evidence, "s3: not checked")))
    assert "could not be judged" in shown(CHECK, REPORT.changed(failed=True))
    issue = Issue(type="do_say_mismatch", severity="HIGH", description="it adds", location="s2")
    assert "HIGH do say mismatch at s2" in shown(CHECK, REPORT.changed(issues=(issue,)))
    judged = shown(ASSESS, UNJUDGED.changed(coherence=0.75))
    assert "scores   coherence 0.75" in judged and "coverage 1.00" in judged and "not measured" not in judged
    assert "not converged: step_failed" in shown(
        ASSESS, UNJUDGED.changed(converged=False, reason_codes=("step_failed",))
    )
    assert "could not be judged" in shown(ASSESS, ConvergenceAssessment(converged=False, failed=True))
    gaps = Gaps(contradictions=(Contradiction(source_a="s1", source_b="s2", claim="the rent"),))
    torn = UNJUDGED.changed(evaluation=UNJUDGED.evaluation.changed(gaps=gaps))  # type: ignore[union-attr]
    assert "s1 and s2 contradict each other: the rent" in shown(ASSESS, torn)


SUM = ToolUse(id="s2.1", tool="calculator", arguments={"expression": "2 + 3"}, output=5)
QUERY = ToolUse(id="s2.2", tool="sql", arguments={"query": "SELECT sum(takings) FROM sales"}, output=2150.5)


@pytest.mark.requirement("T3a")
@pytest.mark.parametrize(
    ("action", "result", "lines"),
    [
        (
            ToolLoop(),
            StepResult(output="5", mode="tools", uses=(SUM,)),
            ["✓ s2  add it up = 5  1 call: calculator"],
        ),
        (
            ToolLoop(form="program"),
            StepResult(output="2150.5", mode="program", uses=(QUERY, SUM)),
            ["✓ s2  add it up = 2150.5  2 calls: sql, calculator"],
        ),
        (
            ToolLoop(form="program"),
            StepResult(output=None, mode="program", clarity="PARTIALLY_CLEAR", problem="not stated: Who?"),
            ["✓ s2  add it up  no calls", "      partly clear: not stated: Who?"],
        ),
        (Writing(task="Say hello."), StepResult(output="Hello."), ["✓ s2  written by the model = Hello."]),
    ],
)
def test_a_step_is_a_line_with_its_result_and_what_that_rests_on(
    action: ToolLoop | Writing, result: StepResult, lines: list[str]
) -> None:
    """A second line only where it is too long for one."""
    told = shown(STEP.changed(step=STEP.step.changed(action=action)), result).splitlines()
    assert [line[11:] if line.startswith(" " * 11) else line.strip() for line in told] == lines
    assert max(map(len, told)) <= 80


@pytest.mark.requirement("T3a")
def test_a_plan_is_one_line_with_the_seconds_that_it_took() -> None:
    """A long one has a line for each step."""
    narrator = PassNarrator(MULTIPASS.name, "a model")
    draft = DraftPlan(task=TASK, profile=TaskProfile(), most_steps=9)

    def told(*aims: str) -> list[str]:
        plan = Plan(steps=tuple(Step(id=f"s{n}", description=aim) for n, aim in enumerate(aims, 1)))
        assert not narrator.lines(ended(draft, Outcome(value=plan, started=1.0, ended=4.5)))
        return said(narrator.lines(Noted(line=2, note=PassNote(pass_number=0, plan=plan)))).splitlines()

    assert told("total", "vat") == ["  plan     s1 total, s2 vat  3.5 s"]
    assert told("a" * 40, "b" * 40) == [f"  plan     s1 {'a' * 40}  3.5 s", f"           s2 {'b' * 40}"]
    assert max(map(len, told("c" * 200))) <= 80


@pytest.mark.requirement("W3")
@pytest.mark.parametrize(("steps", "named"), [(1, ""), (2, "s2 ")])
def test_what_a_program_gave_is_said_of_its_step_where_there_are_several(steps: int, named: str) -> None:
    """And so is what a judge makes of it; of the only step it is said alone, and nothing of what nobody judged."""
    narrator = PassNarrator(MULTIPASS.name, "a model")
    plan = Plan(steps=tuple(Step(id=f"s{n}", description="add it up") for n in range(1, steps + 1)))
    narrator.lines(Noted(line=2, note=PassNote(pass_number=0, plan=plan)))
    candidate = Candidate(program=ProgramText(way="query", text="SELECT 7"), ran=Ran(values=(7,)))
    run = RunProgram(task=TASK, step=STEP.step, program=candidate.program)
    weigh = WeighResult(task=TASK, step=STEP.step, candidate=candidate)

    def told(effect: Effect, value: Value) -> str:
        return said(narrator.lines(ended(effect, Outcome(value=value)))).rstrip()

    assert told(run, candidate.ran) == f"  query    {named}= 7"
    assert told(weigh, Weight(score=0.25)) == f"  judged   {named}0.25" and told(weigh, Weight()) == ""


@pytest.mark.requirement("T3a")
def test_only_a_pass_after_the_first_has_a_heading() -> None:
    """And a decision to end has its line at the end of the run, not here."""
    narrator = PassNarrator(MULTIPASS.name, "a model")
    again = Decision(action="CONTINUE", reason="continue", detail="something is left to do")
    over = Decision(action="OUTPUT", reason="converged", sufficient=True)
    assert not narrator.before(STEP)
    assert "continue: something is left" in said(
        narrator.lines(Noted(line=1, note=PassNote(pass_number=1, decision=again)))
    )
    assert said(narrator.before(STEP)).strip() == "Pass 2"
    assert not narrator.lines(Noted(line=2, note=PassNote(pass_number=2, decision=over)))
