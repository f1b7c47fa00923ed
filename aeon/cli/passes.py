"""The story of a multi-pass run: its plan, its passes and what was judged of them."""

from __future__ import annotations

from aeon.cli.narration import Narrator
from aeon.cli.steps import plan_lines, seconds_words, step_lines
from aeon.multipass.effects import ExecuteStep, PassNote, RunProgram, TakeTurn, UseTool, WeighResult
from aeon.multipass.plans import is_looped
from aeon.observability.lines import Line, Span, degradation_line, labelled, short
from aeon.observability.passes.lines import (
    assessment_lines,
    profile_line,
    ran_words,
    refinement_lines,
    report_lines,
)
from aeon.observability.passes.turns import use_line
from aeon.schema import (
    ConvergenceAssessment,
    Degradation,
    Failure,
    Gaps,
    Outcome,
    Plan,
    SemanticValidationReport,
    StepResult,
    TaskProfile,
    ToolUse,
)
from aeon.schema.effects import AskUser, Effect, Note
from aeon.schema.programs import Ran
from aeon.schema.weight import Weight

__all__ = ["PassNarrator"]

_WIDTH = 66
_UNASKED = "measured to be too poor"
"""How facts begin that only say that something was not asked."""

_DOING = {
    "profile": "judging how hard the task is",
    "plan": "drafting a plan",
    "validate_plan": "checking the plan",
    "refine_plan": "changing the plan",
    "execute": "working on",
    "turn": "working on",
    "use_tool": "calling",
    "write": "writing programs",
    "run_program": "running what was written",
    "weigh": "judging what that gave",
    "validate_results": "checking the results",
    "assess": "asking whether the task is answered",
    "ask": "asking",
    "synthesize": "writing the answer",
}
_NOT_DONE = ("endpoint", "allowance", "interrupted", "skipped", "journal")
_SHOWN_AT_THE_END = ("endpoint", "journal")


class PassNarrator(Narrator):
    """Shows what happens in a run; of its past only plans and results. What nobody was asked for is left out."""

    _took = 0.0
    _passes = 0
    _within = False
    _several = False

    def doing(self, effect: Effect) -> str:
        """What is being done while this effect is under way."""
        what = _DOING.get(effect.phase) or super().doing(effect)
        if isinstance(effect, ExecuteStep | TakeTurn):
            return f"{what} {effect.step.id}: {short(effect.step.description, 50)}"
        return f"{what} {effect.call.tool}" if isinstance(effect, UseTool) else what

    def before(self, effect: Effect) -> list[Line]:
        """The heading of a pass after the first one, before the first effect of it."""
        if self._within or effect.phase not in ("execute", "turn", "write", "validate_results"):
            return []
        self._within = True
        self._passes += 1
        return [(), (Span(f"Pass {self._passes}", "strong"),)] if self._passes > 1 else []

    def recalled(self, effect: Effect, outcome: Outcome) -> list[Line]:
        """What an effect of the past came to, where it is a result or an answer."""
        return self.ended(effect, outcome) if isinstance(effect, ExecuteStep | AskUser) else []

    def ended(self, effect: Effect, outcome: Outcome) -> list[Line]:
        """A step with its result, or a judgment that was asked for."""
        self._took = took = outcome.ended - outcome.started
        if isinstance(effect, ExecuteStep):
            return _step(effect, outcome, took)
        if isinstance(effect, AskUser):
            return super().ended(effect, outcome)
        if outcome.failure is not None:
            if outcome.failure.kind in _SHOWN_AT_THE_END:
                return []
            return labelled("", [degradation_line(Degradation(phase=effect.phase, message=outcome.message))])
        time: Line = (Span(seconds_words(took), "dim"),)
        label, (first, *rest) = _found(effect, outcome, self._several) or _judgment(outcome)
        timed = first and not isinstance(outcome.value, ToolUse | Ran)
        return labelled(label, [first + time if timed else first, *rest]) if first else []

    def noted(self, note: Note) -> list[Line]:
        """A decision to continue, or the plan with what changed it; the end of a run has its own line."""
        if note.decision is not None:
            self._within = self._within and note.decision.action != "CONTINUE"
            return super().noted(note) if note.decision.action == "CONTINUE" else []
        if not isinstance(note, PassNote) or note.plan is None:
            return []
        self._several = len(note.plan.steps) > 1
        if note.refinement is None:
            return self._drafted(note.plan)
        refinement = labelled("refine", refinement_lines(note.refinement)) if self.past is None else []
        return refinement + (_to_do(note.plan) if note.refinement.applied else [])

    def _drafted(self, plan: Plan) -> list[Line]:
        """The first plan, with what was found of it; nothing where the plan is the task."""
        if is_looped(plan) and len(plan.steps) == 1:
            return []
        return [
            *labelled("plan", plan_lines(plan, self._took if self.past is None else None)),
        ]


