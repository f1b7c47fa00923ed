"""The events of a run as clients get them, under the numbers of the journal's lines.

The same events come from a run that is under way and from its journal later, byte for byte: effects and notes follow
from the lines, because a program knows nothing but its outcomes. A note stands after the line that it follows, as
``7.1``. When a run is resumed, what its program does again is not told again: only what is new in this life.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel

from aeon.assembly.registry import plugin_of
from aeon.observability.view import View
from aeon.runtime.journal import Journal
from aeon.runtime.lines import LINE, Opening, Resumed
from aeon.runtime.replay import AnyEngine, Outcomes, walk
from aeon.runtime.sealed import read_sealed
from aeon.schema import Bound, Conclusion, JsonObject, JsonValue, Outcome, Value
from aeon.schema.effects import Effect, Note

__all__ = [
    "Life",
    "Past",
    "Place",
    "Told",
    "UnderWay",
    "ended",
    "happened",
    "recorded",
    "recorded_in",
    "started",
    "unkept",
]


class Place(NamedTuple):
    """Where an event stands: a line of the journal, and which of the notes after it; 0 is the line itself."""

    line: int
    note: int = 0

    def __str__(self) -> str:
        return f"{self.line}.{self.note}" if self.note else str(self.line)

    @classmethod
    def read(cls, text: str) -> Place | None:
        """The place that a client names; ``None`` for what is none."""
        line, dot, note = text.strip().partition(".")
        numbers = (line, note) if dot else (line,)
        if not all(one.isascii() and one.isdigit() and len(one) < 10 for one in numbers):
            return None
        return cls(*map(int, numbers))


class Told:
    """One event: its place, its type and its data as JSON, which is made when somebody reads it first."""

    __slots__ = ("_data", "_make", "place", "type")

    def __init__(self, place: Place, type: str, make: Callable[[], JsonObject]) -> None:
        self.place = place
        self.type = type
        self._make: Callable[[], JsonObject] | None = make
        self._data = ""

    @property
    def data(self) -> str:
        """Its data as JSON."""
        if self._make is not None:
            self._data, self._make = _json(self._make()), None
        return self._data

    @property
    def frame(self) -> bytes:
        """The event as a server sends it."""
        return f"id: {self.place}\nevent: {self.type}\ndata: {self.data}\n\n".encode()


def _json(value: JsonObject) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _dumped(value: BaseModel | Value) -> JsonValue:
    dumped: JsonValue = value.model_dump(mode="json")
    return dumped


def started(opening: Opening, bound: Bound) -> Told:
    """A run begins: its task, its engine, and the most that it can spend."""
    return Told(Place(0), "run_started", lambda: {
        "execution_id": opening.execution_id,
        "engine": opening.engine,
        "task": _dumped(opening.task),
        "bound": _dumped(bound),
        "parent": _dumped(opening.parent) if opening.parent else None,
    })  # fmt: skip


def happened(place: Place, view: View, number: int, effect: Effect, outcome: Outcome, altered: bool = False) -> Told:
    """An effect has its outcome; ``altered``: whoever forked the run put it in."""
    return Told(
        place, "effect_ended", partial(_happened, view, number, effect, outcome, altered)
    )  # small: many are kept


def _happened(view: View, number: int, effect: Effect, outcome: Outcome, altered: bool) -> JsonObject:
    return {
        "number": number,
        "phase": effect.phase,
        "subject": effect.subject,
        "title": view.title(effect),
        "words": view.words(outcome),
        "altered": altered,
        "outcome": outcome.model_dump(mode="json", exclude=frozenset({"config"})),
    }


def ended(line: int, conclusion: Conclusion) -> Told:
    """A run has ended: its conclusion, without the engine's own record."""
    fields = set(Conclusion.model_fields)
    return Told(Place(line), "run_ended", lambda: conclusion.model_dump(mode="json", include=fields))


def unkept(kind: str, data: JsonObject) -> bytes:
    """An event without an id, which nobody gets twice: what is under way, or how a stream ends."""
    return f"event: {kind}\ndata: {_json(data)}\n\n".encode()


