"""The tables of a folder, which processes of their own ask with DuckDB. Needs the extra ``tables``."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from aeon.documents.folder import Folder
from aeon.errors import InputFileError, ToolError, ToolFailed
from aeon.isolation.limits import MEGABYTE, Limits
from aeon.isolation.pool import (
    ASKING,
    ASKING_LONG,
    Deadline,
    Displaced,
    Exceeded,
    NoPlace,
    OutOfMemory,
    OutOfTime,
    Unread,
    isolated,
)
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.schema.turns import TableRead
from aeon.tables.extra import extra
from aeon.tables.naming import quoted
from aeon.tables.typedfiles import typed_columns
from aeon.text import one_line
from aeon.tools import asked, kept, valuefile
from aeon.tools.filling import LARGE_BLOCKS, SMALL_BLOCKS, TABLE_SUFFIXES, UNREAD, Filler, Loaded
from aeon.tools.queryerrors import PLAIN, SMALL, Wording
from aeon.tools.rows import display
from aeon.tools.tablefile import Known, engine_memory, filled, sweep
from aeon.tools.tableinfo import Named, TableInfo

if TYPE_CHECKING:
    import duckdb

__all__ = ["TABLE_SUFFIXES", "Database", "NotRun", "TableInfo"]

_SECONDS = 10.0
"""How long a query may run, by the clock."""
_MARGIN = 1.0
"""Seconds after which its process is ended, if the query did not end when it was interrupted."""
_PROCESSOR = 3.0
"""Seconds of the processor for each by the clock, which two threads and something beside them cannot take."""
_BESIDE_ENGINE = 148 * MEGABYTE
"""What a process needs beside what DuckDB in it may take."""
_OUTPUT, _FILES = 4 * MEGABYTE, 5_000 * MEGABYTE
_MANY = 50
"""Files whose tables take little room each."""
_A_COLUMN = 6 * 1024
"""Bytes of memory that a column takes where it is not asked, too."""
_LONGEST_MARK = 20
_FEW, _LONGEST_FEW = 8, 90
"""Different texts of a column that are told, and their characters in all."""
_SAMPLE_ROWS = 2
_SHORTEST_LINE = 160

T = TypeVar("T")


class NotRun(ToolFailed):
    """A query was not run, for a reason that need not hold the next time."""


class Database:
    """Tables that were loaded once and can be asked by any number of threads; what is asked changes nothing.

    Texts are compared and grouped without case, also by ``LIKE``; functions such as ``contains`` do mind it.
    """

    def __init__(self, scratch: Path, known: Known) -> None:
        self.tables = known.tables
        self.keywords = known.keywords
        self.skipped = known.skipped
        self._scratch = scratch

    @classmethod
    def load(cls, folder: Folder, paths: Iterable[str], deadline: Deadline | None = None) -> Database:
        """Return the tables of these files of the folder; what cannot be read is in ``skipped`` with the reason.

        After the ``deadline`` no file is read any more. What took long to read is kept, and is there at once the next
        time if the files have not changed.

        Raises ``MissingExtraError`` without DuckDB, or what else the extra brings, and
        ``InputFileError`` where the folder for temporary files has no room for the tables.
        """
        module, paths, began = extra("duckdb"), [*paths], time.monotonic()
        name = kept.name_of(folder, paths, module.__version__)
        if found := kept.find(name):
            return cls(*found)
        scratch = Path(tempfile.mkdtemp(prefix="aeon-tables-"))
        try:
            with filled(scratch, module, SMALL_BLOCKS if len(paths) > _MANY else LARGE_BLOCKS) as connection:
                filler = Filler(connection, scratch, module.Error, deadline)
                tables = tuple(_info(connection, table) for table in filler.fill(folder, paths))
                valuefile.write(connection, scratch, tables)
            known = Known(tables, filler.keywords, tuple(filler.skipped))
            known.keep(scratch)
        except BaseException as error:
            shutil.rmtree(scratch, ignore_errors=True)
            if not isinstance(error, module.Error | OSError):
                raise
            reason = one_line(str(error), 200)
            raise InputFileError(f"the tables cannot be kept in {scratch.parent}: {reason}") from None
        is_long = time.monotonic() - began > kept.LONG
        if is_long and (place := kept.keep(scratch, name if _is_whole(known) else "")):
            return cls(place, known)
        database = cls(scratch, known)
        weakref.finalize(database, _release, scratch, os.getpid())
        return database

    @property
    def notes(self) -> tuple[str, ...]:
        """How tables were read that are no plain ones, a line for each."""
        several = {source for source, count in Counter(one.source for one in self.tables).items() if count > 1}
        named = ((f"{one.source} ({one.name})" if one.source in several else one.source, one) for one in self.tables)
        return tuple(f"{one_line(name, 60)}: {'; '.join(one.reading.told)}" for name, one in named if one.reading.told)

    def describe(self, limit: int = 2000) -> str:
        """Return a line for each table, in all about ``limit`` characters, with what fits of columns and rows.

        Of one table the first two rows are shown, of several the first one each.
        """
        tables = [table for table in self.tables if not table.is_of_totals]
        shown = tables[: max(1, limit // _SHORTEST_LINE)]
        room = (limit - 40) // max(1, len(shown))
        most = 1 if len(shown) > 1 else 2
        lines = [table.line(room, self.keywords, most) for table in shown]
        left = len(tables) - len(shown)
        return "\n".join([*lines, f"… and {left} more table{'s' * (left > 1)}"] if left else lines)

    def schema(self, limit: int = 4000) -> str:
        """Return the tables, but for those of totals, as the statements that would make them, in about ``limit``.

        Such statements a model knows better than any other description of tables.
        """
        tables = [table for table in self.tables if not table.is_of_totals]
        shown = tables[: max(1, limit // (2 * _SHORTEST_LINE))]
        room = limit // max(1, len(shown))
        made = [table.created(room, self.keywords) for table in shown]
        left = len(tables) - len(shown)
        return "\n".join([*made, f"-- and {left} more table{'s' * (left > 1)}"] if left else made)

    def named(self, phrases: Sequence[str], raw: str) -> list[Named]:
        """The values of columns whose words are one of these phrases; none where the file with them is gone.

        Those in a script that puts no spaces between words are those that are part of ``raw``.
        """
        try:
            return valuefile.find(self._scratch, self.tables, phrases, raw)
        except extra("duckdb").Error:
            return []

    def reads(self, query: str) -> bool:
        """Whether a query gives something that a table has. Raises as `query` for what is none."""
        return bool(json.loads(self._asked(asked.reads, query, SMALL)))

    def read_for(self, query: str) -> tuple[TableRead, ...]:
        """How the tables were read that a query asks, of those that are no plain ones.

        Where it cannot be told which it asks, all may be.
        """
        odd = [table for table in self.tables if table.reading.told]
        if not odd:
            return ()
        try:
            used: dict[str, list[str] | None] | None = json.loads(self._asked(asked.used, query, PLAIN))
        except ToolError:
            used = None
        return tuple(
            table.read_as(None if used is None else used[table.name])
            for table in odd
            if used is None or table.name in used
        )

    def query(self, query: str) -> JsonValue:
        """Return what a ``SELECT`` gives: one value, a list, an object, or a list of objects; no rows are ``[]``.

        Raises ``ToolArgumentError`` in one line for a query that must be written otherwise, also where nothing is
        found because a text it compares with stands nowhere, and ``ToolFailed`` beyond 10 s, 200 rows or 1 MB.
        """
        value: JsonValue = json.loads(self.query_text(query))
        return value

    def query_text(self, query: str) -> str:
        """The same as a text of JSON. Raises as `query`; `NotRun` where the same query may run the next time."""
        return self._asked(asked.value, query, SMALL)

    def plain_query(self, query: str, most_bytes: int) -> JsonObject:
        """What a query gives, as ``{"columns": [...], "rows": [[...]], "total": n}`` of at most so many bytes of JSON.

        It compares and divides as DuckDB does by itself: texts differ by case. At most 100 rows are in it; ``total``
        counts all. Where they are too many to be counted in time, ``more`` says that there are more than ``total``. A
        value that is no number (NaN, infinity) is null in ``rows``, and ``not_finite`` has its row and column (from 0)
        and what it is. ``written``: all that it selects are literals. ``cut``: a cell was too long. ``units`` has the
        unit of each column that has one. Days and times are ISO 8601, a decimal is a number where that is exact, else a
        text.

        Raises:
            ToolArgumentError: the query cannot run as it is; with DuckDB's own message.
            ToolFailed: it takes too long, or needs too much memory.
        """
        table: JsonObject = json.loads(self._asked(asked.table, query, PLAIN, most_bytes=most_bytes))
        return table

    def _asked(self, work: Callable[..., str], query: str, wording: Wording, **more: JsonValue) -> str:
        """What the work says of a query, in a process of its own: this one must not take what a query takes."""
        arguments = {"folder": str(self._scratch), "seconds": _SECONDS, **more}
        columns = sum(len(table.columns) for table in self.tables)
        memory = engine_memory(self.tables) + _BESIDE_ENGINE + _A_COLUMN * columns
        clock = _SECONDS + _MARGIN
        limits = Limits(memory, _PROCESSOR * clock, _OUTPUT, clock, _FILES)
        data = query.encode("utf-8", "surrogatepass")
        try:
            try:
                return isolated(work, str, limits, arguments, data, pool=ASKING)
            except Displaced:
                return isolated(work, str, limits, arguments, data, pool=ASKING_LONG)
        except OutOfTime:
            raise wording.too_late(_SECONDS) from None
        except OutOfMemory:
            raise wording.too_large(f"it took more than {memory // MEGABYTE:,} MB") from None
        except NoPlace:
            raise NotRun("the query was not run: other work takes all that there is; ask it again later") from None
        except Unread as error:
            raise NotRun(f"the query was not run: {error}") from None
        except Exceeded as error:
            raise ToolFailed(f"the query failed: {error}") from None
        finally:
            sweep(self._scratch)


def _is_whole(known: Known) -> bool:
    """Whether all files were read that can be."""
    return not any(reason.startswith(UNREAD) for _, reason in known.skipped)


def _info(connection: duckdb.DuckDBPyConnection, table: Loaded) -> TableInfo:
    columns = typed_columns(connection, table.name)
    rows = connection.execute(f"SELECT * FROM {quoted(table.name)} LIMIT {_SAMPLE_ROWS}").fetchall()
    sample = tuple(tuple(display(cell) for cell in row) for row in rows)
    number, spans = _spans(connection, table.name, columns)
    texts, days = (_of_kind(columns, kind) for kind in ("VARCHAR", "DATE"))
    return TableInfo(
        table.name,
        table.source,
        columns,
        number,
        sample,
        table.reading,
        days=_told(days, lambda name: spans[name].told),
        marks=_told(texts, lambda name: spans[name].mark(number)),
        gaps=frozenset(name for name, one in spans.items() if 0 < one.cells < number),
        values=_told(texts, lambda name: _values(connection, table.name, name)),
    )


def _told(columns: Iterable[str], what: Callable[[str], T]) -> tuple[tuple[str, T], ...]:
    """What is to be told of columns, as far as there is something."""
    return tuple((name, found) for name in columns if (found := what(name)))


def _of_kind(columns: Sequence[tuple[str, str]], kind: str) -> list[str]:
    """The names of the columns of a type."""
    return [name for name, own in columns if own == kind]


class _Span(NamedTuple):
    """How many cells of a column hold something, and of texts and days the first and the last."""

    cells: int
    first: object = None
    last: object = None

    @property
    def told(self) -> str:
        """The first and the last, "" where there is none."""
        return f"{self.first} to {self.last}" if self.cells else ""

    def mark(self, rows: int) -> str:
        """The one short text that some of so many rows have and others have not, "" where it is otherwise."""
        is_one = 0 < self.cells < rows and self.first == self.last
        return str(self.first) if is_one and len(str(self.first)) <= _LONGEST_MARK else ""


def _spans(
    connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[tuple[str, str]]
) -> tuple[int, dict[str, _Span]]:
    """How many rows a table has, and what its columns hold."""
    own = [quoted(name) for name, _ in columns]
    ends = [cell if kind in ("DATE", "VARCHAR") else "NULL" for cell, (_, kind) in zip(own, columns, strict=True)]
    asked = [f"count({cell}), min({end}), max({end})" for cell, end in zip(own, ends, strict=True)]
    found = connection.execute(f"SELECT {', '.join(['count(*)', *asked])} FROM {quoted(table)}").fetchone() or (0,)
    parts = [found[at : at + 3] for at in range(1, len(found), 3)]
    return int(found[0]), {name: _Span(*part) for (name, _), part in zip(columns, parts, strict=True)}


def _values(connection: duckdb.DuckDBPyConnection, table: str, column: str) -> tuple[str, ...]:
    """The texts of a column in the order of the alphabet, if they are few and short, of one line each; else none."""
    name = quoted(column)
    some = f"SELECT DISTINCT {name} FROM {quoted(table)} WHERE {name} IS NOT NULL LIMIT {_FEW + 1}"
    found = sorted(str(row[0]) for row in connection.execute(some).fetchall())
    told = len(found) <= _FEW and sum(map(len, found)) <= _LONGEST_FEW
    return tuple(found) if told and all(one == one_line(one) for one in found) else ()


def _release(scratch: Path, owner: int) -> None:
    """Remove the file, in the process that made it: one that was forked shares it."""
    if os.getpid() == owner:
        shutil.rmtree(scratch, ignore_errors=True)
