"""The usage ledger: every model call and tool call of an effect is charged here, repairs and probes included.

A model call is admitted by the most that it can use. That much is reserved until the call has ended and is settled by
what it really used, so that calls under way at the same time cannot go beyond the allowance together.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

from aeon.errors import AllowanceExhausted
from aeon.runtime.remainder import Remainder
from aeon.runtime.telling import Telling
from aeon.schema.usage import NOTHING, Allowance, Usage

__all__ = ["Begin", "Ledger", "Note", "current_ledger"]

Note = Callable[[int, Usage], Awaitable[None]]
"""Awaited before a model call, with the number of the effect and the most that it can have used after the call."""

Begin = Callable[[int, str], Awaitable[None]]
"""Awaited before a tool is called that changes the world, with the number of the effect and the tool's name."""

_STOPPED = "the run was asked to stop"
_CLOSE = 0.25e-6  # seconds: the same instant may differ by less, on clocks that show another time


class Ledger:
    """Counts what one effect uses and refuses a call that could go beyond its allowance.

    ``clock`` gives seconds that never run backwards; the allowance's seconds count from the ledger's making.
    ``execution_id`` is the run's, ``number`` the effect's. ``note`` and ``begin`` write ahead what is about to be used
    or done, so that it counts even if the process ends before the outcome is known. ``waited`` is how many of the
    allowance's seconds were over before the effect began. ``closed``: the run was asked to stop: a tool call under way
    may end, but nothing may begin after it. ``broken_off``: so was the effect. ``rest`` is what the whole run has left,
    with all effects that are under way. ``telling`` tells whoever watches the run what a model writes; ``None`` where
    nobody does.

    In a ``with`` block it is the current one, also for tasks started there; such a block does not nest in itself.
    """

    __slots__ = (
        "_allowance", "_begin", "_clock", "_note", "_opened", "_reserved", "_rest", "_token", "broken_off", "closed",
        "execution_id", "in_tool", "number", "spent", "telling",
    )  # fmt: skip

    def __init__(
        self,
        allowance: Allowance,
        clock: Callable[[], float] = time.monotonic,
        execution_id: str = "",
        begin: Begin | None = None,
        waited: float = 0.0,
        number: int = 0,
        note: Note | None = None,
        rest: Remainder | None = None,
    ) -> None:
        self._allowance = allowance
        self._clock = clock
        self.execution_id = execution_id
        self._begin = begin
        self._note = note
        self._rest = rest
        self._opened = clock() - waited
        self.number = number
        self.telling: Telling | None = None
        self.spent = NOTHING
        self._reserved = NOTHING  # for calls under way
        self.in_tool = False
        self.closed = False
        self.broken_off = False

    def __enter__(self) -> Ledger:
        self._token = _current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)

    def seconds_left(self) -> float | None:
        """Seconds until the effect's deadline, at least 0; ``None`` without a deadline.

        In whole microseconds, as times are kept: so a call that took all that was left leaves nothing, whatever the
        clock shows and however its numbers are rounded.
        """
        if self._allowance.seconds is None:
            return None
        return round(max(0.0, self._allowance.seconds - (self._clock() - self._opened) - _CLOSE), 6)

    def calls_left(self) -> int:
        """Model calls that may still begin."""
        return max(0, self._allowance.calls - self.spent.calls - self._reserved.calls)

    def tokens_left(self) -> int | None:
        """Tokens that are neither spent nor reserved; ``None`` without a limit."""
        if self._allowance.tokens is None:
            return None
        return max(0, self._allowance.tokens - self.spent.tokens - self._reserved.tokens)

    def cost_left(self) -> float | None:
        """US dollars that are neither spent nor reserved; ``None`` without a limit."""
        if self._allowance.cost is None:
            return None
        return max(0.0, self._allowance.cost - self.spent.cost - self._reserved.cost)

    @property
    def surplus(self) -> int:
        """The most tokens that the endpoint counted for one call of the run beyond what such a call can take."""
        return max(self.spent.surplus, self._rest.surplus if self._rest is not None else 0)

    async def admit(self, most: Usage) -> None:
        """Let a model call begin that uses at most this much in all its attempts, and reserve that.

        Each call that is admitted must be settled.

        Raises:
            AllowanceExhausted: calls, tokens, money or time are not left for it, or the run was asked to stop.
        """
        self.check(most)
        self._reserved += most
        if self._rest is not None:
            self._rest.take(most)
        if self._note is None:
            return
        try:
            await self._note(self.number, self.spent + self._reserved)
            if self.closed:  # meanwhile
                raise AllowanceExhausted("seconds", _STOPPED)
        except BaseException:
            self._free(most)
            raise

    def settle(self, most: Usage, actual: Usage) -> None:
        """Replace what was reserved for a call by what it really used."""
        self._free(most)
        self.charge(actual)

    @asynccontextmanager
    async def tool_call(self, changes_the_world: str = "") -> AsyncIterator[None]:
        """Charge a tool call; while the block runs, nobody may break it off.

        ``changes_the_world`` is the name of a tool that does: that it is about to be called is written ahead.

        Raises:
            AllowanceExhausted: the time is over or the run was asked to stop, so that no tool call may begin.
        """
        self._check_time()
        self.in_tool = True  # before the line is written: a tool that is on record counts as called, so it is called
        try:
            if changes_the_world and self._begin is not None:
                await self._begin(self.number, changes_the_world)
            self.charge(Usage(tool_calls=1))
            yield
        finally:
            self.in_tool = False

    def charge(self, usage: Usage) -> None:
        """Add what was used, whether to any avail or not."""
        if usage == NOTHING:
            return
        self.spent += usage
        if self._rest is not None:
            self._rest.take(usage)

    def retell(self, text: str) -> None:
        """Tell that the text of the effect, if one was told, is this in the end."""
        if self.telling is not None and self.telling.begun:
            self.telling.settle(text)

    def _free(self, most: Usage) -> None:
        """Take back what was reserved for a call; with the last one all of it, whatever its cost was rounded to."""
        self._reserved = self._reserved - most if self._reserved.calls > most.calls else NOTHING
        if self._rest is not None:
            self._rest.give_back(most)

    def check(self, most: Usage) -> None:
        """Refuse what takes at most that much where it does not fit.

        Raises:
            AllowanceExhausted: as for `admit`.
        """
        self._check_time()
        allowed, taken, tokens = self._allowance, self.spent + self._reserved, most.tokens
        if most.calls > allowed.calls - taken.calls:
            calls = self.calls_left()
            text = f"{calls} left for up to {most.calls}" if calls else f"all {allowed.calls} are used"
            raise AllowanceExhausted("calls", f"model calls of this step: {text}")
        if allowed.tokens is not None and tokens > allowed.tokens - taken.tokens:
            text = f"a call of up to {tokens} tokens does not fit: {self.tokens_left()} left"
            raise AllowanceExhausted("tokens", text)
        if allowed.cost is not None and most.cost > max(0.0, allowed.cost - taken.cost):
            text = f"a call of up to ${most.cost:.4f} does not fit: ${self.cost_left():.4f} left"
            raise AllowanceExhausted("cost", text)
        if self._rest is not None and (reason := self._rest.overspent):
            raise AllowanceExhausted("tokens", f"no call may begin any more: {reason}")

    def _check_time(self) -> None:
        if self.closed:
            raise AllowanceExhausted("seconds", _STOPPED)
        if self.seconds_left() == 0:
            raise AllowanceExhausted("seconds", "the time for this step is over")


_current: ContextVar[Ledger | None] = ContextVar("aeon_ledger", default=None)


def current_ledger() -> Ledger:
    """The ledger of the effect that is being handled; outside a run, a fresh one that forbids nothing."""
    return _current.get() or Ledger(Allowance(calls=1_000_000))
