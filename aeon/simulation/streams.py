"""What watches a process of a run, and who reads its events from a stream, leaves it and comes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aeon.kernel.ports import Job
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import EffectEnded, Event, Observer
from aeon.runtime.journal import Journal
from aeon.schema import Conclusion, Result
from aeon.simulation.multipass import PlanWatch
from aeon.simulation.prose import ProseWatch
from aeon.simulation.stops import StopWatch
from aeon.simulation.troubles import Troubles
from aeon.simulation.watch import Watch
from aeon.simulation.world import World

__all__ = ["Watches", "read_through"]

_LINES = "events have their lines"


class Watches:
    """All that watches one process of a run. From when that has lost its run, nothing is seen any more."""

    def __init__(self, world: World, job: Job[Any, Any, Any], journal: Journal, more: Sequence[Observer]) -> None:
        self._world = world
        self._journal = journal
        self._stops = StopWatch(world, job.engine.final)
        self._plans = PlanWatch(world, job.config) if issubclass(job.engine.result, Result) else None
        plans = [self._plans] if self._plans is not None else []
        self.told: list[Event] = []
        own: list[Observer] = [self._tell, Watch(world, job), self._stops, self._hold_line, ProseWatch(world)]
        every = [*own, *plans, *more]
        self.observers = [self._while_it_has_the_run(one) for one in every]

    def concluded(self, result: Conclusion) -> None:
        """Hold the end against what was seen."""
        self._stops.concluded(result)
        if self._plans is not None and isinstance(result, Result):
            self._plans.concluded(result)

    def _while_it_has_the_run(self, observer: Observer) -> Observer:
        def observe(event: Event, /) -> None:
            if not self._world.lost:
                observer(event)

        return observe

    def _tell(self, event: Event, /) -> None:
        self.told.append(event)

    def _hold_line(self, event: Event, /) -> None:
        """An outcome has the number of its line, which no other one of the run has, in whatever life."""
        line = self._journal.line_of(event.number) if isinstance(event, EffectEnded) else None
        if line is None or not isinstance(event, EffectEnded):
            return
        if event.line != line:
            self._world.wrong(_LINES, f"effect {event.number} is told as line {event.line}, and stands in {line}")
        if not event.recorded and line <= self._world.told:
            self._world.wrong(_LINES, f"line {line} of effect {event.number} was told before, up to {self._world.told}")
        self._world.told = max(self._world.told, line)


async def read_through(
    world: World, driver: AsyncDriver, job: Job[Any, Any, Any], troubles: Troubles, watches: Watches
) -> Conclusion:
    """The result of the run, be it read from its stream by somebody who leaves that and comes back."""
    if troubles.leave is None:
        whole: Conclusion = await driver.aexecute(job)
        return whole
    (leave_at, on_leave), troubles.leave = troubles.leave, None
    stream = driver.stream(job, on_leave)
    read: list[Event] = []
    async for event in stream:
        read.append(event)
        if len(read) == leave_at:
            world.fired["stream_left"] += 1
            world.stopping |= on_leave == "interrupt" and not world.lost
            break
    await stream.aclose()
    async for event in stream:
        read.append(event)
    if not world.lost and list(map(id, read)) != list(map(id, watches.told)):
        world.wrong(_LINES, f"{len(read)} events were read from the stream, {len(watches.told)} were told")
    result: Conclusion = stream.result
    return result
