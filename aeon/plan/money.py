"""Money that a question asks for: what was taken, which is neither things nor their price."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import islice

from aeon.documents.plain import word_set
from aeon.documents.words import stem
from aeon.plan.queries import query_of, with_query
from aeon.schema import Plan, Step
from aeon.tools.tableinfo import TableInfo

__all__ = ["asks_takings", "asks_worth", "no_money", "of_all_sold"]

_TAKEN = re.compile(
    r"\b(?:what|how much(?: money)?) (?:did|does|do|has|have) [^?.!]*\b(?:take|taken|earn|earned|make|made|bring in)\b"
    r"(?! (?:of|from|by|up)\b)|\bwhat (?:was|were) (?:taken|earned)\b(?! (?:of|from|by|up|out)\b)|"
    r"\b(?:revenue|turnover|takings|most (?:[^\W\d_]+ )?money)\b|"
    r"\b(?:brought in|took in|earned|made) (?:the )?(?:most|least|best)\b",
    re.IGNORECASE,
)
_PAID = re.compile(
    r"\bwhat (?:did|does|do|has|have) [^?.!]*\b(?:paid|pay|owe|owed|spend|spent)\b(?! (?:for|with|by|in cash)\b)|"
    r"\b(?:what|how much) (?:did|do|does|will|would) [^?.!]{1,200}\bcomes? to"
    r"(?= (?:together|altogether|in (?:all|total))|,|\?|$)",
    re.IGNORECASE,
)
_WORTH = re.compile(
    r"\bworth\b[^?.!]*\b(?:together|altogether|in all|in total)\b|\b(?:stock|inventory)\b[^?.!]*\bworth\b|"
    r"\bvalue of (?:all |our |the )+(?:[^\W\d_]+ )?(?:stock|inventory)\b",
    re.IGNORECASE,
)
_MONEY = word_set(
    "price prices cost costs fee fees fare fares rate amount amt revenue turnover takings sales income eur euro euros "
    "usd gbp earnings paid pay salary net gross"
)
_TAKINGS = word_set("paid amt revenue turnover takings income sales amount earnings total")
"""Words for what customers gave, which is not what one thing costs."""
_ALSO_MONEY = word_set(
    "rent dues deposit bill bills donation donations bid wage wages tip tips tax charge charges budget value sum "
    "balance debt fine fines premium spent given money cents dollars pounds"
)
"""More words for money, which may be what is asked for where no column has one of the others."""
_OF_ONE = word_set("price prices fee fees fare fares rate")
"""Words for what one of them costs; what it cost in all, such as a booking's price, stands beside guests and nights."""
_COUNTS = word_set(
    "students participants attendees tickets units pieces quantity qty sold copies crates boxes bottles stock"
)
"""Words for how many there are of what has a price for one."""
_NO_NUMBERS = ("VARCHAR", "BOOLEAN", "DATE", "TIMESTAMP", "TIME")
_ALL_OF = "SUM({})"
_AGGREGATE = re.compile(r"\b(?:sum|count|avg|min|max)\(")
_SUMMED = re.compile(r"\bsum\((\w+)\)")
_SUMMED_AS_WRITTEN = re.compile(r"\bsum\(\w+\)", re.IGNORECASE)
_TABLE = re.compile(r"\b(?:from|join)\s+\w+", re.IGNORECASE)
_CONDITION = re.compile(r"\bwhere\b.*?(?=\b(?:group|order)\s+by\b|\blimit\b|\)|$)", re.DOTALL)
_ALIASED = re.compile(r"\bas\s+(\w+)", re.IGNORECASE)
_ALIAS = re.compile(r"\bas\s+\w+", re.IGNORECASE)


def asks_takings(question: str) -> bool:
    """Whether a question asks what was earned or taken in all."""
    return bool(_TAKEN.search(question))


def asks_worth(question: str) -> bool:
    """Whether a question asks what many things are worth together."""
    return _WORTH.search(question) is not None


def _asks_money(question: str) -> bool:
    """Whether a question to tables asks what was taken, what somebody paid or owes, or what many things are worth."""
    return asks_takings(question) or _PAID.search(question) is not None or asks_worth(question)


