"""Days of queries: those that nobody spoke of, which a model copies or guesses, and those that are asked for, too."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.plan.queries import query_of, with_query
from aeon.schema import Plan
from aeon.tools.tableinfo import TableInfo, quoted

__all__ = ["AND_WHEN", "with_day", "without_unsaid_days"]

AND_WHEN = re.compile(r"\band (?:when\b|(?:(?:on|at|since|from|by) )?(?:what|which) (?:day|date)\b)", re.IGNORECASE)
"""Words by which a question asks for the day, too."""
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_NAME = r"(?:\w+|\"[^\"]+\"|`[^`]+`)"
_MOST_OF = re.compile(
    rf"\s*SELECT\s+(?P<what>{_NAME})\s*,\s*(?P<which>MAX|MIN)\((?P<of>{_NAME})\)(?:\s+AS\s+(?P<alias>\w+))?\s+"
    rf"FROM\s+(?P<table>\w+)(?P<where>\s+WHERE\s(?:(?!\b(?:GROUP|SELECT)\b).)+?)?\s+GROUP\s+BY\s+(?P=what)\s+ORDER\s+BY\s+"
    rf"(?:MAX|MIN)?\(?(?:(?P=alias)|(?P=of)|2)\)?(?P<way>\s+(?:ASC|DESC))?\s+LIMIT\s+1\s*",
    re.IGNORECASE | re.DOTALL,
)
_WITHIN = re.compile(
    r"(?P<column>(?:\w+\.)?(?:\"[^\"]+\"|'[^']+'|\w+))\s+(?P<without>NOT\s+)?"
    r"BETWEEN\s+'(?P<first>[\d-]+)'\s+AND\s+'(?P<last>[\d-]+)'",
    re.IGNORECASE,
)
_WHOLE_YEARS = re.compile(r".*'\d{4}-01-01'.*'\d{4}-12-31'")
_OF_TIME = re.compile(
    r"\d|(?i:\b(?:january|february|march|april|may|june|july|august|september|october|november|december|\w+days?|today|"
    r"tomorrow|dates?|weeks?|fortnight|weekends?|months?|quarters?|season|spring|summer|autumn|fall|winter|half|"
    r"first|last|latest|earliest|newest|oldest|recent\w*|past|new year|christmas|easter|since|until|till|before|after|"
    r"between|during|beginning|middle|end|early|late|term|holidays?)\b)"
)
"""What a question says of a part of a year."""
_WEEKDAY = r"'(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*'"
_IN_WEEK = re.compile(rf"(?:\w+\.)?(?:\"[^\"]+\"|\w+)\s+BETWEEN\s+{_WEEKDAY}\s+AND\s+{_WEEKDAY}", re.IGNORECASE)
_OF_WEEK = re.compile(
    r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?\b|\b(?:week ?days?|work\w*|week-?ends?|"
    r"(?:during|in|through) the week|week long|school)\b",
    re.IGNORECASE,
)
"""What a question says of days of the week."""
_LEFT_OUT = re.compile(r"\s+AND\s+\0|\0\s+AND\s+|\s+WHERE\s+\0(?!\s+AND\b)", re.IGNORECASE)
"""Where a condition stood that is left out, in the place of a character that no query has."""


def without_unsaid_days(plan: Plan, question: str, tables: Sequence[TableInfo]) -> Plan:
    """The plan without conditions on days that nobody spoke of: from the first to the last that a table has, in July.

    A model copies the first from what it is told of the tables: of its own column they leave out nothing, of another's
    they leave out what is meant; what does not lie there is meant to be empty. A part of a year, or of the week, is
    none where the question speaks of no such part. Where it names days, all stay.
    """
    is_dated = re.search(r"\d", _YEAR.sub("", question)) is not None
    is_timed, is_weekly = _OF_TIME.search(_YEAR.sub("", question)), _OF_WEEK.search(question)
    spans = {days for table in tables for _, days in table.days}

    def left_out(found: re.Match[str]) -> str:
        is_guess = not is_timed and not found["without"] and not _WHOLE_YEARS.fullmatch(found[0])
        if is_dated or (f"{found['first']} to {found['last']}" not in spans and not is_guess):
            return found[0]
        return f"{found['column']} IS NULL" if found["without"] else "\0"

    steps = []
    for step in plan.steps:
        query = _WITHIN.sub(left_out, query_of(step))
        query = _LEFT_OUT.sub("", query if is_weekly else _IN_WEEK.sub("\0", query))
        steps.append(with_query(step, query.replace("\0", "TRUE")))
    return plan.changed(steps=tuple(steps))


def with_day(plan: Plan, question: str, tables: Sequence[TableInfo]) -> Plan:
    """The plan with the day of the first row where the question asks which had the most, and when.

    A query for the most of each group has no day; that of the row that has it does, if its table has but one of them.
    """
    if not AND_WHEN.search(question):
        return plan
    days = {table.name.casefold(): [name for name, _ in table.days] for table in tables}

    def dated(found: re.Match[str]) -> str:
        own = days.get(found["table"].casefold(), [])
        way = "DESC" if found["which"].upper() == "MAX" else "ASC"
        if len(own) != 1 or (found["way"] or "ASC").strip().upper() != way:
            return found[0]
        columns = f"{found['what']}, {found['of']}, {quoted(own[0])}"
        rows = f"FROM {found['table']}{found['where'] or ''}"
        return f"SELECT {columns} {rows} ORDER BY {found['of']} {way} NULLS LAST LIMIT 1"

    found = [(step, _MOST_OF.fullmatch(query_of(step))) for step in plan.steps]
    return plan.changed(steps=tuple(with_query(step, dated(match)) if match else step for step, match in found))
