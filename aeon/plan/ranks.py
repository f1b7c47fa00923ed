"""Questions for the first of all: which of the groups of a query has the most, or the least."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aeon.plan.queries import query_of, with_query
from aeon.schema import Plan, Step

__all__ = ["ranked", "unranked"]

_I = re.IGNORECASE
_MOST = r"most|best|largest|biggest|greatest|highest|longest|latest|oldest|heaviest|fastest|dearest|maximum"
_LEAST = r"least|fewest|worst|smallest|lowest|shortest|earliest|youngest|lightest|slowest|cheapest|minimum"
_FIRST_OF_ALL = re.compile(
    rf"\b(?:which|who|what)\b(?!\s+(?:two|three|four|five|six|ten|\d+)\b)[^.?!]*\b(?:{_MOST}|{_LEAST})\b", _I
)
_MEANT = re.compile(rf"\b(?:(?P<most>{_MOST})|{_LEAST})\b", _I)
_TURNS = re.compile(rf"\b(?:{_MOST}|{_LEAST})\s+(?:recent|old|young|cheap|short|low|small|few|late|early)\b", _I)
_GROUPED = re.compile(r"\bGROUP\s+BY\b", _I)
_RANKED = re.compile(r"\bLIMIT\b|\bHAVING\b|\bQUALIFY\b|=\s*\(\s*SELECT\b", _I)
_PLAIN = re.compile(
    r"\s*SELECT\s+(?P<key>[\w.\"]+)\s*,\s*(?:SUM|MAX|MIN|AVG|COUNT)\s*\([^()]*\)(?:\s+AS\s+\w+)?\s+FROM\s[^;]*?"
    r"\bGROUP\s+BY\s+(?P=key)\s*;?\s*",
    _I,
)


def ranked(plan: Plan, question: str) -> Plan:
    """The plan, with only the first group from a query that gives one number for each, where one is asked for."""
    return plan.changed(steps=tuple(_ranked(step, question) for step in plan.steps))


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
