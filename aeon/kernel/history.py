"""Building the history of a run."""

from __future__ import annotations

from typing import cast

from aeon.kernel.state import State
from aeon.schema import Answer, Conclusion, Decision, ExecutionHistory, Result, StopReason

__all__ = ["conclude", "end_pass"]


def end_pass(state: State, decision: Decision) -> None:
    """Complete the record of the pass under way: timings, what is spent, and the decision that ended it if none did."""
    if state.passes:
        decision = state.passes[-1].decision or decision
        state.record(timings=tuple(state.timings), budget_after=state.usage, decision=decision)


def conclude(state: State, decision: Decision, answer: Answer, execution_id: str) -> Result:
    """The result with its history: how the run ended and all that it rests on."""
    synthesis = next((timing for timing in reversed(state.timings) if timing.phase == "synthesize"), None)
    conclusion = Conclusion(
        answer=answer.text, value=answer.value, detail=decision.detail, assessment=state.assessment,
        stop_reason=cast("StopReason", decision.reason), converged=decision.reason == "converged",
        pass_number=state.complete or len(state.passes), passes=len(state.passes),
        abandoned=state.plan.pending(),
        needs_manual_intervention=state.attempts.stuck, degraded=tuple(state.degraded),
        question=state.question if decision.reason == "waiting" else None,
        assumptions=tuple(known for known in state.task.clarifications if known.assumed),
        usage=state.usage, bound=state.bound, seconds=round(state.elapsed, 3),
    )  # fmt: skip
    history = ExecutionHistory(
        execution_id=execution_id, task=state.task, configuration=state.config, preparation=state.preparation,
        passes=tuple(state.passes), synthesis=synthesis, conclusion=conclusion,
    )  # fmt: skip
    return Result.of(history)
