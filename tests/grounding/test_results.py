"""The claims of an answer that was made from a plan, and values of it that stand in nothing."""

from __future__ import annotations

import pytest

from aeon.grounding.results import LatestEvidence, PlanEvidence, told
from aeon.multipass.effects import ValidateResults
from aeon.schema import (
    Action,
    Clarification,
    ConvergenceAssessment,
    FromTask,
    Issue,
    JsonValue,
    Plan,
    Step,
    StepMode,
    Task,
    ToolLoop,
    ToolUse,
    Writing,
)
from aeon.schema import SemanticValidationReport as Report
from aeon.schema.turns import Lines
from aeon.validation.unplaced import with_unplaced

TASK = Task(text="What do 3 guests pay?")
FEE = Lines(source="fees.md", spans=((10, 31),), texts=("The fee is 12.50 euro",))


def step(name: str, output: JsonValue, action: Action, mode: StepMode) -> Step:
    """A step that is complete."""
    return Step(id=name, description=f"find {name}", action=action, status="complete", mode=mode, output=output)


def looked(name: str, output: JsonValue, *lines: Lines) -> Step:
    """A step whose one call gave this, from these sentences."""
    use = ToolUse(id=f"{name}.1", tool="quote" if lines else "sql", arguments={}, output=output, lines=lines)
    return step(name, output, ToolLoop(form="program"), "program").changed(uses=(use,))


def said(answer: str, *steps: Step, **more: object) -> list[tuple[str, str, str]]:
    """The text, the support and the verdict of each claim."""
    plan = Plan(steps=steps).changed(**more)
    return [(one.text, one.support, one.verdict) for one in PlanEvidence(TASK, plan).claims(answer)]


@pytest.mark.requirement("G1", "G4")
def test_what_a_tool_gave_supports_an_answer() -> None:
    """A value that none gave is not found, and so is one of a step that failed."""
    assert said("It is 37.5.", looked("s1", 37.5)) == [("37.5", "tool", "supported")]
    assert said("It is 38.5.", looked("s1", 37.5)) == [("38.5", "none", "not_found")]
    assert said("It is 37.5.", looked("s1", 1), looked("s2", 37.5).changed(status="failed"))[0][2] == "not_found"


@pytest.mark.requirement("G1")
def test_what_was_quoted_or_read_rests_on_its_sentence() -> None:
    """Not on what the step gave: a reading is in the words of the model."""
    quoted = looked("s1", 12.5, FEE)
    assert said("It is 12.50 euro.", quoted) == [("12.50 euro", "source", "supported")]
    assert said("It is 99 euros.", quoted.changed(output="99 euros")) == [("99 euros", "none", "not_found")]


@pytest.mark.requirement("G1", "G5")
def test_what_was_not_found_is_said_by_the_step() -> None:
    """Its words support the answer that says so."""
    nothing = step("s1", None, ToolLoop(), "tool").changed(problem="not in 14 files")
    assert said("It is in none of 14 files.", nothing, looked("s2", 3)) == [("14", "tool", "supported")]


@pytest.mark.requirement("G1", "G4")
def test_where_nothing_was_looked_up_nothing_is_checked() -> None:
    """What the task says is still found; a wrong sum is still wrong."""
    text = step("s1", "…", Writing(task="write"), "reasoning")
    assert said("3 guests in 1931.", text) == [("3", "task", "supported"), ("1931", "none", "not_checked")]
    assert said("3 + 4 = 8", text)[-1][2] == "contradicted"


@pytest.mark.requirement("G1")
def test_what_a_person_answered_is_a_part_of_the_task() -> None:
    """What was only assumed is none."""
    asked = Clarification(question="Which year?", answer="2025")
    task = TASK.changed(context="In Cork.", clarifications=(asked, asked.changed(answer="1999", assumed=True)))
    plan = Plan(steps=(looked("s1", 4),))
    found = PlanEvidence(task, plan).claims("4 in 2025, not 1999")
    assert [(one.text, one.verdict) for one in found] == [
        ("4", "supported"), ("2025", "supported"), ("1999", "not_found"),
    ]  # fmt: skip
    (place,) = found[1].evidence
    assert isinstance(place, FromTask) and told(task).context[place.start : place.end] == "2025"


def found_in(*steps: Step, report: Report | None = None, able: bool = True) -> Report:
    """What is found in the answer that the last of the steps gives."""
    effect = ValidateResults(task=TASK, plan=Plan(steps=steps, answer=(steps[-1].id,)), executed=())
    return with_unplaced(effect, report or Report(), able)


