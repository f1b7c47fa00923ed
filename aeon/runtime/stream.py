"""The events of a run as they happen, and what becomes of the run when nobody reads them any more."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Generic, TypeVar, get_args

from aeon.errors import UsageError
from aeon.runtime.events import Event, Observer, RunStarted
from aeon.schema import Conclusion
from aeon.schema.stream import OnLeave
from aeon.text import one_line

__all__ = ["RunStream"]

R = TypeVar("R", bound=Conclusion)


class RunStream(Generic[R]):
    """The events of one run: an async iterator, begun by its first ``anext``.

    ``execution_id`` is there from the first event on, ``result`` after the last. Who leaves an ``async for`` over it
    (``break``, an error, a cancelled task), or the block of an ``async with``, interrupts the run: it ends at its next
    boundary, with an answer of what there is, and can be resumed. With ``on_leave="continue"`` it goes on without a
    reader. Iterate again to see the rest.

    ``follow`` runs the job in a task, told to one more observer; ``interrupt`` asks the run of an id to stop.

    Raises:
        UsageError: ``on_leave`` is none of its values.
    """

    def __init__(
        self, follow: Callable[[Observer], asyncio.Task[R]], interrupt: Callable[[str], None], on_leave: OnLeave
    ) -> None:
        if on_leave not in get_args(OnLeave):
            raise UsageError(f"on_leave: write {' or '.join(get_args(OnLeave))}, not {one_line(repr(on_leave), 60)}")
        self._follow = follow
        self._interrupt = interrupt
        self._on_leave = on_leave
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._task: asyncio.Task[R] | None = None
        self._started = ""
        self._left = False
        self.execution_id = ""

    def __aiter__(self) -> AsyncIterator[Event]:
        return _Reading(self.__anext__, self._leave)

    async def __anext__(self) -> Event:
        if self._task is None:
            self._task = self._follow(self._observe)
            self._task.add_done_callback(lambda _: self._events.put_nowait(None))
        event = await self._events.get()
        if event is None:
            self._events.put_nowait(None)
            self._task.result()  # what went wrong, if anything did
            raise StopAsyncIteration
        if isinstance(event, RunStarted):
            self.execution_id = event.execution_id
        return event

    @property
    def result(self) -> R:
        """The whole result.

        Raises:
            RuntimeError: the run has not ended.
        """
        if self._task is None or not self._task.done():
            raise RuntimeError(
                "the run has not ended yet: iterate to the end of the stream, or leave it and await its aclose() first"
            )
        return self._task.result()

    async def aclose(self) -> None:
        """Leave the stream. The run is interrupted, and awaited; or it goes on, if that was asked for."""
        self._leave()
        if self._left and self._task is not None:
            await asyncio.wait({self._task})

    async def __aenter__(self) -> RunStream[R]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _observe(self, event: Event, /) -> None:
        self._events.put_nowait(event)
        if isinstance(event, RunStarted):
            self._started = event.execution_id
            if self._left:
                self._interrupt(self._started)

    def _leave(self) -> None:
        """Interrupt the run once, or, if it has not begun, when it begins: a second time would break off its answer."""
        if self._on_leave == "continue" or self._left or self._task is None or self._task.done():
            return
        self._left = True
        if self._started:
            with contextlib.suppress(RuntimeError):  # its event loop is closed, and the run is over with it
                self._interrupt(self._started)


class _Reading:
    """One ``async for`` over a stream. Python lets go of it at once when that is left."""

    def __init__(self, following: Callable[[], Awaitable[Event]], leave: Callable[[], None]) -> None:
        self._following = following
        self._leave = leave

    def __aiter__(self) -> _Reading:
        return self

    async def __anext__(self) -> Event:
        try:
            return await self._following()
        except asyncio.CancelledError:
            self._leave()
            raise

    def __del__(self) -> None:
        self._leave()
