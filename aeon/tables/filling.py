"""The rows of a table put into DuckDB, all cells as texts."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from aeon.errors import ToolFailed
from aeon.tables.delimited import LARGE, Delimited, Lined
from aeon.tables.layout import Region, regions
from aeon.tables.marks import NOTHING_MARKED, Marks
from aeon.tables.naming import literal
from aeon.tables.placing import stated_region
from aeon.tables.reading import LeftOut
from aeon.tables.stated import NOTHING_STATED, Stated

if TYPE_CHECKING:
    import duckdb

__all__ = ["Filling", "Raw"]

_HEAD = 200
"""Rows of a large file in which its first table begins."""
_MAX_COLUMNS = 2_048
"""DuckDB reserves some 300 KB for each while they are read."""
_MAX_FILLED = 1_000_000
_OFTEN, _ALWAYS = 0.2, 0.95
"""The share of rows with cells beyond the names of columns from which on these are columns, too; and of rows with one
more than there are names from which on the first column is the one without."""
_FEW = 3
"""Rows that say nothing about a habit."""
_FORM = "header=false, auto_detect=false, quote='\"', escape='\"', nullstr='', max_line_size=33554432"


@dataclass(frozen=True)
class Raw:
    """The rows of a table in DuckDB's table ``raw``: ``c0`` and so on are its cells.

    ``line`` is the expression for where a row stands. ``left`` columns stand before the first one; ``marks`` are those
    of a sheet. ``header`` are its rows of names, ``left_out`` and ``surplus`` cells what is not in it.
    """

    header: tuple[Lined, ...] = ()
    width: int = 0
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    delimiter: str = ""
    surplus: int = 0
    line: str = "line"
    stated: Stated = NOTHING_STATED
    left: int = 0
    marks: Marks = NOTHING_MARKED


class Filling:
    """Fills the table ``raw`` again and again; ``scratch`` is a folder for what passes through it."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, scratch: Path, errors: type[Exception]) -> None:
        self.connection = connection
        self._file = scratch / "rows.csv"
        self._errors = errors

    def region(self, rows: Sequence[Lined], region: Region, plain: Raw) -> Raw:
        """The table of a region, whose lines stand in the file where their numbers say."""
        apart = {at for one in region.left_out for at in range(one.first - 1, one.last)}
        own = [(line, row) for at, (line, row) in enumerate(rows) if region.top <= at < region.end and at not in apart]
        own = [(line, row) for line, row in own if any(row)]
        left = tuple(replace(one, first=rows[one.first - 1][0], last=rows[one.last - 1][0]) for one in region.left_out)
        notes = plain.notes if region.header else (*plain.notes, "it has no row of names")
        return self._table(own[: region.header], own[region.header :], replace(plain, left_out=left, notes=notes))

    def stream(self, rows: Iterator[Lined], plain: Raw) -> Raw:
        """The table of rows that come one after the other, the first of them names, and all of one width."""
        if plain.stated.is_placed:
            raise ToolFailed("its rows are those of a database, and cannot be stated")
        named = list(islice(rows, 1))
        return self._written(named, rows, max(map(_width, named), default=0), plain)

    def large(self, text: Delimited, path: Path, plain: Raw) -> Raw:
        """The table of a large file, which DuckDB reads; the first rows say where it begins."""
        if plain.stated.last is not None:
            raise ToolFailed(f"'last' cannot be stated of a file of more than {LARGE // 10**6} MB")
        head = list(text.rows(_HEAD))
        first = (stated_region(head, plain.stated) or regions([row for _, row in head]))[0]
        named, begin = _begin(head, first)
        width = max(map(_width, named or head))
        _check(width, 0, 0)
        plain = replace(plain, left_out=tuple(_above(head, first)))
        try:
            source = path if text.encoding == "utf-8-sig" else self._transcoded(path, text.encoding)
            self._load(str(source), width, f"null_padding=true, delim={literal(text.delimiter)}, skip={begin}", begin)
        except self._errors:
            if not text.whole:
                raise
            return self._table(named, _below(text, begin), plain)
        return replace(plain, header=tuple(named), width=width, line=f"rowid + {begin + 1}")

    def _table(self, named: list[Lined], body: list[Lined], plain: Raw) -> Raw:
        """The table of rows that are all here, which say how wide it is."""
        width = max(map(_width, named), default=0)
        wider = [more for row in body if (more := _width(row) - width) > 0]
        if len(named) == 1 and len(body) > _FEW and wider.count(1) >= _ALWAYS * len(body):
            named = [(named[0][0], ["", *named[0][1]])]
            plain = replace(plain, notes=(*plain.notes, "the first column has no name, as rows have one cell more"))
            width += 1
        elif not named or len(wider) > max(_FEW, _OFTEN * len(body)):
            width = max(map(_width, [*named, *body]), default=0)
        _check(width, len(body), sum(min(len(row), width) for _, row in body))
        return self._written(named, body, width, replace(plain, surplus=_surplus(body, width)))

    def _written(self, named: Sequence[Lined], body: Iterable[Lined], width: int, plain: Raw) -> Raw:
        """Write the rows below the names where DuckDB takes them from."""
        with self._file.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
            writer.writerows([line, *row[:width], *[""] * (width - len(row))] for line, row in body)
        self._load(str(self._file), width, "parallel=false, delim=',', new_line='\\n'")
        self._file.unlink()
        return replace(plain, header=tuple(named), width=width)

    def _load(self, path: str, width: int, form: str, begin: int | None = None) -> None:
        """Take over a file whose first cell says the line, or one of cells alone that begins behind a line."""
        names = [f"c{at}" for at in range(width)]
        columns = ", ".join(f"'{name}': 'VARCHAR'" for name in names)
        lined = f"'line': 'BIGINT', {columns}" if begin is None else columns
        rows = f"read_csv({literal(path)}, columns={{{lined}}}, {_FORM}, {form})"
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE raw AS SELECT * FROM {rows}")
        if begin is None:
            return
        for name in self._spaced(names):
            self.connection.execute(f"UPDATE raw SET {name} = nullif(trim({name}, ' \t\u00a0'), '')")

    def _spaced(self, names: Sequence[str]) -> list[str]:
        """The columns of which cells may have spaces around them; most tables have none."""
        spaced = [_is_spaced(name) for name in names]
        if not self.connection.execute(f"SELECT 1 FROM raw WHERE {' OR '.join(spaced)} LIMIT 1").fetchone():
            return []
        spaces = ", ".join(f"bool_or({one})" for one in spaced)
        found = self.connection.execute(f"SELECT {spaces} FROM raw").fetchone() or ()
        return [name for name, is_spaced in zip(names, found, strict=True) if is_spaced]

    def _transcoded(self, path: Path, encoding: str) -> Path:
        with (
            path.open(encoding=encoding, errors="replace", newline="") as source,
            self._file.open("w", encoding="utf-8", newline="") as target,
        ):
            while block := source.read(1 << 20):
                target.write(block)
        return self._file


