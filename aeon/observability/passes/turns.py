"""How turns of a model with tools are told to people: each call with what came of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from aeon.observability.lines import Line, Span, counted, short
from aeon.schema import Step, ToolUse, Turn, fragment

__all__ = ["cites_line", "turn_words", "use_line", "use_lines", "use_words", "uses_words"]

_MOST = 12


def turn_words(turn: Turn) -> str:
    """What a turn is, in a few words: its calls, or the text that it ends with."""
    if turn.calls:
        return f"calls {', '.join(call.tool for call in turn.calls)}"
    return f"= {short(turn.text)}" if turn.text else "says nothing"


def uses_words(uses: Sequence[ToolUse]) -> str:
    """How many calls, of which tools, and how many of them came to nothing."""
    names = Counter(use.tool for use in uses)
    told = ", ".join(name if number == 1 else f"{name} ({number} times)" for name, number in names.items())
    failed = sum(bool(use.problem) for use in uses)
    return f"{counted(len(uses), 'call')}{f', {failed} in vain' if failed else ''}: {told}" if uses else "no calls"


def use_lines(uses: Sequence[ToolUse], width: int) -> list[Line]:
    """The calls of a step, a line each; of very many the last ones."""
    more = len(uses) - _MOST
    head: list[Line] = [(Span(f"and {counted(more, 'call')} before these", "dim"),)] if more > 0 else []
    return [*head, *(use_line(use, width) for use in uses[-_MOST:])]


def cites_line(step: Step, width: int) -> Line:
    """What the output of a step rests on, as its model says: its own calls by their numbers, others by their ids."""
    own = f"{fragment(step.id)}."
    return (Span(short("rests on " + " ".join(f"[{one.removeprefix(own)}]" for one in step.cites), width), "dim"),)


def use_words(use: ToolUse) -> str:
    """What came of a call, in a few words."""
    if use.problem:
        return use.problem
    rows = use.output.get("rows") if isinstance(use.output, dict) else None
    if isinstance(rows, list):
        part = f"{len(rows):,} of " if use.total is not None else ""
        return part + counted(len(rows) if use.total is None else use.total, "row")
    sentences = sum(len(lines.texts) for lines in use.lines)
    if sentences:
        return counted(sentences, "sentence")
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