def _found(effect: Effect, outcome: Outcome, several: bool) -> tuple[str, list[Line]] | None:
    """What a tool or a program gave, or what a judge makes of it, under its label; ``None`` of anything else.

    Of a program its step is named where the plan has several.
    """
    step = effect.step.id if several and isinstance(effect, RunProgram | WeighResult) else ""
    head: Line = (Span(f"{step} ", "strong"),) if step else ()
    match outcome.value:
        case ToolUse() as use:
            return "tool", [use_line(use, _WIDTH)]
        case Ran() as ran if isinstance(effect, RunProgram):
            return effect.program.way, [(*head, Span(short(ran_words(ran), _WIDTH - len(step)), "now"))]
        case Weight(score=score):
            return "judged", [() if score is None else (*head, Span(f"{score:.2f}", "dim"))]
    return None


def _to_do(plan: Plan) -> list[Line]:
    waiting = Plan(steps=tuple(step for step in plan.steps if step.status == "pending"))
    return labelled("to do", plan_lines(waiting) or [(Span("nothing", "dim"),)])


def _judgment(outcome: Outcome) -> tuple[str, list[Line]]:
    """A judgment under its label, without what nobody was asked; one empty line where nobody was asked at all."""
    match outcome.value:
        case TaskProfile(inferred=True) as profile:
            return "profile", [profile_line(profile)]
        case SemanticValidationReport() as report:
            facts = _asked(report.evidence)
            asked = report.failed or report.issues or report.judged or facts
            return "check", report_lines(report.changed(evidence=facts)) if asked else [()]
        case ConvergenceAssessment() as assessment:
            known = assessment.changed(detected_issues=_asked(assessment.detected_issues))
            if _says_something(known):
                return "scores", assessment_lines(known, measured_only=True)
    return "", [()]


def _asked(facts: tuple[str, ...]) -> tuple[str, ...]:
    """Those that do not only say that something was not judged."""
    return tuple(fact for fact in facts if not fact.startswith(_UNASKED))


def _says_something(assessment: ConvergenceAssessment) -> bool:
    """Whether a model judged something, or what the host counted speaks against the results."""
    judged = (assessment.completeness, assessment.coherence, assessment.consistency)
    gaps = assessment.evaluation.gaps if assessment.evaluation else Gaps()
    return (
        not assessment.converged
        or any(score is not None for score in judged)
        or bool(assessment.detected_issues or gaps.missing_entities or gaps.contradictions)
    )


def _step(effect: ExecuteStep, outcome: Outcome, took: float) -> list[Line]:
    if isinstance(outcome.value, StepResult):
        step = effect.step.given(outcome.value)
        return labelled("", step_lines(step, took))
    failure = outcome.failure or Failure(kind="handler", message=outcome.message)
    status = "pending" if failure.kind in _NOT_DONE else "failed"
    return labelled("", step_lines(effect.step.changed(status=status, problem=failure.message), took))
