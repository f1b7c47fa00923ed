"""Columns of the tables that a question or a rule names and a query leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aeon.documents.words import stem, stems
from aeon.plan.evidence import stated_numbers
from aeon.plan.queries import figures_of, query_of
from aeon.schema import Plan
from aeon.tools.tableinfo import TableInfo

__all__ = ["per_column"]

_PER = re.compile(r"\b(?:per|each|every) ([^\W\d_]+(?: [^\W\d_]+)?)", re.IGNORECASE)


def per_column(plan: Plan, question: str, sentences: Sequence[str], tables: Sequence[TableInfo]) -> Iterator[str]:
    """What is counted by, as in "per employee", that is a column of a table and in no query of the plan.

    It is counted by where the question says so, or one of the sentences with a number that a query calculates with.
    """
    written = " ".join(map(query_of, plan.steps))
    queries, numbers = stems(written), figures_of(written) - {0, 1}
    rules = (sentence for sentence in sentences if stated_numbers(sentence) & numbers)
    for words in _PER.findall("\n".join((question, *rules))) if queries else ():
        for table in tables:
            lost = (name for name, _ in table.columns if _names(words, name) and not stems(name) <= queries)
            yield from (f"use {table.name}.{name} too" for name in lost)


def _names(words: str, column: str) -> bool:
    """Whether one or two words name a column."""
    said, own = [stem(word) for word in words.split()], [stem(word) for word in column.split("_")]
    return own in (said, said[:1])
