"""The values of columns that stand in a text, as whole words and as they are written in the tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from aeon.errors import ToolError
from aeon.tools.database import Database
from aeon.tools.tableinfo import Named, quoted

__all__ = ["values_named"]

_WORD = re.compile(r"\w+")
_PLAIN = "trim(regexp_replace(lower({}), '[^\\p{{L}}\\p{{N}}]+', ' ', 'g'))"
_MOST_COLUMNS = 60
_MOST_VALUES = 20
"""Values of one column that are looked at."""
_MOST_NAMED = 6
_LONGEST_TEXT = 3_000


def values_named(database: Database, text: str) -> tuple[Named, ...]:
    """The values of columns of text that stand in a text, in its order, six at most; of two that overlap the longer.

    A column that takes too long to look through has none.
    """
    there = _spaced(text[:_LONGEST_TEXT])
    every = ((table.name, name) for table in database.tables for name, kind in table.columns if kind == "VARCHAR")
    columns = islice(every, _MOST_COLUMNS)
    found = {(column, value) for table, column in columns for value in _within(database, table, column, there)}
    return tuple(Named(column, value) for _, column, value in _placed(found, there)[:_MOST_NAMED])


def _placed(found: set[tuple[str, str]], there: str) -> list[tuple[int, str, str]]:
    """The values that are no part of another, with where they stand first."""
    longest = [one for one in found if not any(_is_part(one[1], other) for _, other in found)]
    return sorted((there.find(_spaced(value)), column, value) for column, value in longest)


def _within(database: Database, table: str, column: str, there: str) -> Iterator[str]:
    """The values of a column that are part of a text of words with blanks between them."""
    plain = _PLAIN.format(quoted(column))
    query = (
        f"SELECT DISTINCT {quoted(column)} AS v FROM {quoted(table)} "
        f"WHERE length({plain}) > 1 AND contains('{there}', ' ' || {plain} || ' ') ORDER BY v"
    )
    try:
        found = database.query(f"SELECT list(v) FROM ({query} LIMIT {_MOST_VALUES})")
    except ToolError:
        return
    yield from (str(value) for value in (found if isinstance(found, list) else []) if not str(value).isdigit())


def _is_part(value: str, other: str) -> bool:
    """Whether a value is only a part of another one, such as ``table`` of ``table lamp``."""
    part, whole = _spaced(value), _spaced(other)
    return len(part) < len(whole) and part in whole


def _spaced(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.lower().replace('_', ' ')))} "
