"""What a plan over the tables gives: one number where one is asked for, and what is wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from aeon.documents.words import stem
from aeon.plan.days import AND_WHEN
from aeon.plan.queries import (
    asks_one,
    asks_percent,
    asks_who_and_total,
    distinct,
    in_percent,
    is_several,
    lists,
    only_number,
    queried,
    query_of,
    summed,
    with_total,
)
from aeon.plan.sources import About, Sources
from aeon.proof.alike import computed
from aeon.proof.readings import Read
from aeon.schema import JsonValue, Plan
from aeon.supervisor.questions import is_of_kind, is_thing
from aeon.tools.tableinfo import TableInfo

__all__ = ["NO_ANSWER", "in_one", "misfit", "unasked_share"]

NO_ANSWER = "that is nothing that answers the question"
"""What is wrong with a city for an e-mail address: no doubt is needed, it is none."""
_ALL = 100
_HUNDREDTHS = re.compile(r"\b100(?:\.0+)?\b|per_?cent|pct|%", re.IGNORECASE)
_OF_TWO = re.compile(r"\bSUM\s*\(([^()]*)\)\s*([-/])\s*SUM\s*\(([^()]*)\)(?!\s*FILTER)", re.IGNORECASE)
_WHICH = re.compile(r"\s*(?:which|who|whose)\b", re.IGNORECASE)
_WHICH_THING = re.compile(
    r"\s*(?:which|whose)\s+(?!(?:days?|dates?|months?|years?|weeks?|time|evening|morning|weekend|when)\b)([^\W\d_]+)",
    re.IGNORECASE,
)
_WHICH_MOST = re.compile(
    r"\s*(?:what|which|who)(?:['\u2019]s| is| was| are| were) (?:the|our|my|his|her|their|your|its) "
    r"(?:(?:very )?(?:most|least|best|worst)(?: \w+)?|\w+est) (?P<thing>[^\W\d_]+)",
    re.IGNORECASE,
)
_SOME_DAY = re.compile(
    r"\d{4}-\d\d|(?i:\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))"
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_GROWN = re.compile(
    r"\b(?:increas\w*|grow\w*|grew|risen?|rose|more|higher|compared|chang\w*|up|over|gain\w*|return\w*)\b",
    re.IGNORECASE,
)
"""Words for what may well be more than all of it, in percent."""
_HOW_MUCH = re.compile(r"\bhow (?:much|many)\b|\bwhat\b[^.?!]*\b(?:costs?|price|fee|pay)\b", re.IGNORECASE)
_BELOW = re.compile(
    r"\b(?:profit\w*|loss|lost|lose|chang\w*|differ\w*|balance|temperature|degrees?|below|minus|deficit|left|gain\w*|"
    r"more|less|fewer|cheaper|dearer|over|under|net)\b",
    re.IGNORECASE,
)
"""Words for what may well be less than nothing."""
_FIRST_FEW = re.compile(r"\bLIMIT\s+(?!1\b)\d", re.IGNORECASE)
_AVERAGE = re.compile(r"^(?!.*\b(?:each|every|which|who|by|list)\b).*\b(?:average|mean)\b", re.IGNORECASE | re.DOTALL)
_SPOKEN = {
    "-": re.compile(
        r"\b(?:than|versus|minus|differ\w*|exceeds?|after|less|more|left|remain\w*|net|still|owes?|open|due|save\w*|"
        r"over|below|above|short|apart|gap)\b",
        re.IGNORECASE,
    ),
    "/": re.compile(
        r"\b(?:per|each|every|averages?|mean|ratio|share|rate|percentage|per ?cent|one|an?|single|unit|piece)\b|%",
        re.IGNORECASE,
    ),
}
"""The words by which a question asks for a difference, and for a quotient."""
_WHO = re.compile(r"\s*who\b", re.IGNORECASE)


async def in_one(plan: Plan, question: str, sources: Sources) -> Plan:
    """The plan with one number from each of its queries that would give several, where one is asked for.

    It is their sum where the question is for an amount, also of rows with one number each, else the one that all rows
    have. A share is one in percent where these are asked for. Where it is asked who it is, too, the names stay.
    """
    results = [(str(arguments["query"]), found) for arguments, found in await sources.values(queried(plan))]
    if shares := _shares(question, results):
        return in_percent(plan, shares)
    if asks_who_and_total(question) and len(results) == 1:
        return with_total(plan, results[0][1])
    several = _several(plan, results)
    if asks_one(question):
        columns = {query: column for query, found in results if (column := only_number(found))}
        return summed(plan, columns | {query: "" for query, _ in several})
    return distinct(plan, [*_repeated(question, results), *_alike(question, several)])


def _repeated(question: str, results: Sequence[tuple[str, JsonValue]]) -> list[str]:
    """The queries that give a name more than once, where the question is which there are."""
    asks = _WHICH.match(question) or _WHO.match(question)
    return [query for query, found in results if _repeats(found)] if asks else []


def _alike(question: str, results: Sequence[tuple[str, JsonValue]]) -> list[str]:
    """The queries that give one number for all rows, where no number of each is asked for."""
    return [] if lists(question) else [query for query, found in results if _is_alike(found)]


def _several(plan: Plan, results: Sequence[tuple[str, JsonValue]]) -> list[tuple[str, JsonValue]]:
    """The queries that give several numbers; the first few of more rows do not count where one calculates with them."""
    used = any(step.dependencies for step in plan.steps)
    return [(query, rows) for query, rows in results if is_several(rows) and not (used and _FIRST_FEW.search(query))]


def _shares(question: str, results: Sequence[tuple[str, JsonValue]]) -> list[str]:
    """The queries that give shares of one where the question asks for percent."""
    return [query for query, found in results if _is_share(query, found)] if asks_percent(question) else []


def _repeats(found: JsonValue) -> bool:
    """Whether texts of rows come more than once: the same household for each of its days."""
    return (
        isinstance(found, list) and all(isinstance(one, str) for one in found) and len({*map(str, found)}) < len(found)
    )


def _is_alike(found: JsonValue) -> bool:
    """Whether all rows have one value."""
    return isinstance(found, list) and len({*map(str, found)}) == 1


def _is_share(query: str, found: JsonValue) -> bool:
    """Whether what a query gives are shares of one: it neither counts in hundredths nor reads what is in percent."""
    values = found if isinstance(found, list) else [found]
    small = all(isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1 for value in values)
    return bool(values) and small and not _HUNDREDTHS.search(query)


async def misfit(plan: Plan, about: About, sources: Sources) -> str:
    """What is wrong with what a plan over the tables gives: it is of another kind, or no whole number of things."""
    queries = " ".join(map(query_of, plan.steps)).upper()
    if not queries.strip():
        return ""
    counted = about.counted if is_thing(about.counted) else ""
    if counted in about.unknown and "COUNT(" not in queries:
        return f'no file has {counted!r}: print("not stated") if no column means it'
    if about.unknown and _unasked(queries, about.text):
        return 'nobody says what that difference is: use one column, or print("not stated")'
    given = await sources.outcome(plan)
    return _unlike(given, about.text, sources.tables) or _unfit(given, about.text, counted, len(plan.steps) == 1)


def _unlike(given: Sequence[JsonValue], question: str, tables: Sequence[TableInfo]) -> str:
    """What is wrong with values that are no name, no day, or no single average, where the question is for one."""
    if lacking := _unnamed(given, question, tables) or _undated(given, question):
        return lacking
    if _AVERAGE.search(question) and any(map(is_several, given)):
        return "one average is asked for: leave GROUP BY out"
    return ""


def _unasked(queries: str, question: str) -> bool:
    """Whether a query sets one column against another for a question that does not: a profit, a salary."""
    found = _OF_TWO.findall(queries)
    return any(one.strip() != other.strip() and not _SPOKEN[sign].search(question) for one, sign, other in found)


def unasked_share(plan: Plan, about: About) -> str:
    """What is wrong with a query that divides one column by another for a word that no file has: a salary."""
    lacking = sorted(about.unknown - about.akin)
    queries = " ".join(map(query_of, plan.steps))
    if not lacking or _SPOKEN["/"].search(about.text) or "/" not in [sign for _, sign, _ in _OF_TWO.findall(queries)]:
        return ""
    return f'no file has {lacking[0]!r}: print("not stated")'


def _unfit(outcome: Sequence[JsonValue], question: str, counted: str, single: bool) -> str:
    """What is wrong with what a plan gives, that of a ``single`` step or more."""
    found = [one for one in outcome if one != []]
    if single and not found:
        return "it finds nothing: look at the conditions again"
    if strange := _strange(found, question):
        return strange
    if found and not is_of_kind(question, " ".join(map(str, found))):
        return NO_ANSWER
    return (_wrong_number(counted, computed(found)) if counted else "") or _below_nothing(found, question)


def _below_nothing(found: Sequence[JsonValue], question: str) -> str:
    """What is wrong with less than nothing, where it is asked how much something is."""
    if not _HOW_MUCH.search(question) or _BELOW.search(question):
        return ""
    is_below = any(one.number is not None and one.number < 0 for one in computed(found))
    return "it gives less than nothing: turn the difference round" if is_below else ""


def _strange(found: Sequence[JsonValue], question: str) -> str:
    """What is wrong with days for a thing, and with more than all of it in percent."""
    thing = _WHICH_THING.match(question)
    if thing and found and all(map(_is_days, found)):
        return f"it asks which {thing[1]}: select its name"
    if asks_percent(question) and not _GROWN.search(question) and any(map(_is_above_all, computed(found))):
        return "a share is at most 100 percent: 100.0 * COUNT(*) FILTER (WHERE ...) / COUNT(*)"
    return ""


def _unnamed(found: Sequence[JsonValue], question: str, tables: Sequence[TableInfo]) -> str:
    """What is wrong with a number for which of the named things is the longest: our longest programme, of 45."""
    asked = _WHICH_MOST.match(question)
    texts = {stem(name): name for table in tables for name, kind in table.columns if kind == "VARCHAR"}
    column = texts.get(stem(asked["thing"]), "") if asked else ""
    is_number = bool(found) and all(isinstance(one, int | float) for one in found)
    return f"it asks which {column}: select that" if column and is_number else ""


def _undated(found: Sequence[JsonValue], question: str) -> str:
    """What is wrong with a query that leaves out the day that a question asks for, too: and on what day."""
    is_without = bool(found) and not _SOME_DAY.search(json.dumps(found, ensure_ascii=False))
    return "it asks for the day, too: select it" if is_without and AND_WHEN.search(question) else ""


def _is_days(given: JsonValue) -> bool:
    """Whether something is nothing but days."""
    every = given if isinstance(given, list) else [given]
    return all(isinstance(one, str) and _DAY.fullmatch(one) for one in every)


def _is_above_all(given: Read) -> bool:
    """Whether a number is more than a share of a whole can be, in percent."""
    return given.number is not None and given.number > _ALL


def _wrong_number(counted: str, given: Sequence[Read]) -> str:
    """What is wrong with how many things there are: below nothing, not whole, or none at all, which is rarely asked."""
    numbers_of_them = [one.number for one in given if one.number is not None]
    if any(number < 0 or number % 1 for number in numbers_of_them):
        return f"it is a whole number of {counted}: use COUNT(*)"
    return f"it finds no {counted}: look at the condition again" if numbers_of_them == [0] else ""
