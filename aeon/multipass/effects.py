"""The phases of the multi-pass engine as effects: what its program asks for, and its notes for people."""

from __future__ import annotations

from typing import Self

from aeon.multipass.plans import Lacking, joined
from aeon.schema import (
    Answer,
    Calculation,
    Call,
    ConvergenceAssessment,
    ConvergenceThresholds,
    Evaluation,
    Exchange,
    Failure,
    Outcome,
    Plan,
    Refinement,
    RefinementRecord,
    SemanticValidationReport,
    Step,
    StepInput,
    StepResult,
    Strategy,
    TaskProfile,
    ToolUse,
    Trigger,
    Turn,
)
from aeon.schema.effects import EffectOf, Note, Role, skipped
from aeon.schema.programs import Candidate, Programs, ProgramText, Ran, Way
from aeon.schema.weight import Weight

__all__ = [
    "EFFECTS", "AssessConvergence", "DraftPlan", "ExecuteStep", "InferProfile", "PassNote", "RefinePlan", "RunProgram",
    "Synthesize", "TakeTurn", "UseTool", "ValidatePlan", "ValidateResults", "WeighResult", "WritePrograms",
]  # fmt: skip


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
        known = joined(self.inputs, outcomes)
        if isinstance(known, Lacking):
            return skipped(known.outcome, f"step {known.step}, which it builds on, gave no output")
        return self.changed(inputs=known)


class TakeTurn(EffectOf[Turn]):
    """What does the model do next in this step: call tools, or answer? ``last``: it must answer now.

    ``exchanges`` are its turns so far, with what came of them; the last one has an ``objection`` where the step is done
    again because of what was found in its answer.
    """

    phase = "turn"
    step: Step
    inputs: tuple[StepInput, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    last: bool = False

    @property
    def subject(self) -> str:
        """The step's id, and the number of the turn."""
        return f"turn {len(self.exchanges) + 1} of step {self.step.id}"


class UseTool(EffectOf[ToolUse]):
    """What does the tool give that the model calls in this step?"""

    phase = "use_tool"
    step: str
    call: Call

    @property
    def subject(self) -> str:
        """The tool, and the id of the call."""
        return f"call {self.call.id} ({self.call.tool})"


class WritePrograms(EffectOf[Programs]):
    """Which programs find out what this step asks, in ways other than these ``ways``?

    ``problems`` are what kept programs from giving anything. Of a step that is done again, ``earlier`` is what it came
    to, and ``against`` what was found in that.
    """

    phase = "write"
    step: Step
    inputs: tuple[StepInput, ...] = ()
    ways: tuple[Way, ...] = ()
    problems: tuple[str, ...] = ()
    earlier: str = ""
    against: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """The step's id."""
        return f"programs for step {self.step.id}"


class RunProgram(EffectOf[Ran]):
    """What does this program give? It may look things up and calculate; it never changes anything."""

    phase = "run_program"
    step: Step
    inputs: tuple[StepInput, ...] = ()
    program: ProgramText

    @property
    def subject(self) -> str:
        """How the program was asked for, and the step's id."""
        return f"{self.program.way} of step {self.step.id}"


class WeighResult(EffectOf[Weight]):
    """How likely is it that what a program gave is exactly what the step asks for?"""

    phase = "weigh"
    role: Role = "verifier"
    step: Step
    candidate: Candidate

    @property
    def subject(self) -> str:
        """How the program was asked for, and the step's id."""
        return f"{self.candidate.program.way} of step {self.step.id}"


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
    """Put the results into one answer; ``caveat`` says what it must admit, if anything.

    ``calculations`` say how values that stand nowhere follow from those that do, as far as a judge found out.
    """

    phase = "synthesize"
    plan: Plan
    caveat: str = ""
    calculations: tuple[Calculation, ...] = ()


class PassNote(Note):
    """A decision of the pass of this number (0: before the first), or a plan with the refinement that changed it."""

    pass_number: int
    plan: Plan | None = None
    refinement: RefinementRecord | None = None


EFFECTS = (
    InferProfile, DraftPlan, ValidatePlan, RefinePlan, ExecuteStep, TakeTurn, UseTool, WritePrograms, RunProgram,
    WeighResult, ValidateResults, AssessConvergence, Synthesize,
)  # fmt: skip
"""All of them, in the order of a run."""
