"""The tables of a folder in a DuckDB that reads nothing else and cannot be changed. Needs the extra ``tables``."""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from aeon.documents.folder import Folder
from aeon.errors import ToolArgumentError, ToolFailed
from aeon.isolation.deadline import Deadline
from aeon.schema.frozen import JsonValue
from aeon.tables.copying import typed_columns
from aeon.tables.duck import engine
from aeon.tables.naming import quoted
from aeon.text import one_line
from aeon.tools.filling import TABLE_SUFFIXES, Filler, Loaded
from aeon.tools.queries import Comparison, Query, parse
from aeon.tools.queryerrors import error_line, nearest, no_table
from aeon.tools.rows import display, json_rows
from aeon.tools.tableinfo import TableInfo, identifier

if TYPE_CHECKING:
    import duckdb

__all__ = ["TABLE_SUFFIXES", "Database", "TableInfo"]

_SECONDS = 10.0
_AGAIN = 0.05
"""Seconds after which a statement that begins when the time is over is interrupted."""
_MOST_ROWS = 200
_MOST_VALUES = 12
_LONGEST_MARK = 20
_MOST_DISTINCT = 5_000
_MOST_COLUMNS = 60
_FEW, _LONGEST_FEW = 8, 90
"""Different texts of a column that are told, and their characters in all."""
_SAMPLE_ROWS = 2
_SHORTEST_LINE = 160
_BEFORE = ("threads=2", "memory_limit='512MB'", "max_temp_directory_size='4GB'", "python_enable_replacements=false")
_LOCK = (
    "autoinstall_known_extensions=false",
    "autoload_known_extensions=false",
    "allow_community_extensions=false",
    "enable_external_access=false",
    "default_collation='NOCASE'",
    "ieee_floating_point_ops=false",
    "error_on_division_by_zero=false",
    "allowed_configs=['default_collation', 'ieee_floating_point_ops', 'error_on_division_by_zero']",
    "lock_configuration=true",
)
_AS_DUCKDB = ("default_collation=''", "ieee_floating_point_ops=true", "error_on_division_by_zero=true")
"""What undoes, for one connection, the settings that make comparisons and divisions other than DuckDB's own."""
_MACROS = ("CREATE MACRO date_format(day, form) AS strftime(day, form)",)  # what MySQL calls it, and models write
_LIKE = (
    'CREATE TEMP MACRO "~~"(text, pattern) AS text ILIKE pattern',
    'CREATE TEMP MACRO "!~~"(text, pattern) AS text NOT ILIKE pattern',
    "CREATE TEMP MACRO like_escape(text, pattern, mark) AS ilike_escape(text, pattern, mark)",
    "CREATE TEMP MACRO not_like_escape(text, pattern, mark) AS not_ilike_escape(text, pattern, mark)",
)
"""What ``LIKE`` means here: texts are compared without case."""
_OPTIONAL = frozenset({"ieee_floating_point_ops=false", "error_on_division_by_zero=false"})
"""These make a division by zero NULL; DuckDB 1 does not take them for all connections, and gives infinity."""


