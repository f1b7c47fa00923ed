"""The usage ledger: every model call and tool call of an effect is charged here, repairs included."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from aeon.errors import AllowanceExhausted
from aeon.schema.usage import Allowance, Usage

__all__ = ["Ledger", "current_ledger"]

_NOTHING = Usage()


class Ledger:
    """Counts what one effect spends and refuses a call that would go beyond its allowance.

    ``clock`` gives seconds that never run backwards; the allowance's seconds count from the ledger's making.
    ``execution_id`` is the run's, ``number`` the effect's; ``begin`` is told that, and the name, of each tool that
    changes the world before it is called. ``waited`` is how many of the allowance's seconds were over before the effect
    began. ``closed``: the run was asked to stop: a tool call under way may end, but nothing may begin after it.
    ``broken_off``: so was the effect.

    In a ``with`` block it is the current one, also for tasks started there; such a block does not nest in itself.
    """

    __slots__ = (
        "_allowance", "_begin", "_clock", "_opened", "_token", "broken_off", "closed", "execution_id", "in_tool",
        "number", "spent",
    )  # fmt: skip

    def __init__(
        self,
        allowance: Allowance,
        clock: Callable[[], float] = time.monotonic,
        execution_id: str = "",
        begin: Callable[[int, str], None] = lambda *_: None,
        waited: float = 0.0,
        number: int = 0,
    ) -> None:
        self._allowance = allowance
        self._clock = clock
        self.execution_id = execution_id
        self._begin = begin
        self._opened = clock() - waited
        self.number = number
        self.spent = _NOTHING
        self.in_tool = False
        self.closed = False
        self.broken_off = False

    def __enter__(self) -> Ledger:
        self._token = _current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)

    def seconds_left(self) -> float | None:
        """Seconds until the effect's deadline, at least 0; ``None`` without a deadline."""
        if self._allowance.seconds is None:
            return None
        return max(0.0, self._allowance.seconds - (self._clock() - self._opened))

    def tokens_left(self) -> int | None:
        """Tokens that may still be spent; ``None`` without a limit."""
        if self._allowance.tokens is None:
            return None
        return max(0, self._allowance.tokens - self.spent.tokens)

    def calls_left(self) -> int:
        """Model calls that may still be made."""
        return max(0, self._allowance.calls - self.spent.calls)

    def admit(self, most_tokens: int) -> None:
        """Let one model call of at most ``most_tokens`` (prompt and completion) begin, or say which limit forbids it.

        Raises:
            AllowanceExhausted: no call, not enough tokens, no time or no money left, or the run was asked to stop.
        """
        if self.closed or self.spent.calls >= self._allowance.calls:
            raise AllowanceExhausted("calls", f"all {self._allowance.calls} model calls of this step are used")
        tokens = self.tokens_left()
        if tokens is not None and most_tokens > tokens:
            raise AllowanceExhausted("tokens", f"a call of up to {most_tokens} tokens does not fit: {tokens} left")
        if self.seconds_left() == 0:
            raise AllowanceExhausted("seconds", "the time for this step is over")
        if self._allowance.cost is not None and self.spent.cost >= self._allowance.cost:
            raise AllowanceExhausted("cost", f"the ${self._allowance.cost:.4f} of this step are spent")

    @contextmanager
    def tool_call(self, changes_the_world: str = "") -> Iterator[None]:
        """Charge a tool call; while the block runs, nobody may break it off.

        ``changes_the_world`` is the name of a tool that does: that it is about to be called is noted first.

        Raises:
            AllowanceExhausted: the time is over or the run was asked to stop, so that no tool call may begin.
        """
        if self.closed or self.seconds_left() == 0:
            raise AllowanceExhausted("seconds", "the time for this step is over")
        if changes_the_world:
            self._begin(self.number, changes_the_world)
        self.charge(Usage(tool_calls=1))
        self.in_tool = True
        try:
            yield
        finally:
            self.in_tool = False

    def charge(self, usage: Usage) -> None:
        """Add what a call has cost, whether it succeeded or not."""
        self.spent = usage if self.spent is _NOTHING else self.spent + usage


_current: ContextVar[Ledger | None] = ContextVar("aeon_ledger", default=None)


def current_ledger() -> Ledger:
    """The ledger of the effect that is being handled; outside a run, a fresh one that forbids nothing."""
    return _current.get() or Ledger(Allowance(calls=1_000_000))
