"""One ``SELECT`` over a folder's tables, and the value that it gives in its smallest form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from aeon.errors import ToolArgumentError, ToolFailed
from aeon.schema.frozen import JsonValue
from aeon.tables.naming import quoted
from aeon.text import one_line
from aeon.tools.queries import Comparison, Query, parse
from aeon.tools.queryerrors import SMALL, error_line, nearest, no_table
from aeon.tools.rows import json_rows
from aeon.tools.tablefile import TableFile
from aeon.tools.tableinfo import TableInfo, identifier

if TYPE_CHECKING:
    import duckdb

__all__ = ["SETUP", "SmallForm"]

SETUP = (
    'CREATE TEMP MACRO "~~"(text, pattern) AS text ILIKE pattern',
    'CREATE TEMP MACRO "!~~"(text, pattern) AS text NOT ILIKE pattern',
    "CREATE TEMP MACRO like_escape(text, pattern, mark) AS ilike_escape(text, pattern, mark)",
    "CREATE TEMP MACRO not_like_escape(text, pattern, mark) AS not_ilike_escape(text, pattern, mark)",
)
"""What ``LIKE`` means here: texts are compared without case."""
_MOST_ROWS = 200
_MOST_VALUES = 12
_MOST_DISTINCT = 5_000
_MOST_COLUMNS = 60


@dataclass(frozen=True)
class SmallForm:
    """Queries in one session over a file of tables."""

    file: TableFile
    cursor: duckdb.DuckDBPyConnection
    seconds: float

    def reads(self, query: str) -> bool:
        """Whether a query gives something that a table has. Raises as `value` for what is none."""
        parsed = self._parse(query)
        return parsed.finds and bool({*parsed.tables} - parsed.own)

    def value(self, query: str) -> JsonValue:
        """What a ``SELECT`` gives: one value, a list, an object, or a list of objects; no rows are ``[]``.

        Raises ``ToolArgumentError`` and ``ToolFailed``.
        """
        parsed = self._parse(query)
        with SMALL.translated(self.file.module, self.seconds, lambda error: self._explained(error, parsed)):
            self.cursor.execute(parsed.text)
            columns = [str(column[0]) for column in self.cursor.description or ()]
            rows = self.cursor.fetchmany(_MOST_ROWS + 1)
            if len(rows) > _MOST_ROWS:
                raise ToolFailed(f"the query gives more than {_MOST_ROWS} rows; add LIMIT, WHERE or an aggregate")
            if not any(cell for row in rows for cell in row) and len(rows) < 2:  # nothing, or a count of 0
                self._check_texts(parsed)
            return json_rows(columns, rows)

    def _parse(self, query: str) -> Query:
        try:
            text = query.encode("utf-8").decode().strip().rstrip(";")
            parsed = parse(text, self.cursor)
        except (self.file.module.Error, UnicodeError, RuntimeError) as error:
            raise ToolArgumentError(f"the query does not parse: {error_line(str(error), {})}") from None
        names = [table.name for table in self.file.tables]
        for table in parsed.tables:
            name = table.lower().removeprefix("memory.").removeprefix("main.")
            if name not in names and name not in parsed.own:
                raise ToolArgumentError(no_table(table, names))
        return parsed

    def _explained(self, error: str, query: Query) -> str:
        """DuckDB's error with the nearest names that there are."""
        used = self._used(query) or self.file.tables
        names = {table.name: [self._name(column) for column, _ in table.columns] for table in used}
        return error_line(error, names, query.text)

    def _holder(self, text: str) -> str:
        """The first column, of the first sixty of texts, that has this text in some row, and how; "" without one.

        A letter is the same with and without its accent.
        """
        every = ((table.name, name) for table in self.file.tables for name, kind in table.columns if kind == "VARCHAR")
        for table, name in islice(every, _MOST_COLUMNS):
            has = f"SELECT {quoted(name)} FROM {quoted(table)} WHERE strip_accents({quoted(name)}) = strip_accents(?)"
            if found := self.cursor.execute(f"{has} LIMIT 1", [text]).fetchone():
                return f"{table}.{self._name(name)} has {one_line(repr(found[0]), 60)}; "
        return ""

    def _compared(self, query: Query) -> Iterator[tuple[Comparison, tuple[str, str], str]]:
        """Give each comparison with each table and column that it may mean, and the column's type."""
        for comparison in query.comparisons:
            for table in self._used(query):
                for column, kind in table.columns:
                    if column.lower() == comparison.column.lower():
                        yield comparison, (table.name, column), kind

    def _check_texts(self, query: Query) -> None:
        """Raise ``ToolArgumentError`` for the first text that its column does not hold in any row."""
        holders: dict[Comparison, list[tuple[str, str]]] = {}
        for comparison, holder, kind in self._compared(query):
            if kind == "VARCHAR" and comparison.sign in ("=", "LIKE"):
                holders.setdefault(comparison, []).append(holder)
        for comparison, columns in holders.items():
            if not any(self._holds(table, column, comparison) for table, column in columns):
                raise ToolArgumentError(self._no_such_text(comparison, columns))

    def _holds(self, table: str, column: str, comparison: Comparison) -> bool:
        sign = "ILIKE" if comparison.sign == "LIKE" else "="
        text = f"SELECT 1 FROM {quoted(table)} WHERE {quoted(column)} {sign} ? LIMIT 1"
        return self.cursor.execute(text, [comparison.text]).fetchone() is not None

    def _no_such_text(self, comparison: Comparison, holders: Sequence[tuple[str, str]]) -> str:
        column = self._name(holders[0][1])
        parts = " UNION ".join(f"SELECT DISTINCT {quoted(name)} AS v FROM {quoted(table)}" for table, name in holders)
        distinct = f"SELECT v FROM ({parts}) WHERE v IS NOT NULL ORDER BY v LIMIT {_MOST_DISTINCT}"
        values = [str(row[0]) for row in self.cursor.execute(distinct).fetchall()]
        close = nearest(comparison.text.strip("%_ "), values, _MOST_VALUES)
        where = self._holder(comparison.text.strip("%_ "))
        if len(values) > _MOST_VALUES and close:
            hint = f"the nearest values of {column} are"
        else:
            hint, close = f"values of {column} are", values[:_MOST_VALUES]
        more = ", …" if len(values) > len(close) else ""
        listed = ", ".join(one_line(value, 40) for value in close) or "none"
        text = one_line(repr(comparison.text), 60)
        return one_line(f"no row has {column} {comparison.sign} {text}; {where}{hint}: {listed}{more}", 500)

    def _name(self, column: str) -> str:
        return identifier(column, self.file.keywords)

    def _used(self, query: Query) -> list[TableInfo]:
        """The tables that the query reads."""
        names = {name.lower().split(".")[-1] for name in query.tables}
        return [table for table in self.file.tables if table.name in names]
