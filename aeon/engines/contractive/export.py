"""A tree as a Mermaid flowchart, pruned questions included, and as a trace of what happened at each node."""

from __future__ import annotations

import json
from collections.abc import Iterator

from aeon.engines.contractive.record import Contractive, Node
from aeon.observability.flowchart import CLASSES, escaped
from aeon.observability.lines import short
from aeon.schema import JsonObject

__all__ = ["to_mermaid", "to_trace"]

_QUESTION, _ANSWER = 48, 40
_SETTLED = ("agreed", "fixed_point")


def to_mermaid(result: Contractive) -> str:
    """A ``flowchart TD``: a box for each node with its answer and uncertainty; pruned questions are dashed."""
    lines = [line for node in result.tree for line in _node(node)]
    looks = ("complete", "failed", "invalid", "replaced")
    end = f'answer["{escaped(result.stop_reason.replace("_", " "))}<br/>{escaped(short(result.answer, 60))}"]'
    root = [f"{_name(result.tree[0].place)} --> answer"] if result.tree else []
    classes = [f"classDef {look} {CLASSES[look]}" for look in looks]
    look = "complete" if result.sufficient else "invalid"
    return "\n    ".join(["flowchart TD", *lines, f"{end}:::{look}", *root, *classes])


def _node(node: Node) -> Iterator[str]:
    """The box of a node, with the arrows to what is below it."""
    parts = (f"{node.place}: {short(node.question, _QUESTION)}", short(node.answer or "no answer", _ANSWER), _end(node))
    yield f'{_name(node.place)}["{"<br/>".join(map(escaped, parts))}"]:::{_look(node)}'
    yield from (f"{_name(node.place)} --> {_name(child)}" for child in node.children)
    worked_on = set(node.children)
    for number, one in enumerate(one for one in node.pruned if one.place not in worked_on):
        name = f"{_name(node.place)}_pruned_{number}"
        label = f"{escaped(short(one.question, _QUESTION))}<br/>{escaped(f'pruned: {one.reason}')}"
        yield f'{name}["{label}"]:::replaced'
        yield f"{_name(node.place)} -.-> {name}"


def _look(node: Node) -> str:
    if node.rejected or not node.answer:
        return "failed"
    return "complete" if node.stop in _SETTLED else "invalid"


def _end(node: Node) -> str:
    """How the uncertainty changed, and why the node was not split any more."""
    levels = [f"{one:.2f}" for one in dict.fromkeys((node.before, node.uncertainty)) if one is not None]
    stop = node.stop.replace("_", " ")
    return f"uncertainty {' to '.join(levels)}, {stop}" if levels else stop


def _name(place: str) -> str:
    return f"node_{place.replace('.', '_')}"


def to_trace(result: Contractive) -> str:
    """What happened at each node as JSON Lines: its looks, what was pruned, its answers, and why it ended."""
    return "".join(f"{json.dumps(event, ensure_ascii=False)}\n" for node in result.tree for event in _events(node))


def _events(node: Node) -> Iterator[JsonObject]:
    yield {"event": "node", "place": node.place, "question": node.question}
    for number, one in enumerate(node.rounds):
        yield {"event": "look", "place": node.place, "round": number, **one.model_dump(mode="json")}
    for pruned in node.pruned:
        yield {"event": "pruned", "parent": node.place, **pruned.model_dump(mode="json")}
    for candidate in node.candidates:
        yield {"event": "candidate", "place": node.place, **candidate.model_dump(mode="json")}
    yield {"event": "end", "place": node.place, "stop": node.stop, "answer": node.answer, "tokens": node.tokens}