def worked(name: str, output: str, *uses: ToolUse) -> Step:
    """A step that found something out by programs, which made these calls."""
    mode: StepMode = "program" if uses else "reasoning"
    return step(name, output, ToolLoop(form="program"), mode).changed(uses=uses)


def gave(output: JsonValue) -> ToolUse:
    """A call that gave this."""
    return ToolUse(id="s1.1", tool="sql", arguments={"query": "SELECT fee"}, output=output)


@pytest.mark.requirement("G4b", "G2")
@pytest.mark.parametrize("action", [ToolLoop(form="program"), ToolLoop(form="tools")])
def test_a_text_that_nothing_was_looked_up_for_may_hold_no_value_of_its_own(action: ToolLoop) -> None:
    """Where there is something to look in, whatever the form of work."""
    written = worked("s1", "Ada pays 100 euros.").changed(action=action)
    (issue,) = found_in(written).issues
    assert (issue.location, issue.severity, issue.by) == ("s1", "HIGH", "host") and issue.description.startswith("100")
    assert found_in(written, able=False).issues == ()


@pytest.mark.requirement("G2", "J5", "W3")
def test_what_programs_printed_is_held_against_their_calls() -> None:
    """A value that no call gave is an issue of the step that gives the answer."""
    assert found_in(worked("s1", "37.5", gave(37.5))).issues == ()
    (issue,) = found_in(worked("s1", "1080", gave(37.5))).issues
    assert (issue.location, issue.type, issue.severity, issue.by) == ("s1", "hallucination", "HIGH", "host")
    assert issue.description == "1080: stands nowhere"


@pytest.mark.requirement("G2", "J5")
@pytest.mark.parametrize("output", ["It is 37.5.", "3 * 12 = 36", "Two of 3.", "37.50"])
def test_what_follows_is_no_issue(output: str) -> None:
    """What a tool gave, what the task says, a sum of such."""
    assert found_in(worked("s1", output, gave([37.5, 12]))).issues == ()


@pytest.mark.requirement("J5")
def test_an_issue_points_at_its_claim() -> None:
    """The span is that of the value in the answer."""
    text = "12 * 3 = 37, and 1080 more."
    for issue, said, verdict in zip(
        found_in(worked("s1", text, gave(12))).issues, ("37", "1080"), ("contradicted", "not_found"), strict=True
    ):
        assert issue.claim and text[issue.claim.start : issue.claim.end] == said
        assert (issue.claim.verdict, issue.by) == (verdict, "host")


@pytest.mark.requirement("J5")
def test_where_nothing_can_be_looked_up_only_what_is_wrong_is_an_issue() -> None:
    """A model without tools has to know things; it does not have to calculate wrongly."""
    (issue,) = found_in(worked("s1", "In 1931 it was 3 + 4 = 8."), able=False).issues
    assert issue.description.startswith("8: ")


@pytest.mark.requirement("G2", "J5")
def test_the_hosts_issues_come_first_and_no_verdict_outweighs_them() -> None:
    """The judge's stay behind them; what it held to be good does not converge."""
    judged = Issue(type="relevance", severity="HIGH", description="beside the point", location="s1")
    verdict = ConvergenceAssessment(converged=True, completeness=1, coherence=1, consistency=1)
    report = found_in(worked("s1", "1080", gave(1)), report=Report(issues=(judged,), verdict=verdict))
    assert [one.by for one in report.issues] == ["host", "judge"]
    assert report.verdict and not report.verdict.converged and report.verdict.reason_codes == ("unsupported",)


@pytest.mark.requirement("G1")
def test_the_evidence_of_a_plan_is_read_once() -> None:
    """For as long as that plan is asked about; what it says of an answer is what it says when it is read alone."""
    evidence, plan, later = LatestEvidence(), Plan(steps=(looked("s1", 37.5),)), Plan(steps=(looked("s1", 38.5),))
    first = evidence.of(TASK, plan)
    assert evidence.of(TASK, plan) is first and first.claims("37.5") == PlanEvidence(TASK, plan).claims("37.5")
    assert first.claims("37.5") is first.claims("37.5") and first.claims("38.5")[0].verdict == "not_found"
    assert evidence.of(TASK, later).claims("38.5")[0].verdict == "supported"
    assert evidence.of(TASK.changed(context="It is 37.5."), later).claims("37.5")[0].verdict == "supported"
