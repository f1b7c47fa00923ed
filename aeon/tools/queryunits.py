"""The units of what a query gives, from DuckDB's own syntax tree and the units of the tables' columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from aeon.schema.frozen import JsonObject, JsonValue
from aeon.tools.sqltree import arguments, table_path, walk
from aeon.tools.tableinfo import TableInfo

__all__ = ["units_of"]

_KEEPING = frozenset(
    {"sum", "avg", "mean", "min", "max", "median", "any_value", "first", "last", "abs", "round", "floor", "ceil"}
)
"""Functions whose value has the unit of their first argument."""
_SIGNS = frozenset({"+", "-"})
_CHANGED_STAR = ("replace_list", "rename_list", "expr", "columns")

_Units = Mapping[str, set[str]]
"""The units of columns by name, in small letters; "" is that of one without."""


def units_of(statement: JsonValue, columns: Sequence[str], tables: Iterable[TableInfo]) -> dict[str, str]:
    """The unit of each column of a result that has one: of a plain column, a sum, an average, a least or largest value.

    A product, a quotient and a count have none. Nothing is said of a query over other queries, nor of columns of one
    name.
    """
    node = statement.get("node") if isinstance(statement, Mapping) else None
    if not isinstance(node, dict) or node.get("type") != "SELECT_NODE":
        return {}
    known = _known(node, {table.name.lower(): table for table in tables})
    found = zip(columns, _selected(node, columns, known), strict=False)
    return {name: unit for name, unit in found if unit and columns.count(name) == 1}


def _known(node: JsonObject, tables: Mapping[str, TableInfo]) -> _Units:
    """The units of the columns of the tables that a query reads; none where it reads anything else."""
    names = _names(node)
    if _is_filled(node.get("cte_map")) or not {*names} <= {*tables}:
        return {}
    units: dict[str, set[str]] = {}
    for table in map(tables.__getitem__, names):
        for column, _ in table.columns:
            units.setdefault(column.lower(), set()).add(table.reading.units.get(column, ""))
    return units


def _names(node: JsonObject) -> list[str]:
    """The names of the tables that a query reads, in small letters; "" of what is no table of its own."""
    parts = [one for one in walk(node.get("from_table")) if "type" in one and "class" not in one]
    return [(table_path(one) or [""])[-1].lower() for one in parts if one["type"] != "JOIN"]


def _selected(node: JsonObject, columns: Sequence[str], known: _Units) -> Iterator[str]:
    """The unit of each column of the result, in their order."""
    listed = node.get("select_list")
    selected = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    if not any(one.get("class") == "STAR" for one in selected):
        yield from (_unit(one, known) for one in selected)
    elif len(selected) == 1 and _is_plain(selected[0]):
        yield from (_of_column(name, known) for name in columns)


def _is_plain(star: JsonObject) -> bool:
    """Whether a star stands for the columns as they are."""
    return not any(map(_is_filled, map(star.get, _CHANGED_STAR)))


def _unit(node: JsonObject, known: _Units) -> str:
    """The unit of an expression, "" of one without."""
    name, child, column = str(node.get("function_name", "")).lower(), node.get("child"), node.get("column_names")
    if isinstance(column, list) and column:
        return _of_column(str(column[-1]), known)
    if node.get("class") == "CAST" and isinstance(child, dict):
        return _unit(child, known)
    parts = arguments(node)
    if name in _KEEPING and parts:
        return _unit(parts[0], known)
    units = {_unit(part, known) for part in parts} if name in _SIGNS else set()
    return units.pop() if len(units) == 1 else ""


def _of_column(name: str, known: _Units) -> str:
    units = known.get(name.lower(), set())
    return next(iter(units)) if len(units) == 1 else ""


def _is_filled(value: JsonValue) -> bool:
    """Whether anything stands below a part of the tree."""
    return any(map(_is_filled, value.values())) if isinstance(value, dict) else bool(value)
