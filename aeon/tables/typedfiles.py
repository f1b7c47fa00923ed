"""Tables of Parquet and JSON files, whose columns have types already: DuckDB makes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from aeon.tables.naming import literal, quoted, unique
from aeon.text import one_line

if TYPE_CHECKING:
    import duckdb

__all__ = ["make", "typed_columns"]

_MAX_OBJECT = 64 * 1024 * 1024
_LONGEST_NAME = 100


def typed_columns(connection: duckdb.DuckDBPyConnection, table: str) -> tuple[tuple[str, str], ...]:
    """Return the names and types of a table's columns."""
    connection.execute(f"FROM {quoted(table)} LIMIT 0")  # DESCRIBE "tables" lists all tables
    return tuple((str(column[0]), str(column[1])) for column in connection.description or ())


def make(connection: duckdb.DuckDBPyConnection, path: str, suffix: str, prefix: str) -> list[str]:
    """Make the tables of a file, ``prefix`` with 0 and so on; give what the file calls each, "" for the whole.

    A JSON object whose values are lists of objects has a table for each of these. Raises DuckDB's errors.
    """
    if suffix == ".parquet":
        query = f"SELECT * FROM read_parquet({literal(path)}, hive_partitioning=false)"
    else:
        kind = "auto" if suffix == ".json" else "newline_delimited"
        options = f"format='{kind}', maximum_object_size={_MAX_OBJECT}, sample_size=-1, hive_partitioning=false"
        query = f"SELECT * FROM read_json({literal(path)}, {options})"
    _create(connection, f"{prefix}0", query)
    names = [""] if suffix == ".parquet" else [*_unnested(connection, prefix)]
    for number in range(len(names)):
        _name_well(connection, f"{prefix}{number}")
    return names


def _unnested(connection: duckdb.DuckDBPyConnection, prefix: str) -> Iterator[str]:
    """Take the lists of objects out of a table of one row, each into a table of its own; give the tables' names."""
    columns = typed_columns(connection, f"{prefix}0")
    lists = [column for column, kind in columns if kind.startswith("STRUCT(") and kind.endswith(")[]")]
    if not lists or len(connection.execute(f"SELECT 1 FROM {prefix}0 LIMIT 2").fetchall()) != 1:
        yield ""
        return
    connection.execute(f"ALTER TABLE {prefix}0 RENAME TO {prefix}whole")
    for number, column in enumerate(lists):
        _create(connection, f"{prefix}{number}", f"SELECT unnest({quoted(column)}, max_depth := 2) FROM {prefix}whole")
        yield "" if len(columns) == 1 else column
    if len(lists) < len(columns):
        left = f"SELECT * EXCLUDE ({', '.join(map(quoted, lists))}) FROM {prefix}whole"
        _create(connection, f"{prefix}{len(lists)}", left)
        yield ""


def _name_well(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    """Let the names of columns stand on one line, as those of any other file do, and each be there once."""
    own = [name for name, _ in typed_columns(connection, table)]
    names = unique([one_line(name, _LONGEST_NAME) for name in own], fold=str.lower)
    if names != own:
        columns = ", ".join(f"{quoted(name)} AS {quoted(short)}" for name, short in zip(own, names, strict=True))
        _create(connection, table, f"SELECT {columns} FROM {table}")


def _create(connection: duckdb.DuckDBPyConnection, name: str, query: str) -> None:
    connection.execute(f"CREATE OR REPLACE TABLE {quoted(name)} AS {query}")
