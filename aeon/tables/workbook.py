"""Sheets of workbooks as grids of texts, with the cells of a merged range all filled with what it says."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from aeon.errors import ToolFailed
from aeon.tables.extra import extra
from aeon.text import one_line

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

__all__ = ["BookSheet", "cell_text", "sheets_of"]

T = TypeVar("T")

_MAX_BYTES = 512 * 1024 * 1024
_MAX_CELLS = 10_000_000
_FAULTS = frozenset({"#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"})


@dataclass(frozen=True)
class BookSheet:
    """A sheet: its name, its rows, the first of them in row 1, and what is worth knowing of it."""

    name: str
    rows: list[list[str]]
    notes: tuple[str, ...] = ()


def sheets_of(path: Path) -> Iterator[BookSheet]:
    """The sheets of a workbook that hold cells. Raises ``ToolFailed`` for what is no readable one."""
    calamine = extra("python_calamine")
    errors: tuple[type[Exception], ...] = (calamine.CalamineError, OSError, ValueError, IndexError, KeyError)
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > _MAX_BYTES:
            raise ToolFailed("the spreadsheet is too large")
    try:
        book = calamine.CalamineWorkbook.from_path(str(path))
        for sheet in book.sheets_metadata:
            if sheet.typ != calamine.SheetTypeEnum.WorkSheet:
                continue
            found = _sheet(book.get_sheet_by_name(sheet.name))
            hidden = () if sheet.visible == calamine.SheetVisibleEnum.Visible else ("the sheet is hidden",)
            if any(map(any, found.rows)):
                yield BookSheet(sheet.name, found.rows, (*hidden, *found.notes))
    except calamine.PasswordError:
        raise ToolFailed("it is protected by a password") from None
    except errors as error:
        raise ToolFailed(f"it is no readable spreadsheet: {one_line(str(error), 80)}") from None


def cell_text(value: object) -> str:
    """Return a value as a cell's text; numbers to the 15 digits that a spreadsheet holds, days without midnight."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case float():
            return _number(value)
        case datetime():
            return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
        case bytes():
            return value.decode("utf-8", "replace")
        case _:
            text = str(value).strip()
            return "" if text in _FAULTS else text


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else format(value, ".15g")


def _sheet(sheet: CalamineSheet) -> BookSheet:
    if sheet.start is None:
        return BookSheet("", [])
    left = sheet.start[1]
    rows: list[list[str]] = []
    count = 0
    for values in sheet.iter_rows():
        rows.append(_ended([*[""] * left, *map(cell_text, values)]))  # rows above the first are given, columns are not
        count += len(rows[-1])
        if count > _MAX_CELLS:
            raise ToolFailed(f"a sheet has more than {_MAX_CELLS:,} cells")
    rows = _ended(rows)
    filled = sum(_fill(rows, first, last) for first, last in sheet.merged_cell_ranges or ())
    note = f"{filled:,} cell{'s' * (filled > 1)} filled from merged ones"
    return BookSheet("", rows, (note,) if filled else ())


def _ended(items: list[T]) -> list[T]:
    """The items up to the last one that holds anything."""
    return items[: next((at for at in range(len(items), 0, -1) if items[at - 1]), 0)]


def _fill(rows: Sequence[list[str]], first: tuple[int, int], last: tuple[int, int]) -> int:
    """Write what a merged range of several rows says into each of them; give how many cells that filled.

    A range within one row is a title over columns: names of a header are joined there.
    """
    (top, left), (bottom, _) = first, last
    said = rows[top][left] if top < len(rows) and left < len(rows[top]) else ""
    if not said or top == bottom:
        return 0
    filled = 0
    for row in rows[top + 1 : bottom + 1]:
        row.extend([""] * (left + 1 - len(row)))
        if not row[left]:
            row[left] = said
            filled += 1
    return filled
