"""A history's plan as a Mermaid flowchart: what was planned, what was done, what took the place of what."""

from __future__ import annotations

from aeon.observability.flowchart import CLASSES, escaped
from aeon.observability.lines import short
from aeon.observability.passes.turns import uses_words
from aeon.observability.snapshot import plan_before
from aeon.schema import ExecutionHistory, Plan, Step, fragment

__all__ = ["to_mermaid"]


def to_mermaid(history: ExecutionHistory) -> str:
    """A ``flowchart TD`` of the plan as it ended, coloured by status; steps that others replaced are dashed."""
    every = _every_step(history)
    heirs = {step.id: heir for step in every.values() if (heir := _heir(step, list(every.values())))}
    valid = {step.id for step in _last_plan(history).steps if step.status != "invalid" or step.id not in heirs}
    nodes = [_drawn(step, step.status if step.id in valid else "replaced") for step in every.values()]
    classes = [f"classDef {name} {style}" for name, style in CLASSES.items()]
    return "\n    ".join(["flowchart TD", *nodes, *_arrows(every, heirs), *classes])


def _arrows(every: dict[str, Step], heirs: dict[str, Step]) -> list[str]:
    """What builds on what, and what took the place of what."""
    needs = [(needed, step.id) for step in every.values() for needed in step.dependencies if needed in every]
    arrows = [f"{_node(needed)} --> {_node(step_id)}" for needed, step_id in needs]
    return arrows + [f"{_node(old)} -. replaced by .-> {_node(heir.id)}" for old, heir in heirs.items()]


def _drawn(step: Step, look: str) -> str:
    return f'{_node(step.id)}["{_label(step)}"]:::{look}'


def _last_plan(history: ExecutionHistory) -> Plan:
    return plan_before(history, len(history.passes) + 1)


def _every_step(history: ExecutionHistory) -> dict[str, Step]:
    """Every step that any version of the plan had, as it was last, by id."""
    before = [plan_before(history, record.number) for record in history.passes]
    plans = [history.preparation.plan, *before, _last_plan(history)]
    return {step.id: step for plan in plans for step in plan.steps}


def _heir(step: Step, every: list[Step]) -> Step | None:
    """The next version of a step that did not stand, if there is one."""
    versions = [other for other in every if fragment(other.id) == fragment(step.id)]
    later = versions[[v.id for v in versions].index(step.id) + 1 :]
    return later[0] if later else None


def _node(step_id: str) -> str:
    """A node's id; the prefix keeps it clear of Mermaid's own words, such as ``end``."""
    return f"step_{step_id}"


def _label(step: Step) -> str:
    parts = [f"{step.id}: {short(step.description, 60)}"]
    if step.uses:
        parts.append(short(uses_words(step.uses), 60))
    if step.status == "complete":
        parts.append(f"= {short(step.output, 40)}")
    return "<br/>".join(escaped(part) for part in parts)
