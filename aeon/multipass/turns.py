"""The calls of one turn: which of them are made, and what came of all of them, in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aeon.schema.outcome import Outcome
from aeon.schema.turns import Call, Exchange, ToolUse, Turn

__all__ = ["answered", "exchanged", "to_make", "used"]


def to_make(turn: Turn, most: int) -> tuple[Call, ...]:
    """The calls that can be made, ``most`` of them."""
    return tuple(call for call in turn.calls if not call.problem)[:most]


def answered(call: Call, problem: str) -> ToolUse:
    """What came of a call that gave nothing."""
    return ToolUse(id=call.id, tool=call.tool, arguments=call.arguments, problem=problem)


def used(call: Call, outcome: Outcome) -> tuple[str, ToolUse]:
    """The id of a call, and what came of it by this outcome."""
    value = outcome.value
    return call.id, value if isinstance(value, ToolUse) else answered(call, outcome.message)


def exchanged(before: Sequence[Exchange], turn: Turn, uses: Mapping[str, ToolUse]) -> tuple[Exchange, ...]:
    """The turns with one more, with what came of its calls, in their order; of one that was not made, why."""
    late = f"not made: at most {len(uses)} calls in one turn"
    every = tuple(uses.get(call.id) or answered(call, call.problem or late) for call in turn.calls)
    return (*before, Exchange(turn=turn, uses=every))
