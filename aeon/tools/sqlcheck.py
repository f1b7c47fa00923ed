"""What a query may be: one statement of DuckDB that reads, without functions that reach beyond the tables."""

from __future__ import annotations

import json
from types import ModuleType
from typing import TYPE_CHECKING

from aeon.errors import ToolArgumentError
from aeon.schema.frozen import JsonObject
from aeon.text import one_line
from aeon.tools.selected import is_written
from aeon.tools.sqltree import NODES, REFUSED, table_function, walk

if TYPE_CHECKING:
    import duckdb

__all__ = ["check_query"]

_MOST_CHARACTERS = 50_000
_TABLE_FUNCTIONS = frozenset({
    "range", "generate_series", "unnest", "json_each", "json_tree", "histogram", "histogram_values", "summary",
    "pragma_table_info", "duckdb_tables", "duckdb_columns", "duckdb_types", "duckdb_functions",
})  # fmt: skip
_ONLY = "only one query that reads is allowed: SELECT, WITH, FROM, PIVOT, DESCRIBE, SUMMARIZE or SHOW"


def check_query(module: ModuleType, cursor: duckdb.DuckDBPyConnection, query: str) -> bool:
    """Whether all that the query selects are literals, once it is known to be one that only reads.

    What stands in it counts, not what it means.

    Raises:
        ToolArgumentError: it is too long, several statements, one that changes something, or calls what it may not.
        duckdb.Error: it does not parse.
    """
    if len(query) > _MOST_CHARACTERS:
        raise ToolArgumentError(f"the query has {len(query):,} characters; {_MOST_CHARACTERS:,} are allowed")
    try:
        query.encode()
    except UnicodeEncodeError:
        raise ToolArgumentError("the query holds a character that is no text") from None
    if "\x00" in query:
        raise ToolArgumentError("the query holds a NUL character")
    statements = cursor.extract_statements(query)
    if len(statements) != 1:
        raise ToolArgumentError(f"{_ONLY}; here are {len(statements)} statements")
    kind = statements[0].type.name
    if kind == "MULTI" and "pivot" in _words(module, query):  # one that finds its columns first
        _check_calls(module, cursor, query)
        return False
    if kind != "SELECT":
        raise ToolArgumentError(f"{_ONLY}; not {kind}")
    return _check_tree(module, cursor, query)


def _check_tree(module: ModuleType, cursor: duckdb.DuckDBPyConnection, query: str) -> bool:
    row = cursor.execute("SELECT json_serialize_sql(?::VARCHAR)", [query]).fetchone()
    try:
        tree = json.loads(row[0]) if row else {}
    except RecursionError:
        _check_calls(module, cursor, query)
        return False
    statements = tree.get("statements", [])
    for node in walk(statements):
        _check_node(node)
    return bool(statements) and is_written(statements[0])


def _check_node(node: JsonObject) -> None:
    kind, name = str(node.get("type", "")), str(node.get("function_name", "")).lower()
    if kind.endswith("_NODE") and kind not in NODES:
        raise ToolArgumentError(f"{_ONLY}; not {kind.split('_')[0]}")
    if (called := table_function(node)) is not None:
        if called not in _TABLE_FUNCTIONS:
            raise _refused(called)
    elif name in REFUSED:
        raise _refused(name)


def _check_calls(module: ModuleType, cursor: duckdb.DuckDBPyConnection, query: str) -> None:
    """The same by what stands before a parenthesis, where DuckDB gives no tree."""
    tables = "SELECT function_name FROM duckdb_functions() GROUP BY 1 HAVING bool_and(function_type LIKE 'table%')"
    barred = {str(name) for (name,) in cursor.execute(tables).fetchall()} - _TABLE_FUNCTIONS | REFUSED
    words = _words(module, query)
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if following.startswith("(") and word.strip('"') in barred:
            raise _refused(word.strip('"'))


def _words(module: ModuleType, query: str) -> list[str]:
    """The tokens of the query in small letters, without comments."""
    data = query.encode()
    tokens = [(at, kind.name) for at, kind in module.tokenize(query)]
    ends = [*(at for at, _ in tokens[1:]), len(data)]
    spans = zip(tokens, ends, strict=True)
    return [data[at:end].decode(errors="replace").strip().lower() for (at, kind), end in spans if kind != "comment"]


def _refused(name: str) -> ToolArgumentError:
    return ToolArgumentError(f"{one_line(name, 60)}() is not allowed here; only the tables of the folder can be read")
