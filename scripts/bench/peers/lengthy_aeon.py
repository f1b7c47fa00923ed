"""The long run in Aeon: its history stores a start and deltas.

A run of Aeon has at most seven passes, since a task's profile sets how many and its depth ends at five; for this
measurement alone the configuration's own limit, 1,000, is the only one.
"""

from __future__ import annotations

from aeon.kernel import budget, state
from aeon.multipass import effects as ask
from aeon.kernel.phases import run as program
from aeon.kernel.ports import Job, Modules
from aeon.runtime.driver import AsyncDriver
from aeon.schema import (
    Answer, Config, ConvergenceAssessment, ExecutionHistory, Plan, Refinement, RefinementAction, RefinementLimits,
    Reply, SemanticValidationReport, Step, StepResult, Task, TaskProfile,
)  # fmt: skip
from lengthy import STEPS, alone, description, output, replaced, report

__all__ = ["history"]


class Judges:
    """Handlers that answer at once; the refinement after each pass replaces one step."""

    def __init__(self) -> None:
        self._passes = 0

    async def profile(self, effect: ask.InferProfile) -> TaskProfile:
        """A profile."""
        return TaskProfile(ambiguity=0.0)

    async def plan(self, effect: ask.DraftPlan) -> Plan:
        """The plan of 50 steps."""
        return Plan(steps=tuple(_step(number, 0) for number in range(STEPS)))

    async def validated(self, effect: ask.ValidatePlan | ask.ValidateResults) -> SemanticValidationReport:
        """No issues."""
        return SemanticValidationReport(form="verdict")

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
        return ConvergenceAssessment(converged=False, completeness=0.5, reason_codes=("completeness",), form="verdict")

    async def ask(self, effect: ask.AskUser) -> Reply:
        """Nobody is asked in this run."""
        raise AssertionError(f"the run asks nothing, and asked {effect.question.text}")

    async def synthesize(self, effect: ask.Synthesize) -> Answer:
        """How many parts there are."""
        return Answer(text=f"{sum(step.status == 'complete' for step in effect.plan.steps)} parts")


def history(passes: int) -> ExecutionHistory:
    """The history of a run of so many passes."""
    judges = Judges()
    modules = Modules(
        judges.profile, judges.plan, judges.validated, judges.refine, judges.execute, judges.validated, judges.assess,
        judges.ask, judges.synthesize,
    )  # fmt: skip
    limits = RefinementLimits(
        attempts_per_fragment=passes, attempts=passes, plan_steps=STEPS, total_steps=STEPS + passes
    )
    config = Config(max_passes=passes, limits=limits)
    result = alone(AsyncDriver().aexecute(Job(program, Task(text="the whole"), config, modules)))
    changed = sum(len(each.refinement.applied) for each in result.history.passes)
    if (result.passes, changed, result.answer) != (passes, passes - 1, f"{STEPS} parts"):
        raise AssertionError(f"{result.passes} passes, {changed} changes, {result.answer}: {result.detail}")
    return result.history


def _step(number: int, version: int) -> Step:
    return Step(id=f"s{number}_r{version}" if version else f"s{number}", description=description(number, version))


if __name__ == "__main__":
    state.pass_limit = budget.pass_limit = lambda profile, config: config.max_passes
    report(history, lambda made: len(made.model_dump_json()))
