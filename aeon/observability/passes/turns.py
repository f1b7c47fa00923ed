"""How turns of a model with tools are told to people: each call with what came of it."""

from __future__ import annotations

import json

from aeon.observability.lines import Line, Span, short
from aeon.schema import ToolUse, Turn

__all__ = ["turn_words", "use_line", "use_words"]


def turn_words(turn: Turn) -> str:
    """What a turn is, in a few words."""
    if turn.calls:
        return f"calls {', '.join(call.tool for call in turn.calls)}"
    return "answers" if turn.text else "says nothing"


def use_words(use: ToolUse) -> str:
    """What came of a call, in a few words."""
    if use.problem:
        return use.problem
    rows = use.output.get("rows") if isinstance(use.output, dict) else None
    if isinstance(rows, list):
        shown = f"{len(rows):,} of {use.total:,}" if use.total is not None else f"{len(rows):,}"
        return f"{shown} row{'s' * (len(rows) != 1)}"
    sentences = sum(len(lines.texts) for lines in use.lines)
    if sentences:
        return f"{sentences:,} sentence{'s' * (sentences != 1)}"
    return use.output if isinstance(use.output, str) else json.dumps(use.output, ensure_ascii=False)


def use_line(use: ToolUse, width: int) -> Line:
    """A call with its arguments, and what came of it."""
    values = list(use.arguments.values())
    alone = values[0] if len(values) == 1 else None
    said = alone if isinstance(alone, str) else json.dumps(use.arguments, ensure_ascii=False)
    number, gave = use.id.rpartition(".")[2], short(use_words(use), width // 2)
    head = short(f"{use.tool} {said}", width - len(gave) - len(number) - 6)
    return (
        Span(f"[{number}] ", "strong"), Span(head), Span("  ", "dim"), Span(gave, "warn" if use.problem else "now"),
    )  # fmt: skip
