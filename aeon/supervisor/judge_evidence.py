"""What was done for an answer, as a judge sees it: each tool call with what came of it, as data, within a size.

What the answer cites stays longest: what is cut first is the longest of the results that it does not cite, and then the
oldest of them. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from aeon.schema import Step
from aeon.schema.turns import ToolUse
from aeon.supervisor.prompt import clean, cut, fence
from aeon.tools.rendering import shown

__all__ = ["shown_work"]

_LEAST = 200
"""The characters below which a result is left out rather than cut."""
_LONGEST_ARGUMENTS = 1_500
_LONGEST_PROBLEM = 500
_LONGEST_GOAL = 500
_LEFT_OUT = "(left out here)"


class _Piece(NamedTuple):
    """A result as it is shown: what stands above it, its ``lines``, the places of those that are ``cited``."""

    head: str
    label: str
    lines: tuple[str, ...]
    cited: frozenset[int]
    counts: bool

    @property
    def size(self) -> int:
        return sum(map(len, self.lines)) + len(self.lines)


def shown_work(steps: Sequence[Step], most: int) -> str:
    """What the steps did, with results of about ``most`` characters in all; "" where they called no tools.

    A result of a step that calls tools turn by turn is numbered as the model saw it, ``[2]``, with the step's id before
    it where there are several steps.
    """
    several = len(steps) > 1
    pieces = [(step, list(_pieces(step, several))) for step in steps]
    sizes = iter(_sizes([piece for _, some in pieces for piece in some], most))
    parts = []
    for step, some in pieces:
        parts += [f"Step {step.id}: {cut(clean(step.description), _LONGEST_GOAL)}"] if several else []
        parts += [_shown(piece, next(sizes)) for piece in some]
    return "\n".join(parts)


def _pieces(step: Step, several: bool) -> Iterator[_Piece]:
    cited = set(step.cites)
    for use in step.uses:
        name = use.id if several else use.id.rpartition(".")[2]
        arguments = cut(clean(_text(use.arguments)), _LONGEST_ARGUMENTS)
        lines, marked = _lines(use, cited)
        counts = use.id in cited or bool(marked)
        yield _Piece(f"[{name}] {use.tool} {arguments}{_note(use)}", f"result {name}", lines, marked, counts)
    if several and step.output is not None:
        yield _Piece(f"What step {step.id} gave:", step.id, tuple(_text(step.output).splitlines()), frozenset(), True)


def _note(use: ToolUse) -> str:
    """What is to be known of a result beside it: that there is none, or not the whole of it."""
    if use.problem:
        return f" failed: {cut(clean(use.problem), _LONGEST_PROBLEM)}"
    if use.total is not None:
        return f" (not the whole of it: there are {use.total} rows)"
    return " (not the whole of it)" if use.cut else ""


def _lines(use: ToolUse, cited: set[str]) -> tuple[tuple[str, ...], frozenset[int]]:
    """The lines of a result, sentences with their numbers; and the places of those that are cited."""
    if not use.lines:
        return (() if use.output is None else tuple(shown(use.output, 1).splitlines()), frozenset())
    head = shown(use.output, 1).partition("\n")[0]
    lines = [head] if head.startswith("(") else []  # what the tool says of the whole
    marked: set[int] = set()
    number = 0
    for part in use.lines:
        lines.append(f"{part.source}:")
        for text in part.texts:
            number += 1
            marked |= {len(lines)} if f"{use.id}.{number}" in cited else set()
            lines.append(f"[{use.id.rpartition('.')[2]}.{number}] {text}")
    return tuple(lines), frozenset(marked)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: object) -> object:
    """The value in lists and dictionaries, as JSON has them."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def _sizes(pieces: Sequence[_Piece], most: int) -> list[int]:
    """The characters of each result that are shown, together about ``most``; 0: it is left out."""
    sizes = [piece.size for piece in pieces]
    cited = [number for number, piece in enumerate(pieces) if piece.counts]
    others = [number for number, piece in enumerate(pieces) if not piece.counts]
    left = max(0, most - _level(sizes, cited, most))
    kept = _newest(sizes, others, left)
    for number in others[: len(others) - len(kept)]:
        sizes[number] = 0
    _level(sizes, kept, left)
    return sizes


def _newest(sizes: Sequence[int], which: Sequence[int], most: int) -> Sequence[int]:
    """As many of the latest of these as fit whole, or leave each enough to be worth showing."""
    kept = list(which)
    while kept and most // len(kept) < _LEAST and sum(sizes[number] for number in kept) > most:
        kept = kept[1:]
    return kept


def _level(sizes: list[int], which: Sequence[int], most: int) -> int:
    """Lower the largest of these sizes to one level so that all fit into ``most``; what they take then."""
    left, waiting = most, sorted(which, key=lambda number: sizes[number])
    for place, number in enumerate(waiting):
        sizes[number] = min(sizes[number], max(0, left) // (len(waiting) - place))
        left -= sizes[number]
    return most - left


def _shown(piece: _Piece, size: int) -> str:
    if not piece.lines:
        return piece.head
    if not size:
        return f"{piece.head} {_LEFT_OUT}"
    text = "\n".join(piece.lines if piece.size <= size else _kept(piece, size))
    return f"{piece.head}\n{fence(piece.label, text, size)}"


def _kept(piece: _Piece, size: int) -> Sequence[str]:
    """The lines that are cited, and as many of those nearest to them as fit; all of them where none is cited."""
    if not piece.cited:
        return piece.lines
    nearest = sorted(range(len(piece.lines)), key=lambda number: min(abs(number - one) for one in piece.cited))
    kept: set[int] = set()
    left = size - len(_LEFT_OUT)
    for number in nearest:
        left -= len(piece.lines[number]) + 1
        if left < 0:
            break
        kept.add(number)
    return [*(piece.lines[number] for number in sorted(kept)), _LEFT_OUT]