class Database:
    """Tables that were loaded once and can be asked by any number of threads; what is asked changes nothing.

    Texts are compared and grouped without case, also by ``LIKE``; functions such as ``contains`` do mind it.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        module: ModuleType,
        keywords: frozenset[str],
        tables: Iterable[TableInfo],
        skipped: Iterable[tuple[str, str]],
        notes: Iterable[str] = (),
    ) -> None:
        self.tables = tuple(tables)
        self.skipped = tuple(skipped)
        self.notes = tuple(notes)
        self._connection = connection
        self._duckdb = module
        self.keywords = keywords
        self._lock = threading.Lock()

    @classmethod
    def load(cls, folder: Folder, paths: Iterable[str], deadline: Deadline | None = None) -> Database:
        """Return the tables of these files of the folder; what cannot be read is in ``skipped`` with the reason.

        ``notes`` say what was read otherwise than it was meant. After the ``deadline`` no file is read any more.

        Raises ``MissingExtraError`` without DuckDB, or without openpyxl where there is a spreadsheet.
        """
        module = engine()
        scratch = tempfile.mkdtemp(prefix="aeon-tables-")
        connection = module.connect(":memory:")
        try:
            for setting in (f"temp_directory='{scratch.replace(chr(39), chr(39) * 2)}'", *_BEFORE):
                connection.execute(f"SET {setting}")
            filler = Filler(connection, Path(scratch), module.Error, deadline)
            tables = [
                _info(connection, table, label)
                for label in paths
                for table in _loaded(filler, folder, label, module.Error)
            ]
            for macro in _MACROS:
                connection.execute(macro)
            for setting in _LOCK:
                with suppress(*[module.Error] if setting in _OPTIONAL else []):
                    connection.execute(f"SET GLOBAL {setting}")
            database = cls(connection, module, filler.keywords, tables, filler.skipped, filler.notes)
        except BaseException:
            connection.close()
            shutil.rmtree(scratch, ignore_errors=True)
            raise
        weakref.finalize(database, _release, connection, scratch)
        return database

    def describe(self, limit: int = 2000) -> str:
        """Return a line for each table, in all about ``limit`` characters, with what fits of columns and rows.

        Of one table the first two rows are shown, of several the first one each.
        """
        shown = self.tables[: max(1, limit // _SHORTEST_LINE)]
        room = (limit - 40) // max(1, len(shown))
        most = 1 if len(shown) > 1 else 2
        lines = [table.line(room, self.keywords, most) for table in shown]
        left = len(self.tables) - len(shown)
        return "\n".join([*lines, f"… and {left} more table{'s' * (left > 1)}"] if left else lines)

    def schema(self, limit: int = 4000) -> str:
        """Return the tables as the statements that would make them, in all about ``limit`` characters.

        Such statements a model knows better than any other description of tables.
        """
        shown = self.tables[: max(1, limit // (2 * _SHORTEST_LINE))]
        room = limit // max(1, len(shown))
        made = [table.created(room, self.keywords) for table in shown]
        left = len(self.tables) - len(shown)
        return "\n".join([*made, f"-- and {left} more table{'s' * (left > 1)}"] if left else made)

    def reads(self, query: str) -> bool:
        """Whether a query gives something that a table has. Raises as `query` for what is none."""
        with self._cursor() as cursor:
            parsed = self._parse(cursor, query)
            return parsed.finds and bool({*parsed.tables} - parsed.own)

    def query(self, query: str) -> JsonValue:
        """Return what a ``SELECT`` gives: one value, a list, an object, or a list of objects; no rows are ``[]``.

        Raises ``ToolArgumentError`` in one line for a query that must be written otherwise, also where nothing is
        found because a text it compares with stands nowhere, and ``ToolFailed`` beyond 10 s or 200 rows.
        """
        with self._cursor() as cursor:
            parsed = self._parse(cursor, query)
            with self._translated(parsed):
                cursor.execute(parsed.text)
                columns = [str(column[0]) for column in cursor.description or ()]
                rows = cursor.fetchmany(_MOST_ROWS + 1)
                if len(rows) > _MOST_ROWS:
                    raise ToolFailed(f"the query gives more than {_MOST_ROWS} rows; add LIMIT, WHERE or an aggregate")
                if not any(cell for row in rows for cell in row) and len(rows) < 2:  # nothing, or a count of 0
                    self._check_texts(cursor, parsed)
        return json_rows(columns, rows)

    @property
    def module(self) -> ModuleType:
        """The module, for its errors and its tokens."""
        return self._duckdb

    @property
    def seconds(self) -> float:
        """How long a query may run."""
        return _SECONDS

    def plain_session(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """A connection that compares and divides as DuckDB does by itself, interrupted after `seconds`.

        Texts differ by case there. Nothing can be written, and no file or address can be reached.
        """
        return self._cursor(f"SET SESSION {setting}" for setting in _AS_DUCKDB)

    @contextmanager
    def _cursor(self, setup: Iterable[str] = _LIKE) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection of its own, in which nothing can be written and which is interrupted after some time."""
        with self._lock:
            cursor = self._connection.cursor()
        for statement in setup:
            cursor.execute(statement)
        done = threading.Event()
        watch = threading.Thread(target=_interrupt, args=(cursor, done, _SECONDS), daemon=True)
        watch.start()
        try:
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            yield cursor
        finally:
            done.set()
            watch.join()  # it must not interrupt a connection that is closed
            cursor.close()

    def _parse(self, cursor: duckdb.DuckDBPyConnection, query: str) -> Query:
        try:
            text = query.encode("utf-8").decode().strip().rstrip(";")
            parsed = parse(text, cursor)
        except (self._duckdb.Error, UnicodeError, RuntimeError) as error:
            raise ToolArgumentError(f"the query does not parse: {error_line(str(error), {})}") from None
        names = [table.name for table in self.tables]
        for table in parsed.tables:
            name = table.lower().removeprefix("memory.").removeprefix("main.")
            if name not in names and name not in parsed.own:
                raise ToolArgumentError(no_table(table, names))
        return parsed

    @contextmanager
    def _translated(self, query: Query) -> Iterator[None]:
        """DuckDB's errors as those of a tool, in one line."""
        try:
            yield
        except self._duckdb.InterruptException:
            raise ToolFailed(f"the query took longer than {_SECONDS:g} s; ask for less at once") from None
        except (self._duckdb.OutOfMemoryException, self._duckdb.FatalException) as error:
            raise ToolFailed(f"the query needs too much: {one_line(str(error), 120)}") from None
        except self._duckdb.Error as error:
            used = self._used(query) or self.tables
            names = {table.name: [self._name(column) for column, _ in table.columns] for table in used}
            raise ToolArgumentError(error_line(str(error), names, query.text)) from None

    def _holder(self, cursor: duckdb.DuckDBPyConnection, text: str) -> str:
        """The first column, of the first sixty of texts, that has this text in some row, and how; "" without one.

        A letter is the same with and without its accent.
        """
        every = ((table.name, name) for table in self.tables for name, kind in table.columns if kind == "VARCHAR")
        for table, name in islice(every, _MOST_COLUMNS):
            has = f"SELECT {quoted(name)} FROM {quoted(table)} WHERE strip_accents({quoted(name)}) = strip_accents(?)"
            if found := cursor.execute(f"{has} LIMIT 1", [text]).fetchone():
                return f"{table}.{self._name(name)} has {one_line(repr(found[0]), 60)}; "
        return ""

    def _compared(self, query: Query) -> Iterator[tuple[Comparison, tuple[str, str], str]]:
        """Give each comparison with each table and column that it may mean, and the column's type."""
        for comparison in query.comparisons:
            for table in self._used(query):
                for column, kind in table.columns:
                    if column.lower() == comparison.column.lower():
                        yield comparison, (table.name, column), kind

    def _check_texts(self, cursor: duckdb.DuckDBPyConnection, query: Query) -> None:
        """Raise ``ToolArgumentError`` for the first text that its column does not hold in any row."""
        holders: dict[Comparison, list[tuple[str, str]]] = {}
        for comparison, holder, kind in self._compared(query):
            if kind == "VARCHAR" and comparison.sign in ("=", "LIKE"):
                holders.setdefault(comparison, []).append(holder)
        for comparison, columns in holders.items():
            if not any(_holds(cursor, table, column, comparison) for table, column in columns):
                raise ToolArgumentError(self._no_such_text(cursor, comparison, columns))

    def _no_such_text(
        self, cursor: duckdb.DuckDBPyConnection, comparison: Comparison, holders: Sequence[tuple[str, str]]
    ) -> str:
        column = self._name(holders[0][1])
        parts = " UNION ".join(f"SELECT DISTINCT {quoted(name)} AS v FROM {quoted(table)}" for table, name in holders)
        distinct = f"SELECT v FROM ({parts}) WHERE v IS NOT NULL ORDER BY v LIMIT {_MOST_DISTINCT}"
        values = [str(row[0]) for row in cursor.execute(distinct).fetchall()]
        close = nearest(comparison.text.strip("%_ "), values, _MOST_VALUES)
        where = self._holder(cursor, comparison.text.strip("%_ "))
        if len(values) > _MOST_VALUES and close:
            hint = f"the nearest values of {column} are"
        else:
            hint, close = f"values of {column} are", values[:_MOST_VALUES]
        more = ", …" if len(values) > len(close) else ""
        listed = ", ".join(one_line(value, 40) for value in close) or "none"
        text = one_line(repr(comparison.text), 60)
        return one_line(f"no row has {column} {comparison.sign} {text}; {where}{hint}: {listed}{more}", 500)

    def _name(self, column: str) -> str:
        return identifier(column, self.keywords)

    def _used(self, query: Query) -> list[TableInfo]:
        """The tables that the query reads."""
        names = {name.lower().split(".")[-1] for name in query.tables}
        return [table for table in self.tables if table.name in names]


