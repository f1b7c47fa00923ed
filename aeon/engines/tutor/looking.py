"""Looks that are worth taking, by what the task names and by what was seen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, product
from typing import get_args

from aeon.engines.tutor.actions import (
    Action,
    Excerpt,
    Imports,
    Matches,
    Query,
    ReadLines,
    Search,
)
from aeon.engines.tutor.effects import Table, Tables
from aeon.engines.tutor.game import Game
from aeon.engines.tutor.terms import files_named, identifiers, marked, modules_named, modules_of, quoted, terms
from aeon.schema.column import Aggregate, aggregate_fault, condition_fault

__all__ = ["looks"]

_MOST_TERMS = 5
_MOST_FILES = 4


def looks(game: Game, question: str, tables: Tables) -> Iterator[Action]:
    """Actions in the order in which they promise most; some may have been taken.

    What a task names is looked at first: modules, columns of tables, what it quotes. A file that it names is read
    before its plain words are searched for.
    """
    own = modules_of(game.files)
    names_module = _names_module(question, own, game.files)
    if names_module:
        yield Imports()
    queries = [*_computed(tables, question)]
    yield from [query for query in queries if query.where] or queries
    yield from _followed(game)
    yield from _searches_and_reads(game, question)
    yield from queries
    if own and not names_module:
        yield Imports()


def _names_module(question: str, own: Mapping[str, str], files: Sequence[str]) -> bool:
    """Whether the task names a module, or the file of one that is in the folder; never where the folder has none."""
    about = {*files_named(question, files)} & {*own.values()}
    return bool(own) and bool(about or modules_named(question, own, files))


def _searches_and_reads(game: Game, question: str) -> Iterator[Action]:
    """A file that is named is read before plain words are searched for, other files after that."""
    wanted, named = terms(question, game.files, game.words)[:_MOST_TERMS], files_named(question, game.files)
    telling = marked(question)
    yield from (Search(text=term) for term in wanted if term in telling)
    if named:
        yield from _reads(game, named, ())
    yield from (Search(text=term) for term in wanted if term not in telling)
    yield from _reads(game, named, game.files)


def _computed(tables: Tables, question: str) -> Iterator[Query]:
    """What the task may ask of tables: of those that it names, if it names any."""
    meant = [table for table in tables.tables if _names(question, table.name)] or tables.tables
    return chain.from_iterable(_queries(table, question) for table in meant)


def _reads(game: Game, named: Sequence[str], others: Sequence[str]) -> Iterator[ReadLines]:
    """Files to read: those that the task names, the lines around what was found, and then others; none twice."""
    read = {one.observation.path for one in game.seen if isinstance(one.observation, Excerpt)}
    first = (ReadLines(path=path) for path in named[:_MOST_FILES])
    last = (ReadLines(path=path) for path in others)
    fresh = (look for look in chain(first, _around(game), last) if look.path not in read)
    yield from islice(fresh, 2 * _MOST_FILES)


def _queries(table: Table, question: str) -> Iterator[Query]:
    """What a table has of the columns that the task names: every aggregate, of the rows that it names and of all."""
    columns = [(name, kind) for name, kind in table.columns if _names(question, name)]
    kinds = dict(table.columns)
    rows = [one for one in table.named if not condition_fault(one[0], kinds.get(one[0], "text"), one[1])]
    aggregates: tuple[Aggregate, ...] = get_args(Aggregate)
    for (where, value), aggregate, (column, kind) in product((*rows, ("", "")), aggregates, columns):
        if not aggregate_fault(column, kind, aggregate):
            yield Query(table=table.name, column=column, aggregate=aggregate, where=where, equals=value)


def _names(question: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", question, re.IGNORECASE) is not None


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
