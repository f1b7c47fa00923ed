"""The claims of an answer that was made from a plan, and values that a step reasoned out of nothing."""

from __future__ import annotations

import pytest

from aeon.grounding.results import grounded, told
from aeon.multipass.effects import ValidateResults
from aeon.schema import (
    Action,
    Agreement,
    Clarification,
    Derivation,
    FromTask,
    Issue,
    JsonValue,
    Plan,
    Reasoning,
    SemanticValidationReport,
    Source,
    Step,
    StepMode,
    Task,
    ToolCall,
    Writing,
)
from aeon.validation.unfounded import with_unfounded

TASK = Task(text="What do 3 guests pay?")
FEE = Source(source="fees.md", start=10, end=31, text="The fee is 12.50 euro")


QUERY = ToolCall(tool="sql")


def step(name: str, output: JsonValue, action: Action = QUERY, mode: StepMode = "tool", *sources: Source) -> Step:
    """A step that is complete."""
    return Step(
        id=name, description=f"find {name}", action=action, status="complete", mode=mode, output=output, sources=sources
    )


def said(answer: str, *steps: Step, **more: object) -> list[tuple[str, str, str]]:
    """The text, the support and the verdict of each claim."""
    plan = Plan(steps=steps).changed(**more)
    return [(one.text, one.support, one.verdict) for one in grounded(answer, TASK, plan)]


@pytest.mark.requirement("G1", "G4")
def test_what_a_tool_gave_supports_an_answer() -> None:
    """A value that none gave is not found, and so is one of a step that failed."""
    assert said("It is 37.5.", step("s1", 37.5)) == [("37.5", "tool", "supported")]
    assert said("It is 38.5.", step("s1", 37.5)) == [("38.5", "none", "not_found")]
    assert said("It is 37.5.", step("s1", 1), step("s2", 37.5).changed(status="failed"))[0][2] == "not_found"


@pytest.mark.requirement("G1")
def test_what_was_quoted_or_read_rests_on_its_sentence() -> None:
    """Not on what the step gave: a reading is in the words of the model."""
    quoted = step("s1", 12.5, ToolCall(tool="quote"), "tool", FEE)
    assert said("It is 12.50 euro.", quoted) == [("12.50 euro", "source", "supported")]
    read = step("s1", "99 euros", ToolCall(tool="lookup"), "reading", FEE)
    assert said("It is 99 euros.", read) == [("99 euros", "none", "not_found")]


@pytest.mark.requirement("G1", "G5")
def test_what_was_not_found_is_said_by_the_step() -> None:
    """Its words support the answer that says so."""
    nothing = step("s1", None, ToolCall(tool="lookup"), "reading").changed(problem="not in 14 files")
    assert said("It is in none of 14 files.", nothing) == [("14", "tool", "supported")]


@pytest.mark.requirement("G1", "G4")
def test_where_nothing_was_looked_up_nothing_is_checked() -> None:
    """What the task says is still found; a wrong sum is still wrong."""
    text = step("s1", "…", Writing(task="write"), "reasoning")
    assert said("3 guests in 1931.", text) == [("3", "task", "supported"), ("1931", "none", "not_checked")]
    assert said("3 + 4 = 8", text)[-1][2] == "contradicted"


@pytest.mark.requirement("G1", "G4")
def test_a_derivation_that_is_taken_states_its_sums() -> None:
    """Its answer follows from the task by what it calculates."""
    taken = Derivation(method="worked", text="3 * 3 = 9\nAnswer: 9", answer="9", agrees=True, taken=True)
    agreement = Agreement(derivations=(taken,))
    wrong = step("s1", 6, ToolCall(tool="calculator"))
    assert said("They pay 9.", wrong, agreement=agreement) == [("9", "inference", "supported")]
    assert said("They pay 9.", wrong) == [("9", "none", "not_found")]


@pytest.mark.requirement("G1")
def test_what_a_person_answered_is_a_part_of_the_task() -> None:
    """What was only assumed is none."""
    asked = Clarification(question="Which year?", answer="2025")
    task = TASK.changed(context="In Cork.", clarifications=(asked, asked.changed(answer="1999", assumed=True)))
    plan = Plan(steps=(step("s1", 4),))
    found = grounded("4 in 2025, not 1999", task, plan)
    assert [(one.text, one.verdict) for one in found] == [
        ("4", "supported"), ("2025", "supported"), ("1999", "not_found"),
    ]  # fmt: skip
    (place,) = found[1].evidence
    assert isinstance(place, FromTask) and told(task).context[place.start : place.end] == "2025"


def issues(*steps: Step, report: SemanticValidationReport | None = None, able: bool = True) -> tuple[Issue, ...]:
    """What the host finds in the steps."""
    effect = ValidateResults(task=TASK, plan=Plan(steps=steps), executed=())
    return with_unfounded(effect, report or SemanticValidationReport(), able).issues


