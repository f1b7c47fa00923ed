"""Days of the week and months that a column has as texts, which SQL orders by their letters."""

from __future__ import annotations

import calendar
import re

__all__ = ["listed"]

_CIRCLES = tuple(
    tuple(name for name in names if name)
    for names in (calendar.day_name, calendar.day_abbr, calendar.month_name, calendar.month_abbr)
)
_BETWEEN = re.compile(r"\bBETWEEN\s+'(?P<first>[A-Za-z]+)'\s+AND\s+'(?P<last>[A-Za-z]+)'", re.IGNORECASE)


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
