"""The tables of a file, each with its reading: what runs in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import compress
from operator import not_
from typing import TYPE_CHECKING

from aeon.errors import ToolFailed
from aeon.tables.casting import cast, days_of, unit_of
from aeon.tables.columns import Evidence, Guess, Said, conventions, guess
from aeon.tables.conventions import CONVENTIONS
from aeon.tables.days import ORDERS, is_short, orders, read_day
from aeon.tables.filling import Raw
from aeon.tables.layout import names
from aeon.tables.naming import literal, quoted, unique
from aeon.tables.reading import Column, LeftOut, Reading, Ways
from aeon.tables.shapes import MOST, Shape, pattern_of, shape, shape_of, shapes
from aeon.tables.stated import StatedColumn
from aeon.tables.totals import Sums, totals
from aeon.text import one_line

if TYPE_CHECKING:
    import duckdb

__all__ = ["take"]

_MOST_SUMMED = 20_000
"""Rows up to which totals are looked for."""
_SEVERAL_ORDERS = "days in several orders, or none"
_UNTOLD = "days whose month cannot be told from the day"
_MOST_DAYS = 100_000
_MOST_NUMBERS = 100
"""Columns of numbers, and of texts, that are looked at for totals."""
_FEW_CELLS = 200_000
"""Cells of a table up to which their shapes are found here; DuckDB finds those of more."""
_SUM = "the sum of others, in a table of its own"
_SAMPLE = 1_000
"""Rows at the beginning, at the end and between of a long table whose cells are looked at first."""
_PLAIN_DAY = "9999-99-99"
_MOST_NAMED = 3
_SORTED = 500_000
"""Rows that are put into a table at a time."""
_MOST_TOLD = 20
"""Comments that are told by their rows."""
_LONGEST_NAME = 100


def take(connection: duckdb.DuckDBPyConnection, raw: Raw, target: str) -> tuple[Reading, bool]:
    """Make the table ``target`` of the rows, each column of its type, and say how they were read.

    The second value says whether there are rows that are sums of others: these stand in ``target_totals`` alone.
    """
    found = _Found(connection, raw)
    if raw.stated.nothing:
        found.empty(raw.stated.nothing)
    found.drop_comments()
    guesses = found.guesses()
    sums = found.sums(guesses)
    if sums.sure:
        which = f"{raw.line} IN ({', '.join(map(str, sums.sure))})"
        connection.execute(f"CREATE OR REPLACE TEMP TABLE totals AS SELECT * FROM raw WHERE {which}")
        connection.execute(f"DELETE FROM raw WHERE {which}")
        guesses = found.guesses()
    return found.written(target, guesses, sums), bool(sums.sure)


class _Found:
    """What is found out about the rows of a table; where they have few cells, in this process."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, raw: Raw) -> None:
        self._connection = connection
        self._raw = raw
        own = names([row for _, row in raw.header], raw.width)
        self._names = unique([one_line(name, _LONGEST_NAME) for name in own], fold=str.lower)
        self._named = [bool(name) for name in own]
        if missing := sorted(raw.stated.columns.keys() - {*self._names}):
            raise ToolFailed(f"there is no column {one_line(missing[0], 60)!r}, of which something is stated")

    def guesses(self) -> list[Guess]:
        """What each column is, in the light of the others."""
        shapes = self._shapes()
        known = frozenset(CONVENTIONS)
        plain = [self._raw.left + at in self._raw.marks.plain for at in range(len(shapes))]
        for column in compress(shapes, map(not_, plain)):
            known = (known & conventions(column)) or known
        evidence = (
            Evidence(self._raw.delimiter, known, self._said(name), is_plain)
            for name, is_plain in zip(self._names, plain, strict=True)
        )
        return [*map(guess, shapes, evidence)]

    def _said(self, name: str) -> Said:
        """What is stated of a column."""
        stated = self._raw.stated
        own = stated.columns.get(name)
        return Said(own.type if own else None, stated.convention(name), (own and own.unit) or "")

    def empty(self, stated: Sequence[str]) -> None:
        """Let cells that are stated to hold nothing do so."""
        texts = ", ".join(map(literal, stated))
        for column in (f"c{at}" for at in range(self._raw.width)):
            self._connection.execute(f"UPDATE raw SET {column} = NULL WHERE {column} IN ({texts})")

    def drop_comments(self) -> None:
        """Leave out rows of a text that have one cell alone, with the sign of a comment, where others have none."""
        if not self._raw.delimiter or self._raw.width < 2:
            return
        signed, empty = "starts_with(c0, '#')", " AND ".join(f"c{at} IS NULL" for at in range(1, self._raw.width))
        query = f"SELECT count(*), count(*) FILTER ({empty}) FROM raw WHERE {signed}"
        every, alone = self._connection.execute(query).fetchone() or (0, 0)
        if not alone or every > alone:
            return
        where = f"WHERE {signed} AND {empty}"
        first = self._connection.execute(f"SELECT {self._raw.line} FROM raw {where} ORDER BY 1 LIMIT {_MOST_TOLD}")
        left = tuple(LeftOut(line, line, "a comment") for (line,) in first.fetchall())
        more = (f"{alone - len(left):,} more comments left out",) if alone > len(left) else ()
        raw = replace(self._raw, left_out=(*self._raw.left_out, *left), notes=(*self._raw.notes, *more))
        self._raw = raw
        self._connection.execute(f"DELETE FROM raw {where}")

    def lines(self, stated: Sequence[int]) -> tuple[int, ...]:
        """Those lines, each of which is one of a row. Raises ``ToolFailed``."""
        rows = self._connection.execute(f"SELECT {self._raw.line} FROM raw").fetchall() if stated else []
        if missing := sorted({*stated} - {line for (line,) in rows}):
            raise ToolFailed(f"row {missing[0]}, which is stated to be a total, is none of its rows")
        return tuple(stated)

    def _shapes(self) -> list[Sequence[Shape]]:
        """The shapes of each column's cells."""
        columns = [f"c{at}" for at in range(self._raw.width)]
        rows = self._count()
        is_long = rows * len(columns) > _FEW_CELLS
        places = f"WHERE rowid < {_SAMPLE} OR rowid >= {rows - _SAMPLE} OR rowid % {max(1, rows // _SAMPLE)} = 0"
        cells = f"SELECT {', '.join(columns)} FROM raw {places if is_long else ''}"
        found = self._connection.execute(cells).fetchall()
        shaped = [shapes(row[at] for row in found if row[at]) for at in range(len(columns))]
        return [self._checked(*one) for one in zip(columns, shaped, strict=True)] if is_long else [*shaped]

    def _count(self) -> int:
        """How many rows there are."""
        found = self._connection.execute("SELECT count(*) FROM raw").fetchone()
        return int(found[0]) if found else 0

    def _checked(self, column: str, sampled: Sequence[Shape]) -> Sequence[Shape]:
        """The shapes of a column in some of its rows, where all have one of these or are texts; else those of all."""
        if guess(sampled, Evidence()).kind == "text" and not any(one.zeros for one in sampled):
            return sampled
        other = f"NOT regexp_full_match({column}, {literal('|'.join(map(pattern_of, sampled)))})"
        zeros = f"regexp_matches({column}, '^[^0-9]*0[0-9]')"
        found = self._connection.execute(f"SELECT bool_or({other}), bool_or({zeros}) FROM raw").fetchone() or (
            True,
            True,
        )
        return self._counted(column) if found[0] or found[1] else sampled

    def _counted(self, column: str) -> Sequence[Shape]:
        """The shapes of all cells of a column."""
        query = f"SELECT {shape_of(column)}, count(*), min({column}), max({column}) FROM raw WHERE {column} IS NOT NULL"
        rows = self._connection.execute(f"{query} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MOST + 1}").fetchall()
        return [Shape.of(*row) for row in rows]

    def sums(self, guesses: Sequence[Guess]) -> Sums:
        """The lines of the rows that are totals: the stated ones, those that a pivot table says, or what is found."""
        stated, said = self._raw.stated.totals, self._raw.marks.totals
        if stated is not None:
            return Sums(self.lines(stated))
        return Sums(self._present(said)) if said else self._found_sums(guesses)

    def _present(self, lines: Sequence[int]) -> tuple[int, ...]:
        """Those of the lines that are lines of rows."""
        which = f"{self._raw.line} IN ({', '.join(map(str, lines))})"
        rows = self._connection.execute(f"SELECT {self._raw.line} FROM raw WHERE {which} ORDER BY rowid").fetchall()
        return tuple(line for (line,) in rows)

    def _found_sums(self, guesses: Sequence[Guess]) -> Sums:
        """The lines of the rows that are totals by what they add up to, as far as they are looked for."""
        numbers = [at for at, one in enumerate(guesses) if one.kind == "number" and one.unit != "%"][:_MOST_NUMBERS]
        if not numbers or self._count() > _MOST_SUMMED:
            return Sums()
        cells = ", ".join(cast(f"c{at}", guesses[at]) for at in numbers)
        query = f"SELECT {self._raw.line}, {_labels(guesses)}, {cells} FROM raw ORDER BY rowid"
        lines, counts, *columns = zip(*self._connection.execute(query).fetchall(), strict=True)
        found = totals([[*map(_exact, column)] for column in columns], counts)
        return Sums(tuple(lines[at] for at in found.sure), tuple(lines[at] for at in found.open))

    def written(self, target: str, guesses: Sequence[Guess], sums: Sums) -> Reading:
        """Make the table, and say how it is read."""
        columns = [*self._described(guesses)]
        left = self._raw.left
        beyond = self._raw.marks.doubts(range(left, left + self._raw.width))
        cells = ", ".join(f"{cell} AS {quoted(column.name)}" for column, cell in columns)
        is_joined = any(cell.startswith("(SELECT") for _, cell in columns)
        self._make(target, cells, is_joined=is_joined)
        if sums.sure:
            self._connection.execute(f"CREATE TABLE {target}_totals AS SELECT {cells} FROM totals ORDER BY rowid")
        return Reading(
            header=tuple(line for line, _ in self._raw.header),
            columns=tuple(column for column, _ in columns),
            rows=self._count(),
            left_out=(*self._raw.left_out, *_sums_left_out(sums)),
            totals=sums.sure,
            surplus=self._raw.surplus,
            notes=(*self._raw.notes, *(f"row {line} may be the sum of others" for line in sums.open), *beyond),
        )

    def _make(self, target: str, cells: str, *, is_joined: bool) -> None:
        """Make the table, in the order of the rows.

        A join need not keep it: then so many rows are taken at a time that DuckDB has the memory to sort them.
        """
        if not is_joined:
            self._connection.execute(f"CREATE TABLE {target} AS SELECT {cells} FROM raw")
            return
        last = (self._connection.execute("SELECT max(rowid) FROM raw").fetchone() or (None,))[0] or 0
        for first in range(0, int(last) + 1, _SORTED):
            begin = f"CREATE TABLE {target} AS" if first == 0 else f"INSERT INTO {target}"
            some = f"WHERE rowid >= {first} AND rowid < {first + _SORTED}"
            self._connection.execute(f"{begin} SELECT {cells} FROM raw {some} ORDER BY rowid")

    def _described(self, guesses: Sequence[Guess]) -> Iterator[tuple[Column, str]]:
        """The columns that have a name or hold anything, with the expressions for their cells."""
        for at, one in enumerate(guesses):
            if self._named[at] or one.is_filled or self._marked(at):
                yield from self._columns(at, one)

    def _columns(self, at: int, one: Guess) -> Iterator[tuple[Column, str]]:
        """A column, and the expression that gives its cells; behind it that of its units, where it has several."""
        column, cells = self._column(at, one)
        column = replace(column, doubt=", ".join(filter(None, (column.doubt, self._marked(at)))))
        _check(column, self._raw.stated.columns.get(column.name))
        yield column, cells
        if one.conversion:
            yield Column(self._free(f"{self._names[at]} as written"), units_of=self._names[at]), f"c{at}"
        elif one.is_mixed:
            yield Column(self._free(f"{self._names[at]} unit"), units_of=self._names[at]), unit_of(f"c{at}", one)

    def _marked(self, at: int) -> str:
        """What is marked in the cells of a column that makes them doubtful."""
        return self._raw.marks.doubt(self._raw.left + at)

    def _free(self, name: str) -> str:
        """A name that no column has yet."""
        return unique([*self._names, name], fold=str.lower)[-1]

    def _column(self, at: int, one: Guess) -> tuple[Column, str]:
        """A column, and the expression that gives its cells."""
        name, cell = self._names[at], f"c{at}"
        if one.kind == "day":
            return self._days(at, one)
        stated = self._raw.stated.columns.get(name)
        column = Column(name, one.kind, one.sql_type, (stated and stated.unit) or one.unit, nothing=_nothing(one))
        column = replace(column, note=one.note or _units(one), doubt=one.doubt, ways=one.ways)
        return replace(column, convention=one.convention) if one.kind == "number" else column, cast(cell, one)

    def _days(self, at: int, one: Guess) -> tuple[Column, str]:
        """The same of a column of days: each cell is looked up; of texts where their order cannot be told."""
        name, cell = self._names[at], f"c{at}"
        stated = self._raw.stated.columns.get(name)
        days = self._different(cell, one)
        found = orders(days) & {stated.days} if stated and stated.days else orders(days)
        if len(found) != 1:
            column = Column(name, doubt=_UNTOLD, ways=_ways(days)) if found else Column(name, note=_SEVERAL_ORDERS)
            return column, cast(cell, Guess("text"))
        order = next(iter(found))
        note = "years of two digits are from 1969 to 2068" if any(is_short(one.text) for one in one.shapes) else ""
        column = Column(name, "day", one.sql_type, order=order, nothing=_nothing(one), note=note)
        if all(found.text == _PLAIN_DAY for found in one.shapes) and all(map(str.isascii, days)):
            return column, f"TRY_CAST({cell} AS DATE)"
        known = days_of(days, order)
        listed = "SELECT unnest($1::VARCHAR[]) AS cell, unnest($2::DATE[]) AS day"
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE days{at} AS {listed}", [[*known], [*known.values()]])
        return column, f"(SELECT day FROM days{at} WHERE cell = {cell})"

    def _different(self, cell: str, one: Guess) -> list[str]:
        """The different cells of a column that have the shapes of its values."""
        query = f"SELECT DISTINCT {cell} FROM raw WHERE {cell} IS NOT NULL LIMIT {_MOST_DAYS}"
        known = {found.text for found in one.shapes}
        return [text for (text,) in self._connection.execute(query).fetchall() if shape(text) in known]


