"""Questions for the first of all: which of the groups of a query has the most, or the least."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from aeon.documents.words import stem, stems
from aeon.plan.columns import begins
from aeon.plan.queries import query_of, with_query
from aeon.schema import Plan, Step
from aeon.tools.tableinfo import TableInfo, quoted

__all__ = ["ranked", "unranked", "with_name"]

_I = re.IGNORECASE
_MOST = r"most|best|largest|biggest|greatest|highest|longest|latest|oldest|heaviest|fastest|dearest|maximum"
_LEAST = r"least|fewest|worst|smallest|lowest|shortest|earliest|youngest|lightest|slowest|cheapest|minimum"
_FIRST_OF_ALL = re.compile(
    rf"\b(?:which|who|what)\b(?!\s+(?:two|three|four|five|six|ten|\d+)\b)[^.?!]*\b(?:{_MOST}|{_LEAST})\b", _I
)
_MEANT = re.compile(rf"\b(?:(?P<most>{_MOST})|{_LEAST})\b", _I)
_TURNS = re.compile(rf"\b(?:{_MOST}|{_LEAST})\s+(?:recent|old|young|cheap|short|low|small|few|late|early)\b", _I)
_SINCE = r"\b(?:been|worked|lived|served|stayed|owned|belonged|had|held|kept|rented)\b[^.?!]*"
_LONG_SINCE = re.compile(rf"\boldest\b|\blongest[- ](?:serving|standing)\b|{_SINCE}\blongest\b", _I)
_NOT_LONG = re.compile(rf"\b(?:newest|youngest)\b|{_SINCE}\bshortest\b", _I)
_ORDER = re.compile(r"\bORDER\s+BY\s+(?:\w+\.)?\"?(?P<column>\w+)\"?(?P<way>\s+(?:DESC|ASC)\b)?(?=[^()]*\bLIMIT\b)", _I)
_EXTREME = re.compile(r"\b(?P<which>MAX|MIN)(?=\s*\(\s*(?:\w+\.)?\"?(?P<column>\w+)\"?\s*\))", _I)
_GROUPED = re.compile(r"\bGROUP\s+BY\b", _I)
_RANKED = re.compile(r"\bLIMIT\b|\bHAVING\b|\bQUALIFY\b|=\s*\(\s*SELECT\b", _I)
_WHAT_MOST = re.compile(
    rf"\W*(?:what|which)(?:['\u2019]s|\s+(?:is|was|are|were))\s+(?:the|our|my|his|her|their|your|its)\s+(?:single\s+)?"
    rf"(?:{_MOST}|{_LEAST})\s+(?:single\s+)?(?P<thing>[^\W\d_]+)",
    _I,
)
_ONLY_EXTREME = re.compile(
    r"\s*SELECT\s+(?P<which>MAX|MIN)\s*\(\s*(?P<column>\w+|\"[^\"]+\"|`[^`]+`)\s*\)(?:\s+AS\s+\w+)?\s+"
    r"FROM\s+(?P<table>\w+)(?P<where>\s+WHERE\s(?:(?!\b(?:GROUP|SELECT|ORDER|LIMIT)\b).)+)?\s*;?\s*",
    _I | re.DOTALL,
)
_PLAIN = re.compile(
    r"\s*SELECT\s+(?P<key>[\w.\"]+)\s*,\s*(?:SUM|MAX|MIN|AVG|COUNT)\s*\([^()]*\)(?:\s+AS\s+\w+)?\s+FROM\s[^;]*?"
    r"\bGROUP\s+BY\s+(?P=key)\s*;?\s*",
    _I,
)


def ranked(plan: Plan, question: str, tables: Sequence[TableInfo] = ()) -> Plan:
    """The plan, with only the first group from a query that gives one number for each, where one is asked for.

    Where the question is for what is oldest, or there the longest, the first of them is the one that began earliest.
    """
    ways = {name.casefold() for table in tables for name, kind in table.columns if begins(name, kind)}
    steps = (_from_the_start(_ranked(step, question), question, ways) for step in plan.steps)
    return plan.changed(steps=tuple(steps))


def with_name(plan: Plan, question: str, tables: Sequence[TableInfo]) -> Plan:
    """The plan with the name of the row beside the most that it has, where the question is what the biggest cost is.

    Where a column is called so, the highest price, its number is what is asked for. The name is a text in the first
    column of the table.
    """
    asked = _WHAT_MOST.match(question)
    if asked is None or stem(asked["thing"]) in stems(" ".join(name for table in tables for name, _ in table.columns)):
        return plan
    names = {table.name.casefold(): table.columns[0] for table in tables if table.columns}

    def named(found: re.Match[str]) -> str:
        name, kind = names.get(found["table"].casefold(), ("", ""))
        if kind != "VARCHAR":
            return found[0]
        way = "DESC" if found["which"].upper() == "MAX" else "ASC"
        rows = f"FROM {found['table']}{(found['where'] or '').rstrip()}"
        return f"SELECT {quoted(name)}, {found['column']} {rows} ORDER BY {found['column']} {way} NULLS LAST LIMIT 1"

    found = [(step, _ONLY_EXTREME.fullmatch(query_of(step))) for step in plan.steps]
    return plan.changed(steps=tuple(with_query(step, named(match)) if match else step for step, match in found))


def _from_the_start(step: Step, question: str, begun: Set[str]) -> Step:
    """The step with rows in the order of when something began, as the question means it."""
    earliest = bool(_LONG_SINCE.search(question))
    if not query_of(step) or earliest == bool(_NOT_LONG.search(question)):
        return step

    def ordered(found: re.Match[str]) -> str:
        if found["column"].casefold() not in begun:
            return found[0]
        return f"{found[0].removesuffix(found['way'] or '')} {'ASC' if earliest else 'DESC'}"

    def extreme(found: re.Match[str]) -> str:
        return ("MIN" if earliest else "MAX") if found["column"].casefold() in begun else found[0]

    return with_query(step, _EXTREME.sub(extreme, _ORDER.sub(ordered, query_of(step))))


def _ranked(step: Step, question: str) -> Step:
    query = query_of(step)
    word = _MEANT.search(question)
    if not query or word is None or _TURNS.search(question) or not _FIRST_OF_ALL.search(question):
        return step
    if not _PLAIN.fullmatch(query) or _RANKED.search(query) or re.search(r"\bORDER\s+BY\b", query, _I):
        return step
    direction = "DESC" if word["most"] else "ASC"
    return with_query(step, f"{query.rstrip().rstrip(';')} ORDER BY 2 {direction} LIMIT 1")


def unranked(question: str, answers: Sequence[Step]) -> Iterator[str]:
    """What is doubtful about queries that give all groups to a question for the first of them."""
    for query in map(query_of, answers):
        if _FIRST_OF_ALL.search(question) and _GROUPED.search(query) and not _RANKED.search(query):
            yield "only the first one is asked for: use ORDER BY and LIMIT 1"
