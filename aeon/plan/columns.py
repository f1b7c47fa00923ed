"""Columns of the tables that a question or a rule names and a query leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import islice

from aeon.documents.plain import word_set
from aeon.documents.words import stem, stems
from aeon.plan.evidence import stated_numbers
from aeon.plan.queries import figures_of, query_of, with_query
from aeon.schema import Plan
from aeon.tools.tableinfo import TableInfo

__all__ = ["asks_takings", "begins", "lost_columns", "of_single", "per_column"]

_BEGUN = re.compile(
    r"(?:^|_)(?:joined|since|born|birth|birthday|built|founded|hired|started|start|opened|entered|bought|begun|year)(?:_|$)",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"(?:^|_)(?:end|ends|ended|until|due|returned|left|finished|expires|expiry|closed|paid)(?:_|$)", re.IGNORECASE
)
_PER = re.compile(r"\b(?:per|each|every) ([^\W\d_]+(?: [^\W\d_]+)?)", re.IGNORECASE)
_SINGLE = re.compile(r"\b(?:an?|one) single ([^\W\d_]+)", re.IGNORECASE)
_GROUPED = re.compile(r"\bGROUP\s+BY\b", re.IGNORECASE)
_TAKEN = re.compile(
    r"\b(?:what|how much(?: money)?) (?:did|does|do|has|have) [^?.!]*\b(?:take|taken|earn|earned|make|made|bring in)\b"
    r"(?! (?:of|from|by|up)\b)|\bwhat (?:was|were) (?:taken|earned)\b(?! (?:of|from|by|up|out)\b)|\b(?:revenue|turnover|takings)\b",
    re.IGNORECASE,
)
_MONEY = word_set(
    "price prices cost costs fee fees fare fares rate amount revenue turnover takings sales income eur euro euros usd "
    "gbp earnings paid pay salary net gross"
)
_TAKINGS = word_set("paid revenue turnover takings income sales amount earnings total")
"""Words for what customers gave, which is not what one thing costs."""
_AGGREGATE = re.compile(r"\b(?:sum|count|avg|min|max)\(")
_SUMMED = re.compile(r"\bsum\((\w+)\)")
_ORDERED = re.compile(r"\bORDER\s+BY\s+\w+(?:\s+(?:DESC|ASC))?(?=\s+LIMIT\b)", re.IGNORECASE)
_TABLE = re.compile(r"\b(?:from|join)\s+\w+", re.IGNORECASE)
_ALIAS = re.compile(r"\bas\s+\w+", re.IGNORECASE)


def begins(column: str, kind: str) -> bool:
    """Whether a column of this type says when something began, so that an earlier one has lasted longer."""
    return bool(_BEGUN.search(column)) or (kind.startswith("DATE") and not _ENDED.search(column))


def lost_columns(plan: Plan, question: str, sentences: Sequence[str], tables: Sequence[TableInfo]) -> Iterator[str]:
    """What a question asks of the tables' columns and rows that the queries of the plan do not do."""
    yield from per_column(plan, question, sentences, tables)
    queries = list(filter(None, map(query_of, plan.steps)))
    yield from _grouped(queries, question, tables)
    yield from _uncounted_money(queries, question, tables)


def of_single(plan: Plan, question: str, tables: Sequence[TableInfo]) -> Plan:
    """The plan with rows in an order that is of rows, empty cells last, where the question is for a single one.

    Else the first of rows of one name is taken for the first of their groups.
    """
    if not _single_rows(question, tables):
        return plan
    steps = (with_query(step, _ORDERED.sub(r"\g<0> NULLS LAST", query_of(step))) for step in plan.steps)
    return plan.changed(steps=tuple(steps))


def _single_rows(question: str, tables: Sequence[TableInfo]) -> list[str]:
    """What a question calls single that is a row of a table."""
    rows = {stem(word) for table in tables for word in table.name.split("_")}
    return [thing for thing in _SINGLE.findall(question) if stem(thing) in rows]


def _grouped(queries: Sequence[str], question: str, tables: Sequence[TableInfo]) -> Iterator[str]:
    """Whether rows are put together where the question is for the first of single ones."""
    singles = _single_rows(question, tables)
    if singles and any(map(_GROUPED.search, queries)):
        yield f"each row is one {singles[0]}: use ORDER BY and LIMIT 1 without GROUP BY and SUM"


def _uncounted_money(queries: Sequence[str], question: str, tables: Sequence[TableInfo]) -> Iterator[str]:
    """Whether money is asked for and a table that has a column of money is asked for something else."""
    written = _ALIAS.sub("", " ".join(queries)).casefold()
    if not queries or not asks_takings(question):
        return
    if _is_money(own := _TABLE.sub("", written)):
        taken = [] if "*" in own or _is_of(_TAKINGS, own) else [f"{t.name}.{c}" for t in tables for c, _ in t.columns]
        yield from (f"it asks what was taken: SUM({name})" for name in taken if _is_of(_TAKINGS, name.split(".", 1)[1]))
        return
    for table in tables:
        if re.search(rf"\b{re.escape(table.name.casefold())}\b", written):
            money = (name for name, _ in table.columns if _is_money(name))
            sums = _SUMMED.search(written)
            other = f"multiply by {table.name}.{{}}" if _AGGREGATE.search(written) else "SUM({})"
            times = f"SUM({sums[1]} * {{}})" if sums else other
            yield from (f"it asks for money: {times.format(name)}" for name in islice(money, 1))


def asks_takings(question: str) -> bool:
    """Whether a question asks what was earned or taken in all."""
    return bool(_TAKEN.search(question))


def _is_money(text: str) -> bool:
    """Whether a word of a query or of a column's name is one for money."""
    return _is_of(_MONEY, text)


def _is_of(words: Set[str], text: str) -> bool:
    """Whether one of the words stands in a text."""
    return not words.isdisjoint(re.findall(r"[a-z]+", text.casefold()))


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
