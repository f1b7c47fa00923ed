"""How one effect is handled, whatever drives the run: ledger, clock, interrupts, unknown outcomes, journal."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from functools import partial

from aeon.errors import JournalError, UsageError
from aeon.kernel.ports import Handlers
from aeon.runtime.border import admitted
from aeon.runtime.failures import BROKEN_OFF, failure_of, unknown, waiting
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import Ledger
from aeon.runtime.remainder import Remainder
from aeon.runtime.telling import Telling
from aeon.schema import NOTHING, Allowance, Failure, Outcome, Settings, Usage, Value
from aeon.schema.effects import AskUser, Effect

__all__ = ["Handled", "Handling"]


class Handled(Value):
    """An outcome and the number of its line in the journal, if that keeps it; ``recorded``: it held it already."""

    outcome: Outcome
    line: int | None = None
    recorded: bool = False


class Handling:
    """Handles the effects of one run: each gets the outcome that the journal holds, or that the world gives now.

    A run's time is that of its effects: one begins, for the run, when those before it, or those that it waits for, have
    ended. So a resumed run continues where its past left it, and neither the pause nor a person's time counts.
    ``elapsed`` is that time where the batch under way was issued. The first batch that is really done begins later, by
    the seconds that ``reading`` the run's files took before.
    ``suspended``: a question waits, so that nothing is kept from the next batch on. ``unkept`` is why the journal takes
    nothing any more: then nothing is done any more either. ``rest`` is what the run has left of its bound, if it is
    counted: its effects draw on it together. ``tell`` is told the number of an effect, and what a model writes for it
    as a `Telling` tells it; ``None`` where nobody watches.
    """

    __slots__ = (
        "_clock", "_config", "_handlers", "_loop", "_under_way", "elapsed", "execution_id", "interrupted", "journal",
        "reading", "rest", "suspended", "tell", "unkept",
    )  # fmt: skip

    def __init__(
        self,
        handlers: Handlers,
        config: type[Settings],
        journal: Journal,
        clock: Callable[[], float],
        reading: float = 0.0,
    ) -> None:
        self._handlers = handlers
        self._config = config
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._under_way: dict[asyncio.Task[object], Ledger] = {}
        self.journal = journal
        self.elapsed = 0.0
        self.reading = round(reading, 6)
        self.execution_id = journal.opened.execution_id
        self.interrupted = False
        self.suspended = False
        self.rest: Remainder | None = None
        self.tell: Callable[[int, str, bool], None] | None = None
        self.unkept: Failure | None = None

    def interrupt(self) -> None:
        """Thread-safe: note the wish to stop, and break off what is not inside a tool."""
        self.interrupted = True
        self._loop.call_soon_threadsafe(self._break_off)

    def wake(self) -> None:
        """Thread-safe: have the event loop turn once."""
        with contextlib.suppress(RuntimeError):  # it is closed: the run has ended
            self._loop.call_soon_threadsafe(_nothing)

    def _break_off(self) -> None:
        for task, ledger in self._under_way.items():
            ledger.closed = True
            if not ledger.in_tool and not ledger.broken_off:
                ledger.broken_off = True
                task.cancel()

    def start_of(self, number: int) -> float:
        """When effect ``number`` begins, in seconds of the run, if it waits for no other of its batch."""
        return self.elapsed if self.journal.line_of(number) is not None else round(self.elapsed + self.reading, 6)

    def handle(
        self,
        number: int,
        effect: Effect,
        now: float,
        failure: Failure | None = None,
        began: Callable[[], None] | None = None,
    ) -> Awaitable[Handled]:
        """The outcome of effect ``number``, which begins at ``now`` (s) or cannot be done for a ``failure``.

        ``began`` is called if it is really done now. While it is done, one frame of this class is kept for it: a run
        with many effects under way stays small.
        """
        recorded = self.journal.outcome(number, effect, self._config)
        if recorded is not None:
            self._take(recorded.usage + recorded.lost)
            return _ready(Handled(outcome=recorded, line=self.journal.line_of(number), recorded=True))
        failure = self.unkept or failure
        if failure is not None:
            outcome = Outcome(failure=failure, started=now, ended=now, interrupted=self.interrupted)
            return self._keep(number, effect, outcome)
        if (done := self.journal.done(number, effect, self._config)) is not None:
            self._take(done.usage)
            ended = round(now + done.ended - done.started, 6)
            return self._keep(number, effect, done.changed(started=now, ended=ended, interrupted=self.interrupted))
        if began is not None:
            began()
        if tool := self.journal.begun.get(number):
            return self._keep(number, effect, unknown(effect, tool, now))
        return self._answered(number, effect, now)

    def _take(self, usage: Usage) -> None:
        """Note what an effect took before this life of the run, or in an earlier one."""
        if self.rest is not None and usage != NOTHING:
            self.rest.take(usage)

    async def _keep(self, number: int, effect: Effect, outcome: Outcome) -> Handled:
        """Put the outcome on record, unless nothing is kept any more; where that fails, there is none."""
        kind = outcome.failure.kind if outcome.failure is not None else None
        if kind == "journal":
            self.unkept = outcome.failure
        if lost := self.journal.lost.get(number):
            outcome = outcome.changed(lost=lost)
        if self.suspended or self.unkept or kind == "waiting":
            return Handled(outcome=outcome)
        try:
            return Handled(outcome=outcome, line=await self.journal.append(number, effect, outcome))
        except JournalError as error:
            self.unkept = Failure(kind="journal", message=str(error))
            return Handled(outcome=outcome.changed(value=None, failure=self.unkept))

    def _handler(self, phase: str) -> Callable[..., Awaitable[Value]]:
        if phase not in self._handlers:
            raise UsageError(f"no handler answers '{phase}'")
        return self._handlers[phase]

    async def _answered(self, number: int, effect: Effect, now: float) -> Handled:
        """What the world gives, on record."""
        lost = self.journal.lost.get(number, NOTHING)
        self._take(lost)
        ledger = Ledger(
            _rest(effect.allowance, lost),
            self._clock,
            self.execution_id + effect.scope,
            self.journal.begin,
            now - self.elapsed,
            number,
            self.journal.call,
            self.rest,
        )
        ledger.telling = Telling(partial(self.tell, number)) if self.tell is not None else None
        value, failure = None, None
        task = asyncio.current_task(self._loop)
        assert task is not None
        self._under_way[task] = ledger
        began = self._clock()
        try:
            with ledger:
                value = admitted(effect, await self._handler(effect.phase)(effect))
        except asyncio.CancelledError:
            if not ledger.broken_off or task.cancelling() > 1:
                raise
            failure = BROKEN_OFF
        except Exception as error:  # noqa: BLE001 - a third party's handler may raise anything: here it becomes a failure
            failure = failure_of(error, effect, ledger)
        finally:
            if ledger.telling is not None:
                ledger.telling.close()
            del self._under_way[task]
            if ledger.broken_off:
                task.uncancel()
        outcome = Outcome(
            value=value,
            failure=failure,
            usage=ledger.spent,
            started=now,
            ended=round(now + max(0.0, self._clock() - began), 6),
            interrupted=self.interrupted,
        )
        return await self._keep(number, effect, _by_a_person(effect, outcome) if effect.phase == "ask" else outcome)


def _by_a_person(effect: Effect, outcome: Outcome) -> Outcome:
    """The outcome of a question: the time of a person does not count, and what still waits cost nothing."""
    if isinstance(effect, AskUser) and outcome.failure is not None and outcome.failure.kind == "waiting":
        return waiting(effect)
    return outcome.changed(ended=outcome.started)


def _nothing() -> None:
    pass


async def _ready(handled: Handled) -> Handled:
    return handled


def _rest(allowance: Allowance, lost: Usage) -> Allowance:
    """What is left of an allowance after what earlier lives of the run lost on the effect.

    As many calls as before, as long as the run has them to spare: so the effect has the outcome that it would have had.
    """
    if lost == NOTHING:
        return allowance
    return allowance.changed(
        calls=max(0, min(allowance.calls, allowance.calls + allowance.spare - lost.calls)),
        tokens=None if allowance.tokens is None else max(0, allowance.tokens - lost.tokens),
        cost=None if allowance.cost is None else max(0.0, allowance.cost - lost.cost),
    )
