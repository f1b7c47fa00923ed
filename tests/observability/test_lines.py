"""Lines for people: what they say, how long they get, and what they keep from reaching a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.engines.graph.view import VIEW as GRAPH_VIEW
from aeon.observability.lines import plain, short, visible
from aeon.observability.passes.lines import (
    assessment_lines,
    outcome_words,
    refinement_lines,
    report_lines,
    step_lines,
)
from aeon.schema import (
    ConvergenceAssessment,
    Issue,
    Outcome,
    Reasoning,
    RefinementAction,
    RefinementRecord,
    Rejection,
    SemanticValidationReport,
    Step,
    ToolLoop,
    ToolUse,
)


@given(st.text())
def test_no_control_character_gets_through(text: str) -> None:
    """Whatever a model writes, a terminal gets no character that could steer it."""
    shown = visible(text)
    assert not any((c < " " and c not in "\n\t") or "\x7f" <= c <= "\x9f" or "\u202a" <= c <= "\u202e" for c in shown)


@given(st.text(), st.integers(5, 80))
def test_a_short_text_is_one_line_within_its_width(text: str, width: int) -> None:
    """It has no line break, and is never longer than asked for."""
    line = short(text, width)
    assert len(line) <= width and len(line.splitlines()) <= 1


def test_every_delta_is_told_with_its_reason() -> None:
    """Applied deltas have their sign, target and justification; refused ones the reason; overruled repairs are kept."""
    step = Step(id="s4", description="add the shipping", action=ToolLoop())
    record = RefinementRecord(
        applied=(
            RefinementAction(type="ADD", target="s1", steps=(step,), justification="shipping was left out"),
            RefinementAction(type="MODIFY", target="s4", steps=(step,)),
            RefinementAction(type="REMOVE", target="s2"),
            RefinementAction(type="REPLACE", target="s3", steps=(step,)),
        ),
        rejected=(Rejection(action=RefinementAction(type="REMOVE", target="s9"), reason="there is no such step"),),
        advisories=("s1: round it",),
    )
    text = plain(refinement_lines(record))
    for words in ("+ ADD s1", "because shipping was left out", "~ MODIFY s4", "- REMOVE s2", "=> REPLACE s3"):
        assert words in text
    assert "s4  add the shipping  tools" in text
    assert "refused REMOVE s9: there is no such step" in text and "overruled: s1: round it" in text


def test_a_step_says_how_it_was_done_and_what_went_wrong() -> None:
    """A call, a block and a failure each have their words."""
    use = ToolUse(id="s1.1", tool="calculator", arguments={"expression": "2 + 3"}, output=5)
    tool = Step(id="s1", description="d", action=ToolLoop(), output="5", status="complete", uses=(use,))
    called = plain(step_lines(tool.changed(mode="tools", problem="cut")))
    assert "✓ s1" in called and "1 call" in called and "cut" in called and "= 5" in called
    blocked = Step(
        id="s2", description="d", action=Reasoning(), status="invalid", clarity="BLOCKED", problem="no price"
    )
    assert "! s2" in plain(step_lines(blocked)) and "blocked: no price" in plain(step_lines(blocked))
    failed = Step(id="s3", description="d", status="failed", problem="division by zero")
    assert "✗ s3" in plain(step_lines(failed)) and "division by zero" in plain(step_lines(failed))


def test_an_issue_has_its_place_its_fault_and_its_repair() -> None:
    """Severity, type, location, description and proposed repair are all told."""
    issue = Issue(
        type="do_say_mismatch", severity="HIGH", description="it adds", location="s2", proposed_repair="take away"
    )
    text = plain(report_lines(SemanticValidationReport(issues=(issue,), evidence=("2 + 2 = 4",))))
    for words in ("HIGH do say mismatch at s2", "it adds", "repair: take away", "evidence: 2 + 2 = 4"):
        assert words in text


NOBODY = SemanticValidationReport()
CLEAN = SemanticValidationReport(form="verdict", standing="assumed")
POOR = SemanticValidationReport(standing="bad", evidence=("measured to be too poor to decide: result_right",))
FAILED = SemanticValidationReport(failed=True)


@pytest.mark.requirement("J8", "H3")
@pytest.mark.parametrize("view", ["history", "effects", "graph"])
def test_a_check_that_nobody_made_is_never_told_as_one_that_found_nothing(view: str) -> None:
    """In every view: nobody was asked, the judgment is bad on this model, or it failed; and one that was made."""

    def told(report: SemanticValidationReport) -> str:
        if view == "history":
            return plain(report_lines(report)).splitlines()[0]
        words = outcome_words if view == "effects" else GRAPH_VIEW.words
        return words(Outcome(value=report))

    assert told(CLEAN) == "no issues"
    assert (told(NOBODY), told(POOR), told(FAILED)) == ("not judged", "not judged", "could not be judged")
    assert CLEAN.judged and not any(one.judged for one in (NOBODY, POOR, FAILED))


@pytest.mark.requirement("J8", "H3")
def test_an_assessment_that_nobody_made_has_no_scores() -> None:
    """Neither in its value, nor in the history, nor among the effects."""
    nobody = ConvergenceAssessment(converged=False, reason_codes=("steps_unfinished",))
    assert not nobody.judged and nobody.standing == "none"
    assert plain(assessment_lines(nobody)) == "not judged\nnot converged: steps_unfinished"
    assert outcome_words(Outcome(value=nobody)) == "not converged (not judged)"
    failed = nobody.changed(failed=True)
    assert plain(assessment_lines(failed)) == "could not be judged"
    assert outcome_words(Outcome(value=failed)) == "not converged (could not be judged)"
    judged = nobody.changed(form="verdict", completeness=0.0)
    assert outcome_words(Outcome(value=judged)) == "not converged 0.00 - -"
