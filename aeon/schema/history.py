"""The record of a multi-pass run for people: passes, decisions and deltas. Plans are a start and what changed."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from aeon.schema.conclusion import Conclusion, Decision, PhaseTiming
from aeon.schema.config import Config
from aeon.schema.frozen import Frozen, JsonValue
from aeon.schema.judgment import ConvergenceAssessment, RefinedQuery, SemanticValidationReport, TaskProfile
from aeon.schema.plan import Agreement, Clarity, Plan, RefinementAction, Step, Trigger
from aeon.schema.policy import Strategy
from aeon.schema.statistics import Statistics
from aeon.schema.task import Question, Task
from aeon.schema.usage import Expected, Usage
from aeon.schema.value import Value

__all__ = [
    "ExecutionHistory",
    "ExecutionPass",
    "FinalResult",
    "Preparation",
    "RefinementRecord",
    "Rejection",
    "Result",
]


class Rejection(Value):
    """A proposed delta that was not applied, and why."""

    action: RefinementAction
    reason: str


class RefinementRecord(Value):
    """One refinement: why it was asked for, what was asked first, what was applied or refused, repairs overruled.

    ``strategy`` is what the planner had to go by, ``query`` the task as it was put to it. ``report`` is the check of
    the plan as the deltas had left it; it is empty where nothing was applied.
    """

    triggers: tuple[Trigger, ...] = ()
    applied: tuple[RefinementAction, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    report: SemanticValidationReport = SemanticValidationReport()
    advisories: tuple[str, ...] = ()
    question: Question | None = None
    strategy: Strategy | None = None
    query: RefinedQuery | None = None

    @property
    def new_steps(self) -> tuple[str, ...]:
        """The ids of the steps that the deltas brought."""
        return tuple(step.id for action in self.applied for step in action.steps)


class Preparation(Value):
    """What happened before the first pass: the plan as drafted, its validation and refinement."""

    profile: TaskProfile = TaskProfile(inferred=False)
    plan: Plan = Plan()
    report: SemanticValidationReport = SemanticValidationReport()
    refinement: RefinementRecord = RefinementRecord()
    timings: tuple[PhaseTiming, ...] = ()


class ExecutionPass(Value):
    """One pass. ``executed`` holds each step as it was when it had run; ``complete``: the pass was not cut short.

    ``agreement`` is what other derivations of the answer say, if any were made. ``profile`` is the one that the pass
    began with, ``revised_profile`` the one that was inferred at its end, if any.
    """

    number: Annotated[int, Field(ge=1)]
    complete: bool = False
    profile: TaskProfile
    executed: tuple[Step, ...] = ()
    agreement: Agreement | None = None
    report: SemanticValidationReport = SemanticValidationReport()
    assessment: ConvergenceAssessment | None = None
    decision: Decision | None = None
    refinement: RefinementRecord = RefinementRecord()
    revised_profile: TaskProfile | None = None
    budget_before: Usage = Usage()
    budget_after: Usage = Usage()
    timings: tuple[PhaseTiming, ...] = ()

    @property
    def clarity(self) -> dict[str, Clarity]:
        """The clarity of each step that this pass executed, by step id."""
        return {step.id: step.clarity for step in self.executed}


class FinalResult(Conclusion):
    """How a multi-pass run ended.

    ``pass_number`` is the pass that the answer rests on, 0 if no step ran; ``assessment`` the latest one, held against
    the claims of the answer: with one that is contradicted or not found it is not converged, and names it.
    ``abandoned`` names steps left pending, ``needs_manual_intervention`` fragments that could not be refined again
    because their attempts, or those of the run, were used up.
    """

    converged: bool = False
    assessment: ConvergenceAssessment | None = None
    pass_number: int = 0
    passes: int = 0
    abandoned: tuple[str, ...] = ()
    needs_manual_intervention: tuple[str, ...] = ()


class ExecutionHistory(Frozen):
    """A whole multi-pass run; ``task`` and ``configuration`` as they stood at its end.

    A pass's plan is derived from the start and the deltas: ``aeon.observability.snapshot.plan_before``. The
    ``statistics`` follow from all of it: ``aeon.multipass.statistics``.
    """

    version: Literal[2] = 2
    execution_id: str
    task: Task
    configuration: Config
    preparation: Preparation = Preparation()
    passes: tuple[ExecutionPass, ...] = ()
    synthesis: PhaseTiming | None = None
    conclusion: FinalResult
    statistics: Statistics = Statistics(effects={})

    @property
    def assessed(self) -> ConvergenceAssessment | None:
        """The assessment of the latest pass that has one."""
        return next((one.assessment for one in reversed(self.passes) if one.assessment), None)


class Result(FinalResult):
    """What a multi-pass run returns: the conclusion and the history that it rests on."""

    history: ExecutionHistory

    outside_digest: ClassVar[Any] = {
        "bound": True, "sentence_checks": True, "left_out": True,
        "history": {
            "configuration": True, "statistics": True, "conclusion": {"bound", "sentence_checks", "left_out"},
        },
    }  # fmt: skip
    gives_claims: ClassVar[bool] = True

    @classmethod
    def of(cls, history: ExecutionHistory) -> Result:
        """The result of the run that this history records."""
        return cls.model_validate(dict(history.conclusion) | {"history": history})

    def marked(self, altered: tuple[int, ...], expected: Expected | None = None, left_out: str = "") -> Self:
        """The same, and the conclusion of its history, saying what its journal says of it."""
        conclusion = self.history.conclusion.marked(altered, expected, left_out)
        if conclusion is self.history.conclusion:
            return self
        return super().marked(altered, expected, left_out).changed(history=self.history.changed(conclusion=conclusion))

    def recorded(self) -> Self:
        """The same with its assessment as the latest pass had it, before the claims of the answer were known."""
        bare, made = self.marked(()), self.history.assessed
        conclusion = bare.history.conclusion.changed(assessment=made)
        return bare.changed(assessment=made, history=bare.history.changed(conclusion=conclusion))

    def parts(self) -> dict[str, JsonValue]:
        """The preparation and each pass, without times, and with what each pass alone cost."""
        preparation: JsonValue = self.history.preparation.model_dump(mode="json", exclude={"timings"})
        return {"preparation": preparation} | {f"pass {one.number}": _part(one) for one in self.history.passes}


def _part(one: ExecutionPass) -> JsonValue:
    dumped = one.model_dump(mode="json", exclude={"timings", "number", "budget_before", "budget_after"})
    before, after = one.budget_before.model_dump(), one.budget_after.model_dump()
    spent = {name: round(after[name] - before[name], 9) for name in after if name != "cached_tokens"}
    return {**dumped, "usage": spent}
