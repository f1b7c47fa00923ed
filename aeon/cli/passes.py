"""The story of a multi-pass run: its plan, its passes and what was judged of them."""

from __future__ import annotations

from aeon.cli.narration import Narrator
from aeon.kernel.effects import AskUser, Effect, Note
from aeon.multipass.effects import ExecuteStep, PassNote
from aeon.observability.lines import Line, Span, degradation_line, labelled, short
from aeon.observability.passes.lines import (
    assessment_lines,
    plan_lines,
    profile_line,
    refinement_lines,
    report_lines,
    step_lines,
)
from aeon.schema import (
    ConvergenceAssessment,
    Degradation,
    Failure,
    Outcome,
    Plan,
    SemanticValidationReport,
    StepResult,
    TaskProfile,
)

__all__ = ["PassNarrator"]

_DOING = {
    "profile": "judging how hard the task is",
    "plan": "drafting a plan",
    "validate_plan": "checking the plan",
    "refine_plan": "changing the plan",
    "execute": "working on",
    "validate_results": "checking the results",
    "assess": "asking whether the task is answered",
    "ask": "asking",
    "synthesize": "writing the answer",
}
_NOT_DONE = ("endpoint", "allowance", "interrupted", "skipped", "journal")
_SHOWN_AT_THE_END = ("endpoint", "journal")


class PassNarrator(Narrator):
    """Shows a run pass by pass; of its past only plans and results, in brief."""

    _passes = 0
    _within = False

    def doing(self, effect: Effect) -> str:
        """What is being done while this effect is under way."""
        what = _DOING.get(effect.phase) or super().doing(effect)
        if isinstance(effect, ExecuteStep):
            return f"{what} {effect.step.id}: {short(effect.step.description, 50)}"
        return what

    def before(self, effect: Effect) -> list[Line]:
        """The heading of a pass before the first effect of it."""
        if self._within or effect.phase not in ("execute", "validate_results"):
            return []
        self._within = True
        self._passes += 1
        return [(), (Span(f"Pass {self._passes}", "strong"),)]

    def recalled(self, effect: Effect, outcome: Outcome) -> list[Line]:
        """What an effect of the past came to, where it is a result or an answer."""
        return self.ended(effect, outcome) if isinstance(effect, ExecuteStep | AskUser) else []

    def ended(self, effect: Effect, outcome: Outcome) -> list[Line]:
        """A step with its result, or a judgment."""
        took = outcome.ended - outcome.started
        if isinstance(effect, ExecuteStep):
            return labelled("", _step(effect, outcome, took))
        if isinstance(effect, AskUser):
            return super().ended(effect, outcome)
        if outcome.failure is not None:
            if outcome.failure.kind in _SHOWN_AT_THE_END:
                return []
            return labelled("", [degradation_line(Degradation(phase=effect.phase, message=outcome.message))])
        time: Line = (Span(f"  {took:.1f} s", "dim"),)
        match outcome.value:
            case TaskProfile() as profile:
                return labelled("profile", [profile_line(profile) + time])
            case SemanticValidationReport() as report:
                first, *rest = report_lines(report)
                return labelled("check", [first + time, *rest])
            case ConvergenceAssessment() as assessment:
                first, *rest = assessment_lines(assessment)
                return labelled("scores", [first + time, *rest])
        return []

    def noted(self, note: Note) -> list[Line]:
        """A decision, or the plan with what changed it."""
        if note.decision is not None:
            self._within = self._within and note.decision.action != "CONTINUE"
            return super().noted(note)
        if not isinstance(note, PassNote) or note.plan is None:
            return []
        if note.refinement is None:
            return labelled("plan", plan_lines(note.plan))
        refinement = labelled("refine", refinement_lines(note.refinement)) if self.past is None else []
        return refinement + (_to_do(note.plan) if note.refinement.applied else [])


def _to_do(plan: Plan) -> list[Line]:
    waiting = Plan(steps=tuple(step for step in plan.steps if step.status == "pending"))
    return labelled("to do", plan_lines(waiting) or [(Span("nothing", "dim"),)])


def _step(effect: ExecuteStep, outcome: Outcome, took: float) -> list[Line]:
    if isinstance(outcome.value, StepResult):
        return step_lines(effect.step.given(outcome.value), took)
    failure = outcome.failure or Failure(kind="handler", message=outcome.message)
    status = "pending" if failure.kind in _NOT_DONE else "failed"
    return step_lines(effect.step.changed(status=status, problem=failure.message), took)
