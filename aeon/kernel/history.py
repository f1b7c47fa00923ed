"""Building the history of a run, and deriving from it what is not stored: the plan as a pass found it."""

from __future__ import annotations

from typing import cast

from aeon.kernel.budget import bound
from aeon.kernel.refine import Attempts, apply
from aeon.kernel.state import State
from aeon.schema import Answer, Conclusion, Decision, ExecutionHistory, Plan, Result, StopReason

__all__ = ["conclude", "end_pass", "plan_before"]


def end_pass(state: State, decision: Decision) -> None:
    """Complete the record of the pass under way: timings, what is spent, and the decision that ended it if none did."""
    if state.passes:
        ended_by = state.passes[-1].decision or decision
        state.record(timings=tuple(state.timings), budget_after=state.usage, decision=ended_by)


def plan_before(history: ExecutionHistory, number: int) -> Plan:
    """The plan as pass ``number`` found it; one past the last: the plan at the end. Else raises ``IndexError``."""
    if not 1 <= number <= len(history.passes) + 1:
        raise IndexError(f"pass {number} is not among the {len(history.passes)} of this run")
    attempts = Attempts(history.configuration.limits)
    plan, _ = apply(history.preparation.plan, history.preparation.refinement.applied, attempts)
    for record in history.passes[: number - 1]:
        plan, _ = apply(plan.merge(record.executed), record.refinement.applied, attempts)
    return plan


def conclude(state: State, decision: Decision, answer: Answer, execution_id: str) -> Result:
    """The result with its history: how the run ended and all that it rests on."""
    last_pass = state.complete[-1:] or [len(state.passes)]
    synthesis = next((timing for timing in reversed(state.timings) if timing.phase == "synthesize"), None)
    conclusion = Conclusion(
        answer=answer.text, value=answer.value,
        stop_reason=cast("StopReason", decision.reason), detail=decision.detail,
        converged=decision.reason == "converged", assessment=state.assessment, pass_number=last_pass[0],
        passes=len(state.passes), abandoned=tuple(s.id for s in state.plan.steps if s.status == "pending"),
        needs_manual_intervention=state.attempts.stuck, degraded=tuple(state.degraded),
        usage=state.usage, bound=bound(state.config), seconds=round(state.elapsed, 3),
    )  # fmt: skip
    history = ExecutionHistory(
        execution_id=execution_id, task=state.task, configuration=state.config, preparation=state.preparation,
        passes=tuple(state.passes), synthesis=synthesis, conclusion=conclusion,
    )  # fmt: skip
    return Result.of(history)
