"""Columns that have one text in some rows and nothing in the others: paid, or not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.tools.tableinfo import TableInfo

__all__ = ["unmarked"]

_COMPARED = re.compile(
    r"(?P<column>(?:\b\w+\.)?(?:\"[^\"]+\"|\b[A-Za-z_]\w*\b))\s*(?P<sign>=|<>|!=|\bI?LIKE\b)\s*'(?P<text>(?:[^']|'')*)'",
    re.IGNORECASE,
)
_YES = frozenset({"yes", "y", "true", "x", "ja", "1"})
_NO = frozenset({"", "no", "n", "not", "false", "none", "null", "nein", "0"})


def unmarked(tables: Sequence[TableInfo], query: str) -> str:
    """The query with what such a column of the tables lacks as NULL: no row has "no" where the others are empty.

    Neither is there one that differs from "yes", since what is empty differs from nothing.
    """
    marks = {name.casefold(): text.casefold() for table in tables for name, text in table.marks}

    def meant(found: re.Match[str]) -> str:
        column, text, differs = found["column"], found["text"].casefold(), found["sign"] in ("<>", "!=")
        mark = marks.get(column.rsplit(".", 1)[-1].strip('"').casefold())
        if mark is None or (text == mark and not differs) or text not in {mark, *_YES, *_NO}:
            return found[0]
        is_empty = (text in _NO and text != mark) is not differs
        return f"{column} IS {'' if is_empty else 'NOT '}NULL"

    return _COMPARED.sub(meant, query)
