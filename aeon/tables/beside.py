"""Tables that stand beside each other in a grid, with an empty column between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from aeon.tables.layout import Grid, names, regions
from aeon.tables.marks import Place, Span

__all__ = ["bands", "gap_told"]

_NARROWEST = 2


class _Own(NamedTuple):
    """The table of a band: the names of its columns, its rows, and where it begins and ends."""

    names: Sequence[str]
    body: Grid
    top: int
    end: int


def bands(grid: Grid) -> list[Span]:
    """The columns of each of the tables beside each other, from the first to the last; all in one where it is one.

    They are parted where each has its own names, and either the same name begins each, or they have other rows and
    each later one begins with a column in which no value is missing or stands twice.
    """
    width = max(map(len, grid), default=0)
    found = _filled(grid, width)
    tables = [_own([row[first : last + 1] for row in grid]) for first, last in found] if _are_wide(found) else []
    pairs = list(pairwise(tables))
    if pairs and all(one and other and _are_apart(one, other) for one, other in pairs):
        return found
    return [Span(0, width - 1)]


def gap_told(grid: Grid, header: int) -> str:
    """What is told of a table with empty columns between others that all have names; "" of any other."""
    width = max(map(len, grid), default=0)
    found = _filled(grid, width)
    own = names(grid[:header], width)
    if not header or not _are_wide(found) or not all(own[at] for first, last in found for at in range(first, last + 1)):
        return ""
    texts = [f"{Place(1, first).letters} to {Place(1, last).letters}" for first, last in found]
    return f"columns {' and '.join(texts)} stand apart and are read as one table"


def _are_wide(found: Sequence[Span]) -> bool:
    return len(found) > 1 and all(last - first + 1 >= _NARROWEST for first, last in found)


def _filled(grid: Grid, width: int) -> list[Span]:
    """The columns between those in which no row has anything."""
    empty: Iterable[int] = range(width)
    for row in grid:
        empty = [at for at in empty if at >= len(row) or not row[at]]
        if not empty:
            break
    borders = [-1, *empty, width]
    pairs = pairwise(borders)
    return [Span(before + 1, after - 1) for before, after in pairs if after - before > 1]


def _own(grid: Grid) -> _Own | None:
    """The one table of a grid, where all of its columns have names."""
    found = regions(grid)
    if len(found) != 1 or not found[0].header:
        return None
    top, end, header = found[0].top, found[0].end, found[0].header
    own = names(grid[top : top + header], max(map(len, grid)))
    body = [row for row in grid[top + header : end] if any(row)]
    return _Own(own, body, top, end) if body and all(own) else None


def _are_apart(one: _Own, other: _Own) -> bool:
    if one.names[0] == other.names[0]:
        return True
    keys = [row[0] if row else "" for row in other.body]
    return (one.top, one.end) != (other.top, other.end) and all(keys) and len({*keys}) == len(keys) > 1