class Life:
    """The notes of one life of a run, as its program makes them; ``before`` are those that were told before it.

    ``start`` is the line with which the life began, 0 for the first; ``latest`` the last one that was there before: a
    later one where a process continues a life that another one began. A program makes its notes again when a run is
    resumed: as long as they are the same as before, and follow nothing that is new, they are not new.
    """

    def __init__(self, start: int = 0, before: tuple[Told, ...] = (), latest: int | None = None) -> None:
        self._start = start
        self._latest = start if latest is None else latest
        self._before = before
        self._made: list[Told] = []
        self._same = True

    @property
    def notes(self) -> tuple[Told, ...]:
        """All notes up to here."""
        return tuple(self._made)

    def note(self, line: int, note: Note) -> Told | None:
        """The event of a note that the program makes when ``line`` is the latest outcome; ``None`` if it is not new."""

        def make() -> JsonObject:
            return {"note": _dumped(note)}

        place = len(self._made)
        known = place < len(self._before) and line <= self._latest
        self._same = self._same and known and self._before[place].data == _json(make())
        if self._same:
            self._made.append(self._before[place])
            return None
        line = max(line, self._start)
        count = sum(one.place.line == line for one in self._made)
        told = Told(Place(line, count + 1), "noted", make)
        self._made.append(told)
        return told


class UnderWay(NamedTuple):
    """An effect that was issued and has no outcome yet, with what words it."""

    view: View
    number: int
    effect: Effect


class Past(NamedTuple):
    """What a journal tells: the events, and the notes of its last life with the line that this began with.

    ``under_way`` are the effects that wait for nothing but their outcomes, if somebody works on the run.
    """

    told: tuple[Told, ...]
    life: Life
    under_way: tuple[UnderWay, ...] = ()


def recorded(path: Path | str) -> Past:
    """The events of the journal at ``path``, and the life that continues it.

    Raises:
        InputFileError: the file cannot be read or is no journal of this version.
        JournalError: a line is damaged, or the journal is of another program.
        UsageError: the run's engine is not installed in this version.
    """
    return recorded_in(path, read_sealed(path)[0])


def recorded_in(path: Path | str, lines: list[bytes]) -> Past:
    """The same of the journal that these lines are, which ``path`` names. More lines only add events to the end."""
    starts = [0, *(number for number, line in enumerate(lines) if number and _read_resumed(line))]
    told: list[Told] = []
    under_way: list[UnderWay] = []
    life = Life()
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        journal = Journal.of(path, lines[:end])
        life = Life(start, life.notes)
        told += _resumed(start, lines[start]) if start else []
        under_way.clear()
        told += sorted(_lived(journal, start, life, under_way), key=lambda one: one.place)
    return Past(tuple(told), Life(starts[-1], life.notes, len(lines) - 1), tuple(under_way))


def _read_resumed(line: bytes) -> Resumed | None:
    """The line if it begins another life of the run."""
    read = LINE.validate_json(line) if b'"line":"resumed"' in line else None
    return read if isinstance(read, Resumed) else None


def _resumed(number: int, line: bytes) -> list[Told]:
    read = _read_resumed(line)
    assert read is not None
    data: JsonObject = {"void": [*read.void], "again": [*read.again]}
    return [Told(Place(number), "resumed", lambda: data)]


def _lived(journal: Journal, start: int, life: Life, under_way: list[UnderWay]) -> Iterator[Told]:
    """The events of a life that began at the line ``start``; adds what is ``under_way`` at its end."""
    brought = plugin_of(journal)
    engine: AnyEngine = brought.engine
    if not start:
        yield started(journal.opened, engine.bound(journal.first_config(engine.config)))
    told: list[Told] = []
    altered = frozenset(journal.altered)
    latest = 0

    def answer(first: int, effects: tuple[Effect, ...], outcomes: Outcomes) -> Outcomes:
        nonlocal latest
        for number, (effect, outcome) in enumerate(zip(effects, outcomes, strict=True), first):
            line = journal.line_of(number)
            if outcome is None and all(outcomes[at] is not None for at in effect.after):
                under_way.append(UnderWay(brought.view, number, effect))
            if outcome is None or line is None:
                continue
            latest = max(latest, line)
            if line > start:
                told.append(happened(Place(line), brought.view, number, effect, outcome, number in altered))
        return outcomes

    def note(made: Note) -> None:
        if (new := life.note(latest, made)) is not None:
            told.append(new)

    result = walk(journal, answer, engine, note)
    yield from told
    if result is not None and journal.ended is not None:
        yield ended(journal.line, result.marked(journal.altered, journal.opened.expected, journal.opened.left_out))
