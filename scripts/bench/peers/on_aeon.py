"""The loop in Aeon's kernel and driver, complete: typed effects and outcomes, budgets, history, journal in memory.

Aeon also asks for a profile of the task first, and has the steps of each refinement checked; both are answered without
a model call here, as no other framework asks for them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from workload import PASSES, STEPS, Model

from aeon.kernel.passes import MULTIPASS
from aeon.kernel.ports import Handlers, Job
from aeon.multipass import effects as ask
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.ledger import current_ledger
from aeon.schema import (
    Answer,
    Budget,
    Config,
    ConvergenceAssessment,
    Plan,
    Refinement,
    RefinementAction,
    RefinementLimits,
    Result,
    SemanticValidationReport,
    Step,
    StepResult,
    Task,
    TaskProfile,
    Usage,
)
from aeon.testing.multipass import unasked

__all__ = ["CONFIG", "Judges", "make", "results_of", "steps_of"]

T = TypeVar("T")

CONFIG = Config(
    max_passes=PASSES,
    budget=Budget(calls=200, tokens=100_000, seconds=3_600, cost=0.5),
    limits=RefinementLimits(total_steps=STEPS * PASSES),
)
_MOST = Usage(calls=1, prompt_tokens=900, generated_tokens=100, cost=0.0009)
_SPENT = Usage(calls=1, prompt_tokens=100, generated_tokens=20, cost=0.0001)
_MOST = Usage(calls=1, prompt_tokens=800, generated_tokens=200)
_NOTHING_WRONG = SemanticValidationReport(form="verdict")


def steps_of(texts: Iterable[str]) -> tuple[Step, ...]:
    """The model's steps as steps of a plan."""
    return tuple(Step(id=text.replace("square ", "s"), description=text) for text in texts)


def results_of(plan: Plan) -> list[int]:
    """The outputs of the plan's complete steps, in order."""
    return [int(str(step.output)) for step in plan.steps if step.status == "complete"]


class Judges:
    """The handlers of the kernel's effects: each asks the model once and charges the call, as the shipped ones do."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def handlers(self) -> Handlers:
        """These handlers, under the names of the phases."""
        return {
            "profile": self.profile,
            "plan": self.plan,
            "validate_plan": self.validate_plan,
            "refine_plan": self.refine_plan,
            "execute": self.execute,
            "write": unasked,
            "run_program": unasked,
            "weigh": unasked,
            "validate_results": self.validate_results,
            "assess": self.assess,
            "synthesize": self.synthesize,
            "turn": unasked,
            "use_tool": unasked,
        }

    async def profile(self, effect: ask.InferProfile) -> TaskProfile:
        """As many passes as the loop has, without asking the model."""
        return TaskProfile(reasoning_depth=PASSES, ambiguity=0.0)

    async def plan(self, effect: ask.DraftPlan) -> Plan:
        """The model's first steps."""
        return Plan(steps=steps_of(await _charged(self._model.plan())))

    async def validate_plan(self, effect: ask.ValidatePlan) -> SemanticValidationReport:
        """What the model finds wrong with the plan; new steps alone are not put to it."""
        if effect.steps:
            return _NOTHING_WRONG
        found = await _charged(self._model.check([step.description for step in effect.plan.steps]))
        return SemanticValidationReport(evidence=tuple(found), form="verdict")

    async def refine_plan(self, effect: ask.RefinePlan) -> Refinement:
        """The steps that come next."""
        steps = steps_of(await _charged(self._model.refine(len(effect.plan.steps))))
        return Refinement(actions=(RefinementAction(type="ADD", steps=steps),))

    async def execute(self, effect: ask.ExecuteStep) -> StepResult:
        """The result of a step."""
        return StepResult(output=await _charged(self._model.execute(effect.step.description)))

    async def validate_results(self, effect: ask.ValidateResults) -> SemanticValidationReport:
        """What the model finds wrong with the results."""
        found = await _charged(self._model.validate(results_of(effect.plan)))
        return SemanticValidationReport(evidence=tuple(found), form="verdict")

    async def assess(self, effect: ask.AssessConvergence) -> ConvergenceAssessment:
        """How complete the model finds the results; the kernel decides what follows."""
        completeness = await _charged(self._model.assess(results_of(effect.plan), effect.report.evidence))
        return ConvergenceAssessment(
            converged=completeness >= effect.thresholds.completeness, completeness=completeness, coherence=1.0,
            consistency=1.0, reason_codes=("completeness",), explanation="steps are missing", form="verdict",
            standing="assumed",
        )  # fmt: skip

    async def synthesize(self, effect: ask.Synthesize) -> Answer:
        """The answer out of all results."""
        return Answer(text=await _charged(self._model.synthesize(results_of(effect.plan))))


async def _charged(call: Awaitable[T]) -> T:
    """A model call as the supervisor makes it: admitted by the effect's ledger before, charged to it afterwards."""
    ledger = current_ledger()
    await ledger.admit(_MOST)
    answer = await call
    ledger.settle(_MOST, _SPENT)
    return answer


def make(model: Model) -> Callable[[], Awaitable[str]]:
    """One run of the loop."""
    driver, handlers = AsyncDriver(), Judges(model).handlers

    async def run() -> str:
        result: Result = await driver.aexecute(Job(MULTIPASS, Task(text="squares"), CONFIG, handlers))
        if result.degraded or result.stop_reason != "ttl_expired":
            raise AssertionError(f"{result.stop_reason}: {result.detail} {result.degraded}")
        return result.answer

    return run
