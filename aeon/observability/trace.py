"""A run of any engine as lines of JSON (ndjson), a view of its journal: one for each effect, decision, and the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from aeon.observability.trail import Done, Trail
from aeon.schema import JsonObject

__all__ = ["to_trace", "trace_lines"]


def to_trace(trail: Trail) -> str:
    """The run as lines of JSON."""
    return trace_lines(trail, lambda number: "")


def trace_lines(trail: Trail, node_of: Callable[[int], str]) -> str:
    """The same, where ``node_of`` names the part of the engine that issued the effect of a number, or gives ""."""
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in _lines(trail, node_of))


def _lines(trail: Trail, node_of: Callable[[int], str]) -> Iterator[JsonObject]:
    task = trail.task.text if trail.task is not None else None
    yield {"event": "run", "engine": trail.engine, "execution_id": trail.execution_id, "task": task}
    decisions = list(trail.decisions)
    for done in (done for batch in trail.batches for done in batch):
        while decisions and decisions[0][0] <= done.number:
            yield {"event": "decision", **decisions.pop(0)[1].model_dump(mode="json")}
        yield _effect(done, node_of(done.number))
    yield from ({"event": "decision", **decision.model_dump(mode="json")} for _, decision in decisions)
    if (end := trail.result) is not None:
        usage = end.usage.model_dump(mode="json")
        yield {
            "event": "end", "stop_reason": end.stop_reason, "detail": end.detail, "sufficient": end.sufficient,
            "answer": end.answer, "usage": usage, "seconds": end.seconds,
        }  # fmt: skip


def _effect(done: Done, node: str) -> JsonObject:
    """An effect and its outcome; prompts and replies of models stand in no journal, and so not here."""
    line: JsonObject = {"event": "effect", "number": done.number, "phase": done.effect.phase}
    line |= {"node": node} if node else {}
    line |= {"subject": done.effect.subject}
    return line | (done.outcome.model_dump(mode="json") if done.outcome is not None else {"outcome": None})
