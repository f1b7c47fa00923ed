"""Years of queries that nobody named and no table has: a question for April means that of the rows there are."""

from __future__ import annotations

import calendar
import re

from aeon.plan.queries import query_of, with_query
from aeon.schema import Plan, Step

__all__ = ["in_years", "years_of"]

_SPAN = re.compile(r"\bDATE ((?:1[89]|20)\d\d)-\d\d-\d\d to ((?:1[89]|20)\d\d)-\d\d-\d\d")
_DAY = re.compile(r"'((?:1[89]|20)\d\d)(-\d\d(?:-\d\d)?\b[^']*)'")
_YEAR = re.compile(r"(\bYEAR\([^()]*\)\s*=\s*)((?:1[89]|20)\d\d)\b", re.IGNORECASE)
_SAID = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")


def years_of(tables: str) -> frozenset[int]:
    """The years of the dates in tables, out of the lines that describe them; none where there are no dates."""
    spans = [(int(first), int(last)) for first, last in _SPAN.findall(tables)]
    return frozenset(year for first, last in spans for year in range(first, last + 1))


def in_years(plan: Plan, question: str, there: frozenset[int]) -> Plan:
    """The plan with the one year that all dates of the tables are in, where a query has another that nobody named.

    Where the dates or the query are of several years, or the question names one, the plan stays as it is.
    """
    if len(there) != 1 or _SAID.search(question):
        return plan
    (year,) = there
    return plan.changed(steps=tuple(_in_year(step, year) for step in plan.steps))


def _in_year(step: Step, year: int) -> Step:
    """The step with the year in the place of the only other one that its query names."""
    query = query_of(step)
    named = {int(found) for found, _ in _DAY.findall(query)} | {int(found) for _, found in _YEAR.findall(query)}
    if len(named) != 1 or year in named:
        return step
    query = _DAY.sub(lambda day: f"'{year}{_there_is(year, day[2])}'", query)
    return with_query(step, _YEAR.sub(rf"\g<1>{year}", query))


def _there_is(year: int, day: str) -> str:
    """The day of a month with what comes after it; the last of February where the year is no leap year."""
    return day.replace("-02-29", "-02-28", 1) if not calendar.isleap(year) else day
