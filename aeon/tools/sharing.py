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
    own = _named(database, found["table"]) if found else None
    if found is None or own is None or found["other"].lower() in _columns(own):
        return query
    others = [table for table in database.tables if found["other"].lower() in _columns(table)]
    conditions = re.split(r"(?i)\s+AND\s+", found["where"]) if found["where"] else []
    if len(others) != 1 or not all(_is_of(own, one) for one in conditions):
        return query
    one = f"SELECT SUM({found['one']}) FROM {quoted(own.name)}{_where(conditions)}"
    kept = [one for one in conditions if _is_of(others[0], one)]
    other = f"SELECT SUM({found['other']}) FROM {quoted(others[0].name)}{_where(kept)}"
    return f"SELECT ({one}) / ({other}){found['times'] or ''}"


def _named(database: Database, name: str) -> TableInfo | None:
    """The table of this name, if there is one."""
    return next((table for table in database.tables if table.name.lower() == name.lower()), None)


def _is_of(table: TableInfo, condition: str) -> bool:
    """Whether a condition names only columns of a table, besides functions and words of SQL."""
    names = _COLUMN_NAME.findall(_TEXT_OR_ALIAS.sub(" ", condition))
    return {name.lower() for name in names} - _KEYWORDS <= _columns(table)


def _columns(table: TableInfo) -> set[str]:
    return {name.lower() for name, _ in table.columns}


def _where(conditions: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""
