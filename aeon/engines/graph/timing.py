"""How long a step or a look may take."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aeon.errors import CompletionError
from aeon.runtime.ledger import current_ledger

__all__ = ["limit"]

_POLL = 0.25
"""Seconds after which a tool that is under way is looked at again."""


@asynccontextmanager
async def limit(what: str, seconds: float, read_only: bool = False) -> AsyncIterator[None]:
    """Let something take so many seconds. A tool call that is under way then is not cut off: it has a limit of its own.

    What is ``read_only`` is: nothing is lost with it.

    Raises:
        CompletionError: the time was over; the rest of the run continues.
    """
    loop, ledger = asyncio.get_running_loop(), current_ledger()
    timers: list[asyncio.TimerHandle] = []
    try:
        async with asyncio.timeout(None) as timeout:

            def over() -> None:
                if ledger.in_tool and not read_only:
                    timers.append(loop.call_later(_POLL, over))
                else:
                    timeout.reschedule(loop.time())

            timers.append(loop.call_later(seconds, over))
            try:
                yield
            finally:
                timers[-1].cancel()
    except TimeoutError:
        raise CompletionError(f"the {what} did not come to an end within {seconds:g} s") from None
