"""The values of columns that stand in a text, as whole words and as they are written in the tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from aeon.errors import ToolError
from aeon.language.unspaced import LETTERS, is_unspaced
from aeon.language.words import WORD
from aeon.tables.naming import quoted
from aeon.tools.database import Database
from aeon.tools.tableinfo import Named

__all__ = ["values_named"]

_PLAIN = "trim(regexp_replace(lower({}), '[^\\p{{L}}\\p{{N}}]+', ' ', 'g'))"
_MOST_COLUMNS = 60
_MOST_VALUES = 20
"""Values of one column that are looked at."""
_MOST_NAMED = 6
_LONGEST_TEXT = 3_000


def values_named(database: Database, text: str) -> tuple[Named, ...]:
    """The values of columns of text that stand in a text, in its order, six at most; of two that overlap the longer.

    In a script that puts no spaces between words a value may stand anywhere. A column that takes too long to look
    through has none.
    """
    text = text[:_LONGEST_TEXT]
    every = ((table.name, name) for table in database.tables for name, kind in table.columns if kind == "VARCHAR")
    columns = islice(every, _MOST_COLUMNS)
    found = {Named(where[1], value) for where in columns for value in _within(database, *where, text)}
    return tuple(_placed(found, text)[:_MOST_NAMED])


def _placed(found: set[Named], text: str) -> list[Named]:
    """The values that are no part of another, in the order in which they stand first."""
    longest = [one for one in found if not any(_is_part(one.value, other.value) for other in found)]
    return sorted(longest, key=lambda one: (_place(one.value, text), one))


def _place(value: str, text: str) -> int:
    """Where a value stands first; one in an unspaced script may stand within what would be a word elsewhere."""
    return text.lower().find(value.lower()) if is_unspaced(value) else _spaced(text).find(_spaced(value))


def _within(database: Database, table: str, column: str, text: str) -> Iterator[str]:
    """The values of a column that are part of a text."""
    plain, cell = _PLAIN.format(quoted(column)), quoted(column)
    conditions = [f"contains('{_spaced(text)}', ' ' || {plain} || ' ')"]
    if is_unspaced(text):
        raw = text.lower().replace("'", "''").replace("\x00", "")
        conditions.append(f"(regexp_matches({cell}, '[{LETTERS}]') AND contains('{raw}', lower({cell})))")
    query = (
        f"SELECT DISTINCT {cell} AS v FROM {quoted(table)} "
        f"WHERE length({plain}) > 1 AND ({' OR '.join(conditions)}) ORDER BY v"
    )
    try:
        found = database.query(f"SELECT list(v) FROM ({query} LIMIT {_MOST_VALUES})")
    except ToolError:
        return
    yield from (str(value) for value in (found if isinstance(found, list) else []) if not str(value).isdigit())


def _is_part(value: str, other: str) -> bool:
    """Whether a value is only a part of another one, such as ``table`` of ``table lamp``."""
    part, whole = (value.lower(), other.lower()) if is_unspaced(value) else (_spaced(value), _spaced(other))
    return len(part) < len(whole) and part in whole


def _spaced(text: str) -> str:
    return f" {' '.join(WORD.findall(text.lower().replace('_', ' ')))} "
