"""Reasons to refine a plan: issues, steps that ended badly, criteria that are not met, an ambiguous task."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from aeon.schema.judgment import ConvergenceAssessment, SemanticValidationReport, TaskProfile
from aeon.schema.plan import Plan, Trigger

__all__ = ["ambiguity", "bad_ends", "existing", "grave", "issues", "told", "unmet_criteria"]

_BAD_ENDS: dict[str, Literal["blocked", "failed_step"]] = {"invalid": "blocked", "failed": "failed_step"}


def issues(report: SemanticValidationReport) -> tuple[Trigger, ...]:
    """Each issue of the report."""
    return tuple(
        Trigger(kind="issue", location=one.location, detail=one.description, repair=one.proposed_repair)
        for one in report.issues
    )


def bad_ends(plan: Plan, executed: Collection[str]) -> tuple[Trigger, ...]:
    """Each of the steps of these ids that was blocked (it is invalid now) or failed."""
    return tuple(
        Trigger(kind=kind, location=step.id, detail=step.problem or kind)
        for step in plan.steps
        if step.id in executed and (kind := _BAD_ENDS.get(step.status))
    )


def unmet_criteria(assessment: ConvergenceAssessment) -> tuple[Trigger, ...]:
    """Each criterion that was not met; none if the judgment could not be made."""
    why = "; ".join(assessment.detected_issues) or assessment.explanation
    codes = () if assessment.failed else assessment.reason_codes
    return tuple(Trigger(kind="reason_code", location="answer", detail=why or code, code=code) for code in codes)


def told(reasons: Iterable[Trigger]) -> tuple[str, ...]:
    """What the reasons say to a model that is to do better: each once, with what is proposed.

    A criterion that is not met for an issue says nothing more than that.
    """
    every = tuple(reasons)
    repairs = {one.detail: f" Proposed: {one.repair}" for one in every if one.repair}
    said = dict.fromkeys(one.detail for one in every if not _repeats(one, every))
    return tuple(f"{one}{repairs.get(one, '')}" for one in said)


def _repeats(reason: Trigger, others: Sequence[Trigger]) -> bool:
    """Whether a criterion is not met for what another reason says."""
    return bool(reason.code) and any(one.detail in reason.detail for one in others if not one.code)


def ambiguity(profile: TaskProfile, cut: float) -> tuple[Trigger, ...]:
    """What is meant, where the task was judged to be at least as ambiguous as ``cut`` (0-1)."""
    if not profile.inferred or profile.ambiguity < cut:
        return ()
    return (Trigger(kind="ambiguous", location="plan", detail=profile.rationale or "what is meant is left open"),)


def grave(report: SemanticValidationReport, steps: Collection[str]) -> str:
    """What the report says against these steps that must not be ignored, each with its place; or nothing."""
    issues = (one for one in report.issues if one.location in steps and one.severity in ("HIGH", "CRITICAL"))
    return "; ".join(f"{one.location}: {one.description}" for one in issues)


def existing(plan: Plan, triggers: Iterable[Trigger]) -> tuple[Trigger, ...]:
    """Each trigger once, if it points at something that exists: a step of this plan, the plan or the answer."""
    places = {"plan", "answer", *(step.id for step in plan.steps)}
    return tuple(trigger for trigger in dict.fromkeys(triggers) if trigger.location in places)
