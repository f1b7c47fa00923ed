"""A history's plan as a Mermaid flowchart: what was planned, what was done, what took the place of what."""

from __future__ import annotations

import re

from aeon.kernel.history import plan_before
from aeon.observability.lines import short, visible
from aeon.schema import ExecutionHistory, Step, fragment

__all__ = ["to_mermaid"]

_CLASSES = {
    "complete": "fill:#d9f2dd,stroke:#2e7d32,color:#1b3a1e",
    "failed": "fill:#f8d7da,stroke:#b3261e,color:#4a1010",
    "invalid": "fill:#fdebc8,stroke:#b26a00,color:#4a2c00",
    "pending": "fill:#eceff1,stroke:#78909c,color:#263238",
    "running": "fill:#d7e8fb,stroke:#1565c0,color:#0d2a4a",
    "replaced": "fill:#ffffff,stroke:#9e9e9e,color:#757575,stroke-dasharray:5 4",
}
_SPECIAL = re.compile(r"[^\w .,:;=+*/()%-]")


def to_mermaid(history: ExecutionHistory) -> str:
    """A ``flowchart TD`` of the plan as it ended, coloured by status; steps that others replaced are dashed."""
    last = plan_before(history, len(history.passes) + 1)
    plans = [history.preparation.plan, *(plan_before(history, n) for n in range(1, len(history.passes) + 2))]
    every = {step.id: step for plan in plans for step in plan.steps}
    every |= {step.id: step for step in last.steps}
    heirs = {step.id: _heir(step, list(every.values())) for step in every.values()}
    lines = ["flowchart TD"]
    for step in every.values():
        gone = last.find(step.id) is None or (step.status == "invalid" and heirs[step.id] is not None)
        lines.append(f'    {_node(step.id)}["{_label(step)}"]:::{"replaced" if gone else step.status}')
    for step in every.values():
        lines += [f"    {_node(d)} --> {_node(step.id)}" for d in step.dependencies if d in every]
        heir = heirs[step.id]
        lines += [f"    {_node(step.id)} -. replaced by .-> {_node(heir.id)}"] if heir else []
    return "\n".join(lines + [f"    classDef {name} {style}" for name, style in _CLASSES.items()])


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
    if step.status == "complete":
        parts.append(f"= {short(step.output, 40)}")
    return "<br/>".join(_escaped(part) for part in parts)


def _escaped(text: str) -> str:
    """The text with everything that could mean something to Mermaid or HTML as a character code."""
    return _SPECIAL.sub(lambda match: f"#{ord(match.group())};", visible(text))