def reasoned(name: str, output: str) -> Step:
    """A step that reasoned."""
    return step(name, output, Reasoning(), "reasoning")


@pytest.mark.requirement("G4b", "G2")
def test_a_text_that_nothing_was_looked_up_for_may_hold_no_value_of_its_own() -> None:
    """Where there is something to look in; what is written from sentences is held against those."""
    written = step("s1", "Ada pays 100 euros.", Writing(task="Write to Ada."), "reasoning")
    (issue,) = issues(written)
    assert (issue.location, issue.severity, issue.by) == ("s1", "HIGH", "host") and issue.description.startswith("100")
    assert issues(written, able=False) == ()
    assert issues(written.changed(action=Writing(task="Write to Ada.", grounded=True))) == ()


@pytest.mark.requirement("G2", "J5")
def test_an_invented_number_is_an_issue_of_the_step_that_invents_it() -> None:
    """The step that builds on it is not at fault."""
    (issue,) = issues(step("s1", 37.5), reasoned("s2", "The revenue is 1080.00."), reasoned("s3", "So 1080 it is."))
    assert (issue.location, issue.type, issue.severity, issue.by) == ("s2", "hallucination", "HIGH", "host")
    assert issue.description == "1080.00: stands in nothing that it could use"


@pytest.mark.requirement("G2", "J5")
@pytest.mark.parametrize(
    "output", ["It is 37.5.", "3 * 12 = 36", "Two of 3.", "There are 7 ways.", "It depends.", "37.50"]
)
def test_what_follows_is_no_issue(output: str) -> None:
    """What a tool gave, what the task says, a sum of such, small counts."""
    assert issues(step("s1", {"a": 37.5, "b": 12}), reasoned("s2", output)) == ()


@pytest.mark.requirement("J5")
def test_an_issue_points_at_its_claim() -> None:
    """The span is that of the value in the output of the step, and the type follows from the verdict."""
    text = "12 * 3 = 37, and 1080 more."
    wrong, invented = issues(step("s1", 12), reasoned("s2", text))
    for issue, said, verdict, kind in (
        (wrong, "37", "contradicted", "consistency"),
        (invented, "1080", "not_found", "hallucination"),
    ):
        assert issue.claim and text[issue.claim.start : issue.claim.end] == said
        assert (issue.claim.verdict, issue.type, issue.by) == (verdict, kind, "host")


@pytest.mark.requirement("J5")
@pytest.mark.parametrize(
    ("last", "severity"), [("It is 1080.00.", "HIGH"), ("It is 37.5.", "MEDIUM"), ("It is late.", "MEDIUM")]
)
def test_an_issue_is_severe_where_its_value_is_in_the_answer(last: str, severity: str) -> None:
    """What a last step says is the answer; another notation of the value is the value."""
    builds = reasoned("s3", last).changed(dependencies=("s2",))
    (issue,) = issues(step("s1", 37.5), reasoned("s2", "It is 1080."), builds)
    assert (issue.location, issue.severity) == ("s2", severity)
    (alone,) = issues(step("s1", 37.5), reasoned("s2", "It is 1080."))
    assert alone.severity == "HIGH"


@pytest.mark.requirement("J5")
def test_where_nothing_can_be_looked_up_only_what_is_wrong_is_an_issue() -> None:
    """A model without tools has to know things; it does not have to calculate wrongly."""
    (issue,) = issues(reasoned("s1", "In 1931 it was 3 + 4 = 8."), able=False)
    assert issue.description == "8: it is 7"


@pytest.mark.requirement("J5")
def test_the_most_severe_issues_come_first() -> None:
    """Of two that are alike severe, the host's."""
    judged = [
        Issue(type="relevance", severity=severity, description="beside", location="s2")  # type: ignore[arg-type]
        for severity in ("CRITICAL", "HIGH", "LOW")
    ]
    found = issues(step("s1", 1), reasoned("s2", "It is 1080."), report=SemanticValidationReport(issues=tuple(judged)))
    assert [(one.severity, one.by) for one in found] == [
        ("CRITICAL", "judge"), ("HIGH", "host"), ("HIGH", "judge"), ("LOW", "judge"),
    ]  # fmt: skip


@pytest.mark.requirement("G2", "J5")
def test_the_hosts_issues_come_first_and_tools_have_none() -> None:
    """The judge's stay behind them; a wrong sum is named."""
    judged = Issue(type="relevance", severity="HIGH", description="beside the point", location="s2")
    found = issues(step("s1", 1), reasoned("s2", "3 + 4 = 8"), report=SemanticValidationReport(issues=(judged,)))
    assert [one.by for one in found] == ["host", "judge"] and found[0].description == "8: it is 7"
    assert issues(step("s1", "1080 out of nowhere")) == ()
