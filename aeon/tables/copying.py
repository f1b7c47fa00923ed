"""Tables of Parquet, JSON and large CSV files, copied by DuckDB into a database: what runs in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aeon.errors import ToolFailed
from aeon.tables.duck import engine
from aeon.tables.naming import literal, quoted
from aeon.tables.parts import Copied

if TYPE_CHECKING:
    import duckdb

__all__ = ["copy", "typed_columns"]

_TEXT = (".csv", ".tsv")
_MAX_OBJECT = 64 * 1024 * 1024
_LONGEST_LINE = 2_000_000
"""Bytes of a line above which DuckDB takes no CSV file; it would try each of the ways to read it until then."""
_FOUND = "sample_size=200000, null_padding=true, ignore_errors=false, nullstr=['', '-', 'n/a', 'NA', 'N/A', 'null']"
_TRIES = ("", ", encoding='latin-1'", ", all_varchar=true", ", all_varchar=true, encoding='latin-1'")


def typed_columns(connection: duckdb.DuckDBPyConnection, table: str) -> tuple[tuple[str, str], ...]:
    """Return the names and types of a table's columns."""
    described = connection.execute(f"DESCRIBE {quoted(table)}").fetchall()  # the catalogue is read whole by a query
    return tuple((str(row[0]), str(row[1])) for row in described)


def copy(data: bytes, path: str, suffix: str, target: str, scratch: str, memory: int) -> dict[str, Any]:
    """The fields of `Copied`: the tables of the file at ``path`` in the database ``target``, which is made.

    ``memory`` is what DuckDB may take, in bytes, ``scratch`` the folder for what it has no room for. Raises
    ``ToolFailed`` for a CSV file with a line that is too long.
    """
    if suffix in _TEXT:
        _check_lines(Path(path))
    module = engine()
    options = {
        "threads": 1,
        "memory_limit": f"{memory}B",
        "temp_directory": scratch,
        "max_temp_directory_size": "4GB",
        "python_enable_replacements": False,
    }
    try:
        with module.connect(target, config=options) as connection:
            if suffix in _TEXT:
                _from_csv(connection, path, module)
                return asdict(Copied(("",)))
            _from_columns(connection, path, suffix)
            return asdict(Copied(("",) if suffix == ".parquet" else tuple(_unnested(connection))))
    except module.OutOfMemoryException:
        raise MemoryError from None
    except module.Error as error:
        return asdict(Copied(problem=str(error)))


def _check_lines(path: Path) -> None:
    """Refuse a file with a line that is longer than any that is read."""
    since = 0
    with path.open("rb") as file:
        while block := file.read(_LONGEST_LINE):
            ends = [place for mark in b"\n\r" if (place := block.find(mark)) >= 0]
            if since + min(ends, default=len(block)) > _LONGEST_LINE:
                raise ToolFailed(f"it is no readable table: a line has more than {_LONGEST_LINE // 10**6} MB")
            last = max(block.rfind(b"\n"), block.rfind(b"\r"))
            since = since + len(block) if last < 0 else len(block) - last - 1


def _from_csv(connection: duckdb.DuckDBPyConnection, path: str, module: Any) -> None:  # noqa: ANN401 - it is optional
    """Let DuckDB find out how a large file is written; it must not be read twice by something slow."""
    for number, extra in enumerate(_TRIES, start=1):
        options = f"header=true, parallel=false, {_FOUND}{extra}"
        try:
            _create(connection, "part0", f"SELECT * FROM read_csv({literal(path)}, {options})")
            return
        except module.OutOfMemoryException:
            raise
        except module.Error:
            if number == len(_TRIES):
                raise


def _from_columns(connection: duckdb.DuckDBPyConnection, path: str, suffix: str) -> None:
    """Take a Parquet or a JSON file as one table."""
    if suffix == ".parquet":
        query = f"SELECT * FROM read_parquet({literal(path)}, hive_partitioning=false)"
    else:
        kind = "auto" if suffix == ".json" else "newline_delimited"
        options = f"format='{kind}', maximum_object_size={_MAX_OBJECT}, sample_size=-1, hive_partitioning=false"
        query = f"SELECT * FROM read_json({literal(path)}, {options})"
    _create(connection, "part0", query)


def _unnested(connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Take the lists of objects out of a table of one row, each into a table of its own; give the tables' names."""
    columns = typed_columns(connection, "part0")
    lists = [column for column, kind in columns if kind.startswith("STRUCT(") and kind.endswith(")[]")]
    if not lists or len(connection.execute("SELECT 1 FROM part0 LIMIT 2").fetchall()) != 1:
        yield ""
        return
    connection.execute("ALTER TABLE part0 RENAME TO whole")
    for number, column in enumerate(lists):
        _create(connection, f"part{number}", f"SELECT unnest({quoted(column)}, max_depth := 2) FROM whole")
        yield "" if len(columns) == 1 else column
    if len(lists) < len(columns):
        left = f"SELECT * EXCLUDE ({', '.join(map(quoted, lists))}) FROM whole"
        _create(connection, f"part{len(lists)}", left)
        yield ""


def _create(connection: duckdb.DuckDBPyConnection, name: str, query: str) -> None:
    connection.execute(f"CREATE OR REPLACE TABLE {quoted(name)} AS {query}")
