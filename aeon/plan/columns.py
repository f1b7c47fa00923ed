"""Columns of the tables that a question or a rule names and a query leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from aeon.documents.words import stem, stems
from aeon.plan.evidence import stated_numbers
from aeon.plan.money import no_money
from aeon.plan.queries import figures_of, query_of, with_query
from aeon.schema import Plan
from aeon.tools.tableinfo import TableInfo, identifier

__all__ = ["begins", "lost_columns", "moved", "of_counts", "of_single", "per_column", "unfilled"]

_LACKS = re.compile(
    r"\b(?:not|no|nobody|no one|none|nothing|never|without|missing|lacks?|lacking|yet|still|empty|blank|open|"
    r"outstanding|un(?:paid|settled|known|filled|claimed|assigned|sold)|owes?)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""What a question says that asks for what nobody has written down yet."""

_BEGUN = re.compile(
    r"(?:^|_)(?:joined|since|born|birth|birthday|built|founded|hired|started|start|opened|entered|bought|begun|moved|year)(?:_|$)",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"(?:^|_)(?:end|ends|ended|until|due|returned|left|finished|expires|expiry|closed|paid)(?:_|$)", re.IGNORECASE
)
_PER = re.compile(r"\b(?:per|each|every) ([^\W\d_]+(?: [^\W\d_]+)?)", re.IGNORECASE)
_SINGLE = re.compile(r"\b(?:an?|one) single ([^\W\d_]+)", re.IGNORECASE)
_AT_ONCE = re.compile(
    r"\b(?:most|least|fewest|largest|biggest)\b[^.?!]*\b(?:at once|at one time|in one go)\b", re.IGNORECASE
)
_OLDEST = re.compile(r"\b(?P<way>oldest|newest|youngest|latest|earliest|most recent) ([^\W\d_]+)", re.IGNORECASE)
_GROUPED = re.compile(r"\bGROUP\s+BY\b", re.IGNORECASE)
_SUMMED = re.compile(r"""\bSUM\(\s*(?P<name>"[^"]+"|\w+)\s*\)""", re.IGNORECASE)
_SPACES = re.compile(r"\W+")
_EQUALS = re.compile(r"=\s*'([^']+)'")
_MOST_GAPS = 8
_SHORT = 2
_WORD = re.compile(r"[^\W_]+")
_REMARK = re.compile(r"note|remark|comment", re.IGNORECASE)
_UNSUMMED = ("DATE", "TIME")
_ORDERED = re.compile(r"\bORDER\s+BY\s+\w+(?:\s+(?:DESC|ASC))?(?=\s+LIMIT\b)", re.IGNORECASE)


def begins(column: str, kind: str) -> bool:
    """Whether a column of this type says when something began, so that an earlier one has lasted longer."""
    return bool(_BEGUN.search(column)) or (kind.startswith("DATE") and not _ENDED.search(column))


def unfilled(question: str, tables: Sequence[TableInfo]) -> str:
    """A comment that says which columns some rows have nothing in, where a question asks for what is lacking; else "".

    Such a row has NULL there, and not 0 or 'no', which a small model guesses. Of the columns it is those that the
    question has a word of, or where it has none of any, all but remarks.
    """
    if not _LACKS.search(question):
        return ""
    gaps = [f"{table.name}.{identifier(name, frozenset())}" for table in tables for name in table.with_gaps]
    told = [one for one in gaps if _has_word(question, one)] or [one for one in gaps if not _REMARK.search(one)]
    return f"-- NULL in some rows: {', '.join(told[:_MOST_GAPS])}" if told else ""


def _has_word(question: str, column: str) -> bool:
    """Whether a question has a word of a column's name, be it one of any text, such as "back"."""
    said, own = ({stem(word) for word in _WORD.findall(text)} for text in (question, column.partition(".")[2]))
    return bool({word for word in own if len(word) > _SHORT} & said)


def lost_columns(plan: Plan, question: str, sentences: Sequence[str], tables: Sequence[TableInfo]) -> Iterator[str]:
    """What a question asks of the tables' columns and rows that the queries of the plan do not do."""
    yield from per_column(plan, question, sentences, tables)
    queries = list(filter(None, map(query_of, plan.steps)))
    yield from _grouped(queries, question, tables)
    yield from _undated(queries, question, tables)
    yield from no_money(queries, question, tables)
    yield from _values_left_out(queries, question, tables)


