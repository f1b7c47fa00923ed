"""The tables of SQLite files, read only."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from aeon.errors import ToolFailed
from aeon.tables.numerals import has_marks
from aeon.tables.workbook import cell_text
from aeon.text import one_line

__all__ = ["Rows", "tables_of"]

_MAX_CELL = 1_000_000
_MAX_TABLES = 500
_NAMES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"

Rows = Callable[[set[int]], Iterator[Sequence[str]]]
"""Gives the names of the columns and then the rows; takes the set to which it adds the columns with texts that are
numbers with marks."""


def tables_of(path: Path) -> list[tuple[str, Rows]]:
    """The tables by their names, with what gives the rows of each.

    Raises ``ToolFailed`` for what is no such file, has no table or too many.
    """
    with path.open("rb") as file:
        if file.read(16) != b"SQLite format 3\x00":
            raise ToolFailed("it is no SQLite database")
    tables = [str(row[0]) for row in _select(path, _NAMES)][1:]
    if not tables:
        raise ToolFailed("the database holds no table")
    if len(tables) > _MAX_TABLES:
        raise ToolFailed(f"the database has {len(tables):,} tables; up to {_MAX_TABLES:,} are read")
    return [(name, _rows(path, name)) for name in tables]


def _rows(path: Path, name: str) -> Rows:
    quoted = name.replace('"', '""')

    def rows(worded: set[int]) -> Iterator[Sequence[str]]:
        for row in _select(path, f'SELECT * FROM "{quoted}"'):
            worded.update(at for at, value in enumerate(row) if isinstance(value, str) and has_marks(value))
            yield [cell_text(value) for value in row]

    return rows


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
