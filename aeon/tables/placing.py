"""Where a table stands that its owner has stated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aeon.errors import ToolFailed
from aeon.tables.delimited import Lined
from aeon.tables.layout import Region
from aeon.tables.reading import LeftOut
from aeon.tables.stated import Stated

__all__ = ["stated_region"]


def stated_region(rows: Sequence[Lined], stated: Stated) -> list[Region]:
    """The table where it is stated to stand; none where nothing is stated of that. Raises ``ToolFailed``."""
    if not stated.is_placed:
        return []
    top, start, end = _bounds(rows, stated, stated.header or ())
    count = sum(line in (stated.header or ()) for line, _ in rows[top:start])
    if top >= end or count != len(stated.header or ()):
        raise ToolFailed("its rows are not where they are stated to be")
    around = [(0, top), (top + count, start), (end, len(rows))]
    left = tuple(LeftOut(a + 1, b, "as stated") for a, b in around if _is_filled(rows[a:b]))
    return [Region(top, end, count, left)]


def _bounds(rows: Sequence[Lined], stated: Stated, header: Sequence[int]) -> tuple[int, int, int]:
    """The places where a table begins, with its names, where its other rows do, and where it ends."""
    first = stated.first or 1
    top = _place(rows, lambda line: line >= (header[0] if header else first))
    start = _place(rows, lambda line: line >= max(first, header[-1] + 1 if header else 1))
    return top, start, _place(rows, lambda line: stated.last is not None and line > stated.last)


def _place(rows: Sequence[Lined], is_there: Callable[[int], bool]) -> int:
    """The place of the first row whose line is there; behind all of them where none is."""
    return next((at for at, (line, _) in enumerate(rows) if is_there(line)), len(rows))


def _is_filled(rows: Sequence[Lined]) -> bool:
    return any(any(row) for _, row in rows)
