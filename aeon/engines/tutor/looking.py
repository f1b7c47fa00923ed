"""Looks that are worth taking, by the words of the task and by what was seen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, product, starmap

from aeon.engines.tutor.actions import (
    Action,
    CountLines,
    Excerpt,
    Imports,
    Matches,
    Query,
    ReadLines,
    Search,
)
from aeon.engines.tutor.effects import Table, Tables
from aeon.engines.tutor.game import Game
from aeon.engines.tutor.terms import asks_number, files_named, identifiers, key_value, quoted, terms
from aeon.engines.tutor.times import CLOCK
from aeon.schema.column import Aggregate, condition_fault

__all__ = ["asks_order", "looks"]

_AGGREGATES: tuple[tuple[str, Aggregate], ...] = (
    (r"total|sum|altogether", "sum"), (r"average|mean", "avg"), (r"highest|greatest|largest|maximum|most", "max"),
    (r"lowest|least|smallest|minimum", "min"), (r"how many|number of|count", "count"),
)  # fmt: skip
_IMPORTS = re.compile(r"\bimport|\bmodules?\b|\bcycle", re.IGNORECASE)
_ORDERS = re.compile(r"\b(?:first|before|earlier|earliest|after)\b", re.IGNORECASE)
_MOST_TERMS = 5
_MOST_FILES = 4


def looks(game: Game, question: str, tables: Tables) -> Iterator[Action]:
    """Actions in the order in which they promise most; some may have been taken.

    What a task quotes is searched for first; a file that it names is read before its plain words are searched for.
    """
    wanted = terms(question, game.files)[:_MOST_TERMS]
    named = files_named(question, game.files)
    if _IMPORTS.search(question) and _has_python(game):
        yield Imports()
    yield from _computed(tables, question)
    yield from _followed(game)
    if asks_number(question):
        yield from starmap(_count, product(named[:1] or [""], wanted))
    yield from _searches_and_reads(game, question, wanted, named)
    if asks_order(question):
        yield Search(text=CLOCK)


def asks_order(question: str) -> bool:
    """Whether a question asks what came before what."""
    return _ORDERS.search(question) is not None


def _searches_and_reads(game: Game, question: str, wanted: Sequence[str], named: Sequence[str]) -> Iterator[Action]:
    """A file that is named is read before plain words are searched for, other files after that."""
    told = {*quoted(question), *key_value(question), *identifiers(question)}
    yield from (Search(text=term) for term in wanted if term in told)
    if named:
        yield from _reads(game, named, ())
    yield from (Search(text=term) for term in wanted if term not in told)
    yield from _reads(game, named, game.files)


def _computed(tables: Tables, question: str) -> Iterator[Query]:
    """What the task may ask of tables: of those that it names, if it names any."""
    meant = [table for table in tables.tables if _names(question, re.escape(table.name))] or tables.tables
    return chain.from_iterable(_queries(table, question) for table in meant)


def _count(path: str, text: str) -> CountLines:
    return CountLines(text=text, path=path)


def _has_python(game: Game) -> bool:
    return any(path.endswith(".py") for path in game.files)


def _reads(game: Game, named: Sequence[str], others: Sequence[str]) -> Iterator[ReadLines]:
    """Files to read: those that the task names, the lines around what was found, and then others; none twice."""
    read = {one.observation.path for one in game.seen if isinstance(one.observation, Excerpt)}
    first = (ReadLines(path=path) for path in named[:_MOST_FILES])
    last = (ReadLines(path=path) for path in others)
    fresh = (look for look in chain(first, _around(game), last) if look.path not in read)
    yield from islice(fresh, 2 * _MOST_FILES)


def _queries(table: Table, question: str) -> Iterator[Query]:
    """What the task may ask of a table: aggregates and columns that it names, of the rows that it names."""
    kinds = [kind for pattern, kind in _AGGREGATES if _names(question, pattern)]
    columns = [name for name, _ in table.columns if _names(question, re.escape(name))]
    for (where, value), (kind, column) in product((*table.named, ("", "")), product(kinds, columns)):
        query = Query(table=table.name, column=column, aggregate=kind, where=where, equals=value)
        yield from [query] if _computes(query, table) else []


def _computes(query: Query, table: Table) -> bool:
    """Whether a column has this aggregate of these rows: anything is counted, only numbers are added up."""
    kinds = dict(table.columns)
    chooses = not condition_fault(query.where, kinds.get(query.where, "text"), query.equals)
    return chooses and (query.aggregate == "count" or kinds[query.column] == "number")


def _names(question: str, pattern: str) -> bool:
    return re.search(rf"\b(?:{pattern})\b", question, re.IGNORECASE) is not None


def _followed(game: Game) -> Iterator[Action]:
    """Where the newest lines lead: to files that they name, and to what they quote."""
    lines = _newest_lines(game)
    for line in lines:
        yield from (ReadLines(path=path) for path in files_named(line, game.files))
    for line in lines:
        found = [*quoted(line), *identifiers(line)]
        yield from (Search(text=text) for text in found[:2] if text not in game.files and len(text) > 2)


def _newest_lines(game: Game) -> list[str]:
    """The few lines of the newest look that shows lines of a file."""
    for one in reversed(game.seen):
        match one.observation:
            case Excerpt(lines=lines):
                return [line for _, line in lines[:6]]
            case Matches(hits=hits) if hits:
                return [hit.text for hit in hits[:3]]
    return []


def _around(game: Game) -> Iterator[ReadLines]:
    """The lines around what was found last."""
    found = (one.observation for one in reversed(game.seen) if isinstance(one.observation, Matches))
    hits = next((one.hits for one in found if one.hits), ())
    for hit in islice(hits, _MOST_FILES):
        yield ReadLines(path=hit.path, start=max(1, hit.line - 5))
