"""What the history of a multi-pass run does not store but determines: the plan as a pass found it."""

from __future__ import annotations

from aeon.multipass.refine import Attempts, apply
from aeon.schema import ExecutionHistory, Plan, RefinementLimits

__all__ = ["plan_before"]

_UNLIMITED = RefinementLimits(**dict.fromkeys(RefinementLimits.model_fields, 10**9))


def plan_before(history: ExecutionHistory, number: int) -> Plan:
    """The plan as pass ``number`` found it; one past the last: the plan at the end. Else raises ``IndexError``."""
    if not 1 <= number <= len(history.passes) + 1:
        raise IndexError(f"pass {number} is not among the {len(history.passes)} of this run")
    attempts = Attempts(_UNLIMITED)  # what was applied was within the limits of its time
    plan, _, _ = apply(history.preparation.plan, history.preparation.refinement.applied, attempts)
    for record in history.passes[: number - 1]:
        ran = plan.merge(record.executed)
        plan, _, _ = apply(ran, record.refinement.applied, attempts)
    return plan
