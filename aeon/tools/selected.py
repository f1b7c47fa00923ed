"""Whether a query reads what it selects, from DuckDB's own syntax tree: a value that it only writes is no finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aeon.schema.frozen import JsonObject, JsonValue

__all__ = ["finds", "is_written"]

_OF_TWO = "SET_OPERATION_NODE"
_PLAIN = ("CONSTANT", "CAST", "OPERATOR")


def is_written(statement: JsonValue) -> bool:
    """Whether all that a query selects are literals, whatever it reads: ``SELECT 42 FROM orders``."""
    selected = [_selected(node) for node in _selects(_node(statement))]
    return bool(selected) and all(one and all(map(_is_literal, one)) for one in selected)


def finds(statement: JsonValue) -> bool:
    """Whether a query gives something that it reads; a literal is one where there is a condition for it.

    Where nothing but literals and signs is selected (``SELECT 6 * 7 FROM orders``) it is none.
    """
    nodes = list(_selects(_node(statement)))
    return not nodes or any(map(_finds, nodes))


def _finds(node: JsonObject) -> bool:
    conditions = (node.get(name) for name in ("where_clause", "having", "qualify"))
    return any(conditions) or not all(map(_is_plain, _selected(node))) or not _selected(node)


def _node(statement: JsonValue) -> JsonObject:
    node = statement.get("node") if isinstance(statement, Mapping) else None
    return node if isinstance(node, dict) else {}


def _selects(node: JsonObject) -> Iterator[JsonObject]:
    """The queries whose rows are the result: of a union each side."""
    waiting = [node]
    for one in waiting:
        if one.get("type") != _OF_TWO:
            yield one
            continue
        sides = [side for side in (one.get("left"), one.get("right")) if isinstance(side, dict)]
        waiting += sides or [side for side in _listed(one.get("children")) if isinstance(side, dict)]


def _is_literal(expression: JsonValue) -> bool:
    """Whether it is a literal, also one of a stated type (``DATE '2026-05-01'``)."""
    while _class(expression) == "CAST" and isinstance(expression, dict):
        expression = expression.get("child")
    return _class(expression) == "CONSTANT"


def _is_plain(expression: JsonValue) -> bool:
    """Whether an expression has nothing but literals and signs."""
    waiting: list[JsonValue] = [expression]
    for one in waiting:
        if not isinstance(one, dict):
            continue
        if one.get("class") not in _PLAIN and not one.get("is_operator"):
            return False
        waiting += [one.get("child"), one.get("left"), one.get("right"), *_listed(one.get("children"))]
        waiting += [part.get("expression") for part in _listed(one.get("arguments")) if isinstance(part, dict)]
    return True


def _selected(node: JsonObject) -> list[JsonValue]:
    return _listed(node.get("select_list"))


def _class(expression: JsonValue) -> str:
    return str(expression.get("class")) if isinstance(expression, dict) else ""


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
