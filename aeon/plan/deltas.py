"""What a model writes when it changes a plan, and the delta that it means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from aeon.multipass.effects import RefinePlan
from aeon.plan.schema import faults, step_schema, to_step
from aeon.schema import JsonObject, Plan, RefinementAction, Step, fragment
from aeon.tools.references import rename
from aeon.tools.registry import ToolRegistry

__all__ = ["MOST_NEW_STEPS", "refinement_faults", "refinement_schema", "targets", "to_action"]

MOST_NEW_STEPS = 3
_NEW = "new"


def targets(effect: RefinePlan) -> list[str]:
    """What may be changed: the steps that triggers name; if none is named, those that wait, or a new one is added.

    What has run well is left alone unless an issue names it: an answer that is not there yet needs more, not less.
    """
    waiting = [step.id for step in effect.plan.steps if not step.executed]
    named = [t.location for t in effect.triggers if effect.plan.find(t.location)]
    return list(dict.fromkeys(named)) or [*waiting, _NEW]


def refinement_schema(tools: ToolRegistry, places: Sequence[str], most: int) -> JsonObject:
    """One change: the problem in words, the step to change, and the new steps ``n1`` to, at most, ``n<most>``."""
    steps: JsonObject = {f"n{number}": {"$ref": "#/$defs/step"} for number in range(1, most + 1)}
    return {
        "type": "object",
        "properties": {"problem": {"type": "string", "maxLength": 200}, "change": {"enum": list(places)}, **steps},
        "required": ["problem", "change", "n1"],
        "additionalProperties": False,
        "$defs": {"step": step_schema(tools)},
    }


def to_action(plan: Plan, raw: JsonObject, tools: ToolRegistry) -> RefinementAction:
    """The delta that a model's words mean: one new step stands in for the old one, several are a subplan of it."""
    target = plan.find(str(raw["change"]))
    written = [step for key, step in raw.items() if key.startswith("n") and isinstance(step, dict)]
    kind, ids = _kind_and_ids(plan, target, len(written))
    for number, step_id in enumerate(ids, 1):
        written = [rename(step, f"n{number}", step_id) for step in written]
    depth = (target.depth if target else 0) + (len(written) > 1)
    earlier = _earlier(plan, target)
    steps = tuple(
        to_step(step, step_id, [*earlier, *ids[:n]], tools, depth)
        for n, (step_id, step) in enumerate(zip(ids, written, strict=True))
    )
    why = str(raw["problem"])
    return RefinementAction(type=kind, target=target.id if target else None, steps=steps, justification=why)


def refinement_faults(plan: Plan, raw: JsonObject, tools: ToolRegistry) -> list[str]:
    """What keeps the new steps from running, in words for the model."""
    action = to_action(plan, raw, tools)
    target = plan.find(action.target) if action.target else None
    return faults(action.steps, _earlier(plan, target), tools)


def _kind_and_ids(plan: Plan, target: Step | None, count: int) -> tuple[Literal["ADD", "MODIFY", "REPLACE"], list[str]]:
    """What kind of delta it is, and the ids of its steps: the target's own, or new ones of its fragment."""
    if target is not None and not target.executed and count == 1:
        return "MODIFY", [target.id]
    ids: list[str] = []
    for _ in range(count):
        ids.append(_id([*(step.id for step in plan.steps), *ids], target))
    return ("REPLACE" if target else "ADD"), ids


def _id(taken: Sequence[str], target: Step | None) -> str:
    """The next id: a version of the target's fragment, or a fragment of its own."""
    base = f"{fragment(target.id)}_r" if target else "s"
    names = {fragment(name) for name in taken} | set(taken)
    return next(name for number in range(1, len(names) + 2) if (name := f"{base}{number}") not in names)


def _earlier(plan: Plan, target: Step | None) -> list[str]:
    """The steps that a new one in the place of ``target`` (at the end without one) may build on."""
    good = (step for step in plan.steps if step.status not in ("invalid", "failed"))
    return [step.id for step in good if target is None or step.index < target.index]