def _values_left_out(queries: Sequence[str], question: str, tables: Sequence[TableInfo]) -> Iterator[str]:
    """A value beside one that a query compares with, which the question names as well: coach deposit and coach rest."""
    compared = {text.casefold() for query in queries for text in _EQUALS.findall(query)}
    for column, values in chain.from_iterable(table.values for table in tables):
        there = _words(" ".join(value for value in values if value.casefold() in compared))
        beside = [value for value in values if _is_beside(_words(value), there, _words(question))]
        yield from (f"use {column} = '{value}' too" for value in beside)


def _words(text: str) -> frozenset[str]:
    return frozenset(_SPACES.sub(" ", text.casefold()).split())


def _is_beside(words: frozenset[str], there: frozenset[str], asked: frozenset[str]) -> bool:
    """Whether a question has all words of a value, some of which are in what is compared with, as are others."""
    return there | words <= asked and bool(words & there) and not words <= there


def of_single(plan: Plan, question: str, tables: Sequence[TableInfo]) -> Plan:
    """The plan with rows in an order that is of rows, empty cells last, where the question is for a single one.

    Else the first of rows of one name is taken for the first of their groups.
    """
    if not _single_rows(question, tables):
        return plan
    steps = (with_query(step, _ORDERED.sub(r"\g<0> NULLS LAST", query_of(step))) for step in plan.steps)
    return plan.changed(steps=tuple(steps))


def of_counts(plan: Plan, tables: Sequence[TableInfo]) -> Plan:
    """The plan with rows counted where a query adds up days or times: who borrowed most has the most rows."""
    kinds = {_SPACES.sub("_", name.casefold()): kind for table in tables for name, kind in table.columns}

    def counted(found: re.Match[str]) -> str:
        kind = kinds.get(_SPACES.sub("_", found["name"].strip('"').casefold()), "")
        return "COUNT(*)" if kind.startswith(_UNSUMMED) else found[0]

    return plan.changed(steps=tuple(with_query(step, _SUMMED.sub(counted, query_of(step))) for step in plan.steps))


def _single_rows(question: str, tables: Sequence[TableInfo]) -> list[str]:
    """What a question calls single that is a row of a table; "time" for what is the most at once."""
    rows = {stem(word) for table in tables for word in table.name.split("_")}
    singles = [thing for thing in _SINGLE.findall(question) if stem(thing) in rows]
    return [*singles, *(["time"] if _AT_ONCE.search(question) else [])]


def _grouped(queries: Sequence[str], question: str, tables: Sequence[TableInfo]) -> Iterator[str]:
    """Whether rows are put together where the question is for the first of single ones."""
    singles = _single_rows(question, tables)
    if singles and any(map(_GROUPED.search, queries)):
        yield f"each row is one {singles[0]}: use ORDER BY and LIMIT 1 without GROUP BY and SUM"


def _undated(queries: Sequence[str], question: str, tables: Sequence[TableInfo]) -> Iterator[str]:
    """Whether the oldest or the latest row of a table is asked about, and no query looks at when its rows began."""
    written = " ".join(queries).casefold()
    for way, thing in _OLDEST.findall(question) if written else ():
        for table in tables:
            dated = [name for name, kind in table.columns if begins(name, kind)]
            if (
                stem(thing) in stems(table.name.replace("_", " "))
                and len(dated) == 1
                and dated[0].casefold() not in written
            ):
                yield f"the {way.lower()} {thing} is the first by {dated[0]}: use ORDER BY {dated[0]} and LIMIT 1"


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


def moved(text: str, plan: Plan, question: str, tables: Sequence[TableInfo]) -> str:
    """That a program asked a table of which the question speaks, and its plan asks another one; "" where it does not.

    A query whose columns only another table has is mended so, which is seldom what is asked for then.
    """
    asked = " ".join(map(query_of, plan.steps))
    for table in tables:
        spoken = stems(table.name.replace("_", " ")) & stems(question)
        named = re.compile(rf"\b{re.escape(table.name)}\b", re.IGNORECASE)
        if asked and spoken and named.search(text) and not named.search(asked):
            return f"{table.name} has no such column, only {', '.join(name for name, _ in table.columns)}"
    return ""
