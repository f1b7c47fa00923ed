"""Files that hold tables: delimited text, spreadsheets, SQLite databases; rows of texts, whatever the kind."""

from __future__ import annotations

import csv
import importlib
import io
import sqlite3
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, time
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import quote

from aeon.errors import MissingExtraError, ToolFailed
from aeon.tables.loading import Row, Sheet
from aeon.tables.quoting import is_sound, records, unclosed_lines
from aeon.text import one_line

if TYPE_CHECKING:
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet as Worksheet

__all__ = ["READERS", "decode"]

_MAX_CELL = 1_000_000
_MAX_TABLES = 500
_MAX_BOOK_BYTES = 512 * 1024 * 1024
_MAX_BOOK_CELLS = 10_000_000
_SAMPLE = 64 * 1024
_SAMPLE_ROWS = 50
_DELIMITERS = "\t;|,"
_FAULTS = frozenset({"#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"})


def decode(data: bytes) -> tuple[str, str]:
    """Return the text of some bytes and its encoding: UTF-16 by its mark, UTF-8, Windows-1252, else Latin-1.

    Raises ``ToolFailed`` for bytes that are no text.
    """
    encodings = ["utf-16"] if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ["utf-8-sig", "cp1252", "latin-1"]
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\x00" not in text:
            return text, encoding
        break
    raise ToolFailed("it is a binary file, not text")


def _delimited(path: Path) -> list[Sheet]:
    data = path.read_bytes()
    text, encoding = decode(data)
    if not text.strip():
        raise ToolFailed("it is empty")
    declared = text[:5].lower().startswith("sep=") and text[5:6] in ("\r", "\n")
    delimiter = text[4] if declared else _delimiter(text[:_SAMPLE])
    if '"' in text and not is_sound(text, delimiter, _MAX_CELL):
        del data
        return _unsound(text, delimiter, declared)
    del text

    def rows() -> Iterator[Row]:
        csv.field_size_limit(_MAX_CELL)
        with io.TextIOWrapper(io.BytesIO(data), encoding=encoding, newline="") as lines:
            if declared:
                lines.readline()
            reader = csv.reader(lines, delimiter=delimiter)
            try:
                yield from _filled(reader)
            except csv.Error as error:
                raise ToolFailed(f"line {reader.line_num} is no CSV: {error}") from None

    return [Sheet("", rows)]


def _unsound(text: str, delimiter: str, declared: bool) -> list[Sheet]:
    """Return the table of a text with quotes that are not closed: there, a quote is a character like any other."""
    csv.field_size_limit(_MAX_CELL)
    lines = list(io.StringIO(text, newline=""))[declared:]
    unclosed = [number + declared for number in unclosed_lines(lines, delimiter)]
    more = f" and {len(unclosed) - 1:,} more" if len(unclosed) > 1 else ""
    note = f"line {unclosed[0]}{more} opened a quote that is not closed: read as it stands" if unclosed else ""
    return [Sheet("", lambda: _filled(row for row, _ in records(lines, delimiter)), note)]


def _filled(rows: Iterator[Sequence[str]]) -> Iterator[Row]:
    """Give the rows that hold something, without the spaces around their cells."""
    for row in rows:
        cells = list(map(str.strip, row))
        if any(cells):
            yield cells


def _delimiter(sample: str) -> str:
    """Return the delimiter that splits the header, and the most of the rows after it into as many cells.

    Of several that do so equally well it is the one of the most columns; a comma if none does.
    """
    best, delimiter = (0.0, 0), ","
    for candidate in _DELIMITERS:
        widths = _widths(sample, candidate)
        if not widths or widths[0] < 2:
            continue
        score = (round(widths.count(widths[0]) / len(widths), 1), widths[0])
        if score > best:
            best, delimiter = score, candidate
    return delimiter


def _widths(sample: str, delimiter: str) -> list[int]:
    """Return how many cells the delimiter makes of each of the first rows."""
    rows = _filled(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter))
    widths: list[int] = []
    with suppress(csv.Error):
        widths.extend(len(row) for row in islice(rows, _SAMPLE_ROWS))
    return widths


