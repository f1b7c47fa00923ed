"""Plans change only here: deltas are applied to data, and what would break a plan is refused with its reason.

Steps that have run are never edited: a delta that contradicts one marks it invalid, and what was built on it is done
again. The versions of step ``s2`` are called ``s2_r1``, ``s2_r2``: one fragment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from aeon.multipass import triggers
from aeon.multipass.plans import changed_by, does_already, fresh_id, invalidated, is_looped, problems, rewired, unfit
from aeon.schema.config import RefinementLimits
from aeon.schema.history import RefinementRecord, Rejection
from aeon.schema.judgment import Refinement, SemanticValidationReport
from aeon.schema.plan import Plan, RefinementAction, Step, Trigger, fragment

__all__ = ["Attempts", "apply", "checked", "proposed"]


@dataclass(slots=True)
class Attempts:
    """Refinement attempts of one run, by fragment; deltas without a target belong to the fragment ``plan``.

    ``refused`` are the fragments that should have been refined again and could not, in the order of their refusal.
    """

    limits: RefinementLimits = field(default_factory=RefinementLimits)
    used: Counter[str] = field(default_factory=Counter)
    refused: dict[str, None] = field(default_factory=dict)

    def spent(self, name: str) -> bool:
        """Whether this fragment may not be refined again, for its own limit or the run's; if so, that is kept."""
        own, run = self.limits.attempts_per_fragment, self.limits.attempts
        over = self.used[name] >= own or self.used.total() >= run
        if over:
            self.refused.setdefault(name)
        return over

    def open(self, triggers: Iterable[Trigger]) -> tuple[Trigger, ...]:
        """The triggers whose fragments may still be refined."""
        return tuple(trigger for trigger in triggers if not self.spent(fragment(trigger.location)))

    @property
    def stuck(self) -> tuple[str, ...]:
        """The fragments that need manual intervention: no attempt is left for them."""
        own = self.limits.attempts_per_fragment
        return tuple(dict.fromkeys([*(name for name, used in self.used.items() if used >= own), *self.refused]))


def apply(
    plan: Plan, actions: Sequence[RefinementAction], attempts: Attempts
) -> tuple[Plan, tuple[RefinementAction, ...], tuple[Rejection, ...]]:
    """Apply each delta that keeps the plan sound, counting an attempt for each; the plan, what was applied and refused.

    A delta that is unfit or changes nothing was no attempt.
    """
    applied: list[RefinementAction] = []
    rejected: list[Rejection] = []
    for action in actions:
        changed, reason = _tried(plan, action, attempts)
        if reason:
            rejected.append(Rejection(action=action, reason=reason))
        else:
            plan = changed
            applied.append(action)
    return plan, tuple(applied), tuple(rejected)


def proposed(plan: Plan, proposal: Refinement, attempts: Attempts) -> tuple[Plan, RefinementRecord]:
    """The plan with what keeps it sound of a proposal, and the record of that."""
    changed, applied, rejected = apply(plan, proposal.actions, attempts)
    record = RefinementRecord(applied=applied, rejected=rejected, advisories=proposal.advisories, query=proposal.query)
    return changed, record


def checked(record: RefinementRecord, report: SemanticValidationReport) -> RefinementRecord:
    """The record with the report on its new steps: what was applied is refused where that finds something grave."""
    why = triggers.grave(report, record.new_steps)
    refused = tuple(Rejection(action=action, reason=why) for action in record.applied if why)
    return record.changed(report=report, applied=() if why else record.applied, rejected=(*record.rejected, *refused))


def _tried(plan: Plan, action: RefinementAction, attempts: Attempts) -> tuple[Plan, str]:
    """The plan with the delta, or the reason why it cannot have it."""
    target = plan.find(action.target or "")
    if attempts.spent(action.fragment):
        return plan, "its refinement attempts are used up"
    if reason := unfit(action, target):
        return plan, reason
    if does_already(plan, action):
        return plan, "it changes nothing"
    attempts.used[action.fragment] += 1
    changed = _change(plan, action, target).changed(answer=_answer(plan, action)).numbered()
    return changed, "; ".join(problems(changed, attempts.limits.total_steps, attempts.limits.subplan_depth))


def _answer(plan: Plan, action: RefinementAction) -> tuple[str, ...]:
    """The steps that give the answer of a model that works turn by turn: of those that are replaced, the last new one.

    Of another plan nobody knows which they are now.
    """
    if not is_looped(plan):
        return ()
    new = action.steps[-1].id if action.steps and action.target else ""
    replaced = action.fragment if action.type == "REPLACE" else ""
    return tuple(new if fragment(name) == replaced else name for name in plan.answer)


def _change(plan: Plan, action: RefinementAction, target: Step | None) -> Plan:
    """The plan with the delta's steps in their place; what was built on a replaced step builds on its stand-in."""
    changed = changed_by(plan, action, target)
    if action.type != "REPLACE" or target is None:
        return changed
    moved = {target.id: action.steps[-1].id}
    return _redo(changed, target, moved) if target.executed else rewired(changed, moved)


def _redo(plan: Plan, contradicted: Step, moved: dict[str, str]) -> Plan:
    """Invalidate a contradicted step and, as pending versions, do again what was built on it."""
    plan = invalidated(plan, contradicted)
    while step := next((s for s in plan.steps if s.status == "complete" and moved.keys() & set(s.dependencies)), None):
        moved[step.id] = fresh_id(plan, step.id)
        plan = invalidated(Plan(steps=(*plan.steps, step.anew(moved[step.id]))), step)
    return rewired(plan, moved)
