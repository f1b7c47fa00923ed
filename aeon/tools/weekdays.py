"""Days of the week and months that a column has as texts, which SQL orders by their letters; and days as a pattern."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable

from aeon.tools.tableinfo import TableInfo

__all__ = ["DAYS", "as_text", "listed"]

DAYS = ("DATE", "TIMESTAMP")
"""The types of columns that hold days."""

_CIRCLES = tuple(
    tuple(name for name in names if name)
    for names in (calendar.day_name, calendar.day_abbr, calendar.month_name, calendar.month_abbr)
)
_BETWEEN = re.compile(r"\bBETWEEN\s+'(?P<first>[A-Za-z]+)'\s+AND\s+'(?P<last>[A-Za-z]+)'", re.IGNORECASE)
_LIKE = re.compile(
    r"(?P<column>(?:\b\w+\.)?(?:\"(?P<quoted>[^\"]+)\"|\b(?P<name>[A-Za-z_]\w*)))"
    r"(?P<like>\s+(?:NOT\s+)?I?LIKE\s+'[\d_-]*%[\d%_-]*')",
    re.IGNORECASE,
)


def as_text(tables: Iterable[TableInfo], query: str) -> str:
    """The query with each column of days that is compared with a pattern of digits (LIKE '2025-06%') as a text."""
    days = {name.casefold() for table in tables for name, kind in table.columns if kind in DAYS}

    def fitting(found: re.Match[str]) -> str:
        is_day = (found["quoted"] or found["name"]).casefold() in days
        return f"{found['column']}::VARCHAR{found['like']}" if is_day else found[0]

    return _LIKE.sub(fitting, query)


def listed(query: str) -> str:
    """The query with the days from Monday to Friday as a list: by letters Tuesday comes after Friday, and is not there.

    The same goes for months. Names of other kinds stay, and so does what is of two kinds.
    """
    return _BETWEEN.sub(_listed, query)


def _listed(found: re.Match[str]) -> str:
    ends = found["first"].capitalize(), found["last"].capitalize()
    names = next((circle for circle in _CIRCLES if set(ends) <= set(circle)), ())
    if not names:
        return found[0]
    first, last = map(names.index, ends)
    every = [names[(first + n) % len(names)] for n in range((last - first) % len(names) + 1)]
    as_written = str.lower if found["first"].islower() else str.capitalize
    return f"IN ({', '.join(repr(as_written(name)) for name in every)})"
