"""``aeon tables``: how the tables of a file or a folder are read; a model is asked only where the user wants that."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from pydantic import BaseModel

from aeon.assembly.open_readings import asked
from aeon.cli.output import check_new, print_json, remark, write_new
from aeon.cli.progress import fetch_weights
from aeon.documents.folder import Folder
from aeon.errors import InputFileError, UsageError
from aeon.llm.select import select
from aeon.observability.lines import visible
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.tables.reading import SUMS, Column, Reading
from aeon.tables.stated import as_toml
from aeon.text import one_line
from aeon.tools.database import TABLE_SUFFIXES, Database
from aeon.tools.tableinfo import TableInfo

__all__ = ["command"]

_WIDEST, _LONGEST = 28, 100


class _Tables(BaseModel):
    """What was read, and what was not, with the reason."""

    tables: tuple[JsonObject, ...]
    skipped: tuple[JsonObject, ...]


def command(options: argparse.Namespace) -> int:
    """Show each table: where it stands, what its columns are, what was left out, guessed or is open.

    The exit code is 1 where a file that may hold tables could not be read.

    Raises:
        InputFileError: there is no such file or folder, or none with tables; or the file to write is there.
        UsageError: more than one table is to be written.
        MissingExtraError: the extra tables is not installed.
    """
    path = Path(options.path)
    database = _loaded(path)
    if options.write or options.ask:
        _write(database, path, options)
        database = _loaded(path)
    if options.json:
        skipped: tuple[JsonObject, ...] = tuple({"file": name, "reason": reason} for name, reason in database.skipped)
        print_json(_Tables(tables=tuple(map(_data, database.tables)), skipped=skipped))
    else:
        for line in _lines(database):
            print(visible(line))
    return int(bool(database.skipped))


def _loaded(path: Path) -> Database:
    """The tables of a file or a folder. Raises ``InputFileError`` where there is none."""
    if not path.exists():
        raise InputFileError(f"{one_line(str(path))}: there is no such file")
    folder = Folder.open(path if path.is_dir() else path.parent)
    names = [name for name, _ in folder.files()] if path.is_dir() else [path.name]
    kept = [name for name in names if name.lower().endswith(TABLE_SUFFIXES)]
    if not kept:
        raise InputFileError(f"{one_line(str(path))}: it holds no file of tables")
    return Database.load(folder, kept)


def _write(database: Database, path: Path, options: argparse.Namespace) -> None:
    """Write what was found of a file into the TOML file beside it, to be corrected; what is open, as a model reads it.

    Raises ``InputFileError`` for a file that is there, ``UsageError`` for more than one table, ``ModelError`` and
    ``CompletionError`` where the model gives no answer.
    """
    option = "--ask" if options.ask else "--write"
    if path.is_dir():
        raise UsageError(f"tables: {option} is for one file, not for a folder")
    target = path.with_suffix(".toml")
    check_new(str(target), "a reading")
    tables = [table for table in database.tables if SUMS not in table.reading.notes]
    if len(tables) != 1:
        raise UsageError(f"tables: {option} is for a file with one table; {path.name} has {len(tables)}")
    reading, note = _settled(tables[0], path, options.model) if options.ask else (tables[0].reading, "")
    if options.ask and reading == tables[0].reading:
        remark(f"{path.name}: nothing is open that a model could tell; nothing was written")
        return
    write_new(str(target), as_toml(reading, note))
    remark(f"wrote {target}")


def _settled(table: TableInfo, path: Path, name: str | None) -> tuple[Reading, str]:
    """The reading of a table as a model settles it, and what says so."""
    if not any(column.ways for column in table.reading.columns):
        return table.reading, ""
    model = select(name)
    fetch_weights(model)
    reading = asyncio.run(asked(model, table, path))
    changed = [one for one, before in zip(reading.columns, table.reading.columns, strict=True) if one != before]
    return reading, f"as {model.name} reads it: {', '.join(one_line(one.name, 60) for one in changed)}"


def _lines(database: Database) -> Iterator[str]:
    for table in database.tables:
        yield f"{one_line(table.source, 60)}: {table.name}, {table.rows:,} row{'s' * (table.rows != 1)}"
        yield from (f"  {text}" for text in table.reading.around)
        widths = [min(_WIDEST, max(len(column.name) for column in table.reading.columns)), 9]
        for column in table.reading.columns:
            told = [f"in {column.unit}"] if column.unit else []
            told += [column.told.removeprefix(f"{column.name}: ")] if column.told else []
            told += [f"open: {column.doubt}"] if column.doubt else []
            kind = column.sql_type.partition("(")[0]
            yield f"    {one_line(column.name, _WIDEST):{widths[0]}}  {kind:{widths[1]}}  {'; '.join(told)}".rstrip()
        yield from (f"    e.g. {one_line(', '.join(row), _LONGEST)}" for row in table.sample[:1])
    yield from (f"{one_line(name, 60)}: {reason}" for name, reason in database.skipped)


def _data(table: TableInfo) -> JsonObject:
    reading = table.reading
    left: list[JsonValue] = [asdict(one) for one in reading.left_out]
    return {
        "file": table.source,
        "table": table.name,
        "rows": table.rows,
        "header": [*reading.header],
        "columns": [_column(column) for column in reading.columns],
        "left_out": left,
        "totals": [*reading.totals],
        "surplus_cells": reading.surplus,
        "notes": [*reading.notes],
        "sample": [[*row] for row in table.sample],
    }


def _column(column: Column) -> JsonObject:
    nothing: list[JsonValue] = [{"text": text, "cells": cells} for text, cells in column.nothing]
    return {
        "name": column.name,
        "kind": column.kind,
        "type": column.sql_type,
        "unit": column.unit or None,
        "numbers": column.convention.example if column.convention else None,
        "days": column.order or None,
        "without_value": nothing,
        "note": column.note or None,
        "open": column.doubt or None,
    }
