"""Prices of several pieces: a query that gives the price of one, where the question says how many."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.plan.queries import figures_of, gives_one_column, query_of, with_query
from aeon.schema import Plan, Step
from aeon.tools.tableinfo import Named

__all__ = ["of_pieces"]

_I = re.IGNORECASE
_COSTS = re.compile(r"\b(?:cost|price|pay|charge|charged|come to|worth|bill|spend)\b", _I)
_PIECES = r"units?|pieces?|items?|copies|boxes|packs?|bottles?|bags?|pairs?"
_LIMIT = r"(?<!than )(?<!least )(?<!most )(?<!over )(?<!under )(?<!above )(?<!below )(?<!to )"
_SUMMED = re.compile(r"\b(?:SUM|COUNT|AVG|MIN|MAX|GROUP|UNION)\b", _I)


def of_pieces(plan: Plan, question: str, named: Sequence[Named]) -> Plan:
    """The plan, its one query times the number of pieces that the question names and the query does not.

    "What do 10 units of the whisk cost?" is ten times what a query gives that selects a price.
    """
    things = "|".join([_PIECES, *(re.escape(one.value) + r"e?s?" for one in named)])
    found = re.search(rf"{_LIMIT}\b(\d{{1,6}}) (?:{things})\b", question, _I)
    asked = [step for step in plan.steps if query_of(step)]
    if found is None or not _COSTS.search(question) or len(asked) != 1 or len(plan.steps) != 1:
        return plan
    return plan.changed(steps=(_times(asked[0], int(found[1])),))


def _times(step: Step, number: int) -> Step:
    """The step with so many times what its query gives, where that is one price."""
    query = query_of(step)
    if number in figures_of(query) or _SUMMED.search(query) or not gives_one_column(query):
        return step
    return with_query(step, f"SELECT {number} * v FROM ({query.rstrip(' ;')}) AS t(v)")
