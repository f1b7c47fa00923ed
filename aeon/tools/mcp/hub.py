"""A thread with an event loop of its own, in which MCP servers live.

A run has a loop for each execution, and a server outlives it.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import threading
from collections.abc import Awaitable, Coroutine
from concurrent.futures import Future, InvalidStateError
from typing import Any, ClassVar, Protocol, TypeVar

from aeon.errors import ToolFailed

__all__ = ["Closes", "Hub"]

T = TypeVar("T")
_CLOSE_SECONDS = 10.0
_CLOSED = "the MCP servers of the run were closed"


class Closes(Protocol):
    """What is closed when the hub ends."""

    async def close(self) -> None:
        """Let go of everything."""


class Hub:
    """Its thread runs until the hub is stopped, at the latest at exit; then all ``members`` are closed."""

    alive: ClassVar[set[Hub]] = set()

    def __init__(self) -> None:
        self.members: list[Closes] = []
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._asked: dict[Future[Any], Coroutine[Any, Any, Any]] = {}
        self._over = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._work, name="aeon-mcp", daemon=True)
        self.alive.add(self)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something in the hub's loop, and wait for it. Raises ``ToolFailed`` if the hub was stopped."""
        return self._begun(work).result()

    def submit(self, work: Coroutine[Any, Any, T]) -> Awaitable[T]:
        """The same, to be awaited in another loop."""
        return asyncio.wrap_future(self._begun(work))

    def stop(self) -> None:
        """Have it end, without waiting for that: the garbage collector may call this, in any thread."""
        with contextlib.suppress(RuntimeError):  # its loop is closed: it has ended
            self._loop.call_soon_threadsafe(self._stopping.set)

    def close(self) -> None:
        """End it, and wait until its members are closed."""
        self.stop()
        if threading.current_thread() is not self._thread:
            self._thread.join(_CLOSE_SECONDS)

    def _begun(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        with self._lock:
            if not (self._stopping.is_set() or self._over):
                future = asyncio.run_coroutine_threadsafe(work, self._loop)
                self._asked = {one: its for one, its in self._asked.items() if not one.done()} | {future: work}
                return future
        work.close()
        raise ToolFailed(_CLOSED)

    def _work(self) -> None:
        try:
            self._loop.run_until_complete(self._live())
        finally:
            self.alive.discard(self)
            self._refuse()
            self._loop.close()

    def _refuse(self) -> None:
        """Refuse what is asked from now on, and what was asked too late to be begun: else it would wait for ever."""
        with self._lock:
            self._over = True
        for future, work in self._asked.items():
            with contextlib.suppress(InvalidStateError):
                future.set_exception(ToolFailed(_CLOSED))
            work.close()

    async def _live(self) -> None:
        await self._stopping.wait()
        await asyncio.gather(*(one.close() for one in self.members), return_exceptions=True)
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._loop.shutdown_asyncgens()


@atexit.register
def _close_all() -> None:
    for hub in tuple(Hub.alive):
        hub.close()
