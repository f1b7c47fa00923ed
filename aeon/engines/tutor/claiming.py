"""Claims that are worth putting: what the newest looks say, as typed statements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import permutations

from aeon.engines.tutor.actions import Excerpt, Hit, Listing, Matches, Modules, Observation, TableValue
from aeon.engines.tutor.game import Game, newest
from aeon.engines.tutor.statements import (
    Before,
    Contains,
    Count,
    Event,
    Exists,
    ImportsModule,
    Statement,
    ValueIs,
    path_fault,
)
from aeon.engines.tutor.terms import files_named, identifiers, terms
from aeon.engines.tutor.times import CLOCK, moment

__all__ = ["claims"]

_LOOKS = 3
_LONGEST = 120
_TIMES = re.compile(r"\bfirst\b|\bbefore\b|\bearlier\b|\bearliest\b|\bafter\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_MODULE = re.compile(r"[a-z_][\w.]*")
_FILE = re.compile(r"[\w./-]+\.\w{1,5}")


def claims(game: Game, question: str) -> Iterator[Statement]:
    """Statements in the order in which they promise most; some may have been put."""
    if _TIMES.search(question):
        yield from _orders(game)
    for one in newest(game.seen, _LOOKS):
        yield from _of(one.observation, question, game)
    yield from _missing(game)


def _of(seen: Observation, question: str, game: Game) -> Iterator[Statement]:
    match seen:
        case Matches():
            yield from _of_matches(seen)
        case Excerpt(path=path, start=start, lines=lines):
            ranked = _ranked(lines, start, question, game)
            yield from (Contains(path=path, text=text, line=number) for number, text in ranked)
        case TableValue():
            yield from _computed(seen)
        case Modules():
            yield from _imports(seen, question, game)


def _computed(seen: TableValue) -> Iterator[ValueIs]:
    if seen.value is not None:
        fields = {name: said for name, said in seen.fields().items() if name not in ("type", "value")}
        yield ValueIs(**fields, value=seen.value if isinstance(seen.value, str) else float(seen.value))


def _of_matches(seen: Matches) -> Iterator[Statement]:
    """How many lines there are where none is shown, or none is there; else what the lines say."""
    total = sum(count for _, count in seen.counts)
    if seen.whole and not seen.hits:
        yield Count(text=seen.text, path=seen.path, n=total)
        if len(seen.counts) > 1:
            yield from (Count(text=seen.text, path=path, n=count) for path, count in seen.counts)
    if seen.text != CLOCK:
        yield from (_line(hit, seen.text) for hit in seen.hits)


def _line(hit: Hit, text: str) -> Contains:
    """What a line says: all of it, where it is short."""
    whole = hit.text.strip()
    return Contains(path=hit.path, text=text if hit.cut or len(whole) > _LONGEST else whole, line=hit.line)


def _ranked(lines: Sequence[str], start: int, question: str, game: Game) -> list[tuple[int, str]]:
    """The lines that share most with the task, the longest of its terms first; then those that name something."""
    wanted = [term.lower() for term in terms(question, game.files)]
    named = [(number, line.strip()) for number, line in enumerate(lines, start) if line.strip()]
    short = [(number, line) for number, line in named if len(line) <= _LONGEST]
    ordered = short[::-1] if "last" in question.lower().split() else short
    return sorted(ordered, key=lambda one: (-_shared(one[1], wanted), -len([*identifiers(one[1])])))


def _shared(line: str, wanted: Sequence[str]) -> int:
    low = line.lower()
    return sum(term in low for term in wanted)


def _imports(seen: Modules, question: str, game: Game) -> Iterator[ImportsModule]:
    """Imports of the modules that the task names; of the files that it names also that they do not import them."""
    names = {*identifiers(question), *_WORD.findall(question)}
    asked = [name for name in names if _MODULE.fullmatch(name)]
    about = [path for path in game.files if {path, _module_of(path), path.rpartition("/")[2]} & names]
    imported = dict(seen.files)
    yield from (
        ImportsModule(path=path, module=module)
        for path, modules in imported.items()
        for module in sorted({*modules} & {*asked})
    )
    yield from (
        ImportsModule(polarity=path not in imported, path=path, module=module)
        for path in about
        for module in sorted({*asked} - {*imported.get(path, ()), _module_of(path)})
    )


def _module_of(path: str) -> str:
    """The name that a Python file of the folder is imported by."""
    return path.removesuffix(".py").replace("/", ".") if path.endswith(".py") else ""


def _orders(game: Game) -> Iterator[Before]:
    """Which of the events came first that a search has found once in a file."""
    searches = [one.observation for one in reversed(game.seen) if isinstance(one.observation, Matches)]
    found = ((hit, one) for one in searches if one.text != CLOCK for hit in one.hits if one.of(hit.path) == 1)
    events = {
        (hit.path, hit.line): Event(path=hit.path, text=one.text) for hit, one in found if moment(hit.text) is not None
    }
    yield from (Before(first=first, second=second) for first, second in permutations(list(events.values())[:3], 2))


def _missing(game: Game) -> Iterator[Exists]:
    """Files that a line names and that are not there."""
    if not any(isinstance(one.observation, Listing) and one.observation.whole for one in game.seen):
        return
    read = (one.observation for one in newest(game.seen, 2) if isinstance(one.observation, Excerpt))
    paths = dict.fromkeys(path for one in read for line in one.lines for path in _FILE.findall(line))
    absent = (path for path in paths if not files_named(path, game.files) and not path_fault(path))
    yield from (Exists(polarity=False, path=path) for path in absent)
