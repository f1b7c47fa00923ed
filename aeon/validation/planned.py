"""What is wrong with a plan of several steps: one structured reply, before anything is done."""

from __future__ import annotations

from aeon.multipass.effects import ValidatePlan
from aeon.multipass.plans import current_steps
from aeon.schema import Frozen, Plan, SemanticValidationReport, Step
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge_verdict import FoundIssue, issue_schema, issues_of, strict_object
from aeon.supervisor.prompt import fence, load, render
from aeon.supervisor.supervisor import Supervisor

__all__ = ["PlanReviewer"]

_PLAN = "plan"
_LONGEST = 4_000
_MOST_TOKENS = 500


class _PlanReview(Frozen):
    """What a model says of a plan."""

    explanation: str
    issues: tuple[FoundIssue, ...] = ()


class PlanReviewer:
    """Reviews plans of several steps. One of a single step is the task itself, so there is nothing to ask."""

    def __init__(self, supervisor: Supervisor, briefing: Briefing) -> None:
        self._supervisor = supervisor
        self._briefing = briefing

    async def review(self, effect: ValidatePlan) -> SemanticValidationReport:
        """The issues of the plan, or of the steps of it that are named.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: there is no usable reply.
        """
        plan = effect.plan
        if len(current_steps(plan)) < 2:
            return SemanticValidationReport()
        places = (_PLAN, *(effect.steps or (step.id for step in plan.steps)))
        schema = strict_object({
            "explanation": {"type": "string"},
            "issues": {"type": "array", "items": strict_object(issue_schema(places))},
        })  # fmt: skip
        question = render(load("aeon.validation", "plan.md"), plan=fence(_PLAN, _outline(plan), _LONGEST)).strip()
        reply = await self._supervisor.structured(
            self._briefing.prompt(effect.task, question), _PlanReview, schema=schema, max_tokens=_MOST_TOKENS
        )
        issues = issues_of(reply.value.issues, _PLAN)
        return SemanticValidationReport(issues=issues, form="verdict", standing="assumed")


def _outline(plan: Plan) -> str:
    """The steps, with what each builds on and how far it is."""
    return "\n".join(map(_line, plan.steps))


def _line(step: Step) -> str:
    after = f" (after {', '.join(step.dependencies)})" if step.dependencies else ""
    return f"{step.id}: {step.description}{after}{'' if step.status == 'pending' else f' [{step.status}]'}"
