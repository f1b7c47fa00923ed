"""Tables out of spreadsheets, databases and delimited text, in a DuckDB file: what runs in a process of its own."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from aeon.errors import MissingExtraError, ToolFailed
from aeon.tables.delimited import Delimited, Lined
from aeon.tables.extra import extra
from aeon.tables.filling import Filling, Raw
from aeon.tables.marks import Marks
from aeon.tables.naming import literal
from aeon.tables.parting import placed
from aeon.tables.parts import Extracted, Part, Source
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
    data: bytes, sources: Sequence[Mapping[str, str]], target: str, scratch: str, memory: int, blocks: int
) -> list[dict[str, Any]]:
    """The fields of `Extracted` for each `Source`; the tables are in the database ``target``, which is made.

    ``memory`` is what DuckDB may take, in bytes, ``scratch`` the folder for what it has no room for, ``blocks`` the
    bytes of the database's blocks. Raises ``ToolFailed`` where the database cannot be made, or one of several files has
    brought it down.
    """
    module, files = extra("duckdb"), [Source(**source) for source in sources]
    options = {
        "threads": 2 if all(file.suffix in TEXTS for file in files) else 1,  # each takes its own share of the memory
        "memory_limit": f"{memory}B",
        "temp_directory": scratch,
        "max_temp_directory_size": "4GB",
        "python_enable_replacements": False,
        "default_block_size": str(blocks),
    }
    try:
        with module.connect(":memory:" if len(files) > 1 else target, config=options) as connection:
            fill = Filling(connection, Path(scratch), module.Error)
            found = [asdict(_extracted(fill, file, module)) for file in files if connection.execute("SELECT 1")]
            if len(files) > 1:  # many small tables are written at once: one by one, each would wait for the disk
                connection.execute(f"ATTACH {literal(target)} AS made")
                connection.execute("COPY FROM DATABASE memory TO made")
            return found
    except (OSError, module.Error) as error:
        raise _too_large(error) or ToolFailed(f"its tables cannot be written: {error}") from None


def _extracted(fill: Filling, file: Source, module: ModuleType) -> Extracted:
    """The tables of a file; what is wrong with it is no matter of the next one."""
    try:
        return Extracted(tuple(_all_parts(fill, file)))
    except module.OutOfMemoryException:
        raise MemoryError from None
    except MissingExtraError:
        raise
    except ToolFailed as error:
        return Extracted(refusal=str(error))
    except OSError as error:
        return Extracted(refusal=str(_too_large(error) or f"it cannot be read: {error.strerror or error}"))
    except module.Error as error:
        too_large = _too_large(error)
        return Extracted(refusal=str(too_large)) if too_large else Extracted(problem=str(error))


def _all_parts(fill: Filling, file: Source) -> list[Part]:
    """The tables of a file, of whatever kind it is."""
    stated = Path(file.stated)
    if file.suffix not in (*TEXTS, *BOOKS, *DATABASES):
        _check_unstated(stated, file.name)
        return _typed(fill.connection, file)
    said = read(stated, file.name) if stated.name else NOTHING_STATED
    parts = _parts(fill, file, said)
    return parts if said == NOTHING_STATED else [_as_stated(part, stated.name) for part in parts]


def _too_large(error: Exception) -> ToolFailed | None:
    """What to say where a file that is written would have more bytes than it may."""
    is_one = os.strerror(errno.EFBIG) in str(error)
    return ToolFailed("its tables are far larger than the file") if is_one else None


def _check_unstated(stated: Path, name: str) -> None:
    """Refuse what is stated of a file whose columns have types."""
    if stated.name and read(stated, name) != NOTHING_STATED:
        raise ToolFailed(f"{stated.name}: its columns have types already, and nothing can be stated")


def _typed(connection: duckdb.DuckDBPyConnection, file: Source) -> list[Part]:
    """The tables of a file whose columns have types."""
    parts: list[Part] = []
    for number, name in enumerate(make(connection, file.path, file.suffix, file.prefix)):
        table = f"{file.prefix}{number}"
        columns = tuple(Column(own, _KINDS.get(kind, "number"), kind) for own, kind in typed_columns(connection, table))
        count = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        parts.append(Part(name, table, Reading((), columns, int(count[0]) if count else 0)))
    return parts


def _parts(fill: Filling, file: Source, stated: Stated) -> list[Part]:
    """The tables of a file whose cells are texts."""
    found = list(_raws(fill, Path(file.path), file.suffix, stated))
    parts: list[Part] = []
    for number, (name, made) in enumerate(found):
        try:
            table = f"{file.prefix}{number}"
            reading, has_totals = take(fill.connection, made(), table)
            parts.append(Part(name, table, reading))
            if has_totals:
                plain = tuple(replace(column, nothing=()) for column in reading.columns)
                sums = replace(reading, columns=plain, rows=len(reading.totals), left_out=(), totals=(), notes=(SUMS,))
                parts.append(Part(f"{name} totals".strip(), f"{table}_totals", sums))
        except ToolFailed as error:
            if len(found) == 1:
                raise
            parts.append(Part(name, problem=one_line(str(error), 120)))
    if not parts:
        raise ToolFailed("none of its sheets holds a cell" if file.suffix in BOOKS else "it is empty")
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