def _interrupt(cursor: duckdb.DuckDBPyConnection, done: threading.Event, seconds: float) -> None:
    """Interrupt what the connection does after some time, and each statement that it begins after that."""
    wait = seconds
    while not done.wait(wait):
        cursor.interrupt()
        wait = _AGAIN


def _holds(cursor: duckdb.DuckDBPyConnection, table: str, column: str, comparison: Comparison) -> bool:
    sign = "ILIKE" if comparison.sign == "LIKE" else "="
    text = f"SELECT 1 FROM {quoted(table)} WHERE {quoted(column)} {sign} ? LIMIT 1"
    return cursor.execute(text, [comparison.text]).fetchone() is not None


def _loaded(filler: Filler, folder: Folder, label: str, errors: type[Exception]) -> Iterator[Loaded]:
    """Give the tables of one file; note why it has none."""
    try:
        path = folder.find(label)
        yield from filler.fill(path, label)
    except ToolFailed as error:
        filler.skipped.append((label, one_line(str(error), 200)))
    except OSError as error:
        filler.skipped.append((label, f"it cannot be read: {error.strerror or type(error).__name__}"))
    except errors as error:
        reason = error_line(str(error).replace(str(path), path.name), {})
        filler.skipped.append((label, f"it is no readable table: {reason}"))


