"""A grid parted into its tables, each with what is marked in its cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aeon.tables.beside import bands, gap_told
from aeon.tables.delimited import Lined
from aeon.tables.filling import Raw
from aeon.tables.layout import Region, regions
from aeon.tables.marks import Place, Span
from aeon.tables.placing import stated_region

__all__ = ["Placed", "placed"]

Placed = tuple[Sequence[Lined], Region, Raw]
"""The rows in which a table stands, where it does, and what is known of it before it is filled."""
_WIDEST, _LONGEST = 1 << 14, 1 << 31
"""More columns, and more rows, than a sheet has."""


def placed(rows: Sequence[Lined], plain: Raw) -> list[Placed]:
    """The tables of a grid: where they are stated to stand, or beside and below each other.

    What is marked around a table is told with it.
    """
    if stated := stated_region(rows, plain.stated):
        return [_noted(rows, stated[0], plain)]
    spans = bands([row for _, row in rows])
    return [one for number, span in enumerate(spans) for one in _below(rows, span, plain, _bounds(spans, number))]


def _bounds(spans: Sequence[Span], number: int) -> Span:
    """The columns of one of the spans with those around it, up to the next one."""
    last = _WIDEST if number == len(spans) - 1 else spans[number].last
    return Span(spans[number - 1].last + 1 if number else 0, last)


def _below(rows: Sequence[Lined], span: Span, plain: Raw, columns: Span) -> Iterator[Placed]:
    """The tables of some columns, one below the other."""
    is_whole = columns == (0, _WIDEST)
    lines = rows if is_whole else [(line, row[span.first : span.last + 1]) for line, row in rows]
    told = f"columns {Place(1, span.first).letters} to {Place(1, span.last).letters}, beside another table"
    raw = plain if is_whole else replace(plain, left=span.first, notes=(*plain.notes, told))
    found = regions([row for _, row in lines])
    begin = 1
    for number, region in enumerate(found, 1):
        end = rows[region.end - 1][0] if number < len(found) else _LONGEST
        marks = plain.marks.within(Span(begin, end), columns)
        yield _noted(lines, region, replace(raw, marks=marks))
        begin = end + 1


def _noted(rows: Sequence[Lined], region: Region, raw: Raw) -> Placed:
    """A table with what is told of its marks and of columns that are empty."""
    gap = gap_told([row for _, row in rows[region.top : region.end]], region.header)
    notes = (*raw.notes, *raw.marks.notes, *([gap] if gap else []))
    return rows, region, replace(raw, notes=notes)
