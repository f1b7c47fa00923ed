"""Months that a question asks for, where a query groups by days."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.plan.queries import query_of, with_query
from aeon.schema import Plan, Step
from aeon.tools.tableinfo import TableInfo

__all__ = ["in_months"]

_I = re.IGNORECASE
_ASKED = re.compile(r"\b(?:which|what) month\b(?! of\b)|\bmonth (?:with|had|has|was|brought|saw)\b", _I)
_OF_MONTHS = re.compile(r"\bMONTH(?:NAME)?\s*\(|\b(?:STRFTIME|EXTRACT|DATE_PART|DATE_TRUNC)\b", _I)


def in_months(plan: Plan, question: str, tables: Sequence[TableInfo]) -> Plan:
    """The plan with rows grouped by the month, with its year, where the question asks which month it was.

    A small model writes ``DATE(day) AS month`` and groups by the day.
    """
    days = [name for table in tables for name, kind in table.columns if kind.startswith(("DATE", "TIMESTAMP"))]
    if not days or not _ASKED.search(question):
        return plan
    return plan.changed(steps=tuple(_of_months(step, days) for step in plan.steps))


def _of_months(step: Step, days: Sequence[str]) -> Step:
    query = query_of(step)
    if not re.search(r"\bGROUP\s+BY\b", query, _I) or _OF_MONTHS.search(query):
        return step
    column = "|".join(map(re.escape, dict.fromkeys(days)))
    day = rf"(?:DATE\(\s*(?P<of>{column})\s*\)|CAST\(\s*(?P<cast>{column})\s+AS\s+DATE\s*\)|\b(?P<name>{column})\b)"
    selected, grouped = rf"(?<=SELECT )\s*{day}", rf"(?<=GROUP BY )\s*{day}"
    if not re.search(selected, query, _I):
        return step

    def month(found: re.Match[str]) -> str:
        return f"strftime({found['of'] or found['cast'] or found['name']}, '%B %Y')"

    return with_query(step, re.sub(grouped, month, re.sub(selected, month, query, flags=_I), flags=_I))
