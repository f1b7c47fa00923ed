"""What a query selects of its tables, from DuckDB's own syntax tree: a value that it only writes is no finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aeon.schema.frozen import JsonObject, JsonValue

__all__ = ["constants", "finds"]

_READS = frozenset({"COLUMN_REF", "STAR", "SUBQUERY", "WINDOW"})
_OF_TWO = "SET_OPERATION_NODE"


def constants(statement: JsonValue) -> tuple[int, ...]:
    """The columns of the result (from 0) of which the query itself has the value, as a literal.

    Behind a ``*`` nobody knows the number of a column.
    """
    found = [_constants(node) for node in _selects(_node(statement))]
    shared = set[int].intersection(*found) if found else set[int]()
    return tuple(sorted(shared))


def finds(statement: JsonValue) -> bool:
    """Whether something that the query selects is read: a column, a count of rows, or another query."""
    listed = [one for node in _selects(_node(statement)) for one in _listed(node.get("select_list"))]
    return not listed or any(_reads(one) for one in listed)


def _node(statement: JsonValue) -> JsonObject:
    node = statement.get("node") if isinstance(statement, Mapping) else None
    return node if isinstance(node, dict) else {}


def _selects(node: JsonObject) -> Iterator[JsonObject]:
    """The queries whose rows are the result: of a union each side."""
    if node.get("type") != _OF_TWO:
        yield node
        return
    sides = [one for one in (node.get("left"), node.get("right")) if isinstance(one, dict)]
    for side in sides or [one for one in _listed(node.get("children")) if isinstance(one, dict)]:
        yield from _selects(side)


def _constants(node: JsonObject) -> set[int]:
    found: set[int] = set()
    for place, expression in enumerate(_listed(node.get("select_list"))):
        if _class(expression) == "STAR":
            break
        if _is_literal(expression):
            found.add(place)
    return found


def _is_literal(expression: JsonValue) -> bool:
    """Whether it is a literal, also one of a stated type (``DATE '2026-05-01'``)."""
    while _class(expression) == "CAST" and isinstance(expression, dict):
        expression = expression.get("child")
    return _class(expression) == "CONSTANT"


def _reads(value: JsonValue) -> bool:
    """Whether an expression has a part that is read."""
    if isinstance(value, list):
        return any(map(_reads, value))
    if not isinstance(value, dict):
        return False
    if value.get("class") in _READS or str(value.get("function_name")).startswith("count"):
        return True
    return any(map(_reads, value.values()))


def _class(expression: JsonValue) -> str:
    return str(expression.get("class")) if isinstance(expression, dict) else ""


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
