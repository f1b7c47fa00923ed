"""Which tables and columns a query uses, from DuckDB's own syntax tree: what counts in doubt is used."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from aeon.schema.frozen import JsonObject, JsonValue
from aeon.tools.sqltree import table_path, walk

if TYPE_CHECKING:
    import duckdb

__all__ = ["used_by"]

_ALL = ("STAR", "POSITIONAL_REFERENCE")


def used_by(cursor: duckdb.DuckDBPyConnection, query: str, tables: Sequence[str]) -> dict[str, list[str] | None] | None:
    """Of each of the ``tables`` that a query uses, the names in it that may be columns, in small letters.

    ``None`` in the place of names stands for all columns; of the whole, where the query cannot be told, for all tables.
    """
    row = cursor.execute("SELECT json_serialize_sql(?::VARCHAR)", [query]).fetchone()
    try:
        tree = json.loads(row[0]) if row else {}
    except RecursionError:
        return None
    statements = tree.get("statements")
    if not statements:  # a PIVOT that finds its columns first
        return None
    nodes = list(walk(statements))
    named, asked = _lower(nodes, _names), _lower(nodes, table_path)
    rows = {name.lower() for name in tables} | _lower(nodes, _alias)
    is_whole = any(map(_is_whole, nodes)) or not rows.isdisjoint(named)
    found = [name for name in tables if name.lower() in asked | named]
    return {name: None if is_whole else sorted(named) for name in found}


def _lower(nodes: Sequence[JsonObject], names: Callable[[JsonObject], Iterable[JsonValue]]) -> set[str]:
    """What these nodes name, in small letters."""
    return {str(one).lower() for node in nodes for one in names(node)}


def _alias(node: JsonObject) -> Sequence[JsonValue]:
    """The other name of a table, which stands for a whole row."""
    return [node.get("alias")] if node.get("type") == "BASE_TABLE" else []


def _names(node: JsonObject) -> Iterator[JsonValue]:
    """The names at a node that may be those of columns; one alone may be that of a whole row."""
    for key in ("column_names", "using_columns"):
        names = node.get(key)
        if isinstance(names, list):
            yield from names if key == "using_columns" else names[-1:]


def _is_whole(node: JsonObject) -> bool:
    """Whether a node may stand for any column: a star, a column by its number, names of its own, a natural join."""
    return (
        node.get("class") in _ALL
        or node.get("type") in _ALL
        or bool(node.get("column_name_alias"))
        or node.get("ref_type") == "NATURAL"
    )
