"""Which workers are there. Each counts on in the database; whose count stands still is taken for dead.

Nobody compares clocks: who watches measures, by a clock of its own that never jumps, how long a count stood still while
the database could be read. A worker that was taken for dead and is not loses its runs: see `steps`. One that has not
counted for half the patience knows that it may be taken for dead, and changes nothing in the world.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping

import sqlalchemy as sa

from aeon.durable.database import Database
from aeon.errors import UsageError

__all__ = ["BEAT", "PATIENCE", "Presence", "Watch"]

BEAT = 2.0
"""Seconds between two counts of a worker."""
PATIENCE = 15.0
"""Seconds that a count may stand still before its worker is taken for dead."""


class Watch:
    """Tells whose count stands still, from counts that are read from time to time."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._still: dict[str, tuple[int, float]] = {}
        self._read: float | None = None

    def dead(self, beats: Mapping[str, int], now: float) -> set[str]:
        """Whose count stood still for the whole patience. Time without a reading does not count for more than a beat.

        ``now`` is in seconds, from a clock that never runs backwards.
        """
        step = 0.0 if self._read is None else min(now - self._read, self._patience / 3)
        self._read = now
        before, self._still = self._still, {}
        for name, beat in beats.items():
            last, still = before.get(name, (beat, -step))
            self._still[name] = (beat, still + step if last == beat else 0.0)
        return {name for name, (_, still) in self._still.items() if still >= self._patience}


class Presence:
    """This worker's place among the workers of a database, under its ``name``, and a look at the others.

    ``patience``, in seconds, is how long a count may stand still.
    """

    def __init__(self, database: Database, name: str, beat: float = BEAT, patience: float = PATIENCE) -> None:
        self._database = database
        self._workers = database.workers
        self._watch = Watch(patience)
        self._beat = beat
        self.patience = patience
        self._counted = -patience
        self.name = name

    def enter(self, queues: Iterable[str], pause: Callable[[float], None] = time.sleep) -> None:
        """Take the name. One that a dead worker had is free, once its count was seen to stand still.

        Raises:
            UsageError: a worker of this name is at work.
        """
        listed, now = [*queues], time.monotonic()
        before = self.beats().get(self.name)
        if before is not None:
            pause(2 * self._beat)
            if self.beats().get(self.name, before) != before:
                raise UsageError(f"worker: one called {self.name!r} is at work already; choose another --name")
        with self._database.engine.begin() as connection:
            connection.execute(self._workers.delete().where(self._workers.c.name == self.name))
            slots = self._database.slots
            connection.execute(slots.delete().where(slots.c.worker == self.name))
            connection.execute(self._workers.insert().values(name=self.name, beat=0, queues=listed))
        self._counted = now

    @property
    def sure(self) -> bool:
        """Whether nobody can have taken this worker for dead yet, nor will for half the patience."""
        return time.monotonic() - self._counted < self.patience / 2

    def beat(self, queues: Iterable[str]) -> None:
        """Count on; where others took this worker for dead, it is there again."""
        now = time.monotonic()  # the count is at least as late
        with self._database.engine.begin() as connection:
            own = self._workers.c.name == self.name
            done = connection.execute(self._workers.update().where(own).values(beat=self._workers.c.beat + 1))
            if not done.rowcount:
                connection.execute(self._workers.insert().values(name=self.name, beat=0, queues=[*queues]))
        self._counted = now

    def beats(self) -> dict[str, int]:
        """The count of every worker."""
        with self._database.engine.begin() as connection:
            return {
                name: beat for name, beat in connection.execute(sa.select(self._workers.c.name, self._workers.c.beat))
            }

    def dead(self) -> set[str]:
        """The workers whose count stood still for too long."""
        return self._watch.dead(self.beats(), time.monotonic()) - {self.name}

    def remove(self, name: str) -> None:
        """Take a worker off the list; what it had of the models' endpoints is free."""
        slots = self._database.slots
        with self._database.engine.begin() as connection:
            connection.execute(slots.delete().where(slots.c.worker == name))
            connection.execute(self._workers.delete().where(self._workers.c.name == name))

    def leave(self) -> None:
        """Take this worker off the list: what it has not ended is free for the others at once."""
        with contextlib.suppress(sa.exc.SQLAlchemyError):  # then its count stands still
            self.remove(self.name)
