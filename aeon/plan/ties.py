"""Ties: of several that are first alike, a query with ``LIMIT 1`` gives one, and not always the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.plan.queries import query_of, with_query
from aeon.plan.sources import Sources
from aeon.schema import JsonValue, Plan, Step

__all__ = ["with_ties"]

_FIRST = re.compile(
    r"\s*(?P<rows>(?:(?!\bQUALIFY\b|\bLIMIT\b).)*?)\bORDER\s+BY\s+(?P<order>(?!\d|[^;]*\brandom\b)[^;]*?)\s+"
    r"LIMIT\s+1\s*;?\s*",
    re.IGNORECASE | re.DOTALL,
)
_MOST = 9
"""So many that are first alike are an answer to who is first."""


async def with_ties(plan: Plan, sources: Sources) -> Plan:
    """The plan whose queries for the first row give all rows that share its place, where these differ.

    A step that another one calculates with keeps its one row.
    """
    used = {name for step in plan.steps for name in step.dependencies}
    steps = [await _whole(step, sources) if step.id not in used else step for step in plan.steps]
    return plan.changed(steps=tuple(steps))


async def _whole(step: Step, sources: Sources) -> Step:
    found = _FIRST.fullmatch(query_of(step))
    if found is None:
        return step
    query = f"{found['rows'].rstrip()} QUALIFY rank() OVER (ORDER BY {found['order']}) = 1"
    given = [rows for _, rows in await sources.values([{"query": query}])]
    return with_query(step, query) if given and 1 < _different(given[0]) <= _MOST else step


def _different(rows: JsonValue) -> int:
    """How many different rows there are."""
    return len({str(row) for row in rows}) if isinstance(rows, Sequence) and not isinstance(rows, str) else 1
