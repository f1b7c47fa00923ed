"""DuckDB's own syntax tree of a query: its nodes, and what stands in them. DuckDB 1 and 2 write it differently."""

from __future__ import annotations

from collections.abc import Iterator

from aeon.schema.frozen import JsonObject, JsonValue

__all__ = ["NODES", "REFUSED", "arguments", "constant", "table_function", "table_path", "walk"]

NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
"""The kinds of statements that only read."""
REFUSED = frozenset({"current_setting", "getenv", "getvariable", "query", "query_table", "sleep_ms", "write_log"})
"""Functions that tell of the machine, run another query, or wait."""


def walk(value: JsonValue, negated: bool = True) -> Iterator[JsonObject]:
    """Give every object in the value, without those below a ``NOT`` if they are not asked for."""
    stack: list[JsonValue] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            if not negated and item.get("type") == "OPERATOR_NOT":
                continue
            yield item
            stack.extend(reversed(item.values()))
        elif isinstance(item, list):
            stack.extend(reversed(item))


def arguments(node: JsonObject) -> list[JsonObject]:
    """The arguments of a function or the sides of a comparison."""
    parts = node.get("arguments") or node.get("children") or [node.get("left"), node.get("right")]
    found = [part.get("expression", part) if isinstance(part, dict) else None for part in parts]  # type: ignore[union-attr]
    return [part for part in found if isinstance(part, dict)]


def constant(node: JsonObject) -> str | None:
    """The text of a literal; ``None`` of anything else."""
    if node.get("class") != "CONSTANT":
        return None
    literal, value = node.get("literal"), node.get("value")
    if isinstance(literal, dict):
        return str(literal.get("text"))
    return str(value.get("value")) if isinstance(value, dict) and not value.get("is_null") else None


def table_function(node: JsonObject) -> str | None:
    """The name of the function that a node calls in the place of a table; ``None`` of any other node."""
    if node.get("type") != "TABLE_FUNCTION":
        return None
    function = node.get("function")
    return str(function.get("function_name")).lower() if isinstance(function, dict) else ""


def table_path(node: JsonObject) -> list[str]:
    """The name of the table that a node reads, behind what stands before it, such as ``main``; nothing of others."""
    if node.get("type") != "BASE_TABLE":
        return []
    qualified = node.get("qualified_name")
    path = qualified.get("path") if isinstance(qualified, dict) else None
    parts = path if isinstance(path, list) else map(node.get, ("catalog_name", "schema_name", "table_name"))
    return [str(part) for part in parts if part]
