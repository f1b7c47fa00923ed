"""Work that comes in while other work is being done waits, and is then done together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

__all__ = ["Gathering"]

W = TypeVar("W")


class Gathering(Generic[W]):
    """Hands everything that waits to ``work``, in the order in which it came, and never twice at once.

    ``work`` gives for each piece what came of it, or an exception, which is raised where the piece is waited for.
    """

    def __init__(self, work: Callable[[list[W]], Awaitable[Sequence[object]]]) -> None:
        self._work = work
        self._waiting: list[tuple[W, asyncio.Future[Any]]] = []
        self._worker: asyncio.Task[None] | None = None

    def add(self, piece: W) -> asyncio.Future[Any]:
        """Have this done with what else waits; the future has what comes of it."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((piece, done))
        if self._worker is None:
            self._worker = asyncio.create_task(self._until_none_waits())
        return done

    async def _until_none_waits(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                outcomes = await self._work([piece for piece, _ in batch])
                for (_, done), outcome in zip(batch, outcomes, strict=True):
                    if done.done():  # nobody waits for it any more
                        continue
                    if isinstance(outcome, Exception):
                        done.set_exception(outcome)
                    else:
                        done.set_result(outcome)
        finally:
            self._worker = None
