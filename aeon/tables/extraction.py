"""Tables out of spreadsheets, databases and delimited text, in a DuckDB file: what runs in a process of its own."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aeon.errors import ToolFailed
from aeon.tables.delimited import Delimited, Lined
from aeon.tables.extra import extra
from aeon.tables.filling import Filling, Raw
from aeon.tables.marks import Marks
from aeon.tables.parting import placed
from aeon.tables.parts import Extracted, Part
from aeon.tables.reading import SUMS, Column, Kind, Reading
from aeon.tables.sqlitefile import Rows, tables_of
from aeon.tables.stated import NOTHING_STATED, Stated, read
from aeon.tables.taking import take
from aeon.tables.typedfiles import make, typed_columns
from aeon.tables.workbook import sheets_of
from aeon.text import one_line

if TYPE_CHECKING:
    import duckdb

__all__ = ["BOOKS", "DATABASES", "TEXTS", "extract"]

TEXTS = (".csv", ".tsv")
BOOKS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
DATABASES = (".sqlite", ".sqlite3", ".db")
_KINDS: dict[str, Kind] = {"VARCHAR": "text", "DATE": "day", "TIMESTAMP": "moment", "BOOLEAN": "truth"}


def extract(
    data: bytes, path: str, suffix: str, target: str, scratch: str, memory: int, name: str = "", stated: str = ""
) -> dict[str, Any]:
    """The fields of `Extracted` for the file at ``path``; its tables are in the database ``target``, which is made.

    ``stated`` is the path of the file that states how the file ``name`` is read, "" without one.

    ``memory`` is what DuckDB may take, in bytes, ``scratch`` the folder for what it has no room for. Raises
    ``ToolFailed`` with the reason for a file without any table.
    """
    module = extra("duckdb")
    options = {
        "threads": 2 if suffix in TEXTS else 1,  # each takes its own share of the memory
        "memory_limit": f"{memory}B",
        "temp_directory": scratch,
        "max_temp_directory_size": "4GB",
        "python_enable_replacements": False,
    }
    try:
        with module.connect(target, config=options) as connection:
            if suffix not in (*TEXTS, *BOOKS, *DATABASES):
                _check_unstated(Path(stated), name)
                return asdict(Extracted(tuple(_typed(connection, path, suffix))))
            fill = Filling(connection, Path(scratch), module.Error)
            return asdict(Extracted(tuple(_stated(fill, Path(path), suffix, Path(stated), name))))
    except module.OutOfMemoryException:
        raise MemoryError from None
    except OSError as error:
        raise _too_large(error) or ToolFailed(f"it cannot be read: {error.strerror or error}") from None
    except module.Error as error:
        if too_large := _too_large(error):
            raise too_large from None
        return asdict(Extracted(problem=str(error)))


def _too_large(error: Exception) -> ToolFailed | None:
    """What to say where a file that is written would have more bytes than it may."""
    is_one = os.strerror(errno.EFBIG) in str(error)
    return ToolFailed("its tables are far larger than the file") if is_one else None


def _check_unstated(stated: Path, name: str) -> None:
    """Refuse what is stated of a file whose columns have types."""
    if stated.name and read(stated, name) != NOTHING_STATED:
        raise ToolFailed(f"{stated.name}: its columns have types already, and nothing can be stated")


def _stated(fill: Filling, path: Path, suffix: str, stated: Path, name: str) -> list[Part]:
    """The tables of a file as ``stated`` says, where that is a file."""
    said = read(stated, name) if stated.name else NOTHING_STATED
    parts = _parts(fill, path, suffix, said)
    return parts if said == NOTHING_STATED else [_as_stated(part, stated.name) for part in parts]


def _typed(connection: duckdb.DuckDBPyConnection, path: str, suffix: str) -> list[Part]:
    """The tables of a file whose columns have types."""
    parts: list[Part] = []
    for number, name in enumerate(make(connection, path, suffix)):
        table = f"part{number}"
        columns = tuple(Column(own, _KINDS.get(kind, "number"), kind) for own, kind in typed_columns(connection, table))
        count = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        parts.append(Part(name, table, Reading((), columns, int(count[0]) if count else 0)))
    return parts


def _parts(fill: Filling, path: Path, suffix: str, stated: Stated) -> list[Part]:
    """The tables of a file whose cells are texts."""
    found = list(_raws(fill, path, suffix, stated))
    parts: list[Part] = []
    for number, (name, made) in enumerate(found):
        try:
            table = f"part{number}"
            reading, has_totals = take(fill.connection, made(), table)
            parts.append(Part(name, table, reading))
            if has_totals:
                sums = replace(reading, rows=len(reading.totals), left_out=(), totals=(), notes=(SUMS,))
                parts.append(Part(f"{name} totals".strip(), f"{table}_totals", sums))
        except ToolFailed as error:
            if len(found) == 1:
                raise
            parts.append(Part(name, problem=one_line(str(error), 120)))
    if not parts:
        raise ToolFailed("none of its sheets holds a cell" if suffix in BOOKS else "it is empty")
    return parts


def _as_stated(part: Part, name: str) -> Part:
    """A table that is read as a file states it, which is told."""
    reading = part.reading
    return replace(part, reading=reading and replace(reading, notes=(*reading.notes, f"read as {name} states")))


def _raws(fill: Filling, path: Path, suffix: str, stated: Stated) -> Iterator[tuple[str, Callable[[], Raw]]]:
    """The tables of a file by what the file calls them, and how each is made."""
    if stated.encoding and suffix not in TEXTS:
        raise ToolFailed("it is no text, and 'encoding' cannot be stated of it")
    if suffix in TEXTS:
        yield from _of_text(fill, path, stated)
    elif suffix in BOOKS:
        sheets = list(sheets_of(path))
        for sheet in sheets:
            rows = list(enumerate(sheet.rows, 1))
            name = sheet.name if len(sheets) > 1 else ""
            plain = Raw(notes=sheet.notes, stated=stated.of_sheet(sheet.name), marks=sheet.marks)
            if sheet.problem:
                yield name, partial(_refuse, sheet.problem)
            else:
                yield from _of_rows(fill, rows, plain, name)
    else:
        tables = tables_of(path)
        for name, stored in tables:
            yield name if len(tables) > 1 else "", partial(_of_table, fill, stored, stated.of_sheet(name))


def _of_text(fill: Filling, path: Path, stated: Stated) -> Iterator[tuple[str, Callable[[], Raw]]]:
    text = Delimited.open(path, stated.encoding or "")
    plain = Raw(delimiter=text.delimiter, notes=text.notes, stated=stated)
    if text.is_for_engine and (text.is_sound or not text.whole):
        yield "", partial(fill.large, text, path, plain)
    elif text.is_sound:
        yield from _of_rows(fill, list(text.rows()), plain)
    else:
        rows, note = text.loose_rows()
        yield from _of_rows(fill, rows, replace(plain, notes=(*plain.notes, note)) if note else plain)


def _of_rows(
    fill: Filling, rows: Sequence[Lined], plain: Raw, name: str = ""
) -> Iterator[tuple[str, Callable[[], Raw]]]:
    found = placed(rows, plain)
    for number, (lines, region, raw) in enumerate(found, 1):
        own = name if len(found) == 1 else f"{name} {number}".strip()
        yield own, partial(fill.region, lines, region, raw)


def _refuse(problem: str) -> Raw:
    raise ToolFailed(problem)


def _of_table(fill: Filling, rows: Rows, stated: Stated) -> Raw:
    worded: set[int] = set()
    raw = fill.stream(enumerate(rows(worded)), Raw(stated=stated))
    return replace(raw, marks=Marks(plain=frozenset(range(raw.width)) - worded))
