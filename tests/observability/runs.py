"""Histories with known figures, and real runs whose effects are answered from a table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.passes import MULTIPASS
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.journal import Journal
from aeon.schema import (
    Answer,
    Bound,
    ConfidenceParts,
    Config,
    ConvergenceAssessment,
    Decision,
    Dimensions,
    Evaluation,
    ExecutionHistory,
    ExecutionPass,
    FinalResult,
    Gaps,
    JsonObject,
    PhaseTiming,
    Plan,
    Preparation,
    Refinement,
    Reply,
    Result,
    SemanticValidationReport,
    Step,
    StepMode,
    StepResult,
    Task,
    TaskProfile,
    ToolUse,
    Turn,
    Usage,
    Value,
)
from aeon.schema.programs import Programs, Ran
from aeon.schema.weight import Weight

SUFFICIENT = ("converged", "own_knowledge", "confident")

PROFILE = TaskProfile(reasoning_depth=3, ambiguity=0.0)
CONVERGED = ConvergenceAssessment(
    converged=True, completeness=1, coherence=1, consistency=1, form="verdict", standing="assumed"
)
NOT_YET = ConvergenceAssessment(
    converged=False, completeness=0.5, reason_codes=("completeness",), explanation="half", form="verdict",
    standing="assumed",
)  # fmt: skip


def evaluation(confidence: float | None, coverage: float | None = 0.5, gaps: Gaps | None = None) -> Evaluation:
    """An evaluation with this confidence, whose parts all have that value."""
    parts = dict.fromkeys(ConfidenceParts.model_fields, confidence)
    dimensions = Dimensions.model_validate(dict.fromkeys(Dimensions.model_fields, 0.5))
    return Evaluation(
        confidence=confidence, parts=None if confidence is None else ConfidenceParts.model_validate(parts),
        coverage=coverage, dimensions=dimensions, score=0.5, gaps=gaps or Gaps(),
    )  # fmt: skip


def done(name: str, mode: StepMode = "tool") -> Step:
    """A complete step."""
    return Step(id=name, description=f"find {name}", status="complete", output=1, mode=mode)


def judged(
    number: int,
    evaluated: Evaluation | None,
    decision: str = "continue",
    executed: Sequence[Step] = (),
    converged: bool = False,
    cost: float = 0.25,
) -> ExecutionPass:
    """An assessed pass of two calls and four seconds that a decision of this reason ended."""
    action = "CONTINUE" if decision == "continue" else "OUTPUT"
    before = Usage(calls=2 * (number - 1), cost=cost * (number - 1))
    return ExecutionPass(
        number=number, complete=True, profile=PROFILE, executed=tuple(executed),
        assessment=ConvergenceAssessment(converged=converged, completeness=0.5, evaluation=evaluated),
        decision=Decision(action=action, reason=decision, sufficient=decision in SUFFICIENT),
        budget_before=before, budget_after=Usage(calls=2 * number, cost=cost * number),
        timings=(
            PhaseTiming(phase="execute", started=4.0 * number, ended=4.0 * number + 3),
            PhaseTiming(phase="assess", started=4.0 * number + 3, ended=4.0 * number + 4),
        ),
    )  # fmt: skip


def history(
    *passes: ExecutionPass,
    reason: str = "converged",
    config: Config | None = None,
    name: str = "run-1",
    cost: float = 0.5,
    bound_cost: float | None = 5.0,
) -> ExecutionHistory:
    """A run of these passes that ended for this reason."""
    assessment = next((p.assessment for p in reversed(passes) if p.assessment), None)
    planned = [step for record in passes for step in record.executed]
    pending = tuple(Step(id=step.id, description=step.description) for step in planned)
    end = FinalResult(
        execution_id=name,
        engine="multi-pass/3",
        answer="a",
        stop_reason=reason,
        sufficient=reason in SUFFICIENT,
        converged=reason == "converged",
        assessment=assessment,
        pass_number=len(passes),
        passes=len(passes),
        usage=Usage(calls=9, cost=cost),
        bound=Bound(calls=9, tokens=9, cost=bound_cost),
        seconds=30.0,
    )
    start = Preparation(
        profile=PROFILE, plan=Plan(steps=pending).numbered(), timings=(PhaseTiming(phase="plan", started=0, ended=2),)
    )
    return ExecutionHistory(
        execution_id=name, task=Task(text="t"), configuration=config or Config(), preparation=start, passes=passes,
        conclusion=end,
    )  # fmt: skip


def handlers(**values: Value | Callable[[Any], Value]) -> dict[str, Callable[[Any], Awaitable[Value]]]:
    """Handlers of the multi-pass engine; each phase is answered with a value, or with what a function says."""
    every: dict[str, Value | Callable[[Any], Value]] = {
        "profile": PROFILE,
        "plan": Plan(steps=(Step(id="s1", description="do s1"),)),
        "validate_plan": SemanticValidationReport(),
        "refine_plan": Refinement(),
        "execute": lambda effect: StepResult(output=f"out of {effect.step.id}"),
        "turn": Turn(text="it is 7"),
        "use_tool": lambda effect: ToolUse(id=effect.call.id, tool=effect.call.tool, arguments={}, output=7),
        "write": Programs(),
        "run_program": Ran(),
        "weigh": Weight(),
        "validate_results": SemanticValidationReport(),
        "assess": CONVERGED,
        "ask": Reply(text="this one"),
        "synthesize": Answer(text="the answer"),
    }
    return {phase: _answering(value) for phase, value in (every | values).items()}


def _answering(value: Value | Callable[[Any], Value]) -> Callable[[Any], Awaitable[Value]]:
    async def answer(effect: Any) -> Value:
        return value if isinstance(value, Value) else value(effect)

    return answer


def played(
    config: Config | None = None, journal: Journal | None = None, setup: JsonObject | None = None, **values: Any
) -> Result:
    """A real run of the multi-pass engine whose effects are answered so; ``setup`` is what its journal says of it."""
    driver = AsyncDriver(journal=lambda execution_id: journal or Journal(), setup=setup)
    return Orchestrator(MULTIPASS, handlers(**values), driver, config or Config()).execute("How much is it?")
