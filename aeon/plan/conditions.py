"""Conditions of queries on texts that nobody named, such as a value of the rows that the model was shown."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator, Sequence

from aeon.documents.meaning import akin
from aeon.documents.words import stems
from aeon.plan.queries import query_of, with_query
from aeon.schema import Plan, Step
from aeon.tools.tableinfo import Named, TableInfo

__all__ = ["completed", "copies", "excluded", "guesses", "misplaced", "said_once", "unsaid", "without_unsaid"]

_COMPARED = re.compile(r"(?:=|LIKE)\s*\\?'([^'\\]+)\\?'", re.IGNORECASE)
_CONDITION = r"(?:\w+\()?(?:\w+\.)?(?:\"[^\"]+\"|\w+)\)?\s*(?:=|I?LIKE)\s*'{text}'"
_COLUMN = r"(\w+)\"?\)?\s*(?:=|I?LIKE)\s*'{text}'"
_COMPARES = re.compile(
    r"%|\b(?:per ?cent|percentage|share|than|versus|compared?|ratio|minus|difference|exceed)\b", re.IGNORECASE
)
_CODE = re.compile(r"(?!(?:[QHWY]|KW)[-_ ]?\d)[^\W\d_]{1,8}[-_ ]?\d{1,8}%?", re.IGNORECASE)
"""A code of letters and digits; none of a quarter, a half, a week or a year, which a question says in words."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_OF_DAYS = re.compile(
    r"\d|(?i:\b(?:january|february|march|april|june|july|august|september|october|november|december|\w+days?|today|"
    r"dates?|weeks?|months?|quarters?|years?|first|last|latest|earliest|newest|oldest|new year|christmas)\b)|\bMay\b"
)
"""What a question says of days."""
_LETTERS = re.compile(r"[^\W\d_]+")
_CALENDAR = tuple(name.casefold() for name in (*calendar.month_name, *calendar.day_name) if name)
_SHORT, _ABBREVIATED = 2, 3
_YES = frozenset({"yes", "y", "true", "ja"})
_IS_TEXT = re.compile(r"(?P<column>\"[^\"]+\"|\b\w+)\s*=\s*'(?P<text>[^']*)'")
_SAID_YES = re.compile(r"\b(?:yes|ja)\b", re.IGNORECASE)
_UNLIKE = re.compile(r"(?P<column>\"[^\"]+\"|\b\w+)\s*(?:!=|<>)\s*'(?P<text>[^']*)'")
_SELECT = re.compile(r"\b(?:SELECT|JOIN|UNION|OR|FILTER)\b", re.IGNORECASE)
_END = r"(?=\s*(?:$|\)|;|\b(?:GROUP|ORDER|LIMIT|HAVING)\b))"


def without_unsaid(
    plan: Plan, said: str, named: Sequence[Named] = (), copied: Callable[[str], bool] | None = None
) -> Plan:
    """The plan with queries that leave out the conditions on what stands nowhere in ``said``.

    Where just one value of the same column is ``named`` and the query lacks it, it is put in the place of the other.
    Where it is known which texts are ``copied`` from rows that the model was shown, these are left out and others stay:
    the model means something by them.
    """
    return plan.changed(steps=tuple(_without(step, said, named, copied) for step in plan.steps))


def said_once(plan: Plan, question: str) -> Plan:
    """The plan with queries in which a yes is said of one column, where the question says it once, and of none of them.

    It is the first: who has said yes stays over, or not.
    """
    if len(_SAID_YES.findall(question)) != 1:
        return plan
    return plan.changed(steps=tuple(with_query(step, _said_once(query_of(step), question)) for step in plan.steps))


def _said_once(query: str, question: str) -> str:
    found = [match for match in _IS_TEXT.finditer(query) if match["text"].casefold() in _YES]
    names = list(dict.fromkeys(match["column"] for match in found))
    if stems(" ".join(names).replace("_", " ")) & stems(question):
        return query
    for name in names[1:]:
        query = _left_out(query, rf"(?:\w+\.)?{re.escape(name)}\s*=\s*'\w+'")
    return query


def copies(tables: Sequence[TableInfo], question: str) -> Callable[[str], bool]:
    """Tells whether a text is one of the rows that a prompt shows of the tables, and the question has no word of it."""
    cells = {cell.strip("'").casefold() for table in tables for row in table.sample for cell in row}
    return lambda text: text.casefold() in cells and _is_word_unsaid(text, question)


