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
)
from aeon.engines.tutor.terms import files_named, identifiers, terms
from aeon.engines.tutor.times import CLOCK, moment

__all__ = ["claims"]

_LOOKS = 3
_LONGEST = 120
_TIMES = re.compile(r"\bfirst\b|\bbefore\b|\bearlier\b|\bearliest\b|\bafter\b", re.IGNORECASE)
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
        case TableValue(value=value) if value is not None:
            fields = {name: said for name, said in seen.fields().items() if name not in ("type", "value")}
            yield ValueIs(**fields, value=value if isinstance(value, str) else float(value))
        case Modules(files=files):
            yield from _imports(files, question)


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
    return sorted(short, key=lambda one: (-_shared(one[1], wanted), not any(identifiers(one[1]))))


def _shared(line: str, wanted: Sequence[str]) -> int:
    low = line.lower()
    return sum(term in low for term in wanted)


def _imports(files: Sequence[tuple[str, tuple[str, ...]]], question: str) -> Iterator[ImportsModule]:
    """Imports of modules that the task names; then of modules that lie in the folder."""
    own = {path.removesuffix(".py").replace("/", "."): path for path, _ in files}
    pairs = [(path, module) for path, modules in files for module in modules]
    asked = [(path, module) for path, module in pairs if re.search(rf"(?<![\w.]){re.escape(module)}\b", question)]
    within = [(path, module) for path, module in pairs if module in own]
    for path, module in dict.fromkeys([*asked, *_in_cycles(within, own)]):
        yield ImportsModule(path=path, module=module)


def _in_cycles(pairs: Sequence[tuple[str, str]], own: dict[str, str]) -> list[tuple[str, str]]:
    """The imports of modules of the folder, without those of modules that import nothing of it in turn."""
    left = list(pairs)
    while True:
        importing = {path for path, _ in left}
        imported = {own[module] for _, module in left}
        kept = [(path, module) for path, module in left if own[module] in importing and path in imported]
        if len(kept) == len(left):
            return kept or list(pairs)
        left = kept


def _orders(game: Game) -> Iterator[Before]:
    """Which of the events came first that a search has found once in a file."""
    events: dict[str, Event] = {}
    for one in reversed(game.seen):
        match one.observation:
            case Matches(hits=hits, text=text) if text != CLOCK and len(hits) <= _LOOKS:
                for hit in hits:
                    if moment(hit.text) is not None and one.observation.of(hit.path) == 1:
                        events.setdefault(f"{hit.path}:{hit.line}", Event(path=hit.path, text=text))
    for first, second in permutations(list(events.values())[:3], 2):
        yield Before(first=first, second=second)


def _missing(game: Game) -> Iterator[Exists]:
    """Files that a line names and that are not there."""
    whole = any(isinstance(one.observation, Listing) and one.observation.whole for one in game.seen)
    read = [one.observation for one in newest(game.seen, 2) if isinstance(one.observation, Excerpt)]
    for line in (line for one in read for line in one.lines) if whole else ():
        for path in _FILE.findall(line):
            if not files_named(path, game.files) and not path.startswith(("/", ".")):
                yield Exists(polarity=False, path=path)
