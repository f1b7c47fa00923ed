"""The record of a run for people: passes, decisions and deltas. Plans are stored as a start and what changed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.config import Config
from aeon.schema.frozen import Frozen, JsonValue
from aeon.schema.judgment import ConvergenceAssessment, RefinedQuery, SemanticValidationReport, TaskProfile
from aeon.schema.plan import Clarity, Plan, RefinementAction, Step, Trigger
from aeon.schema.policy import Strategy
from aeon.schema.task import Clarification, Question, Task
from aeon.schema.usage import Bound, Usage
from aeon.schema.value import Value

__all__ = [
    "Conclusion",
    "Decision",
    "Degradation",
    "ExecutionHistory",
    "ExecutionPass",
    "Phase",
    "PhaseTiming",
    "Preparation",
    "RefinementRecord",
    "Rejection",
    "Result",
    "StopReason",
]

StopReason = Literal[
    "converged",
    "confident",
    "ttl_expired",
    "calls_exhausted",
    "tokens_exhausted",
    "seconds_exhausted",
    "cost_exhausted",
    "interrupted",
    "diminishing_returns",
    "stalled",
    "waiting",
    "unknown_outcome",
    "failed",
]
Phase = Literal[
    "profile", "plan", "validate_plan", "refine_plan", "execute", "validate_results", "assess", "ask", "synthesize"
]


class Decision(Value):
    """What happens next and the one reason for it."""

    action: Literal["OUTPUT", "ASK", "CONTINUE"]
    reason: StopReason | Literal["needs_clarification", "continue"]
    detail: str = ""


class PhaseTiming(Value):
    """When a phase ran, in seconds since the run began."""

    phase: Phase
    started: float
    ended: float


class Degradation(Value):
    """A judgment that failed, and what stood in for it. Nothing is invented silently."""

    phase: Phase
    message: str


class Rejection(Value):
    """A proposed delta that was not applied, and why."""

    action: RefinementAction
    reason: str


class RefinementRecord(Value):
    """One refinement: why it was asked for, what was asked first, what was applied or refused, repairs overruled.

    ``strategy`` is what the planner had to go by, ``query`` the task as it was put to it.
    """

    triggers: tuple[Trigger, ...] = ()
    applied: tuple[RefinementAction, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    advisories: tuple[str, ...] = ()
    question: Question | None = None
    strategy: Strategy | None = None
    query: RefinedQuery | None = None


class Preparation(Value):
    """What happened before the first pass: the plan as drafted, its validation and refinement."""

    profile: TaskProfile = TaskProfile(inferred=False)
    plan: Plan = Plan()
    report: SemanticValidationReport = SemanticValidationReport()
    refinement: RefinementRecord = RefinementRecord()
    timings: tuple[PhaseTiming, ...] = ()


class ExecutionPass(Value):
    """One pass. ``executed`` holds each step as it was when it had run; ``complete``: the pass was not cut short."""

    number: Annotated[int, Field(ge=1)]
    complete: bool = False
    profile: TaskProfile
    executed: tuple[Step, ...] = ()
    report: SemanticValidationReport = SemanticValidationReport()
    assessment: ConvergenceAssessment | None = None
    decision: Decision | None = None
    refinement: RefinementRecord = RefinementRecord()
    budget_before: Usage = Usage()
    budget_after: Usage = Usage()
    timings: tuple[PhaseTiming, ...] = ()

    @property
    def clarity(self) -> dict[str, Clarity]:
        """The clarity of each step that this pass executed, by step id."""
        return {step.id: step.clarity for step in self.executed}


class Conclusion(Frozen):
    """How a run ended: an answer and a typed stop reason, always.

    ``value`` is the validated object where the task had an ``answer_schema`` and one could be had, else ``None``.
    ``pass_number`` is the pass that the answer rests on, 0 if no step ran. ``abandoned`` names steps left pending,
    ``needs_manual_intervention`` fragments whose refinement attempts are used up. ``question`` is the one that a
    waiting run waits for; ``assumptions`` are questions that nobody was there to answer, with what was assumed.
    """

    answer: str
    value: JsonValue = None
    stop_reason: StopReason
    detail: str = ""
    converged: bool = False
    assessment: ConvergenceAssessment | None = None
    pass_number: int = 0
    passes: int = 0
    abandoned: tuple[str, ...] = ()
    needs_manual_intervention: tuple[str, ...] = ()
    degraded: tuple[Degradation, ...] = ()
    question: Question | None = None
    assumptions: tuple[Clarification, ...] = ()
    usage: Usage = Usage()
    bound: Bound
    seconds: float = 0.0

    @property
    def assembled(self) -> bool:
        """Whether the answer is step outputs put together without a model, because synthesis was not possible."""
        return self.stop_reason in ("failed", "waiting") or any(d.phase == "synthesize" for d in self.degraded)


class ExecutionHistory(Frozen):
    """A whole run; ``task`` and ``configuration`` as they stood at its end.

    A pass's plan is derived from the start and the deltas: ``aeon.observability.snapshot.plan_before``.
    """

    version: Literal[1] = 1
    execution_id: str
    task: Task
    configuration: Config
    preparation: Preparation = Preparation()
    passes: tuple[ExecutionPass, ...] = ()
    synthesis: PhaseTiming | None = None
    conclusion: Conclusion


class Result(Conclusion):
    """What ``execute`` returns: the conclusion and the history that it rests on."""

    history: ExecutionHistory

    @classmethod
    def of(cls, history: ExecutionHistory) -> Result:
        """The result of the run that this history records."""
        return cls.model_validate(dict(history.conclusion) | {"history": history})
