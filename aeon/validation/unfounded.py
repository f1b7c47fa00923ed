"""Values that a model wrote unaided and that do not stand: an invented number, a wrong sum."""

from __future__ import annotations

from collections.abc import Iterator

from aeon.grounding.grounds import ToolOutput
from aeon.grounding.matching import claims
from aeon.grounding.mentions import values
from aeon.grounding.results import spans_of, told
from aeon.multipass.effects import ValidateResults
from aeon.schema import (
    Claim,
    Issue,
    IssueType,
    Plan,
    Reasoning,
    SemanticValidationReport,
    Severity,
    Step,
    Task,
    Writing,
)

__all__ = ["with_unfounded"]

_KINDS = ("number", "date", "time", "address")
_SMALL = 10
"""Whole numbers up to this one are counted, not looked up."""
_TYPES: dict[str, IssueType] = {"contradicted": "consistency", "not_found": "hallucination"}
_REPAIRS = {"contradicted": "calculate it with a tool", "not_found": "get it with a tool, or look it up"}
_ORDER: tuple[Severity, ...] = ("CRITICAL", "HIGH", "MEDIUM", "LOW")


def with_unfounded(effect: ValidateResults, report: SemanticValidationReport, able: bool) -> SemanticValidationReport:
    """The report with an issue for each value that a model wrote unaided and that does not stand; the worst come first.

    One is contradicted by its own computation, or stands in nothing that the step could use: the task, its context, and
    what the steps before it gave. The latter counts only where the run is ``able`` to look something up. An issue is
    severe as far as its value gets: HIGH where it is in a result that the answer is made of, otherwise MEDIUM.
    """
    done = [step for step in effect.plan.steps if step.status == "complete" and _is_unaided(step)]
    found = [issue for step in done for issue in _of(step, effect.plan, effect.task, able)]
    if not found:
        return report
    issues = sorted([*found, *report.issues], key=lambda issue: _ORDER.index(issue.severity))
    return report.changed(issues=tuple(issues))


def _is_unaided(step: Step) -> bool:
    """Whether a model thought of its result, or wrote it, without sentences to write it from."""
    return isinstance(step.action, Reasoning | Writing) and not step.is_grounded


def _of(step: Step, plan: Plan, task: Task, able: bool) -> Iterator[Issue]:
    before = [one for one in plan.steps[: plan.steps.index(step)] if one.status == "complete"]
    outputs = [ToolOutput(one.id, one.output) for one in before]
    text = str(step.output)
    for claim in claims(text, told(task), outputs, list(spans_of(before)), {step.id: text}):
        if claim.verdict == "contradicted" or (able and claim.verdict == "not_found" and _counts(claim)):
            what = "stands in nothing that it could use" if claim.verdict == "not_found" else claim.note
            yield Issue(
                type=_TYPES[claim.verdict], severity=_severity(claim, step, plan), location=step.id, by="host",
                claim=claim, description=f"{claim.text}: {what}", proposed_repair=_REPAIRS[claim.verdict],
            )  # fmt: skip


def _severity(claim: Claim, step: Step, plan: Plan) -> Severity:
    """HIGH if the value is in a complete result that no complete step builds on."""
    done = [one for one in plan.steps if one.status == "complete"]
    used = {name for one in done for name in one.dependencies}
    final = [one for one in done if one.id not in used]
    reached = step in final or any(_says(str(one.output), claim) for one in final)
    return "HIGH" if reached else "MEDIUM"


def _says(text: str, claim: Claim) -> bool:
    return any(form.read.value == claim.reading.value for one in values(text) for form in one.forms)


def _counts(claim: Claim) -> bool:
    """Whether a value is one that has to come from somewhere."""
    whole = claim.reading.value.isdecimal() and not claim.reading.unit
    return claim.kind in _KINDS and not (whole and int(claim.reading.value) <= _SMALL)
