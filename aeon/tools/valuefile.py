"""The different texts of a folder's tables, in a file of their own: those that a question names are found at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from aeon.language.unspaced import LETTERS
from aeon.tables.extra import extra
from aeon.tables.naming import literal, quoted
from aeon.tools.tableinfo import Named, TableInfo

if TYPE_CHECKING:
    import duckdb

__all__ = ["LONGEST", "find", "write"]

LONGEST = 100
"""Characters of a text above which it is not looked for."""
_FILE = "values.duckdb"
_MOST_COLUMNS = 60
_MOST_TEXTS = 2_000_000
"""Different texts of a column, about, above which it is not looked through."""
_MOST_FOUND = 20
"""Texts of one column that are looked at."""
_PLAIN = "trim(regexp_replace(lower(value), '[^\\p{L}\\p{N}]+', ' ', 'g'))"
_CONFIG: dict[str, str | int] = {"threads": 2, "memory_limit": "128MB"}


def write(connection: duckdb.DuckDBPyConnection, folder: Path, tables: Iterable[TableInfo]) -> None:
    """Write the texts of the first columns into a file beside the tables, those of each in the order of their words."""
    connection.execute(f"ATTACH {literal(str(folder / _FILE))} AS texts")
    try:
        connection.execute("CREATE TABLE texts.named (place USMALLINT, plain VARCHAR, value VARCHAR, unspaced BOOLEAN)")
        for place, (table, column) in enumerate(_columns(tables)):
            connection.execute(_insertion(connection, place, quoted(table), quoted(column)))
        connection.execute("CHECKPOINT texts")
    finally:
        connection.execute("DETACH texts")


def find(folder: Path, tables: Iterable[TableInfo], phrases: Sequence[str], raw: str) -> list[Named]:
    """The texts whose words are one of these phrases, and those without spaces that are part of ``raw``.

    Raises ``duckdb.Error`` where the file is gone.
    """
    columns, part = [*_columns(tables)], "unspaced AND contains($raw, lower(value))"
    listed = ", ".join(map(literal, phrases)) or "NULL"
    query = (
        f"SELECT place, value FROM named WHERE plain IN ({listed}) OR ($raw <> '' AND {part}) "
        f"QUALIFY row_number() OVER (PARTITION BY place ORDER BY value) <= {_MOST_FOUND} ORDER BY ALL"
    )
    with extra("duckdb").connect(str(folder / _FILE), read_only=True, config=_CONFIG) as connection:
        found = connection.execute(query, {"raw": raw}).fetchall()
    return [Named(columns[place][1], value) for place, value in found if not value.isdigit()]


def _columns(tables: Iterable[TableInfo]) -> Iterable[tuple[str, str]]:
    every = ((table.name, name) for table in tables for name, kind in table.columns if kind == "VARCHAR")
    return islice(every, _MOST_COLUMNS)


def _insertion(connection: duckdb.DuckDBPyConnection, place: int, table: str, column: str) -> str:
    """The statement that adds the texts of a column, of those that differ by case the last one; none of too many."""
    found = connection.execute(f"SELECT approx_count_distinct({column}) FROM {table}").fetchone() or (0,)
    cells = f"SELECT DISTINCT {column} AS cell FROM {table} WHERE length({column}) BETWEEN 1 AND {LONGEST}"
    texts = f"SELECT max(cell) AS value FROM ({cells}) GROUP BY lower(cell)"
    unspaced = f"regexp_matches(value, '[{LETTERS}]')"
    named = f"SELECT {place}, {_PLAIN} AS plain, value, {unspaced} FROM ({texts}) WHERE length(plain) > 1"
    return f"INSERT INTO texts.named {named} ORDER BY plain LIMIT {_MOST_TEXTS if found[0] <= _MOST_TEXTS else 0}"
