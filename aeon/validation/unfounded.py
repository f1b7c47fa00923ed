"""Values that a step reasoned out of nothing: an invented number is caught where it enters."""

from __future__ import annotations

from collections.abc import Iterator

from aeon.grounding.grounds import ToolOutput
from aeon.grounding.matching import claims
from aeon.grounding.results import spans_of, told
from aeon.multipass.effects import ValidateResults
from aeon.schema import Claim, Issue, Plan, Reasoning, SemanticValidationReport, Step, Task

__all__ = ["with_unfounded"]

_KINDS = ("number", "date", "time", "address")
_SMALL = 10
"""Whole numbers up to this one are counted, not looked up."""
_REPAIR = "get it with a tool, or look it up"


def with_unfounded(effect: ValidateResults, report: SemanticValidationReport) -> SemanticValidationReport:
    """The report with an issue for each value of a reasoned step that is in nothing that the step could use.

    That is the task, its context, and what the steps before it gave.
    """
    done = [step for step in effect.plan.steps if step.status == "complete" and isinstance(step.action, Reasoning)]
    found = tuple(issue for step in done for issue in _of(step, effect.plan, effect.task))
    return report.changed(issues=(*found, *report.issues)) if found else report


def _of(step: Step, plan: Plan, task: Task) -> Iterator[Issue]:
    before = [one for one in plan.steps[: plan.steps.index(step)] if one.status == "complete"]
    outputs = [ToolOutput(one.id, one.output) for one in before]
    text = str(step.output)
    for claim in claims(text, told(task), outputs, list(spans_of(before)), {step.id: text}):
        if claim.verdict == "contradicted" or (claim.verdict == "not_found" and _counts(claim)):
            what = "stands in nothing that it could use" if claim.verdict == "not_found" else claim.note
            yield Issue(
                type="hallucination", severity="HIGH", location=step.id, by="host",
                description=f"{claim.text}: {what}", proposed_repair=_REPAIR,
            )  # fmt: skip


def _counts(claim: Claim) -> bool:
    """Whether a value is one that has to come from somewhere."""
    whole = claim.reading.value.isdecimal() and not claim.reading.unit
    return claim.kind in _KINDS and not (whole and int(claim.reading.value) <= _SMALL)
