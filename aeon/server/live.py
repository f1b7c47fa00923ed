"""A run that a server works on, or will: how it is told of, and stopped."""

from __future__ import annotations

import asyncio
import contextvars
from dataclasses import dataclass, field

from aeon.durable.values import DEFAULT_PRIORITY
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import EffectStarted, Event, RunStarted
from aeon.server.equipment import Order
from aeon.server.feed import Feed
from aeon.server.runs import RunRecord

__all__ = ["Live"]


@dataclass(eq=False)
class Live:
    """A run that the server works on, or will. ``over`` is set when it does no more.

    ``order`` and ``record`` are there for a run that has just been accepted. ``stop``: it is asked to stop; ``now``:
    without an answer in words. ``context`` is that of the request, in whose trace it works. Of those that wait, the one
    with the lowest ``priority`` is started first.
    """

    name: str
    order: Order | None = None
    record: RunRecord | None = None
    priority: int = DEFAULT_PRIORITY
    owner: str = ""
    feed: Feed = field(default_factory=Feed)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    driver: AsyncDriver | None = None
    task: asyncio.Task[None] | None = None
    stop: bool = False
    now: bool = False
    context: contextvars.Context = field(default_factory=contextvars.copy_context)

    def __call__(self, event: Event, /) -> None:
        """Stop what begins, if that was asked for before."""
        if (isinstance(event, RunStarted) and self.stop) or (isinstance(event, EffectStarted) and self.now):
            self.interrupt(self.now)

    def interrupt(self, now: bool) -> None:
        """Ask the run to stop, or, if it has not begun, when it begins."""
        self.stop, self.now = True, now
        if self.driver is not None:
            self.driver.interrupt()

    @classmethod
    def of(cls, record: RunRecord, order: Order | None = None, accepted: RunRecord | None = None) -> Live:
        """A run of the list; ``order`` and ``accepted`` as it has just been accepted."""
        return cls(record.id, order, accepted, record.priority, record.owner)
