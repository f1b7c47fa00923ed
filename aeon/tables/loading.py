"""A table's rows of texts, written so that DuckDB reads them as columns of numbers, dates and texts."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from aeon.errors import ToolFailed
from aeon.tables.columns import ColumnTypes, Form, Text, convert
from aeon.tables.naming import unique
from aeon.text import one_line

__all__ = ["Row", "Sheet", "Written", "write"]

_MAX_FILLED = 1_000_000
_BLOCK_CELLS = 200_000
_MOST_NOTED = 4
"""Names that a note tells of."""
_MAX_COLUMNS = 16_384
"""As many as a spreadsheet can have; DuckDB takes some 50 KB for each."""

Row = Sequence[str]


@dataclass(frozen=True)
class Sheet:
    """One table of a file; ``name`` is empty where the file holds no other. ``rows`` can be read again and again.

    The first row is the header; empty rows are left out; rows may be of different widths. ``note`` says what had to be
    read otherwise than it was meant, if anything.
    """

    name: str
    rows: Callable[[], Iterator[Row]]
    note: str = ""


@dataclass(frozen=True)
class Written:
    """What ``write`` wrote: columns with their types, the number of rows, and of surplus cells that were dropped.

    ``note`` says which names were read as others, if any.
    """

    columns: tuple[tuple[str, str], ...]
    rows: int
    dropped: int
    note: str = ""


def write(sheet: Sheet, target: Path) -> Written:
    """Write the sheet as a CSV file without header, every cell in the form that its column's type needs.

    Short rows are filled with nothing, surplus cells are dropped and counted. A column without name is called
    ``column_3``, a second one of a name ``name_2``; one without name and value is left out. Raises ``ToolFailed`` for
    what is no table.
    """
    header = _header(sheet)
    types, count, dropped = _survey(sheet, len(header))
    forms = [column.form() for column in types]
    kept = [at for at, name in enumerate(header) if name or types[at].has_values]
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        for rows, _, _ in _blocks(sheet, len(header)):
            columns = list(zip(*rows, strict=True))
            writer.writerows(zip(*(_converted(forms[at], columns[at]) for at in kept), strict=True))
    names = unique(header, fold=str.lower)
    note = _noted([(names[at], form.names) for at in kept if isinstance(form := forms[at], Text)])
    return Written(tuple((names[at], forms[at].sql_type) for at in kept), count, dropped, note)


def _noted(read: Sequence[tuple[str, Mapping[str, str]]]) -> str:
    """Which names of which columns were read as others, the first few of them."""
    every = [f"{short} is read as {name} ({column})" for column, names in read for short, name in names.items()]
    left = [f"{len(every) - _MOST_NOTED} more"] if len(every) > _MOST_NOTED else []
    return ", ".join([*every[:_MOST_NOTED], *left])


def _header(sheet: Sheet) -> list[str]:
    header = [one_line(cell, 100) for cell in next(sheet.rows(), ())]
    if not any(header):
        raise ToolFailed("it is empty")
    if len(header) > _MAX_COLUMNS:
        raise ToolFailed(f"it has {len(header):,} columns; up to {_MAX_COLUMNS:,} are read")
    return header


def _survey(sheet: Sheet, width: int) -> tuple[list[ColumnTypes], int, int]:
    """Return what the columns hold, and how many rows and surplus cells there are."""
    types = [ColumnTypes() for _ in range(width)]
    count = held = dropped = 0
    for rows, surplus, cells in _blocks(sheet, width):
        count, dropped, held = count + len(rows), dropped + surplus, held + cells
        for column, values in zip(types, zip(*rows, strict=True), strict=True):
            column.see(set(values))
    if width * count > max(10 * held, _MAX_FILLED):
        raise ToolFailed(f"it holds no table: most of its {count:,} rows lack most of {width:,} columns")
    return types, count, dropped


def _converted(form: Form, cells: Sequence[str]) -> list[str | None]:
    memo = {cell: convert(form, cell) for cell in set(cells)}
    return [memo[cell] for cell in cells]


def _blocks(sheet: Sheet, width: int) -> Iterator[tuple[list[Row], int, int]]:
    """Give the rows of the sheet some at a time, all of this width, with the cells dropped and the cells there were."""
    rows = iter(sheet.rows())
    next(rows, None)
    while block := list(islice(rows, max(1, _BLOCK_CELLS // width))):
        surplus = sum(sum(map(bool, row[width:])) for row in block if len(row) > width)
        held = sum(min(len(row), width) for row in block)
        yield [row if len(row) == width else [*row, *[""] * (width - len(row))][:width] for row in block], surplus, held
