"""Plans change only here: deltas are applied to data, and what would break a plan is refused with its reason.

Steps that have run are never edited: a delta that contradicts one marks it invalid, and what was built on it is done
again. The versions of step ``s2`` are called ``s2_r1``, ``s2_r2``: one fragment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from aeon.schema import Plan, RefinementAction, RefinementLimits, RefinementRecord, Rejection, Step, fragment

__all__ = ["Attempts", "apply"]


@dataclass
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
        name = fragment(action.target or "plan")
        reason = "its refinement attempts are used up" if attempts.spent(name) else _unfit(plan, action)
        if not reason:
            changed = _OPERATIONS[action.type](plan, action).numbered()
            reason = "; ".join(changed.problems(attempts.limits.total_steps, attempts.limits.subplan_depth))
            attempts.used[name] += 1
        if reason:
            rejected.append(Rejection(action=action, reason=reason))
        else:
            plan = changed
            applied.append(action)
    return plan, RefinementRecord(applied=tuple(applied), rejected=tuple(rejected))


def _unfit(plan: Plan, action: RefinementAction) -> str:
    """Why this delta cannot be tried at all, or nothing."""
    target = plan.find(action.target) if action.target else None
    if plan.does_already(action):
        return "it changes nothing"
    return next((reason for unfit, reason in _UNFIT if unfit(action, target)), "")


def _add(plan: Plan, action: RefinementAction) -> Plan:
    at = len(plan.steps) if action.target is None else 1 + [s.id for s in plan.steps].index(action.target)
    return Plan(steps=plan.steps[:at] + action.steps + plan.steps[at:])


def _remove(plan: Plan, action: RefinementAction) -> Plan:
    return Plan(steps=tuple(step for step in plan.steps if step.id != action.target))


def _replace(plan: Plan, action: RefinementAction) -> Plan:
    target = plan.find(action.target) if action.target else None
    if target is None:
        return Plan(steps=tuple(step for step in plan.steps if step.executed) + action.steps)
    moved = {target.id: action.steps[-1].id}
    added = _add(plan, action)
    return _redo(added, target, moved) if target.executed else _rewire(_remove(added, action), moved)


def _redo(plan: Plan, contradicted: Step, moved: dict[str, str]) -> Plan:
    """Invalidate a contradicted step and, as pending versions, do again what was built on it."""
    plan = _invalidate(plan, contradicted)
    while step := next((s for s in plan.steps if s.status == "complete" and moved.keys() & set(s.dependencies)), None):
        moved[step.id] = plan.fresh_id(step.id)
        again = step.anew(moved[step.id])
        plan = _invalidate(_add(plan, RefinementAction(type="ADD", steps=(again,))), step)
    return _rewire(plan, moved)


def _invalidate(plan: Plan, step: Step) -> Plan:
    return plan.merge((step.model_copy(update={"status": "invalid"}),)) if step.status == "complete" else plan


def _rewire(plan: Plan, moved: dict[str, str]) -> Plan:
    """Pending steps that depended on an old step depend on what stands in for it."""
    touched = (s for s in plan.steps if not s.executed and moved.keys() & set(s.dependencies))
    return plan.merge(
        s.model_copy(update={"dependencies": tuple(moved.get(d, d) for d in s.dependencies)}) for s in touched
    )


_UNFIT: tuple[tuple[Callable[[RefinementAction, Step | None], bool], str], ...] = (
    (lambda a, target: a.target is not None and target is None, "there is no such step"),
    (lambda a, target: a.type in ("MODIFY", "REMOVE") and (not target or target.executed), "that step has run"),
    (lambda a, target: (a.type == "REMOVE") == bool(a.steps), "only REMOVE, and always REMOVE, comes without steps"),
    (lambda a, target: a.type == "MODIFY" and [s.id for s in a.steps] != [a.target], "MODIFY keeps the step's id"),
    (lambda a, target: any(s.status != "pending" for s in a.steps), "a new step cannot have run"),
)

_OPERATIONS: dict[str, Callable[[Plan, RefinementAction], Plan]] = {
    "ADD": _add,
    "MODIFY": lambda plan, action: plan.merge(action.steps),
    "REMOVE": _remove,
    "REPLACE": _replace,
}
