"""Years of queries that nobody named and no table has: a question for April means that of the rows there are."""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping

from aeon.plan.queries import query_of, with_query
from aeon.schema import Plan, Step

__all__ = ["in_years", "years_of"]

Years = Mapping[str, frozenset[int]]
_TABLE = re.compile(r"^(?:Tables: )?(\w+)\((.*)$", re.MULTILINE)
_SPAN = re.compile(r"\bDATE ((?:1[89]|20)\d\d)-\d\d-\d\d to ((?:1[89]|20)\d\d)-\d\d-\d\d")
_DAY = re.compile(r"'((?:1[89]|20)\d\d)(-\d\d(?:-\d\d)?\b[^']*)'")
_YEAR = re.compile(r"(\bYEAR\([^()]*\)\s*=\s*)((?:1[89]|20)\d\d)\b", re.IGNORECASE)
_SAID = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")


def years_of(tables: str) -> Years:
    """The years of the dates in each table, out of the lines that describe them."""
    spans = {name: [(int(a), int(b)) for a, b in _SPAN.findall(rest)] for name, rest in _TABLE.findall(tables)}
    return {name: frozenset(year for a, b in own for year in range(a, b + 1)) for name, own in spans.items()}


def in_years(plan: Plan, question: str, there: Years) -> Plan:
    """The plan with the one year of the tables that a query asks, where it has another that nobody named.

    Where their dates or the query are of several years, or the question names one, the plan stays as it is.
    """
    return plan if _SAID.search(question) else plan.changed(steps=tuple(_in_year(step, there) for step in plan.steps))


def _in_year(step: Step, there: Years) -> Step:
    """The step with the one year of its tables in the place of the only other one that its query names."""
    query = query_of(step)
    asked = (years for name, years in there.items() if re.search(rf"\b{re.escape(name)}\b", query))
    own = frozenset[int]().union(*asked)
    named = {int(found) for found, _ in _DAY.findall(query)} | {int(found) for _, found in _YEAR.findall(query)}
    if len(own) != 1 or len(named) != 1 or own == named:
        return step
    (year,) = own
    query = _DAY.sub(lambda day: f"'{year}{_there_is(year, day[2])}'", query)
    return with_query(step, _YEAR.sub(rf"\g<1>{year}", query))


def _there_is(year: int, day: str) -> str:
    """The day of a month with what comes after it; the last of February where the year is no leap year."""
    return day.replace("-02-29", "-02-28", 1) if not calendar.isleap(year) else day
