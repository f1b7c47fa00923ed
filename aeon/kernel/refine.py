"""Plans change only here: deltas are applied to data, and what would break a plan is refused with its reason.

Steps that have run are never edited: a delta that contradicts one marks it invalid, and what was built on it is done
again. The versions of step ``s2`` are called ``s2_r1``, ``s2_r2``: one fragment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from aeon.schema import Plan, RefinementAction, RefinementLimits, RefinementRecord, Rejection, Step

__all__ = ["Attempts", "apply"]


@dataclass(slots=True)
class Attempts:
    """Refinement attempts of one run, by fragment; deltas without a target belong to the fragment ``plan``."""

    limits: RefinementLimits
    used: Counter[str] = field(default_factory=Counter)

    def spent(self, name: str) -> bool:
        """Whether this fragment may not be refined again, for its own limit or the run's."""
        return name in self.stuck or self.used.total() >= self.limits.attempts

    @property
    def stuck(self) -> tuple[str, ...]:
        """The fragments that have had all their own attempts, in the order of their first."""
        return tuple(name for name, used in self.used.items() if used >= self.limits.attempts_per_fragment)


def apply(plan: Plan, actions: Sequence[RefinementAction], attempts: Attempts) -> tuple[Plan, RefinementRecord]:
    """Apply each delta that keeps the plan sound; count an attempt for each; record what was refused and why."""
    applied: list[RefinementAction] = []
    rejected: list[Rejection] = []
    for action in actions:
        name = action.fragment
        target = plan.find(action.target or "")
        reason = "its refinement attempts are used up" if attempts.spent(name) else action.unfit(target)
        if not reason and plan.does_already(action):
            reason = "it changes nothing"
        if not reason:
            changed = _change(plan, action, target).numbered()
            reason = "; ".join(changed.problems(attempts.limits.total_steps, attempts.limits.subplan_depth))
            attempts.used[name] += 1
        if reason:
            rejected.append(Rejection(action=action, reason=reason))
        else:
            plan = changed
            applied.append(action)
    return plan, RefinementRecord.made(applied=tuple(applied), rejected=tuple(rejected))


def _change(plan: Plan, action: RefinementAction, target: Step | None) -> Plan:
    """The plan with the delta's steps in their place; what was built on a replaced step builds on its stand-in."""
    changed = plan.with_steps_of(action, target)
    if action.type != "REPLACE" or target is None:
        return changed
    moved = {target.id: action.steps[-1].id}
    return _redo(changed, target, moved) if target.executed else changed.rewired(moved)


def _redo(plan: Plan, contradicted: Step, moved: dict[str, str]) -> Plan:
    """Invalidate a contradicted step and, as pending versions, do again what was built on it."""
    plan = plan.invalidated(contradicted)
    while step := next((s for s in plan.steps if s.status == "complete" and moved.keys() & set(s.dependencies)), None):
        moved[step.id] = plan.fresh_id(step.id)
        plan = Plan.made(steps=(*plan.steps, step.anew(moved[step.id]))).invalidated(step)
    return plan.rewired(moved)