def _book(path: Path) -> list[Sheet]:
    """Return the sheets of a spreadsheet that hold anything; formulas give the values that were last saved."""
    openpyxl = _openpyxl()
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _MAX_BOOK_BYTES:
                raise ToolFailed("the spreadsheet is too large")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and other things that are not read
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            try:
                cells = {sheet.title: _sheet_rows(sheet) for sheet in book.worksheets}
            finally:
                book.close()
    except (
        zipfile.BadZipFile,
        OSError,
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
        SyntaxError,
    ) as error:
        raise ToolFailed(f"it is no readable spreadsheet: {type(error).__name__}") from None
    filled = {title: rows for title, rows in cells.items() if rows}
    if not filled:
        raise ToolFailed("it is empty")
    return [Sheet(title if len(filled) > 1 else "", _again(rows)) for title, rows in filled.items()]


def _openpyxl() -> ModuleType:
    try:
        return importlib.import_module("openpyxl")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "openpyxl":
            raise
        raise MissingExtraError("spreadsheets need the extra tables: pip install 'aeon-orchestrator[tables]'") from None


def _again(rows: list[Row]) -> Callable[[], Iterator[Row]]:
    return lambda: iter(rows)


def _sheet_rows(sheet: Worksheet) -> list[Row]:
    """Return the sheet's rows, from the first of more than one cell where a title stands above the table."""
    sheet.reset_dimensions()  # what a file says about its own size is often wrong
    rows: list[Row] = []
    count = 0
    for values in sheet.iter_rows(values_only=True):
        cells = [_cell(value) for value in values]
        while cells and not cells[-1]:
            cells.pop()
        count += len(cells)
        if count > _MAX_BOOK_CELLS:
            raise ToolFailed(f"a sheet has more than {_MAX_BOOK_CELLS:,} cells")
        if cells:
            rows.append(cells)
    wide = (at for at, row in enumerate(rows) if sum(map(bool, row)) > 1)
    return rows[next(wide, 0) :]


def _cell(value: object) -> str:
    """Return a value as a cell's text; numbers to the 15 digits that a spreadsheet holds, days without midnight."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case float():
            return str(int(value)) if value.is_integer() and abs(value) < 1e15 else format(value, ".15g")
        case datetime():
            return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
        case bytes():
            return value.decode("utf-8", "replace")
        case _:
            text = str(value).strip()
            return "" if text in _FAULTS else text


def _database(path: Path) -> list[Sheet]:
    """Return the tables of a SQLite file, read only."""
    with path.open("rb") as file:
        if file.read(16) != b"SQLite format 3\x00":
            raise ToolFailed("it is no SQLite database")
    names = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    )
    tables = [str(row[0]) for row in _select(path, names)][1:]
    if not tables:
        raise ToolFailed("the database holds no table")
    if len(tables) > _MAX_TABLES:
        raise ToolFailed(f"the database has {len(tables):,} tables; up to {_MAX_TABLES:,} are read")
    return [Sheet(name if len(tables) > 1 else "", _table_rows(path, name)) for name in tables]


def _table_rows(path: Path, name: str) -> Callable[[], Iterator[Row]]:
    quoted = name.replace('"', '""')
    return lambda: ([_cell(value) for value in row] for row in _select(path, f'SELECT * FROM "{quoted}"'))


def _select(path: Path, query: str) -> Iterator[Sequence[object]]:
    """Give the names of the columns, then the rows. A database is taken as unchanging unless a log lies beside it."""
    fixed = "" if path.with_name(f"{path.name}-wal").exists() else "&immutable=1"
    connection: sqlite3.Connection | None = None
    try:
        connection = sqlite3.connect(f"file:{quote(path.as_posix())}?mode=ro{fixed}", uri=True)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_CELL)
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        cursor = connection.execute(query)
        yield [column[0] for column in cursor.description]
        yield from cursor
    except sqlite3.Error as error:
        raise ToolFailed(f"it is no readable database: {one_line(str(error), 100)}") from None
    finally:
        if connection is not None:
            connection.close()


READERS: dict[str, Callable[[Path], list[Sheet]]] = {
    **dict.fromkeys((".csv", ".tsv"), _delimited),
    ".xlsx": _book,
    **dict.fromkeys((".sqlite", ".sqlite3", ".db"), _database),
}
"""What reads a file of each suffix; it raises ``ToolFailed`` with the reason for one that holds no table."""