def of_all_sold(plan: Plan, question: str, tables: Sequence[TableInfo]) -> Plan:
    """The plan with the price of one times how many there are, where it adds the prices up and one column says it."""
    if not _asks_money(question):
        return plan
    return plan.changed(steps=tuple(_times_sold(step, tables) for step in plan.steps))


def _times_sold(step: Step, tables: Sequence[TableInfo]) -> Step:
    query = query_of(step)
    own = _CONDITION.sub("", _TABLE.sub("", _without_aliases(query).casefold()))
    products = [] if "*" in own or _is_of(_TAKINGS, own) else [*_several(own, query.casefold(), tables)]
    if len(products) != 1 or len(_SUMMED.findall(own)) != 1:
        return step
    return with_query(step, _SUMMED_AS_WRITTEN.sub(lambda _: f"SUM({products[0]})", query))


def _without_aliases(query: str) -> str:
    """The query without the names that it gives its columns, which say nothing of what they are."""
    own = _ALIASED.findall(query)
    return re.sub(rf"\b(?:{'|'.join(map(re.escape, own))})\b", "", _ALIAS.sub("", query)) if own else query


def no_money(queries: Sequence[str], question: str, tables: Sequence[TableInfo]) -> Iterator[str]:
    """Whether it is asked what was taken, and a table that knows is asked for something else, or none knows."""
    if not queries or not _asks_money(question):
        return
    yield from _unpaid(question, tables)
    written = _without_aliases(" ".join(queries)).casefold()
    if (summed := _SUMMED.search(written)) and _stems_of(summed[1]) & _stems_of(question):
        return  # what is added up is what is asked for: the hours of Anna
    own = _CONDITION.sub("", _TABLE.sub("", written))
    if not _is_of(_MONEY, own):
        yield from _uncounted(written, tables)
    elif "*" not in own and not _is_of(_TAKINGS, own):
        paid = _columns(_TAKINGS, tables) or _several(own, written, tables)
        yield from (f"it asks what was taken: SUM({amount})" for amount in paid)


def _unpaid(question: str, tables: Sequence[TableInfo]) -> Iterator[str]:
    """Whether it is asked what somebody pays, of which no table has anything: how many they are is no sum."""
    if _PAID.search(question) and not _columns(_MONEY | _TAKINGS | _ALSO_MONEY, tables):
        yield "it asks for money, which no column has"


def _columns(words: Set[str], tables: Sequence[TableInfo]) -> list[str]:
    """The columns of numbers, each with its table, in whose names one of the words stands."""
    every = ((table.name, name, kind) for table in tables for name, kind in table.columns)
    return [f"{table}.{name}" for table, name, kind in every if _is_of(words, name) and kind not in _NO_NUMBERS]


def _several(own: str, written: str, tables: Sequence[TableInfo]) -> Iterator[str]:
    """The price for one that queries add up, times how many there are in each row of its table, where a column says."""
    price = _SUMMED.search(own)
    for table in tables if price and _is_of(_OF_ONE, price[1]) else ():
        columns = {name.casefold() for name, _ in table.columns}
        if price and price[1] in columns and re.search(rf"\b{re.escape(table.name.casefold())}\b", written):
            yield from (f"{price[1]} * {name}" for name in sorted(columns) if _is_of(_COUNTS, name))


def _uncounted(written: str, tables: Sequence[TableInfo]) -> Iterator[str]:
    """The column of money of each table that queries ask for something else."""
    sums = _SUMMED.search(written)
    for table in tables:
        if re.search(rf"\b{re.escape(table.name.casefold())}\b", written):
            other = f"multiply by {table.name}.{{}}" if _AGGREGATE.search(written) else "SUM({})"
            times = f"SUM({sums[1]} * {{}})" if sums else other
            money = (name for name, _ in table.columns if _is_of(_MONEY, name))
            for name in islice(money, 1):
                yield f"it asks for money: {(_ALL_OF if _is_of(_TAKINGS, name) else times).format(name)}"


def _is_of(words: Set[str], text: str) -> bool:
    """Whether one of the words stands in a text."""
    return not words.isdisjoint(re.findall(r"[a-z]+", text.casefold()))


def _stems_of(text: str) -> frozenset[str]:
    """The stems of all words of a text, common ones too."""
    return frozenset(map(stem, re.findall(r"[a-z]+", text.casefold())))
