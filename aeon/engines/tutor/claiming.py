"""Claims that are worth putting: what the newest looks say, as typed statements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, filterfalse, permutations, product

from aeon.engines.tutor.actions import Excerpt, Hit, Matches, Modules, Observation, TableValue
from aeon.engines.tutor.game import Game, newest
from aeon.engines.tutor.quantities import path_fault
from aeon.engines.tutor.statements import (
    Before,
    Contains,
    Count,
    Event,
    Exists,
    ImportsModule,
    Statement,
    ValueIs,
)
from aeon.engines.tutor.terms import files_named, identifiers, marked, modules_named, modules_of, terms
from aeon.engines.tutor.times import CLOCK, moment

__all__ = ["claims"]

_LOOKS = 3
_LONGEST = 120
_FILE = re.compile(r"(?<![\w./-])[\w./-]+\.\w{1,5}")


def claims(game: Game, question: str) -> Iterator[Statement]:
    """Statements in the order in which they promise most; some may have been put."""
    yield from _orders(game, marked(question))
    for one in newest(game.seen, _LOOKS):
        yield from _of(one.observation, question, game)
    yield from _missing(game)


def _of(seen: Observation, question: str, game: Game) -> Iterator[Statement]:
    match seen:
        case Matches(text=text) if text != CLOCK:
            yield from _of_matches(seen, question, game)
        case Excerpt(path=path, lines=lines):
            yield from (Contains(path=path, text=text, line=n) for n, text in _ranked(lines, question, game))
        case TableValue():
            yield from _computed(seen)
        case Modules():
            yield from _imports(seen, question, game)


def _computed(seen: TableValue) -> Iterator[ValueIs]:
    if seen.value is not None:
        yield ValueIs(**{name: said for name, said in seen.fields().items() if name not in ("type", "within")})


def _of_matches(seen: Matches, question: str, game: Game) -> Iterator[Statement]:
    """The only line that there is; of several that hold a term of the task, how many there are before what they say.

    They are counted in the files that the task names, then in all, and at last in others.
    """
    lines = [_line(hit, seen.text) for hit in seen.hits]
    if not seen.whole:
        yield from lines
        return
    asked = seen.text in terms(question, game.files, game.words)
    counts = _counts(seen, files_named(question, game.files) if asked else ())
    yield from chain(counts, lines) if asked and seen.total != 1 else chain(lines, counts)
    yield from (_count(seen, path) for path, _ in seen.counts)


def _counts(seen: Matches, named: Sequence[str]) -> list[Count]:
    """How many lines hold the text where it was searched for; in all files, after those of the named ones."""
    return [_count(seen, path) for path in (*(() if seen.path else named), seen.path)]


def _count(seen: Matches, path: str) -> Count:
    """How many lines of a file, or of all, hold the text."""
    return Count(text=seen.text, path=path, n=seen.of(path) if path else seen.total)


def _line(hit: Hit, text: str) -> Contains:
    """What a line says: all of it, where it is short."""
    whole = hit.text.strip()
    return Contains(path=hit.path, text=text if hit.cut or len(whole) > _LONGEST else whole, line=hit.line)


def _ranked(lines: Sequence[tuple[int, str]], question: str, game: Game) -> list[tuple[int, str]]:
    """The lines that share most with the task, then those that name most."""
    wanted = [term.lower() for term in terms(question, game.files, game.words)]
    short = [(number, text) for number, line in lines if 0 < len(text := line.strip()) <= _LONGEST]
    return sorted(short, key=lambda one: (-_shared(one[1], wanted), -len([*identifiers(one[1])])))


def _shared(line: str, wanted: Sequence[str]) -> int:
    low = line.lower()
    return sum(term in low for term in wanted)


def _imports(seen: Modules, question: str, game: Game) -> Iterator[ImportsModule]:
    """Imports of the modules that the task names; of the files that it names, also that they do not import them."""
    imported, own = dict(seen.files), modules_of(game.files)
    asked = modules_named(question, {*own, *chain.from_iterable(imported.values())}, game.files)
    about = files_named(question, game.files) or [own[name] for name in sorted({*asked} & {*own})]
    there = {*_pairs(imported)} & {*product(imported, asked)}
    others = {*product(about, asked)} - {(path, module) for module, path in own.items()} - there
    yield from (ImportsModule(path=path, module=module) for path, module in sorted(there))
    for path, module in sorted(others):
        yield ImportsModule(polarity=path not in imported, path=path, module=module)


def _pairs(imported: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    return ((path, module) for path, modules in imported.items() for module in modules)


def _orders(game: Game, texts: Sequence[str]) -> Iterator[Before]:
    """Which of the events came first that the task marks, and that a search has found once in a file."""
    searches = (one.observation for one in reversed(game.seen) if isinstance(one.observation, Matches))
    found = (event for one in searches if one.text in texts for event in _events(one))
    yield from (Before(first=first, second=second) for first, second in permutations([*dict.fromkeys(found)][:3], 2))


def _events(seen: Matches) -> Iterator[Event]:
    """The events that a search has found: each the one hit of its file, which begins with a time."""
    dated = (hit for hit in seen.hits if moment(hit.text) is not None)
    return (Event(path=hit.path, text=seen.text) for hit in dated if seen.of(hit.path) == 1)


def _missing(game: Game) -> Iterator[Exists]:
    """Files that a line names and that are not there."""
    read = [one.observation for one in newest(game.seen, 2) if isinstance(one.observation, Excerpt)]
    text = "\n".join(line for one in read for _, line in one.lines)
    paths = (path for path in dict.fromkeys(_FILE.findall(text)) if not files_named(path, game.files))
    return (Exists(polarity=False, path=path) for path in filterfalse(path_fault, paths))
