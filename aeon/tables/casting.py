"""A column's cells as values of its type, in SQL: what they say is found out by DuckDB, not cell by cell in Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from aeon.tables.columns import Guess
from aeon.tables.conventions import PLAIN
from aeon.tables.days import Order, read_day
from aeon.tables.naming import literal
from aeon.tables.numerals import pattern
from aeon.tables.shapes import MARKS, digits_of

__all__ = ["cast", "days_of", "unit_of"]

_RANGES = (("0", ":"), ("A", "["), ("a", "{"))
"""Where the digits and letters of ASCII begin, and what comes behind them."""


def cast(column: str, guess: Guess) -> str:
    """The expression that gives a cell of ``column`` as its type, NULL where it holds no value; not for days."""
    if guess.kind == "number":
        return _number(column, guess)
    if guess.kind in ("truth", "moment"):
        return f"TRY_CAST(rtrim({column}, 'Z') AS {guess.sql_type})"
    marks = ", ".join(map(literal, sorted(MARKS)))
    longest = max(map(len, MARKS))
    is_mark = f"length({column}) <= {longest} AND lower({column}) IN ({marks})"
    first = " OR ".join(f"{column} >= '{begin}' AND {column} < '{end}'" for begin, end in _RANGES)  # soon found out
    nothing = f"(NOT ({first}) AND NOT regexp_matches({column}, '[\\pL\\pN]')) OR ({is_mark})"
    return f"CASE WHEN {nothing} THEN NULL ELSE {column} END"


def unit_of(column: str, guess: Guess) -> str:
    """The expression that gives the unit of a cell in a column with several of them."""
    return _by_unit(column, {unit: literal(unit) for unit in guess.units if unit})


def _by_unit(column: str, values: Mapping[str, str]) -> str:
    """The expression that gives the value of the unit that a cell has."""
    named = sorted(values, key=len, reverse=True)
    cases = " ".join(f"WHEN contains({column}, {literal(unit)}) THEN {values[unit]}" for unit in named)
    return f"CASE {cases} END"


def days_of(cells: Iterable[str], order: Order) -> dict[str, str]:
    """The day of each cell that says one, as ISO 8601 writes it."""
    return {cell: day.isoformat() for cell in cells if (day := read_day(cell, order))}


def _number(column: str, guess: Guess) -> str:
    plain = all(set(one.text) <= {"9", "-", "."} and one.example.isascii() for one in guess.shapes)
    if plain and guess.convention == PLAIN and not guess.odd:
        return f"TRY_CAST({column} AS {guess.sql_type})"
    exponent = any(re.search("[eE]", one.text) for one in guess.shapes) and guess.sql_type == "DOUBLE"
    written = digits_of(column)
    whole = literal(pattern(guess.convention, guess.units, exponent=exponent))
    power = f"regexp_extract({written}, '[0-9]([eE][-+]?[0-9]+)', 1)" if exponent else "''"
    body = f"regexp_extract({written}, '[0-9.,][0-9.,''\\x{{2019}}\\x{{2009}}\\x{{202F}}\\x{{A0}} ]*')"
    kept = f"regexp_replace({body}, '[^0-9{re.escape(guess.convention.point)}]', '', 'g')"
    minus = f"CASE WHEN regexp_matches({written}, '^[^0-9]*[(\\-\\x{{2212}}\\x{{2013}}]') THEN '-' ELSE '' END"
    text = f"{minus} || replace({kept}, {literal(guess.convention.point)}, '.') || {power}"
    number = _converted(column, f"TRY_CAST({text} AS {guess.sql_type})", guess)
    return f"CASE WHEN regexp_full_match({written}, {whole}) THEN {number} END"


def _converted(column: str, number: str, guess: Guess) -> str:
    """The number of a cell in the unit of its column."""
    if guess.conversion is None:
        return number
    factors = {unit: str(factor) for unit, factor in guess.conversion.factors}
    return f"TRY_CAST({number} * {_by_unit(column, factors)} AS {guess.sql_type})"
