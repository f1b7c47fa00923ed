"""A run of any engine as a Mermaid flowchart: its effects, batch by batch, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.observability.lines import effect_title, outcome_words, short, visible
from aeon.observability.trail import Done, Trail

__all__ = ["CLASSES", "escaped", "to_mermaid"]

CLASSES = {
    "complete": "fill:#d9f2dd,stroke:#2e7d32,color:#1b3a1e",
    "failed": "fill:#f8d7da,stroke:#b3261e,color:#4a1010",
    "invalid": "fill:#fdebc8,stroke:#b26a00,color:#4a2c00",
    "pending": "fill:#eceff1,stroke:#78909c,color:#263238",
    "running": "fill:#d7e8fb,stroke:#1565c0,color:#0d2a4a",
    "replaced": "fill:#ffffff,stroke:#9e9e9e,color:#757575,stroke-dasharray:5 4",
}
"""The looks of a node, each with its style."""

_SPECIAL = re.compile(r"[^\w .,:;=+*/()%-]")


def to_mermaid(trail: Trail) -> str:
    """A ``flowchart TD``: every effect, coloured by whether it has a value, after those that came before it."""
    nodes: list[str] = []
    arrows: list[str] = []
    before: list[str] = []
    for batch in trail.batches:
        nodes += [_node(done) for done in batch]
        entries, before = before, _last(batch)
        arrows += [arrow for done in batch for arrow in _arrows(done, batch[0].number, entries)]
    if (end := trail.result) is not None:
        look = "complete" if end.sufficient else "failed" if end.stop_reason == "failed" else "invalid"
        label = f"{escaped(end.stop_reason.replace('_', ' '))}<br/>{escaped(short(end.answer, 60))}"
        nodes.append(f'answer["{label}"]:::{look}')
        arrows += [f"{name} --> answer" for name in before]
    classes = [f"classDef {name} {CLASSES[name]}" for name in ("complete", "failed", "invalid", "pending")]
    return "\n    ".join(["flowchart TD", *nodes, *arrows, *classes])


def _arrows(done: Done, first: int, entries: Sequence[str]) -> list[str]:
    """From what an effect waited for in its batch, else from the last effects of the batch before."""
    sources = [f"effect_{first + place}" for place in done.effect.after] or entries
    return [f"{source} --> effect_{done.number}" for source in sources]


def _last(batch: Sequence[Done]) -> list[str]:
    """The effects of a batch that no other one of it waits for."""
    awaited = {batch[0].number + place for done in batch for place in done.effect.after}
    return [f"effect_{done.number}" for done in batch if done.number not in awaited]


def _node(done: Done) -> str:
    parts = [f"{done.number}: {short(effect_title(done.effect), 40)}"]
    look = "pending"
    if done.outcome is not None:
        look = "complete" if done.outcome.failure is None else "failed"
        parts.append(short(outcome_words(done.outcome), 40))
    return f'effect_{done.number}["{"<br/>".join(escaped(part) for part in parts)}"]:::{look}'


def escaped(text: str) -> str:
    """The text with everything that could mean something to Mermaid or HTML as a character code."""
    return _SPECIAL.sub(lambda match: f"#{ord(match.group())};", visible(text))
