"""A sum that is divided by a column of another table: revenue per employee."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.tools.database import Database
from aeon.tools.tableinfo import TableInfo, quoted

__all__ = ["of_each"]

_SHARE = re.compile(
    r"(?is)SELECT\s+SUM\((?P<one>\w+)\)\s*/\s*(?:SUM\(|AVG\(|MAX\()?(?P<other>[A-Za-z_]\w*)\)?"
    r"(?P<times>\s*\*\s*[\d.]+)?(?:\s+AS\s+\w+)?\s+FROM\s+(?P<table>\w+)"
    r"(?:\s+WHERE\s+(?P<where>(?:(?!\b(?:GROUP|ORDER|LIMIT|HAVING|SELECT|JOIN|OR)\b).)+?))?\s*"
)
_COLUMN_NAME = re.compile(r"[A-Za-z_]\w*(?!\w|\s*\()")
_KEYWORDS = frozenset({"and", "not", "is", "null", "like", "ilike", "between", "in", "date", "true", "false"})
_TEXT_OR_ALIAS = re.compile(r"(?i)'(?:[^']|'')*'|\bAS\s+\w+")


def of_each(database: Database, query: str) -> str:
    """The query as one of each table where it divides the sum of a column by one that only another table has.

    Joined, each row of the one would count the other once more. Each side has the conditions that its table can have.
    """
    found = _SHARE.fullmatch(query.strip().rstrip(";"))
    if found is None:
        return query
    conditions = re.split(r"(?i)\s+AND\s+", found["where"]) if found["where"] else []
    own = [table for table in database.tables if table.name.lower() == found["table"].lower()]
    others = _holders(database, found["other"])
    plain = len(own) == len(others) == 1 and own != others and all(_is_of(own[0], one) for one in conditions)
    return _divided(found, conditions, own[0], others[0]) if plain else query


def _holders(database: Database, column: str) -> list[TableInfo]:
    """The tables that have a column of this name."""
    return [table for table in database.tables if column.lower() in _columns(table)]


def _divided(found: re.Match[str], conditions: Sequence[str], own: TableInfo, other: TableInfo) -> str:
    """The query of the sum in one table by that in the other."""
    one = f"SELECT SUM({found['one']}) FROM {quoted(own.name)}{_where(conditions)}"
    kept = [condition for condition in conditions if _is_of(other, condition)]
    by = f"SELECT SUM({found['other']}) FROM {quoted(other.name)}{_where(kept)}"
    return f"SELECT ({one}) / ({by}){found['times'] or ''}"


def _is_of(table: TableInfo, condition: str) -> bool:
    """Whether a condition names only columns of a table, besides functions and words of SQL."""
    names = _COLUMN_NAME.findall(_TEXT_OR_ALIAS.sub(" ", condition))
    return {name.lower() for name in names} - _KEYWORDS <= _columns(table)


def _columns(table: TableInfo) -> set[str]:
    return {name.lower() for name, _ in table.columns}


def _where(conditions: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""
