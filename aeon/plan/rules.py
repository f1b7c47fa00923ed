"""Rules that a query applies to all rows or to none: what a text states of some rows is applied to each by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from aeon.documents.words import stem, stems
from aeon.plan.evidence import stated_numbers
from aeon.plan.queries import figures_of, query_of, with_query
from aeon.schema import Plan, Source, Step

__all__ = ["by_row", "counts_by_rule"]

_I = re.IGNORECASE | re.DOTALL
_CHANGED = r"(?P<base>[^()]+?)\s*\*\s*(?P<factor>\(\s*1\s*[-+]\s*[\d.\s*/]+\)|[01]?\.\d+)"
_SUM = re.compile(rf"\bSUM\(\s*{_CHANGED}\s*\)", _I)
_LIMIT = r"(?P<limit>(?:\w+\.)?\w+\s*(?:>=?|<=?)\s*(?P<number>\d+(?:\.\d+)?))"
_LAST = re.compile(rf"\s+AND\s+{_LIMIT}(?=\s*(?:$|;|\)|\b(?:GROUP|ORDER|LIMIT)\b))", _I)
_FIRST = re.compile(rf"(?<=\bWHERE\s){_LIMIT}\s+AND\s+", _I)
_OUTSIDE = re.compile(r"\bSUM\((?P<base>[^()]+)\)\s*\*\s*\((?P<factor>\s*1\s*[-+]\s*CASE\b[^()]*\bEND\s*)\)", _I)
_SELECT = re.compile(r"\bSELECT\b", _I)


def by_row(plan: Plan, question: str, stated: str) -> Plan:
    """The plan with queries that apply a rule to each row.

    "More than 500 gets 5 percent off" does not drop the other rows where the question wants all: a limit that only the
    sentences ``stated`` becomes a case, and a case beside a sum goes into it.
    """
    rule = stated_numbers(stated) - stated_numbers(question)
    return plan.changed(steps=tuple(_by_row(step, rule) for step in plan.steps))


def counts_by_rule(plan: Plan, counted: str, sentences: Iterable[Source]) -> bool:
    """Whether a query counts what tables do not know with a number of a sentence that does: 4 points for each unit."""
    figures = {figure for step in plan.steps for figure in figures_of(query_of(step))}
    about = (one.text for one in sentences if stem(counted) in stems(one.text))
    return any(figures & stated_numbers(text) for text in about)


def _by_row(step: Step, rule: frozenset[Fraction]) -> Step:
    query = _OUTSIDE.sub(r"SUM((\g<base>) * (\g<factor>))", query_of(step))
    limit = _LAST.search(query) or _FIRST.search(query)
    if limit is None or Fraction(limit["number"]) not in rule or len(_SELECT.findall(query)) != 1:
        return with_query(step, query)
    case = rf"SUM(CASE WHEN {limit['limit']} THEN \g<base> * \g<factor> ELSE \g<base> END)"
    changed, times = _SUM.subn(case, query[: limit.start()] + query[limit.end() :])
    return with_query(step, changed if times == 1 else query)