def guesses(plan: Plan, said: str) -> Iterator[str]:
    """The texts that queries compare with and of which nothing was said, not even in words of much the same meaning."""
    texts = (text for step in plan.steps for text in _unsaid_texts(query_of(step), said))
    return (text for text in texts if not akin(set(_LETTERS.findall(text.casefold())), said))


def completed(plan: Plan, question: str, named: Sequence[Named], tables: Sequence[TableInfo] = ()) -> Plan:
    """The plan with the conditions that its one query leaves out, where that is plain to do.

    It is not where the question compares, names two values of a column, the query is more than one ``SELECT`` of one
    table, or that one of the ``tables`` has no such column.
    """
    if _COMPARES.search(question) or len(queries := list(filter(query_of, plan.steps))) != 1:
        return plan
    query = query_of(queries[0])
    own = [one for one in named if _asks_for(query, one.column, tables)]
    lost = _lost(query, own) if len(_SELECT.findall(query)) == 1 else []
    changed = with_query(queries[0], _narrowed(query, lost)) if lost else queries[0]
    return plan.changed(steps=tuple(changed if step is queries[0] else step for step in plan.steps))


def _lost(query: str, named: Sequence[Named]) -> list[str]:
    """The conditions on columns that the query does not have, as far as only one value of each is named."""
    sides = [_side(one) for one in named]
    return [one.condition for one in named if sides.count(_side(one)) == 1 and not _has(query, one.column)]


def _asks_for(query: str, column: str, tables: Sequence[TableInfo]) -> bool:
    """Whether a query asks a table that has the column, as far as its tables are known."""
    asked = [table for table in tables if _has(query, table.name)]
    return not asked or any(column in dict(table.columns) for table in asked)


def _side(named: Named) -> str:
    """What a condition compares: a column, or the month or the year of one."""
    return named.condition.rsplit(" = ", 1)[0]


def _has(query: str, column: str) -> bool:
    return re.search(rf"(?i)\b{re.escape(column)}\b", query) is not None


def _narrowed(query: str, conditions: Sequence[str]) -> str:
    """The query with these conditions too."""
    more = " AND ".join(conditions)
    if where := re.search(r"\bWHERE\b\s*", query, re.IGNORECASE):
        return f"{query[: where.end()]}{more} AND {query[where.end() :]}"
    end = re.search(r"\s*(?:\b(?:GROUP|ORDER|LIMIT|HAVING)\b|;|$)", query, re.IGNORECASE)
    at = end.start() if end else len(query)
    return f"{query[:at]} WHERE {more}{query[at:]}"


def unsaid(plan: Plan, said: str) -> str:
    """What is wrong with a query that still compares with a text that nobody named, "" if none does."""
    texts = [text for step in plan.steps for text in _unsaid_texts(query_of(step), said)]
    return f"the question does not say '{texts[0]}'" if texts else ""


def misplaced(plan: Plan, named: Sequence[Named], tables: Sequence[TableInfo]) -> str:
    """What is wrong with a query that compares with a value that only a table has which it does not ask; else ""."""
    lost = {text for query in filter(None, map(query_of, plan.steps)) for text in _foreign(query, named, tables)}
    for one in named:
        holders = [table.name for table in tables if one.column in dict(table.columns)]
        if len(holders) == 1 and one.value.casefold() in lost:
            return f"'{one.value}' is a {one.column} of {holders[0]}: ask that table"
    return ""


def _foreign(query: str, named: Sequence[Named], tables: Sequence[TableInfo]) -> set[str]:
    """The texts that a query compares with, in lower case, without those that a table has which it asks."""
    asked = [table for table in tables if _has(query, table.name)]
    own = {name for table in asked for name, _ in table.columns}
    known = {one.value.casefold() for one in named if one.column in own}
    return {text.casefold() for text in _COMPARED.findall(query)} - known if asked else set()


