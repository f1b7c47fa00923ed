"""Runs whose process ended while they were under way: how often each is taken up again, and beside which others.

A process that ends takes down every run that it has, and one of them at most is why. So each of them is on trial when
it is taken up again: it goes on alone, or with a few that are on trial too, while every other run of the process waits
before its next effect. The trial is over when the effects that it begins with have their outcomes. Only a run that was
alone on trial when its process ended is blamed for that, and only until it has a new outcome.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import NamedTuple, Protocol, TypeVar

from aeon.kernel.decide import Signals
from aeon.kernel.engine import Engine
from aeon.runtime.journal import Journal
from aeon.runtime.replay import walk
from aeon.schema import NOTHING, Conclusion, Failure, Outcome, Settings
from aeon.schema.effects import Effect

__all__ = ["MOST", "REASON", "Attempt", "Attempts", "Records", "given_up", "outcomes_in"]

MOST = 3
"""How often a run is taken up again that ends its process each time."""
_SHARE = 8
_ENTRY = b'{"line":"entry",'
REASON = f"it ended its process {MOST} times while nothing else went on there"
"""Why a run is not taken up any more."""
C = TypeVar("C", bound=Settings)
S = TypeVar("S", bound=Signals)
R = TypeVar("R", bound=Conclusion)


class Attempt(NamedTuple):
    """What is on record of a run under way, from before it begins until it is let go of in order.

    ``deaths`` counts how often its process ended since its journal had so many ``outcomes``, and ``alone`` how often it
    was taken up alone since then.
    """

    deaths: int = 0
    alone: int = 0
    outcomes: int = 0

    def after_death(self, outcomes: int) -> Attempt:
        """The next attempt, of a run whose journal has so many outcomes now."""
        same = self if outcomes <= self.outcomes else Attempt(outcomes=outcomes)
        return same._replace(deaths=same.deaths + 1)

    def company(self, parallel: int) -> int:
        """How many runs may be on trial at once, where ``parallel`` are under way at once: fewer with each death."""
        share: int = _SHARE**self.deaths
        return max(1, parallel // share)


class Records(Protocol):
    """Where the attempts are on record, so that the end of the process does not take them along."""

    async def read(self, run: str) -> Attempt | None:
        """The attempt at a run; ``None`` where nobody has it under way."""

    async def write(self, run: str, attempt: Attempt | None) -> None:
        """Put an attempt on record, or ``None`` when the run is let go of."""

    async def outcomes(self, run: str) -> int:
        """How many outcomes the journal of a run holds."""


class Attempts:
    """The runs of this process, of which ``parallel`` are under way at once: which of them may go on now.

    All methods are called in one event loop.
    """

    def __init__(self, records: Records, parallel: int) -> None:
        self._records = records
        self._parallel = parallel
        self._changed = asyncio.Event()
        self._begun: set[str] = set()
        self._effects: Counter[str] = Counter()
        self._trials: dict[str, int] = {}
        self._waiting = 0

    async def begin(self, run: str) -> bool:
        """Wait until a run may be taken up, and put that on record; whether it may be at all."""
        last = await self._records.read(run)
        if last is None:
            await self._until(self._is_open)
            return await self._noted(run, Attempt())
        attempt = last.after_death(await self._records.outcomes(run))
        company = attempt.company(self._parallel)
        if company == 1 and attempt.alone == MOST:
            await self._noted(run, attempt)  # it is this process that lets go of it
            await self.end(run)
            return False
        self._waiting += 1
        try:
            await self._until(lambda: self._is_quiet(company))
        finally:
            self._waiting -= 1
            self._wake()
        self._trials[run] = company
        return await self._noted(run, attempt._replace(alone=attempt.alone + (company == 1)))

    async def end(self, run: str) -> None:
        """Let go of a run, in order: it has ended, waits or failed, and the process lives."""
        if run in self._begun:
            self._begun.discard(run)
            self._leave_trial(run)
            await self._records.write(run, None)

    async def end_all(self) -> None:
        """Let go of all runs, in order: this process hands them over to whoever takes them up next."""
        for run in [*self._begun]:
            await self.end(run)

    @asynccontextmanager
    async def turn(self, run: str) -> AsyncIterator[None]:
        """A time in which a run prepares for its effects; it begins when the run may go on."""
        await self.enter(run)
        try:
            yield
        finally:
            self.leave(run, kept=False)

    async def enter(self, run: str) -> None:
        """Wait until a run may begin an effect."""
        if run not in self._trials:
            await self._until(self._is_open)
        self._effects[run] += 1

    def leave(self, run: str, kept: bool) -> None:
        """Note the end of an effect; ``kept``: its outcome is on record. The last of the first ones ends a trial."""
        self._effects[run] -= 1
        if not self._effects[run]:
            del self._effects[run]
            if kept:
                self._trials.pop(run, None)
            self._wake()

    def _is_open(self) -> bool:
        return not self._trials and not self._waiting

    def _is_quiet(self, company: int) -> bool:
        """Whether nothing goes on but trials, and there is room for one more beside which so many may be."""
        room = min([company, *self._trials.values()])
        return self._effects.keys() <= self._trials.keys() and len(self._trials) < room

    def _leave_trial(self, run: str) -> None:
        self._trials.pop(run, None)
        self._wake()

    async def _noted(self, run: str, attempt: Attempt) -> bool:
        self._begun.add(run)
        await self._records.write(run, attempt)
        return True

    async def _until(self, free: Callable[[], bool]) -> None:
        while not free():
            await self._changed.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def outcomes_in(lines: Iterable[bytes]) -> int:
    """How many outcomes the lines of a journal hold."""
    return sum(line.startswith(_ENTRY) for line in lines)


def given_up(journal: Journal, engine: Engine[C, S, R]) -> R:
    """The result of a run that is not taken up any more: ``failed``, with an answer of what its journal holds.

    Nothing is asked of anybody. The journal is one that was read to be looked at: nothing is added to it on disk, so
    that whoever knows better may continue the run.

    Raises:
        Divergence: the program asks for something else than the journal holds.
        EngineError: the program breaks the rules.
    """
    if journal.unsettled:
        journal.resume(())
    failure, now = Failure(kind="journal", message=REASON), 0.0

    def answer(first: int, effects: tuple[Effect, ...], recorded: tuple[Outcome | None, ...]) -> tuple[Outcome, ...]:
        nonlocal now
        now = max([now, *(one.ended for one in recorded if one is not None)])
        return tuple(
            one or Outcome(failure=failure, lost=journal.lost.get(number, NOTHING), started=now, ended=now)
            for number, one in enumerate(recorded, first)
        )

    result = walk(journal, answer, engine)
    assert result is not None
    return result.marked(journal.altered, left_out=journal.opened.left_out)