def _info(connection: duckdb.DuckDBPyConnection, table: Loaded, source: str) -> TableInfo:
    columns = typed_columns(connection, table.name)
    count = connection.execute(f"SELECT count(*) FROM {quoted(table.name)}").fetchone()
    rows = connection.execute(f"SELECT * FROM {quoted(table.name)} LIMIT {_SAMPLE_ROWS}").fetchall()
    sample = tuple(tuple(display(cell) for cell in row) for row in rows)
    known = {
        "days": _known(_span, connection, table.name, columns, "DATE"),
        "marks": _known(_mark, connection, table.name, columns, "VARCHAR"),
    }
    gaps = _gaps(connection, table.name, columns)
    texts = [name for name, kind in columns if kind == "VARCHAR"]
    few = ((name, _values(connection, table.name, name)) for name in texts)
    values = tuple((name, found) for name, found in few if found)
    number = int(count[0]) if count else 0
    return TableInfo(table.name, source, columns, number, sample, table.dropped, **known, values=values, gaps=gaps)


def _known(
    ask: Callable[[duckdb.DuckDBPyConnection, str, str], str],
    connection: duckdb.DuckDBPyConnection,
    table: str,
    columns: Sequence[tuple[str, str]],
    wanted: str,
) -> tuple[tuple[str, str], ...]:
    """What is to be told of the columns of a type, as far as there is something."""
    told = ((name, ask(connection, table, name)) for name, kind in columns if kind == wanted)
    return tuple((name, text) for name, text in told if text)


def _gaps(connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[tuple[str, str]]) -> frozenset[str]:
    """The columns in which some rows have nothing, and others something."""
    counts = ", ".join(["count(*)", *(f"count({quoted(name)})" for name, _ in columns)])
    rows, *filled = connection.execute(f"SELECT {counts} FROM {quoted(table)}").fetchone() or (0,)
    return frozenset(name for (name, _), number in zip(columns, filled, strict=False) if 0 < number < rows)


def _mark(connection: duckdb.DuckDBPyConnection, table: str, column: str) -> str:
    """The one short text that a column has in some of its rows, "" if it has none, several, or no row without it."""
    cells = f"min({quoted(column)}), max({quoted(column)}), count({quoted(column)}), count(*)"
    found = connection.execute(f"SELECT {cells} FROM {quoted(table)}").fetchone()
    if found is None or found[0] is None or found[0] != found[1] or found[2] == found[3]:
        return ""
    return found[0] if len(found[0]) <= _LONGEST_MARK else ""


def _values(connection: duckdb.DuckDBPyConnection, table: str, column: str) -> tuple[str, ...]:
    """The texts of a column in the order of the alphabet, if they are few and short, of one line each; else none."""
    name = quoted(column)
    some = f"SELECT DISTINCT {name} FROM {quoted(table)} WHERE {name} IS NOT NULL LIMIT {_FEW + 1}"
    found = sorted(str(row[0]) for row in connection.execute(some).fetchall())
    told = len(found) <= _FEW and sum(map(len, found)) <= _LONGEST_FEW
    return tuple(found) if told and all(one == one_line(one) for one in found) else ()


def _span(connection: duckdb.DuckDBPyConnection, table: str, column: str) -> str:
    """The first and the last day of a column, "" if it has none."""
    found = connection.execute(f"SELECT min({quoted(column)}), max({quoted(column)}) FROM {quoted(table)}").fetchone()
    return f"{found[0]} to {found[1]}" if found and found[0] is not None else ""


def _release(connection: duckdb.DuckDBPyConnection, scratch: str) -> None:
    connection.close()
    shutil.rmtree(scratch, ignore_errors=True)
