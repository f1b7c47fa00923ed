"""The tables of a file, each with its reading: what runs in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from aeon.tables.casting import cast, days_of
from aeon.tables.columns import Evidence, Guess, conventions, guess
from aeon.tables.days import orders
from aeon.tables.layout import names
from aeon.tables.naming import quoted, unique
from aeon.tables.numerals import CONVENTIONS
from aeon.tables.reading import Column, LeftOut, Reading
from aeon.tables.shapes import MOST, Shape, shape, shape_of
from aeon.tables.totals import Sums, totals
from aeon.text import one_line

if TYPE_CHECKING:
    import duckdb

__all__ = ["Raw", "take"]

_MOST_SUMMED = 20_000
"""Rows up to which totals are looked for anywhere; in longer tables at the end alone."""
_MOST_DAYS = 100_000
_MOST_NAMED = 3
_LONGEST_NAME = 100


@dataclass(frozen=True)
class Raw:
    """The rows of a table in DuckDB, all of them texts: the columns ``c0`` and so on, and ``line``, where each stands.

    ``header`` are its rows of names, ``left_out`` what of the file is not in it.
    """

    table: str
    header: tuple[tuple[int, Sequence[str]], ...]
    width: int
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    delimiter: str = ""
    surplus: int = 0


def take(connection: duckdb.DuckDBPyConnection, raw: Raw, target: str) -> Reading:
    """Make the table ``target`` of the rows, each column of its type, and say how they were read."""
    found = _Found(connection, raw)
    guesses = found.guesses()
    sums = found.sums(guesses)
    if sums.sure:
        connection.execute(f"DELETE FROM {raw.table} WHERE line IN ({', '.join(map(str, sums.sure))})")
        guesses = found.guesses()
    return found.written(target, guesses, sums)


class _Found:
    def __init__(self, connection: duckdb.DuckDBPyConnection, raw: Raw) -> None:
        self._connection = connection
        self._raw = raw
        own = names([row for _, row in raw.header], raw.width)
        self._names = unique([one_line(name, _LONGEST_NAME) for name in own], fold=str.lower)
        self._named = [bool(name) for name in own]

    def guesses(self) -> list[Guess]:
        """What each column is, in the light of the others."""
        shapes = [self._shapes(f"c{at}") for at in range(self._raw.width)]
        known = frozenset(CONVENTIONS)
        for column in shapes:
            known = (known & conventions(column)) or known
        evidence = Evidence(self._raw.delimiter, known)
        return [guess(column, evidence) for column in shapes]

    def _shapes(self, column: str) -> list[Shape]:
        start = f"regexp_extract({column}, '[^-+( ].?')"
        rows = self._connection.execute(
            f"SELECT {shape_of(column)} AS shape, count(*), min({column}), bool_or(regexp_matches({start}, '0[0-9]')),"
            f" bool_or(regexp_matches({start}, '0[.,]')) FROM {self._raw.table} WHERE {column} IS NOT NULL"
            f" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MOST + 1}"
        ).fetchall()
        return [Shape(*row) for row in rows]

    def sums(self, guesses: Sequence[Guess]) -> Sums:
        """The lines of the rows that are totals, as far as they are looked for."""
        numbers = [at for at, one in enumerate(guesses) if one.kind == "number" and one.unit != "%"]
        texts = [at for at, one in enumerate(guesses) if at not in numbers]
        if not numbers:
            return Sums()
        cells = ", ".join(cast(f"c{at}", guesses[at]) for at in numbers)
        filled = " + ".join(f"(c{at} IS NOT NULL)::INT" for at in texts) or "0"
        rows = self._connection.execute(
            f"SELECT line, {filled}, {cells} FROM {self._raw.table} ORDER BY rowid LIMIT {_MOST_SUMMED + 1}"
        ).fetchall()
        if len(rows) > _MOST_SUMMED:
            return Sums()
        columns = [
            [None if row[at] is None else Decimal(str(row[at])) for row in rows] for at in range(2, len(numbers) + 2)
        ]
        found = totals(columns, [row[1] for row in rows])
        return Sums(tuple(rows[at][0] for at in found.sure), tuple(rows[at][0] for at in found.open))

    def written(self, target: str, guesses: Sequence[Guess], sums: Sums) -> Reading:
        """Make the table, and say how it is read."""
        described = [self._column(at, one) for at, one in enumerate(guesses)]
        kept = [at for at, one in enumerate(guesses) if self._named[at] or one.shapes or self._has_cells(at)]
        cells = [f"{self._cell(at, guesses[at], described[at])} AS {quoted(described[at].name)}" for at in kept]
        self._connection.execute(
            f"CREATE TABLE {target} AS SELECT {', '.join(cells)} FROM {self._raw.table} ORDER BY rowid"
        )
        count = self._connection.execute(f"SELECT count(*) FROM {target}").fetchone()
        left = tuple(LeftOut(line, line, "the sum of others") for line in sums.sure)
        notes = [*self._raw.notes, *(f"row {line} may be the sum of others" for line in sums.open)]
        return Reading(
            header=tuple(line for line, _ in self._raw.header),
            columns=tuple(described[at] for at in kept),
            rows=int(count[0]) if count else 0,
            left_out=(*self._raw.left_out, *left),
            totals=sums.sure,
            surplus=self._raw.surplus,
            notes=tuple(notes),
        )

    def _has_cells(self, at: int) -> bool:
        found = self._connection.execute(f"SELECT 1 FROM {self._raw.table} WHERE c{at} IS NOT NULL LIMIT 1").fetchone()
        return found is not None

    def _column(self, at: int, one: Guess) -> Column:
        nothing = self._nothing(at, one) if one.kind != "text" else ()
        column = Column(
            self._names[at], one.kind, one.sql_type, one.unit, nothing=nothing, note=one.note, doubt=one.doubt
        )
        if one.kind == "number":
            return replace(column, convention=one.convention)
        if one.kind != "day":
            return column
        found = orders(self._different(at, one))
        if len(found) == 1:
            return replace(column, order=next(iter(found)))
        doubt = "days whose month cannot be told from the day" if found else "days in several orders"
        return replace(column, kind="text", sql_type="VARCHAR", nothing=(), doubt=doubt)

    def _cell(self, at: int, one: Guess, column: Column) -> str:
        if one.kind != "day":
            return cast(f"c{at}", one)
        if column.kind == "text":
            return cast(f"c{at}", Guess("text"))
        table = f"days{at}"
        days = days_of(self._different(at, one), column.order)
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} (cell VARCHAR, day DATE)")
        self._connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", [*days.items()])
        return f"(SELECT day FROM {table} WHERE cell = c{at})"

    def _different(self, at: int, one: Guess) -> list[str]:
        """The different cells of a column that have the shapes of its values."""
        rows = self._connection.execute(
            f"SELECT DISTINCT c{at} FROM {self._raw.table} WHERE c{at} IS NOT NULL LIMIT {_MOST_DAYS}"
        ).fetchall()
        shapes = {found.text for found in one.shapes}
        return [cell for (cell,) in rows if shape(cell) in shapes]

    def _nothing(self, at: int, one: Guess) -> tuple[tuple[str, int], ...]:
        """The cells without a value, the most frequent first."""
        value = f"({cast(f'c{at}', one)}) IS NULL" if one.kind != "day" else "true"
        rows = self._connection.execute(
            f"SELECT c{at}, count(*) FROM {self._raw.table} WHERE c{at} IS NOT NULL AND {value} GROUP BY 1"
            " ORDER BY 2 DESC, 1 LIMIT 1000"
        ).fetchall()
        shapes = {found.text for found in one.shapes}
        return tuple((cell, count) for cell, count in rows if one.kind != "day" or shape(cell) not in shapes)[
            :_MOST_NAMED
        ]
