"""The events of a run that is under way, kept once for all who read them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial

from aeon.assembly.registry import view_of
from aeon.observability.view import View
from aeon.runtime.events import EffectEnded, EffectStarted, Event, Noted, RunEnded, RunStarted
from aeon.runtime.journal import Journal
from aeon.schema.effects import Effect
from aeon.server.told import Life, Place, Told, UnderWay, happened, started, unkept

__all__ = ["Feed", "Watcher", "frames"]

PING_SECONDS = 15.0
PING = b": ping\n\n"


class Feed:
    """The events of one run, in order, and what is under way. Readers have places of their own in it.

    ``last`` is the event that ends every stream of it, once there is one.
    """

    def __init__(self) -> None:
        self.told: list[Told] = []
        self.under_way: dict[int, Callable[[], bytes]] = {}
        self.last: bytes | None = None
        self._changed = asyncio.Event()

    def load(self, told: Iterable[Told], under_way: Iterable[UnderWay] = ()) -> None:
        """Have these events, which the journal holds, and these effects under way."""
        self.told = [*told]
        self.under_way = {one.number: partial(_under_way, *one) for one in under_way}
        self._wake()

    def tell(self, told: Told) -> None:
        """Add an event; its line is on disk."""
        self.told.append(told)
        self._wake()

    def begin(self, number: int, frame: Callable[[], bytes]) -> None:
        """Note that an effect is under way; ``frame`` makes what readers are told of it."""
        self.under_way[number] = frame
        self._wake()

    def close(self, last: bytes) -> None:
        """End every stream with this event, after all that was told."""
        self.last = last
        self._wake()

    async def changed(self, seconds: float) -> bool:
        """Wait until something is added; whether that came in time."""
        try:
            await asyncio.wait_for(self._changed.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class Watcher:
    """Observes a run and tells a feed what is on record in the run's ``journal``.

    What the journal does not keep, such as a question that waits, is not told; nor is what the run had noted before.
    """

    def __init__(self, feed: Feed, journal: Journal, engine: str) -> None:
        self._feed = feed
        self._journal = journal
        self._view = view_of(engine)
        self._life = Life()
        self._latest = 0
        self._kept = True

    def resume(self, life: Life) -> None:
        """Watch the run in this life of it, which is not its first."""
        self._life = life

    def __call__(self, event: Event, /) -> None:
        """Take note of an event of the driver."""
        match event:
            case RunStarted():
                if not self._feed.told:
                    self._feed.tell(started(self._journal.opened, event.bound))
            case EffectStarted():
                self._feed.begin(event.number, partial(_under_way, self._view, event.number, event.effect))
            case EffectEnded():
                self._ended(event)
            case Noted():
                if self._kept and (told := self._life.note(self._latest, event.note)) is not None:
                    self._feed.tell(told)
            case RunEnded():  # told by who notes the end in the list of runs first
                self._feed.under_way.clear()

    def _ended(self, event: EffectEnded) -> None:
        self._feed.under_way.pop(event.number, None)
        line = self._journal.line_of(event.number)
        self._kept = self._kept and line is not None
        if line is None:
            return
        self._latest = max(self._latest, line)
        if not event.recorded:
            self._feed.tell(happened(Place(line), self._view, event.number, event.effect, event.outcome))


def _under_way(view: View, number: int, effect: Effect) -> bytes:
    return unkept("effect_started", {"number": number, "phase": effect.phase, "title": view.title(effect)})


async def frames(feed: Feed, after: Place | None, ping: float = PING_SECONDS) -> AsyncIterator[bytes]:
    """What a stream of the feed sends: the events after a place, what is under way, pings, and the last event."""
    place = 0
    shown: set[int] = set()
    while True:
        if place < len(feed.told):
            told, place = feed.told[place], place + 1
            if after is None or told.place > after:
                yield told.frame
        elif fresh := [number for number in feed.under_way if number not in shown]:
            shown.add(fresh[0])
            yield feed.under_way[fresh[0]]()
        elif feed.last is not None:
            yield feed.last
            return
        elif not await feed.changed(ping):
            yield PING
