"""What a SQL query says, from DuckDB's own syntax tree: what it reads, calls and compares."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from aeon.errors import ToolArgumentError
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.text import one_line
from aeon.tools.selected import finds
from aeon.tools.sqltree import NODES, REFUSED, arguments, constant, table_function, table_path, walk

if TYPE_CHECKING:
    import duckdb

__all__ = ["Comparison", "Query", "parse"]

_MAX_QUERY = 20_000
_TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest", "json_each", "json_tree"})
_LIKE = frozenset({"~~", "~~*", "like_escape", "ilike_escape"})
_SAME_TEXT = frozenset({"lower", "upper", "lcase", "ucase", "trim", "ltrim", "rtrim"})
_COMMENT = re.compile(r"\A(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL)
_ONLY_SELECT = "only one SELECT statement is allowed"


@dataclass(frozen=True)
class Comparison:
    """A column that is compared with a text: by ``=``, also within ``IN``, by ``LIKE``, or by ``<`` and other signs."""

    column: str
    text: str
    sign: Literal["=", "LIKE", "<"]


@dataclass(frozen=True)
class Query:
    """A query as it was written, the tables it reads, those that it defines itself, and its comparisons with texts.

    ``finds``: something that it selects is read, not written in it.
    """

    text: str
    tables: tuple[str, ...]
    own: frozenset[str]
    comparisons: tuple[Comparison, ...]
    finds: bool = True


def parse(text: str, cursor: duckdb.DuckDBPyConnection) -> Query:
    """Return what the query says.

    Raises ``ToolArgumentError`` for what does not parse, is not one ``SELECT``, or calls a function that is refused.
    """
    _check_text(text)
    statements = _statements(text, cursor)
    nodes = list(walk(statements))
    for node in nodes:
        _check(node)
    tables = dict.fromkeys(".".join(path) for node in nodes if (path := table_path(node)))
    own = frozenset(name for node in nodes for name in _defined(node))
    return Query(text, tuple(tables), own, tuple(_comparisons(statements)), finds(statements[0]))


def _check_text(text: str) -> None:
    if len(text) > _MAX_QUERY:
        raise ToolArgumentError(f"the query has {len(text):,} characters; {_MAX_QUERY:,} are allowed")
    if "\x00" in text:
        raise ToolArgumentError("the query does not parse: it holds a NUL character")
    if not re.match(r"(select|with|from)\b", _COMMENT.sub("", text).lstrip("( \n\t"), re.IGNORECASE):
        raise ToolArgumentError(f"{_ONLY_SELECT}: begin the query with SELECT or WITH")


def _statements(text: str, cursor: duckdb.DuckDBPyConnection) -> list[JsonValue]:
    """Return the syntax tree of the one statement."""
    row = cursor.execute("SELECT json_serialize_sql(?::VARCHAR)", [text]).fetchone()
    tree = json.loads(row[0]) if row else {}
    if tree.get("error"):
        raise ToolArgumentError(_unparsed(tree))
    statements: list[JsonValue] = tree["statements"]
    if len(statements) != 1:
        raise ToolArgumentError(f"{_ONLY_SELECT}, not {len(statements)}")
    return statements


def _unparsed(tree: JsonObject) -> str:
    if tree.get("error_type") == "not implemented":
        return f"{_ONLY_SELECT}, without PIVOT"
    problem = one_line(str(tree.get("error_message")), 160)
    return f"the query does not parse: {problem}; write a query of its own for each value"


def _check(node: JsonObject) -> None:
    """Raise ``ToolArgumentError`` for a part that changes something, or that reaches what is no table."""
    kind, name = str(node.get("type", "")), str(node.get("function_name", "")).lower()
    if (kind.endswith("_NODE") and kind not in NODES) or kind == "SHOW_REF":
        raise ToolArgumentError(_ONLY_SELECT)
    called = table_function(node)
    if called is not None and called not in _TABLE_FUNCTIONS:
        raise ToolArgumentError(f"{one_line(called, 60)}() is not allowed; read the tables by their names")
    if name in REFUSED:
        raise ToolArgumentError(f"{name}() is not allowed here")


def _is_text(node: JsonObject) -> bool:
    literal, value = node.get("literal"), node.get("value")
    if isinstance(literal, dict):
        return literal.get("kind") == "STRING"
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, dict) and kind.get("id") == "VARCHAR"


def _defined(node: JsonObject) -> Iterator[str]:
    """Give the names that a ``WITH`` defines."""
    entries = node.get("map")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("key"), str):
            yield str(entry["key"]).lower()


def _comparisons(tree: JsonValue) -> Iterator[Comparison]:
    for node in walk(tree, negated=False):
        sign = _sign(node)
        if sign is None:
            continue
        sides = arguments(node)
        columns = [column for side in sides for column in _column(side)]
        if len(columns) == 1:
            texts = [text for side in sides if _is_text(side) and (text := constant(side)) is not None]
            yield from (Comparison(columns[0], text, sign) for text in texts)


def _sign(node: JsonObject) -> Literal["=", "LIKE", "<"] | None:
    if str(node.get("function_name")) in _LIKE:
        return "LIKE"
    if node.get("type") in ("COMPARE_EQUAL", "COMPARE_IN"):
        return "="
    return "<" if node.get("class") == "COMPARISON" else None


def _column(node: JsonObject) -> Iterator[str]:
    """Give the column that an expression is, in any case and without spaces."""
    while str(node.get("function_name")) in _SAME_TEXT and len(arguments(node)) == 1:
        node = arguments(node)[0]
    names = node.get("column_names")
    if node.get("class") == "COLUMN_REF" and isinstance(names, list) and names:
        yield str(names[-1])
