"""The calls of one turn: which of them are made, and what came of all of them, in their order."""

from __future__ import annotations

from collections.abc import Iterable

from aeon.schema.turns import Call, ToolUse, Turn

__all__ = ["answered", "in_order", "to_make"]


def to_make(turn: Turn, most: int) -> tuple[Call, ...]:
    """The calls that can be made, ``most`` of them."""
    return tuple(call for call in turn.calls if not call.problem)[:most]


def answered(call: Call, problem: str) -> ToolUse:
    """What came of a call that gave nothing."""
    return ToolUse(id=call.id, tool=call.tool, arguments=call.arguments, problem=problem)


def in_order(turn: Turn, uses: Iterable[ToolUse]) -> tuple[ToolUse, ...]:
    """What came of every call of a turn; of one that was not made, why."""
    known = {use.id: use for use in uses}
    late = f"not made: at most {len(known)} calls in one turn"
    return tuple(known.get(call.id) or answered(call, call.problem or late) for call in turn.calls)
