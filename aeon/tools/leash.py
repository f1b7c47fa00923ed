"""A coroutine of somebody else's that ends when it is told to, whatever it does about being cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Generator
from contextlib import suppress
from typing import Any, Generic, TypeVar

__all__ = ["Leash"]

T = TypeVar("T")


class Leash(Generic[T]):
    """Awaits a tool's awaitable. Cancelled once, that may still clean up; cancelled again, it is closed.

    A task that swallows its cancellation would otherwise never end, nor would the loop that waits for it in the end.
    """

    def __init__(self, awaitable: Awaitable[T]) -> None:
        self._steps = awaitable.__await__()
        self._cancelled = 0

    def __await__(self) -> Generator[Any, Any, T]:
        error: BaseException | None = None
        while True:
            try:
                waits_for = next(self._steps) if error is None else self._steps.throw(error)
            except StopIteration as done:
                result: T = done.value
                return result
            if self._cancelled > 1:
                self._close()
                raise asyncio.CancelledError
            error = None
            try:
                yield waits_for
            except GeneratorExit:
                self._close()
                raise
            except BaseException as raised:  # noqa: BLE001 - it is the tool's to handle
                self._cancelled += isinstance(raised, asyncio.CancelledError)
                error = raised

    def _close(self) -> None:
        """Have it end where it stands; what it does about that counts no more."""
        with suppress(BaseException):
            self._steps.close()
