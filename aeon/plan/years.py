"""Years of queries that nobody named and no table has: a question for April means that of the rows there are."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence

from aeon.plan.queries import query_of, with_query
from aeon.schema import Plan, Step
from aeon.tools.tableinfo import TableInfo

__all__ = ["in_years"]

_SPAN = re.compile(r"(\d{4})-\d\d-\d\d to (\d{4})-\d\d-\d\d")
_DAY = re.compile(r"'((?:1[89]|20)\d\d)(-\d\d(?:-\d\d)?\b[^']*)'")
_YEAR = re.compile(r"(\bYEAR\([^()]*\)\s*=\s*)((?:1[89]|20)\d\d)\b", re.IGNORECASE)
_SAID = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")


def in_years(plan: Plan, question: str, tables: Sequence[TableInfo]) -> Plan:
    """The plan with the one year of the tables that a query asks, where it has another that nobody named.

    Where their dates or the query are of several years, or the question names one, the plan stays as it is.
    """
    return plan if _SAID.search(question) else plan.changed(steps=tuple(_in_year(step, tables) for step in plan.steps))


def _in_year(step: Step, tables: Sequence[TableInfo]) -> Step:
    """The step with the one year of its tables in the place of the only other one that its query names."""
    query = query_of(step)
    asked = (_years(table) for table in tables if re.search(rf"\b{re.escape(table.name)}\b", query))
    own = frozenset[int]().union(*asked)
    named = {int(found) for found, _ in _DAY.findall(query)} | {int(found) for _, found in _YEAR.findall(query)}
    if len(own) != 1 or len(named) != 1 or own == named:
        return step
    (year,) = own
    query = _DAY.sub(lambda day: f"'{year}{_there_is(year, day[2])}'", query)
    return with_query(step, _YEAR.sub(rf"\g<1>{year}", query))


def _years(table: TableInfo) -> frozenset[int]:
    """The years of the dates of a table, from the first to the last."""
    spans = [tuple(map(int, found)) for _, days in table.days for found in _SPAN.findall(days)]
    return frozenset(year for first, last in spans for year in range(first, last + 1))


def _there_is(year: int, day: str) -> str:
    """The day of a month with what comes after it; the last of February where the year is no leap year."""
    return day.replace("-02-29", "-02-28", 1) if not calendar.isleap(year) else day
