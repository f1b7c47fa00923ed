"""The events of a run as the service tells them, process after process, and a reader who goes on where he was."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from aeon.runtime.events import Observer
from aeon.runtime.journal import Journal
from aeon.runtime.sealed import unsealed
from aeon.server.feed import Feed, Watcher, frames
from aeon.server.told import Place, recorded_in
from aeon.simulation.disk import NAME
from aeon.simulation.world import World

__all__ = ["TELLING", "hold_told", "telling"]

TELLING = "events have their lines"
_feeds: WeakKeyDictionary[World, list[Feed]] = WeakKeyDictionary()


def telling(world: World, journal: Journal) -> Sequence[Observer]:
    """A watcher for a process of the run, whose feed begins with what the journal tells of those before it."""
    if journal.opening is not None and journal.unsettled:  # as the service does, before it tells what was
        journal.resume(())
    lines = unsealed(NAME, world.disk.data)[0]
    feed = Feed()
    _feeds.setdefault(world, []).append(feed)
    if not lines:
        return (lambda event: _first(feed, journal)(event),)
    past = recorded_in(NAME, lines)
    feed.load(past.told)
    watcher = Watcher(feed, journal, journal.opened.engine)
    watcher.resume(past.life)
    return (watcher,)


_watchers: WeakKeyDictionary[Feed, Watcher] = WeakKeyDictionary()


def _first(feed: Feed, journal: Journal) -> Watcher:
    """The watcher of a first process, made when its journal has been opened."""
    return _watchers.setdefault(feed, Watcher(feed, journal, journal.opened.engine))


def hold_told(world: World) -> None:
    """Hold what each process told against the journal, and what a reader of it all got."""
    told = recorded_in(NAME, unsealed(NAME, world.disk.data)[0]).told
    _hold_ascending(world, [one.place for one in told])
    frames_of_journal = {one.place: one.frame for one in told}
    latest: Place | None = None
    for feed in _feeds.pop(world, ()):
        _hold_ascending(world, [one.place for one in feed.told])
        got = asyncio.run(_read(feed, latest))
        new = [one for one in feed.told if latest is None or one.place > latest]
        if got != [one.frame for one in new]:
            world.wrong(TELLING, f"a reader got {len(got)} events, not the {len(new)} after {latest}")
        for one in new:
            if frames_of_journal.get(one.place) != one.frame:
                world.wrong(TELLING, f"{one.place} was told as {one.type}, and the journal tells another event there")
        latest = new[-1].place if new else latest


def _hold_ascending(world: World, places: list[Place]) -> None:
    """No event stands where another one does, and each behind those before it."""
    if sorted(set(places)) != places:
        world.wrong(TELLING, f"events stand at {', '.join(map(str, places))}")


async def _read(feed: Feed, after: Place | None) -> list[bytes]:
    """What a reader gets that has read up to a place."""
    feed.under_way.clear()
    feed.close(b"")
    return [frame async for frame in frames(feed, after) if frame]