def excluded(plan: Plan, tables: Sequence[TableInfo]) -> str:
    """What is wrong with a query that leaves out rows of a text that no row has, of a column of few texts; else "".

    "Not meat" is no value of what people eat, and rows without a text are left out with it.
    """
    for query in filter(None, map(query_of, plan.steps)):
        values = {name.casefold(): own for t in tables if _has(query, t.name) for name, own in t.values}
        for found in _UNLIKE.finditer(query):
            column = found["column"].strip('"')
            own = values.get(column.casefold(), ())
            if own and found["text"].casefold() not in map(str.casefold, own):
                return f"no row has {column} = '{found['text']}'; values of {column} are: {', '.join(own)}"
    return ""


def _without(step: Step, said: str, named: Sequence[Named], copied: Callable[[str], bool] | None) -> Step:
    query = query_of(step)
    guessed = _guessed(query, said, copied)
    for text in _to_leave_out(query, said, copied):
        query = _meant(query, text, named)
        if text in guessed:
            continue
        query = _left_out(query, _CONDITION.format(text=re.escape(text)))
    return with_query(step, query)


def _left_out(query: str, condition: str) -> str:
    """The query without a condition, as a pattern, that stands among others with AND, or alone."""
    for found in (
        rf"\s+AND\s+{condition}(?!\s*OR\b)",
        rf"(?<=\bWHERE)\s+{condition}\s+AND\b",
        rf"\s+WHERE\s+{condition}{_END}",
    ):
        query = re.sub(found, "", query, flags=re.IGNORECASE)
    return query


def _guessed(query: str, said: str, copied: Callable[[str], bool] | None) -> list[str]:
    """The texts that stay, since the model means something by them."""
    if copied is None:
        return []
    return [text for text in _unsaid_texts(query, said) if _is_word_unsaid(text, said) and not copied(text)]


def _to_leave_out(query: str, said: str, copied: Callable[[str], bool] | None) -> list[str]:
    """The texts that nobody named, and those that are copied."""
    texts = _unsaid_texts(query, said)
    every = _COMPARED.findall(query) if copied is not None else []
    return [*texts, *(text for text in every if copied is not None and copied(text) and text not in texts)]


def _meant(query: str, text: str, named: Sequence[Named]) -> str:
    """The query with the one value that is named for a column in the place of a text that is not."""
    column = re.search(_COLUMN.format(text=re.escape(text)), query, re.IGNORECASE)
    values = [one.value for one in named if column and one.column.casefold() == column[1].casefold()]
    if len(values) != 1 or values[0].casefold() in query.casefold():
        return query
    return query.replace(f"'{text}'", f"'{values[0].replace(chr(39), chr(39) * 2)}'")


def _unsaid_texts(query: str, said: str) -> list[str]:
    """The texts that the query compares with and of which nothing was said: no word, or of ``B01`` no number.

    Of a day it is nothing that has to do with days. A yes is said where its column is spoken of: shade, if shady.
    """
    said_of = (_is_word_unsaid, _is_code_unsaid, _is_day_unsaid)
    texts = [text for text in _COMPARED.findall(query) if not _is_yes(query, text, said)]
    return [text for is_unsaid in said_of for text in texts if is_unsaid(text, said)]


def _is_yes(query: str, text: str, said: str) -> bool:
    if text.casefold() not in _YES:
        return False
    columns = re.findall(_COLUMN.format(text=re.escape(text)), query, re.IGNORECASE)
    words = {word for column in columns for word in column.casefold().split("_")}
    return bool(akin(words, said))


def _is_word_unsaid(text: str, said: str) -> bool:
    """Whether nothing of a text was said; April is, where it has Apr, and Wednesday where it has Wed."""
    own = stems(_in_full(text))
    return bool(own) and not own & stems(_in_full(said)) and not re.search(r"\d|%", text)


def _in_full(text: str) -> str:
    """The text with the names of the months and days of the week that it has by their first letters."""
    short = [word for word in _LETTERS.findall(text.casefold()) if len(word) >= _ABBREVIATED]
    return " ".join((text, *(name for name in _CALENDAR if any(name.startswith(word) for word in short))))


def _is_code_unsaid(text: str, said: str) -> bool:
    named = any(len(word) > _SHORT and word.casefold() in said.casefold() for word in _LETTERS.findall(text))
    return _CODE.fullmatch(text) is not None and not named and re.sub(r"\D", "", text) not in said


def _is_day_unsaid(text: str, said: str) -> bool:
    return _DAY.fullmatch(text) is not None and text not in said and not _OF_DAYS.search(said)