def _check(column: Column, stated: StatedColumn | None) -> None:
    """Raise ``ToolFailed`` for a column that is not what is stated of it."""
    if stated is None:
        return
    kind = stated.type or (stated.numbers and "number") or (stated.days and "day") or column.kind
    if column.kind != kind:
        raise ToolFailed(f"column {one_line(column.name, 60)!r} is no {kind}, as is stated")


def _labels(guesses: Sequence[Guess]) -> str:
    """The expression for how many texts a row has."""
    texts = [f"(c{at} IS NOT NULL)::INT" for at, one in enumerate(guesses) if one.kind != "number"]
    return " + ".join(texts[:_MOST_NUMBERS]) or "0"


def _exact(value: object) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def _sums_left_out(sums: Sums) -> Iterator[LeftOut]:
    return (LeftOut(line, line, "the sum of others, in a table of its own") for line in sums.sure)


def _ways(days: Sequence[str]) -> Ways | None:
    """What a day is whose month may be told from the day in two ways."""
    read = ((day, [(order, read_day(day, order)) for order in ORDERS[1:]]) for day in days)
    cell, found = next(((day, found) for day, found in read if found[0][1] != found[1][1]), ("", []))
    return Ways(cell, tuple((order, str(value)) for order, value in found)) if found else None


def _nothing(one: Guess) -> tuple[tuple[str, int], ...]:
    """The cells of a column that hold no value, the first few of them, and how many there are of each."""
    return tuple((odd.example, odd.cells) for odd in one.odd[:_MOST_NAMED]) if one.kind != "text" else ()


def _units(one: Guess) -> str:
    """What is said of a column with several units."""
    listed = ", ".join(filter(None, one.units))
    if one.conversion:
        return f"converted into {one.conversion.unit} ({listed})"
    kind = "several units" if len(one.units) > 1 and all(one.units) else "some with a unit"
    return f"{kind} ({listed})" if one.is_mixed else ""