def _is_spaced(column: str) -> str:
    """The expression for whether a cell may have spaces around it; only one that is not all ASCII takes long."""
    wide = f"strlen({column}) <> length({column}) AND regexp_matches({column}, '^\\x{{A0}}|\\x{{A0}}$')"
    return f"{column} < '!' OR ends_with({column}, ' ') OR ends_with({column}, '\t') OR ({wide})"


def _width(lined: Lined) -> int:
    """How many cells a row has up to its last one that is filled."""
    row = lined[1]
    return next((at for at in range(len(row), 0, -1) if row[at - 1]), 0)


def _begin(head: Sequence[Lined], first: Region) -> tuple[list[Lined], int]:
    """The rows of names of a table that begins in these rows, and the line before its others."""
    body = _body(first)
    named = head[first.top : first.top + first.header]
    return [*named], head[body][0] - 1 if body < len(head) else head[-1][0]


def _body(first: Region) -> int:
    """The place of the first row below the names of a table, and below what is left out there."""
    body = first.top + first.header
    return next((one.last for one in first.left_out if one.first - 1 == body), body)


def _above(head: Sequence[Lined], first: Region) -> Iterator[LeftOut]:
    """What is left out before a table, by its lines."""
    above = (one for one in first.left_out if one.last <= _body(first))
    return (replace(one, first=head[one.first - 1][0], last=head[one.last - 1][0]) for one in above)


def _below(text: Delimited, begin: int) -> list[Lined]:
    """The rows behind a line."""
    return [row for row in text.rows() if row[0] > begin and any(row[1])]


def _surplus(rows: Sequence[Lined], width: int) -> int:
    """How many cells stand beyond the last column."""
    return sum(sum(map(bool, row[width:])) for _, row in rows if len(row) > width)


def _check(width: int, rows: int, held: int) -> None:
    if width > _MAX_COLUMNS:
        raise ToolFailed(f"it has {width:,} columns; up to {_MAX_COLUMNS:,} are read")
    if width * rows > max(10 * held, _MAX_FILLED):
        raise ToolFailed(f"it holds no table: most of its {rows:,} rows lack most of {width:,} columns")
