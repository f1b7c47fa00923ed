"""What the kernel can ask for.

A program yields a ``Batch`` of effects and is sent one ``Outcome`` for each, in the batch's order. It also yields
``Note``s: what people may want to see, answered with nothing and never journalled.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import ClassVar, TypeAlias, TypeVar

from pydantic import SerializeAsAny

from aeon.schema import (
    Allowance, Answer, ConvergenceAssessment, ConvergenceThresholds, Decision, Evaluation, Outcome, Phase, Plan,
    Question, Refinement, RefinementRecord, Reply, SemanticValidationReport, Step, StepInput, StepResult, Strategy,
    Task, TaskProfile, Trigger, Value,
)  # fmt: skip

__all__ = [
    "AskUser", "AssessConvergence", "Batch", "DraftPlan", "Effect", "ExecuteStep", "InferProfile", "Note",
    "Program", "RefinePlan", "Synthesize", "ValidatePlan", "ValidateResults",
]  # fmt: skip

T = TypeVar("T")


class Effect(Value):
    """A request that only the world outside can answer, and the most it may spend."""

    phase: ClassVar[Phase]
    result: ClassVar[type[Value]]

    task: Task
    allowance: Allowance = Allowance(calls=0)


class InferProfile(Effect):
    """How hard is the task? ``previous`` and ``issues`` are set when it is asked again at a pass boundary."""

    phase = "profile"
    result = TaskProfile
    previous: TaskProfile | None = None
    issues: tuple[str, ...] = ()


class DraftPlan(Effect):
    """Which steps, at most ``most_steps``, lead to the answer?"""

    phase = "plan"
    result = Plan
    profile: TaskProfile
    most_steps: int


class ValidatePlan(Effect):
    """What is wrong with the plan?"""

    phase = "validate_plan"
    result = SemanticValidationReport
    plan: Plan


class RefinePlan(Effect):
    """Which deltas resolve the triggers, by ``strategy``? Or, where ``may_ask``, which question must be put first?

    ``repairs`` are a validator's advice, ``evaluation`` is the latest one; at most ``most_steps`` new steps fit.
    """

    phase = "refine_plan"
    result = Refinement
    plan: Plan
    triggers: tuple[Trigger, ...]
    repairs: tuple[str, ...] = ()
    most_steps: int
    may_ask: bool = False
    strategy: Strategy | None = None
    evaluation: Evaluation | None = None


class ExecuteStep(Effect):
    """Do this step, once each awaited one of its inputs, a step of the same batch, has given its output."""

    phase = "execute"
    result = StepResult
    step: Step
    inputs: tuple[StepInput, ...] = ()


class ValidateResults(Effect):
    """What is wrong with the results of the steps that this pass executed?"""

    phase = "validate_results"
    result = SemanticValidationReport
    plan: Plan
    executed: tuple[str, ...]


class AssessConvergence(Effect):
    """Do the results answer the task?"""

    phase = "assess"
    result = ConvergenceAssessment
    plan: Plan
    report: SemanticValidationReport
    thresholds: ConvergenceThresholds


class AskUser(Effect):
    """What does the person who set the task say to this question?"""

    phase = "ask"
    result = Reply
    question: Question


class Synthesize(Effect):
    """Put the results into one answer; ``caveat`` says what it must admit, if anything."""

    phase = "synthesize"
    result = Answer
    plan: Plan
    caveat: str = ""


class Batch(Value):
    """Effects to be done at once; the outcomes come back in this order."""

    effects: tuple[SerializeAsAny[Effect], ...]


class Note(Value):
    """Something that observers may want to show: a decision, or a changed plan with what changed it."""

    pass_number: int
    decision: Decision | None = None
    plan: Plan | None = None
    refinement: RefinementRecord | None = None


Program: TypeAlias = Generator[Batch | Note, tuple[Outcome, ...], T]
