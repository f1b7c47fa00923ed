"""Columns of the tables that a question names and a query leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aeon.documents.words import stem, stems
from aeon.plan.queries import query_of
from aeon.schema import Plan
from aeon.tools.tableinfo import TableInfo

__all__ = ["per_column"]

_PER = re.compile(r"\b(?:per|for each|for every) ([^\W\d_]+(?: [^\W\d_]+)?)", re.IGNORECASE)


def per_column(plan: Plan, question: str, tables: Sequence[TableInfo]) -> Iterator[str]:
    """What a question counts by, as in "per employee", that is a column of a table and in no query of the plan."""
    queries = stems(" ".join(map(query_of, plan.steps)))
    for words in _PER.findall(question) if queries else ():
        for table in tables:
            lost = (name for name, _ in table.columns if _names(words, name) and not stems(name) <= queries)
            yield from (f"use {table.name}.{name} too" for name in lost)


def _names(words: str, column: str) -> bool:
    """Whether one or two words name a column."""
    said, own = [stem(word) for word in words.split()], [stem(word) for word in column.split("_")]
    return own in (said, said[:1])
