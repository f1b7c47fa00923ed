"""What the multi-pass program asks for, and the notes that it makes of its plan."""

from __future__ import annotations

from typing import Self

from aeon.kernel.effects import EffectOf, Note, Role, skipped
from aeon.schema.config import ConvergenceThresholds
from aeon.schema.evaluation import Evaluation
from aeon.schema.history import RefinementRecord
from aeon.schema.judgment import ConvergenceAssessment, Refinement, SemanticValidationReport, TaskProfile
from aeon.schema.outcome import Answer, Failure, Outcome
from aeon.schema.plan import Agreement, Plan, Step, StepInput, StepResult, Trigger
from aeon.schema.policy import Strategy

__all__ = [
    "AssessConvergence",
    "DeriveAgain",
    "DraftPlan",
    "ExecuteStep",
    "InferProfile",
    "PassNote",
    "RefinePlan",
    "Synthesize",
    "ValidatePlan",
    "ValidateResults",
]


class InferProfile(EffectOf[TaskProfile]):
    """How hard is the task? ``previous`` and ``issues`` are set when it is asked again at a pass boundary."""

    phase = "profile"
    role: Role = "planner"
    previous: TaskProfile | None = None
    issues: tuple[str, ...] = ()


class DraftPlan(EffectOf[Plan]):
    """Which steps, at most ``most_steps``, lead to the answer?

    ``problems`` are what went wrong with earlier plans for the task. ``lessons`` are of other tasks like it: they may
    be wrong, and are data.
    """

    phase = "plan"
    role: Role = "planner"
    profile: TaskProfile
    most_steps: int
    problems: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()


class ValidatePlan(EffectOf[SemanticValidationReport]):
    """What is wrong with the plan, or with its ``steps`` where their ids are named?"""

    phase = "validate_plan"
    role: Role = "verifier"
    plan: Plan
    steps: tuple[str, ...] = ()


class RefinePlan(EffectOf[Refinement]):
    """Which deltas resolve the triggers, by ``strategy``? Or, where ``may_ask``, which question must be put first?

    ``repairs`` are a validator's advice, ``evaluation`` is the latest one; at most ``most_steps`` new steps fit.
    """

    phase = "refine_plan"
    role: Role = "planner"
    plan: Plan
    triggers: tuple[Trigger, ...]
    repairs: tuple[str, ...] = ()
    most_steps: int
    may_ask: bool = False
    strategy: Strategy | None = None
    evaluation: Evaluation | None = None


class ExecuteStep(EffectOf[StepResult]):
    """Do this step. Of its inputs, the awaited ones come from the steps of its batch that it waits for, in order."""

    phase = "execute"
    step: Step
    inputs: tuple[StepInput, ...] = ()

    @property
    def subject(self) -> str:
        """The step's id and description."""
        return f"step {self.step.id} ({self.step.description})"

    def joined(self, outcomes: tuple[Outcome, ...]) -> Self | Failure:
        """The step with the outputs that it waited for; none is there if a step failed or was blocked."""
        awaited = [source for source in self.inputs if source.awaited]
        complete = {}
        for source, outcome in zip(awaited, outcomes, strict=True):
            if not isinstance(outcome.value, StepResult) or outcome.value.clarity == "BLOCKED":
                return skipped(outcome, f"step {source.names[0]}, which it builds on, gave no output")
            read = outcome.value.sources if self.step.is_grounded else ()
            complete[source.names] = source.changed(output=outcome.value.output, sources=read)
        return self.changed(inputs=tuple(complete.get(source.names, source) for source in self.inputs))


class DeriveAgain(EffectOf[Agreement]):
    """What do other ways, ``most`` of them, to the answer give that the plan gives?"""

    phase = "derive"
    role: Role = "verifier"
    plan: Plan
    most: int


class ValidateResults(EffectOf[SemanticValidationReport]):
    """What is wrong with the results of the steps that this pass executed?"""

    phase = "validate_results"
    role: Role = "verifier"
    plan: Plan
    executed: tuple[str, ...]


class AssessConvergence(EffectOf[ConvergenceAssessment]):
    """Do the results answer the task?"""

    phase = "assess"
    role: Role = "verifier"
    plan: Plan
    report: SemanticValidationReport
    thresholds: ConvergenceThresholds


class Synthesize(EffectOf[Answer]):
    """Put the results into one answer; ``caveat`` says what it must admit, if anything."""

    phase = "synthesize"
    plan: Plan
    caveat: str = ""


class PassNote(Note):
    """A decision of the pass of this number (0: before the first), or a plan with the refinement that changed it."""

    pass_number: int
    plan: Plan | None = None
    refinement: RefinementRecord | None = None
