"""The story of a run, event by event: which lines each event adds to what the user sees."""

from __future__ import annotations

from aeon.kernel.effects import AskUser, Effect
from aeon.multipass.effects import ExecuteStep
from aeon.observability.lines import (
    Line, Span, answer_lines, assessment_lines, conclusion_lines, decision_line, degradation_line, labelled, plan_lines,
    profile_line, question_lines, refinement_lines, reply_line, report_lines, short, step_lines, visible,
)  # fmt: skip
from aeon.runtime.events import EffectEnded, EffectStarted, Event, Noted, RunEnded, RunStarted
from aeon.schema import (
    ConvergenceAssessment, Degradation, Failure, Outcome, Plan, Reply, Result, SemanticValidationReport,
    StepResult, TaskProfile,
)  # fmt: skip

__all__ = ["Narrator", "doing"]

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
_NOT_DONE = ("endpoint", "allowance", "interrupted", "skipped")


def doing(effect: Effect) -> str:
    """What is being done while this effect is under way."""
    what = _DOING[effect.phase]
    return f"{what} {effect.step.id}: {short(effect.step.description, 50)}" if isinstance(effect, ExecuteStep) else what


class Narrator:
    """Gives the lines for each event of one run, in order.

    Of what a journal held only plans and results are told, in brief; ``past`` is how many effects that were, ``None``
    for a new run. ``asks``: a question is put to a person as soon as it is told.
    """

    def __init__(self, model: str) -> None:
        self.past: int | None = None
        self.asks = False
        self._model = model
        self._passes = 0
        self._within = False

    def lines(self, event: Event) -> list[Line]:
        """What is new with this event; often nothing."""
        match event:
            case RunStarted():
                return self._started(event)
            case EffectStarted():
                return [*self._taken_up(), *self._header(event.effect), *self._question(event.effect)]
            case EffectEnded(recorded=True):
                return [*self._header(event.effect), *_recalled(event.effect, event.outcome)]
            case EffectEnded():
                return _ended(event.effect, event.outcome, self.asks)
            case Noted():
                return self._noted(event)
            case RunEnded():
                return _told(event.result)

    def _started(self, event: RunStarted) -> list[Line]:
        most = f"at most {event.bound.calls:,} model calls"
        if event.config.budget.tokens is not None:
            most += f" and {event.bound.tokens:,} tokens"
        first, *rest = visible(event.task.text).splitlines()
        task: list[Line] = [(Span(first, "strong"),), *((Span(line, "strong"),) for line in rest)]
        return [*task, (Span(f"{self._model}, {most}", "dim"),), ()]

    def _taken_up(self) -> list[Line]:
        """Where the past ends and the new begins."""
        if self.past is None:
            return []
        done, self.past = self.past, None
        where = f"after {done} effect{'' if done == 1 else 's'}" if done else "at its beginning"
        return [(), (Span(f"Taken up {where}", "strong"),)]

    def _header(self, effect: Effect) -> list[Line]:
        if self._within or effect.phase not in ("execute", "validate_results"):
            return []
        self._within = True
        self._passes += 1
        return [(), (Span(f"Pass {self._passes}", "strong"),)]

    def _question(self, effect: Effect) -> list[Line]:
        """The question that is about to be put to a person."""
        if not (self.asks and isinstance(effect, AskUser)):
            return []
        undecided = effect.question.changed(default="")  # the prompt shows it
        return labelled("question", question_lines(undecided))

    def _noted(self, event: Noted) -> list[Line]:
        note = event.note
        if note.decision is not None:
            self._within = self._within and note.decision.action != "CONTINUE"
            told = note.decision.action != "ASK" and self.past is None  # a question is told where it is put
            return labelled("decide", [decision_line(note.decision)]) if told else []
        if note.refinement is not None:
            applied = note.plan if note.refinement.applied else None
            told_now = labelled("refine", refinement_lines(note.refinement)) if self.past is None else []
            return told_now + (_to_do(applied) if applied else [])
        return labelled("plan", plan_lines(note.plan)) if note.plan else []


def _recalled(effect: Effect, outcome: Outcome) -> list[Line]:
    """What an effect of the past came to, where it is a result or an answer."""
    if isinstance(effect, ExecuteStep):
        return _ended(effect, outcome, False)
    return labelled("question", _answered(effect, outcome)) if isinstance(effect, AskUser) else []


def _answered(effect: AskUser, outcome: Outcome) -> list[Line]:
    """A question in one line, and what was said to it."""
    if not isinstance(outcome.value, Reply):
        return []
    return [(Span(short(effect.question.text)),), reply_line(outcome.value)]


def _told(end: Result) -> list[Line]:
    """The answer and how the run ended; a run that failed before any step was complete has no answer to show."""
    done = any(step.status == "complete" for record in end.history.passes for step in record.executed)
    heading = "Results so far" if end.stop_reason == "waiting" else "Answer"
    answer: list[Line] = [(), (Span(heading, "strong"),), *answer_lines(end)]
    shown = done or end.stop_reason not in ("failed", "waiting")
    return [*(answer if shown else []), (), *conclusion_lines(end)]


def _to_do(plan: Plan) -> list[Line]:
    waiting = Plan(steps=tuple(step for step in plan.steps if step.status == "pending"))
    return labelled("to do", plan_lines(waiting) or [(Span("nothing", "dim"),)])


def _ended(effect: Effect, outcome: Outcome, asked: bool) -> list[Line]:
    took = outcome.ended - outcome.started
    if isinstance(effect, ExecuteStep):
        return labelled("", _step(effect, outcome, took))
    if isinstance(effect, AskUser):
        told = _answered(effect, outcome)
        return labelled("", told[1:]) if asked else labelled("question", told)
    if outcome.failure is not None:
        if outcome.failure.kind == "endpoint":  # it ends the run, and is told at its end
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


def _step(effect: ExecuteStep, outcome: Outcome, took: float) -> list[Line]:
    if isinstance(outcome.value, StepResult):
        return step_lines(effect.step.given(outcome.value), took)
    failure = outcome.failure or Failure(kind="handler", message=outcome.message)
    status = "pending" if failure.kind in _NOT_DONE else "failed"
    return step_lines(effect.step.changed(status=status, problem=failure.message), took)
