"""Simulated time: an event loop that never waits, and the clock of a machine that can be set."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Protocol, TypeAlias, TypeVar

__all__ = ["QUANTUM", "Clock", "SimulatedLoop", "Stalled"]

QUANTUM = 1 / 64
"""Simulated durations are multiples of this many seconds: exact in a float, and in six decimals."""

_MOST_TURNS = 100_000

T = TypeVar("T")


class _HasFileno(Protocol):
    def fileno(self) -> int: ...


_FileLike: TypeAlias = int | _HasFileno


class Stalled(Exception):
    """Everything waits for something that cannot happen, or the loop turns without end."""


class _Leap(selectors.BaseSelector):
    """Has no events to wait for: instead of waiting it moves the time on."""

    def __init__(self) -> None:
        self.now = 0.0
        self.turns = 0
        self._keys: dict[_FileLike, selectors.SelectorKey] = {}

    def register(self, fileobj: _FileLike, events: int, data: object = None) -> selectors.SelectorKey:
        fd = fileobj if isinstance(fileobj, int) else fileobj.fileno()
        key = self._keys[fileobj] = selectors.SelectorKey(fileobj, fd, events, data)
        return key

    def unregister(self, fileobj: _FileLike) -> selectors.SelectorKey:
        return self._keys.pop(fileobj)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.turns += 1
        if timeout is None or self.turns > _MOST_TURNS:
            raise Stalled("nothing can happen any more" if timeout is None else "it goes on without end")
        self.now += max(0.0, timeout)
        return []

    def get_map(self) -> Mapping[_FileLike, selectors.SelectorKey]:
        return self._keys

    def close(self) -> None:
        self._keys.clear()


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop whose time jumps to the next timer. No sockets, threads or signals."""

    def __init__(self) -> None:
        self._leap = _Leap()
        super().__init__(self._leap)

    def time(self) -> float:
        """Seconds since `restart`."""
        return self._leap.now

    def run_in_executor(
        self, executor: Executor | None, work: Callable[..., T], *arguments: object
    ) -> asyncio.Future[T]:
        """What the work gives or raises, done here and now, in no time: the order of things is always the same."""
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(work(*arguments))
        except Exception as error:  # noqa: BLE001 - handed to who waits, whatever it is
            future.set_exception(error)
        return future

    def restart(self) -> None:
        """Let the time begin at 0 again, for the next run."""
        self._leap.now, self._leap.turns = 0.0, 0


class Clock:
    """A machine's clock, ``ahead`` seconds away from the loop's time."""

    def __init__(self, loop: SimulatedLoop) -> None:
        self._loop = loop
        self.ahead = 0.0

    def __call__(self) -> float:
        """What the clock shows."""
        return self._loop.time() + self.ahead
