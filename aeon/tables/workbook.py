"""Sheets of workbooks as grids of texts: numbers as they are shown, merged ranges filled with what they say."""

from __future__ import annotations

import codecs
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from aeon.errors import ToolFailed
from aeon.tables.extra import extra
from aeon.tables.marking import Marking
from aeon.tables.marks import NOTHING_MARKED, Marks
from aeon.tables.numerals import has_marks
from aeon.text import one_line

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

__all__ = ["BookSheet", "cell_text", "sheets_of"]

T = TypeVar("T")

_MAX_BYTES = 512 * 1024 * 1024
_MAX_CELLS = 10_000_000
_ARCHIVE, _OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEAD = 4096
_FAULTS = frozenset({"#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"})


@dataclass(frozen=True)
class BookSheet:
    """A sheet: its name, its rows, the first of them in row 1, what is worth knowing of it, and what is marked in it.

    ``problem`` says why it has no rows, though it is not empty.
    """

    name: str
    rows: list[list[str]]
    notes: tuple[str, ...] = ()
    marks: Marks = NOTHING_MARKED
    problem: str = ""


def sheets_of(path: Path) -> Iterator[BookSheet]:
    """The sheets of a workbook that hold cells. Raises ``ToolFailed`` for what is no readable one."""
    calamine = extra("python_calamine")
    errors: tuple[type[Exception], ...] = (calamine.CalamineError, OSError, ValueError, IndexError, KeyError)
    try:
        with ExitStack() as stack:
            marking = Marking(_archive(path, stack))
            book = _opened(path, calamine)
            for sheet in book.sheets_metadata:
                if sheet.typ == calamine.SheetTypeEnum.WorkSheet:
                    found = _sheet(book.get_sheet_by_name(sheet.name), marking)
                    is_hidden = sheet.visible != calamine.SheetVisibleEnum.Visible
                    if found.problem or any(map(any, found.rows)):
                        yield replace(found, notes=("the sheet is hidden",) * is_hidden + found.notes)
    except calamine.PasswordError:
        raise ToolFailed("it is protected by a password") from None
    except errors as error:
        raise ToolFailed(f"it is no readable spreadsheet: {_held(path) or one_line(str(error), 80)}") from None


def _archive(path: Path, stack: ExitStack) -> zipfile.ZipFile | None:
    """The file as an archive, where it is one. Raises ``ToolFailed`` for one that would grow too much."""
    with path.open("rb") as file:
        if file.read(len(_ARCHIVE)) != _ARCHIVE:  # an old workbook may hold an archive
            return None
    try:
        archive = stack.enter_context(zipfile.ZipFile(path))
    except zipfile.BadZipFile:
        return None
    if sum(entry.file_size for entry in archive.infolist()) > _MAX_BYTES:
        raise ToolFailed("the spreadsheet is too large")
    return archive


def _opened(path: Path, calamine: ModuleType) -> CalamineWorkbook:
    """The workbook, whatever kind of one it is by its name."""
    books: type[CalamineWorkbook] = calamine.CalamineWorkbook
    try:
        return books.from_path(str(path))
    except calamine.PasswordError:
        raise
    except calamine.CalamineError:
        with path.open("rb") as file:
            head = file.read(len(_OLD))
            other = _ARCHIVE if path.suffix.lower() == ".xls" else _OLD
            if not head.startswith(other):
                raise
            file.seek(0)
            return books.from_filelike(file)


def _held(path: Path) -> str:
    """What a file holds that is no workbook, where that is a text."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head.strip() or b"\x00" in head or head.startswith(_ARCHIVE):
        return ""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return ""
    is_page = b"<html" in head.lower() or b"<table" in head.lower()
    return "it is a web page by its content" if is_page else "it is a text by its content; .csv reads those"


def cell_text(value: object) -> str:
    """Return a value as a cell's text; numbers to the 15 digits that a spreadsheet holds, days without midnight."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case float():
            return _number(value)
        case timedelta():
            return _duration(value)
        case datetime():
            return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
        case bytes():
            return value.decode("utf-8", "replace")
        case _:
            text = str(value).strip()
            return "" if text in _FAULTS else text


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else format(value, ".15g")


def _duration(value: timedelta) -> str:
    """Hours, which may be more than a day's, minutes and seconds: ``26:30:00``."""
    minutes, seconds = divmod(abs(round(value.total_seconds())), 60)
    return f"{'-' * (value < timedelta(0))}{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def _sheet(sheet: CalamineSheet, marking: Marking) -> BookSheet:
    rows, worded = _texts(sheet)
    marks, unseen = marking.marked(sheet.name, rows)
    rows = _ended(rows)
    marks = replace(marks, plain=frozenset(range(max(map(len, rows), default=0))) - worded)
    filled = sum(_fill(rows, first, last) for first, last in sheet.merged_cell_ranges or ())
    notes = [f"{filled:,} cell{'s' * (filled > 1)} filled from merged ones"] if filled else []
    notes += [f"its formulas, formats, comments and hidden rows are not seen: {unseen}"] if unseen else []
    problem = "its cells hold formulas without saved values" if marks.unsaved and not rows else ""
    return BookSheet(sheet.name, rows, tuple(notes), marks, problem)


def _texts(sheet: CalamineSheet) -> tuple[list[list[str]], set[int]]:
    """The rows of a sheet, and the columns with texts that are numbers with marks, which may be read in two ways."""
    left = sheet.start[1] if sheet.start else 0
    rows: list[list[str]] = []
    worded: set[int] = set()
    count = 0
    for values in sheet.iter_rows() if sheet.start else ():
        rows.append(_ended([*[""] * left, *map(cell_text, values)]))  # rows above the first are given, columns are not
        worded.update(left + at for at, value in enumerate(values) if isinstance(value, str) and has_marks(value))
        count += len(rows[-1])
        if count > _MAX_CELLS:
            raise ToolFailed(f"a sheet has more than {_MAX_CELLS:,} cells")
    return rows, worded


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
