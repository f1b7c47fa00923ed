"""The long run in Aeon: its history stores a start and deltas.

The profile is that of the hardest task there is: it gets as many passes as the configuration allows, 1,000 at most. It
counts as not inferred, so that it limits neither the plan nor its changes.
"""

from __future__ import annotations

from lengthy import STEPS, alone, description, output, replaced, report

from aeon.kernel.passes import MULTIPASS
from aeon.kernel.ports import Handlers, Job
from aeon.multipass import effects as ask
from aeon.runtime.driver import AsyncDriver
from aeon.schema import (
    Answer,
    Config,
    ConvergenceAssessment,
    ExecutionHistory,
    Plan,
    Refinement,
    RefinementAction,
    RefinementLimits,
    SemanticValidationReport,
    Step,
    StepResult,
    Task,
    TaskProfile,
)
from aeon.testing.multipass import unasked

__all__ = ["history"]

_HARDEST = TaskProfile(
    reasoning_depth=5,
    ambiguity=1,
    information_sufficiency=0,
    dependency_complexity="high",
    expected_step_count=50,
    expected_tool_usage="extensive",
    output_breadth="broad",
    confidence_requirement="high",
    inferred=False,
)


class Judges:
    """Handlers that answer at once; the refinement after each pass replaces one step."""

    def __init__(self) -> None:
        self._passes = 0

    @property
    def handlers(self) -> Handlers:
        """These handlers, under the names of the phases."""
        return {
            "profile": self.profile,
            "plan": self.plan,
            "validate_plan": self.validated,
            "refine_plan": self.refine,
            "execute": self.execute,
            "write": unasked,
            "run_program": unasked,
            "weigh": unasked,
            "validate_results": self.validated,
            "assess": self.assess,
            "synthesize": self.synthesize,
            "turn": unasked,
            "use_tool": unasked,
        }

    async def profile(self, effect: ask.InferProfile) -> TaskProfile:
        """The profile of the hardest task."""
        return _HARDEST

    async def plan(self, effect: ask.DraftPlan) -> Plan:
        """The plan of 50 steps."""
        return Plan(steps=tuple(_step(number, 0) for number in range(STEPS)))

    async def validated(self, effect: ask.ValidatePlan | ask.ValidateResults) -> SemanticValidationReport:
        """No issues."""
        return SemanticValidationReport(form="verdict", standing="assumed")

    async def refine(self, effect: ask.RefinePlan) -> Refinement:
        """One step in the place of another."""
        self._passes += 1
        number, version = replaced(self._passes)
        target = _step(number, version - 1).id
        return Refinement(actions=(RefinementAction(type="REPLACE", target=target, steps=(_step(number, version),)),))

    async def execute(self, effect: ask.ExecuteStep) -> StepResult:
        """The result of a step."""
        return StepResult(output=output(effect.step.description))

    async def assess(self, effect: ask.AssessConvergence) -> ConvergenceAssessment:
        """Never enough."""
        return ConvergenceAssessment(
            converged=False, completeness=0.5, reason_codes=("completeness",), form="verdict", standing="assumed"
        )

    async def synthesize(self, effect: ask.Synthesize) -> Answer:
        """How many parts there are."""
        return Answer(text=f"{sum(step.status == 'complete' for step in effect.plan.steps)} parts")


def history(passes: int) -> ExecutionHistory:
    """The history of a run of so many passes."""
    limits = RefinementLimits(
        attempts_per_fragment=passes, attempts=passes, plan_steps=STEPS, total_steps=STEPS + passes
    )
    config = Config(max_passes=passes, limits=limits)
    result = alone(AsyncDriver().aexecute(Job(MULTIPASS, Task(text="the whole"), config, Judges().handlers)))
    changed = sum(len(each.refinement.applied) for each in result.history.passes)
    if (result.passes, changed, result.answer) != (passes, passes - 1, f"{STEPS} parts"):
        raise AssertionError(f"{result.passes} passes, {changed} changes, {result.answer}: {result.detail}")
    return result.history


def _step(number: int, version: int) -> Step:
    return Step(id=f"s{number}_r{version}" if version else f"s{number}", description=description(number, version))


if __name__ == "__main__":
    report(history, lambda made: len(made.model_dump_json()))
