"""One number of a table for who must be sure of it: exactly, or with how far it may be off, or not at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from aeon.errors import ToolFailed
from aeon.schema.column import Aggregate, ColumnKind, aggregate_fault, condition_fault
from aeon.schema.frozen import Frozen
from aeon.tables.naming import quoted
from aeon.tables.shapes import is_nothing
from aeon.text import one_line
from aeon.tools.database import Database
from aeon.tools.tableinfo import TableInfo

__all__ = ["Measured", "Measurer", "TableQuery", "kinds_of"]

_NUMERIC = re.compile(r"(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL\(.*\)|DOUBLE|FLOAT)")
_KINDS: Mapping[str, ColumnKind] = {"DATE": "day", "TIMESTAMP": "day", "BOOLEAN": "truth", "VARCHAR": "text"}
_INEXACT = ("DOUBLE", "FLOAT")
_CLOSE = 1e-11
"""The share of an average, or of numbers that are no exact decimals, by which what is computed of them may be off."""
_MOST_DIGITS = 15
"""Digits of a decimal that are told exactly."""


class TableQuery(Frozen):
    """An aggregate of a column, of all rows, or of those in which the column ``where`` has the value ``equals``."""

    table: str = ""
    column: str = ""
    aggregate: Aggregate = "count"
    where: str = ""
    equals: str = ""


class Measured(NamedTuple):
    """A value, or none where no row has one; it is off by ``within`` at most."""

    value: int | float | str | None
    within: float = 0.0


def kinds_of(table: TableInfo) -> dict[str, ColumnKind]:
    """What each column of a table holds."""
    return {name: _kind(sql_type) for name, sql_type in table.columns}


@dataclass(frozen=True)
class Measurer:
    """Computes aggregates of one table as it stands in a database."""

    database: Database
    table: TableInfo

    def measure(self, query: TableQuery) -> Measured:
        """The value of an aggregate.

        Raises:
            ToolFailed: there is no such column, it has no such aggregate or condition, or the table was not read whole.
        """
        self._check(query)
        column, sql_type = quoted(query.column), dict(self.table.columns)[query.column]
        size = f"abs({column})" if sql_type in _INEXACT else "NULL"
        selected = f"{query.aggregate}({column}) AS value, {query.aggregate}({size}) AS size"
        found = self.database.query(f"SELECT {selected} FROM {quoted(self.table.name)}{self._condition(query)}")
        value, summed = found.values() if isinstance(found, dict) else (None, None)
        if not isinstance(value, int | float) or query.aggregate == "count":
            return Measured(value if isinstance(value, int | str) else None)
        if sql_type in _INEXACT or query.aggregate == "avg":
            return Measured(value, _CLOSE * max(abs(value), summed if isinstance(summed, int | float) else 0))
        return Measured(_told(value, sql_type))

    def _check(self, query: TableQuery) -> None:
        """Raise for what has no value, and for a table of which it is not known what stands where."""
        kinds, name = kinds_of(self.table), self.table.name
        for column in (query.column, *filter(None, [query.where])):
            if column not in kinds:
                raise ToolFailed(f"{name} has no column {one_line(column, 60)!r}; it has {', '.join(kinds)}")
        if odd := self._odd(query):
            raise ToolFailed(f"{name} was not read as it stands: {one_line(odd, 150)}")
        fault = aggregate_fault(query.column, kinds[query.column], query.aggregate)
        fault = fault or condition_fault(query.where, kinds.get(query.where, "text"), query.equals)
        if query.where and is_nothing(query.equals):
            fault = fault or f"{query.equals!r} says that a value is missing; name one that rows have"
        if fault:
            raise ToolFailed(one_line(fault, 250))

    def _odd(self, query: TableQuery) -> str:
        """What was not plainly read of the table or of the columns that are asked for, the first of it."""
        reading = self.table.reading
        asked = [column for column in reading.columns if column.name in (query.column, query.where)]
        odd = [one.told or f"{one.name}: {one.doubt or one.unit}" for one in asked if not one.is_plain]
        return next(iter([*reading.around, *odd]), "")

    def _condition(self, query: TableQuery) -> str:
        """The condition of a query. A number with more decimals than its column has stands in no row of it."""
        if not query.where:
            return ""
        column, sql_type = quoted(query.where), dict(self.table.columns)[query.where]
        value = "'" + query.equals.replace("'", "''") + "'"
        match _kind(sql_type):
            case "text":
                return f" WHERE CAST({column} AS VARCHAR) = {value}"
            case "day":
                return f" WHERE CAST({column} AS TIMESTAMP) = TRY_CAST({value} AS TIMESTAMP)"
            case "number" if sql_type not in _INEXACT:
                decimals = query.equals.partition(".")[2].rstrip("0")
                if len(decimals) > _scale(sql_type):
                    return " WHERE FALSE"
        return f" WHERE {column} = TRY_CAST({value} AS {sql_type})"


def _kind(sql_type: str) -> ColumnKind:
    return "number" if _NUMERIC.fullmatch(sql_type) else _KINDS.get(sql_type, "other")


def _told(value: float, sql_type: str) -> float:
    """A number as it is. Raises ``ToolFailed`` for a decimal of more digits than a float has."""
    if isinstance(value, float) and abs(value) * 10 ** _scale(sql_type) >= 10**_MOST_DIGITS:
        raise ToolFailed("the value has more digits than can be told")
    return value


def _scale(sql_type: str) -> int:
    """How many decimals a column of this type has."""
    return int(sql_type.rstrip(")").partition(",")[2] or 0)
