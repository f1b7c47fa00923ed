"""Tables out of spreadsheets, databases and delimited text, in a DuckDB file: what runs in a process of its own."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aeon.errors import ToolFailed
from aeon.tables.delimited import Delimited
from aeon.tables.duck import engine
from aeon.tables.layout import Region, regions
from aeon.tables.naming import literal
from aeon.tables.parts import Extracted, Part
from aeon.tables.reading import Column, Kind, LeftOut, Reading
from aeon.tables.sqlitefile import Rows, tables_of
from aeon.tables.taking import Raw, take
from aeon.tables.typedfiles import make, typed_columns
from aeon.tables.workbook import sheets_of
from aeon.text import one_line

if TYPE_CHECKING:
    import duckdb

__all__ = ["BOOKS", "DATABASES", "TEXTS", "extract"]

TEXTS, BOOKS, DATABASES = (".csv", ".tsv"), (".xlsx", ".xls", ".xlsb", ".ods"), (".sqlite", ".sqlite3", ".db")
_HEAD = 200
"""Rows of a large file in which its first table begins."""
_LARGE = 1024 * 1024
_MAX_COLUMNS = 16_384
_MAX_FILLED = 1_000_000
_OFTEN = 0.2
"""The share of rows with cells beyond the names of columns from which on these are columns, too."""
_FORM = (
    "header=false, auto_detect=false, quote='\"', escape='\"', nullstr='', null_padding=true, max_line_size=33554432"
)

_KINDS: dict[str, Kind] = {"VARCHAR": "text", "DATE": "day", "TIMESTAMP": "moment", "BOOLEAN": "truth"}

Lined = tuple[int, Sequence[str]]
"""A row with the number of its line."""


def extract(data: bytes, path: str, suffix: str, target: str, scratch: str, memory: int) -> dict[str, Any]:
    """The fields of `Extracted` for the file at ``path``; its tables are in the database ``target``, which is made.

    ``memory`` is what DuckDB may take, in bytes, ``scratch`` the folder for what it has no room for. Raises
    ``ToolFailed`` with the reason for a file without any table.
    """
    module = engine()
    options = {
        "threads": 2,
        "memory_limit": f"{memory}B",
        "temp_directory": scratch,
        "max_temp_directory_size": "4GB",
        "python_enable_replacements": False,
    }
    try:
        with module.connect(target, config=options) as connection:
            if suffix in (*TEXTS, *BOOKS, *DATABASES):
                parts = _parts(connection, Path(path), suffix, Path(scratch), module.Error)
            else:
                parts = _typed(connection, path, suffix)
            return asdict(Extracted(tuple(parts)))
    except module.OutOfMemoryException:
        raise MemoryError from None
    except module.Error as error:
        return asdict(Extracted(problem=str(error)))


def _typed(connection: duckdb.DuckDBPyConnection, path: str, suffix: str) -> list[Part]:
    """The tables of a file whose columns have types."""
    parts: list[Part] = []
    for number, name in enumerate(make(connection, path, suffix)):
        table = f"part{number}"
        columns = tuple(Column(own, _KINDS.get(kind, "number"), kind) for own, kind in typed_columns(connection, table))
        count = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        parts.append(Part(name, table, Reading((), columns, int(count[0]) if count else 0)))
    return parts


def _parts(
    connection: duckdb.DuckDBPyConnection, path: Path, suffix: str, scratch: Path, errors: type[Exception]
) -> list[Part]:
    """The tables of a file whose cells are texts."""
    found = list(_raws(connection, path, suffix, scratch, errors))
    parts: list[Part] = []
    for number, (name, made) in enumerate(found):
        try:
            reading = take(connection, made(), f"part{number}")
            parts.append(Part(name, f"part{number}", reading))
        except ToolFailed as error:
            if len(found) == 1:
                raise
            parts.append(Part(name, problem=one_line(str(error), 120)))
    if not parts:
        raise ToolFailed("it is empty")
    return parts


def _raws(
    connection: duckdb.DuckDBPyConnection, path: Path, suffix: str, scratch: Path, errors: type[Exception]
) -> Iterator[tuple[str, Callable[[], Raw]]]:
    """The tables of a file by what the file calls them, and how each is made."""
    fill = _Filling(connection, scratch)
    if suffix in TEXTS:
        yield from _of_text(fill, path, errors)
    elif suffix in BOOKS:
        sheets = list(sheets_of(path))
        for sheet in sheets:
            lined = list(enumerate(sheet.rows, 1))
            yield from _of_rows(fill, lined, sheet.name if len(sheets) > 1 else "", sheet.notes)
    else:
        tables = tables_of(path)
        for name, rows in tables:
            yield name if len(tables) > 1 else "", partial(_of_table, fill, rows)


def _of_text(fill: _Filling, path: Path, errors: type[Exception]) -> Iterator[tuple[str, Callable[[], Raw]]]:
    text = Delimited.open(path)
    if not text.is_sound:
        rows, unclosed = text.loose_rows()
        more = f" and {len(unclosed) - 1:,} more" if len(unclosed) > 1 else ""
        note = (f"line {unclosed[0]}{more} opened a quote that is not closed: read as it stands",) if unclosed else ()
        yield from _of_rows(fill, list(enumerate(rows, text.skipped + 1)), "", note, text.delimiter)
        return
    if len(text.text) > _LARGE and text.is_plain:
        yield "", lambda: fill.large(text, path, errors)
        return
    yield from _of_rows(fill, list(text.rows()), "", (), text.delimiter)


def _of_rows(
    fill: _Filling, rows: Sequence[Lined], name: str, notes: tuple[str, ...] = (), delimiter: str = ""
) -> Iterator[tuple[str, Callable[[], Raw]]]:
    grid = [row for _, row in rows]
    found = regions(grid)
    for number, region in enumerate(found, 1):
        own = name if len(found) == 1 else f"{name} {number}".strip()
        yield own, partial(_of_region, fill, rows, region, notes, delimiter)


def _of_region(fill: _Filling, rows: Sequence[Lined], region: Region, notes: tuple[str, ...], delimiter: str) -> Raw:
    return replace(fill.region(rows, region), notes=notes, delimiter=delimiter)


def _of_table(fill: _Filling, rows: Rows) -> Raw:
    return fill.table(enumerate(rows()), 1)


class _Filling:
    """Puts the rows of tables into DuckDB, all cells as texts."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, scratch: Path) -> None:
        self._connection = connection
        self._file = scratch / "rows.csv"

    def region(self, rows: Sequence[Lined], region: Region) -> Raw:
        """The table of a region, whose lines stand in the file where their numbers say."""
        own = [(line, row) for line, row in rows[region.top : region.end] if any(row)]
        left = tuple(LeftOut(rows[one.first - 1][0], rows[one.last - 1][0], one.why) for one in region.left_out)
        return replace(self.table(own, region.header), left_out=left)

    def table(self, rows: Iterable[Lined], header: int) -> Raw:
        """The table of some rows, the first of which are names."""
        every = iter(rows)
        named, body = list(islice(every, header)), list(every)
        width = max(map(_width, named), default=0)
        if not named or sum(len(row) > width for _, row in body) > _OFTEN * len(body):
            width = max(map(_width, [*named, *body]), default=0)
        _check(width, len(body), sum(min(len(row), width) for _, row in body))
        with self._file.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
            writer.writerows([line, *row[:width], *[""] * (width - len(row))] for line, row in body)
        self._load(str(self._file), width, "parallel=false, delim=',', new_line='\\n'", "line")
        self._file.unlink()
        surplus = sum(sum(map(bool, row[width:])) for _, row in body if len(row) > width)
        return Raw("raw", tuple(named), width, surplus=surplus)

    def large(self, text: Delimited, path: Path, errors: type[Exception]) -> Raw:
        """The table of a large file, which DuckDB reads; the first rows say where it begins."""
        head = list(text.rows(_HEAD))
        first = regions([row for _, row in head])[0]
        named = head[first.top : first.top + first.header]
        left = tuple(replace(one, first=head[one.first - 1][0], last=head[one.last - 1][0]) for one in first.left_out)
        begin = head[first.top + first.header - 1][0] if named or first.top else 0
        width = max(map(_width, named or head))
        if text.encoding not in ("utf-8-sig",):
            self._file.write_text(text.text, encoding="utf-8", newline="")
            path = self._file
        form = f"delim={literal(text.delimiter)}, skip={begin}"
        try:
            self._load(str(path), width, form, f"rowid + {begin + 1}")
        except errors:
            every = [row for row in text.rows() if any(row[1])]
            return replace(
                self.table([row for row in every if row[0] > begin or row in named], len(named)), left_out=left
            )
        return Raw("raw", tuple(named), width, left, delimiter=text.delimiter)

    def _load(self, path: str, width: int, form: str, line: str) -> None:
        cells = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(width))
        has_line = line == "line"
        columns = f"{{{chr(39)}line{chr(39)}: 'BIGINT', {cells}}}" if has_line else f"{{{cells}}}"
        trimmed = (
            ", ".join(f"nullif(trim(c{at}, ' \t\u00a0'), '') AS c{at}" for at in range(width)) if not has_line else "*"
        )
        source = f"read_csv({literal(path)}, columns={columns}, {_FORM}, {form})"
        if has_line:
            self._connection.execute(f"CREATE OR REPLACE TABLE raw AS SELECT * FROM {source}")
            return
        query = f"SELECT row_number() OVER () + {line.removeprefix('rowid + ')} - 1 AS line, {trimmed} FROM {source}"
        self._connection.execute(f"CREATE OR REPLACE TABLE raw AS {query}")


def _width(lined: Lined) -> int:
    """How many cells a row has up to its last one that is filled."""
    row = lined[1]
    return next((at for at in range(len(row), 0, -1) if row[at - 1]), 0)


def _check(width: int, rows: int, held: int) -> None:
    if width > _MAX_COLUMNS:
        raise ToolFailed(f"it has {width:,} columns; up to {_MAX_COLUMNS:,} are read")
    if width * rows > max(10 * held, _MAX_FILLED):
        raise ToolFailed(f"it holds no table: most of its {rows:,} rows lack most of {width:,} columns")
