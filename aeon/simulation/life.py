"""A run from its beginning to its end, through as many processes as it takes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from aeon.asking.asker import Answerer
from aeon.assembly.build import assemble, resumption
from aeon.kernel.phases import run
from aeon.kernel.ports import Job, Modules
from aeon.llm.adapter import LLMAdapter
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.journal import Journal
from aeon.runtime.replay import Make, standing
from aeon.schema import Config, Result
from aeon.simulation.clock import Clock, SimulatedLoop, Stalled
from aeon.simulation.disk import Crash, Strike
from aeon.simulation.endpoint import Endpoint
from aeon.simulation.tools import Desk
from aeon.simulation.watch import Watch
from aeon.simulation.world import World, config, task
from aeon.tools.tool import Tool

__all__ = ["Life", "Parts", "Story", "Troubles"]

Assemble: TypeAlias = Callable[[LLMAdapter, Iterable[Tool], Config, Answerer | None], Modules]

_MOST_LIVES = 300
_MOST_ROUNDS = 20


@dataclass(frozen=True)
class Parts:
    """What is simulated: the shipped driver, modules and program, unless others are given."""

    driver: type[AsyncDriver] = AsyncDriver
    program: Make = run
    assemble: Assemble = assemble


@dataclass
class Troubles:
    """What happens to a run from outside. ``interrupts`` and ``jumps`` (time, seconds) come once, in the first process.

    ``moved`` is how far the clocks of the processes after the first are away.
    """

    strike: Strike | None = None
    strike_call: int | None = None
    interrupts: list[float] = field(default_factory=list)
    jumps: list[tuple[float, float]] = field(default_factory=list)
    moved: list[float] = field(default_factory=list)
    down_at: int | None = None
    attended: bool = True

    def only(self, kinds: frozenset[str], strike: Strike | None) -> Troubles:
        """Those of these kinds, with this strike."""
        return Troubles(
            strike=strike,
            strike_call=self.strike_call if "crash_called" in kinds else None,
            interrupts=self.interrupts if "interrupt" in kinds else [],
            jumps=self.jumps if "clock_jump" in kinds else [],
            moved=self.moved if "clock_moved" in kinds else [],
            down_at=self.down_at if "outage" in kinds else None,
            attended=self.attended or "question_suspended" not in kinds,
        )


@dataclass
class Story:
    """A run that has ended: its result, its world, and its journal as it is on disk."""

    result: Result
    world: World
    journal: Journal

    @cached_property
    def text(self) -> str:
        """The result, byte for byte."""
        return self.result.model_dump_json()


class Life:
    """Runs scenarios on one event loop, one after the other; a context manager that closes the loop."""

    def __init__(self, parts: Parts = Parts()) -> None:
        self.parts = parts
        self._loop = SimulatedLoop()
        self._loop.set_exception_handler(self._complained)
        self._desk: Desk | None = None
        self._world: World | None = None

    def __enter__(self) -> Life:
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.close()

    def lived(self, world: World, troubles: Troubles) -> Story | None:
        """The run to its end; ``None``, and a problem in the world, where it comes to none."""
        self._enter(world, troubles)
        result: Result | None = None
        while world.lives < _MOST_LIVES:
            try:
                result = self._process(world, troubles, result)
            except Crash:
                self._settle()
                continue
            except Stalled as stalled:
                world.wrong("it ends", str(stalled))
                self._loop.restart()
                self._settle()
                return None
            except Exception as error:  # noqa: BLE001 - whatever comes out of a run is what is looked for
                world.wrong("it ends in an answer", f"{type(error).__name__}: {error}")
                self._settle()
                return None
            self._settle()
            journal = world.disk.journal()
            if not self._again(world, result, journal):
                return Story(result, world, journal)
        world.wrong("it ends", f"not in {_MOST_LIVES} processes")
        return None

    def once_more(self, story: Story, answer: str | None = None) -> Result:
        """Take a run up that has ended. Raises what that raises."""
        story.world.over, story.world.disk.strike = True, None
        return self._driven(story.world, story.world.disk.journal(), answer, Troubles())

    def _enter(self, world: World, troubles: Troubles) -> None:
        self._loop.restart()
        self._world = world
        if self._desk is None:
            self._desk = Desk(world)
        self._desk.world = world
        world.disk.strike, world.strike_call, world.down_at = troubles.strike, troubles.strike_call, troubles.down_at
        world.attended = troubles.attended

    def _process(self, world: World, troubles: Troubles, before: Result | None) -> Result:
        """One process, from its start to its end or death."""
        world.lives += 1
        world.over = False
        if world.fired["outage"]:
            world.down_at = None
        journal = world.disk.journal()
        answer = None
        waits = before is not None and before.stop_reason == "waiting"
        if waits and (question := standing(journal).question) is not None:
            world.fired["question_suspended"] += world.has("question_suspended")
            answer = world.said(question)
        return self._driven(world, journal, answer, troubles)

    def _driven(self, world: World, journal: Journal, answer: str | None, troubles: Troubles) -> Result:
        tools = self._desk.tools if self._desk is not None else ()
        endpoint, clock, ask = Endpoint(world), Clock(self._loop), self._answerer(world)
        if journal.opening is None:
            settings = config(world.scenario)
            modules = self.parts.assemble(endpoint, tools, settings, ask)
            job = Job(self.parts.program, task(world.scenario), settings, modules)
        else:
            taken = resumption(journal, endpoint, tools, ask=ask, answer=answer)
            job = taken.job._replace(program=self.parts.program)
            clock.ahead = troubles.moved.pop() if troubles.moved else 0.0
            world.fired["clock_moved"] += bool(clock.ahead)
        driver = self.parts.driver((Watch(world),), lambda: journal, clock, lambda: f"run{world.scenario.seed}")
        timers = [*self._interrupts(world, driver, troubles), *self._jumps(world, clock, troubles)]
        try:
            return self._loop.run_until_complete(driver.aexecute(job))
        finally:
            for timer in timers:
                timer.cancel()

    def _answerer(self, world: World) -> Answerer | None:
        return None if world.has("question_assumed") else world.answer

    def _interrupts(self, world: World, driver: AsyncDriver, troubles: Troubles) -> list[asyncio.TimerHandle]:
        def interrupt() -> None:
            world.fired["interrupt"] += 1
            driver.interrupt()

        times, troubles.interrupts = troubles.interrupts[:1], troubles.interrupts[1:]
        return [self._loop.call_later(seconds, interrupt) for seconds in times]

    def _jumps(self, world: World, clock: Clock, troubles: Troubles) -> list[asyncio.TimerHandle]:
        def jump(seconds: float) -> None:
            world.fired["clock_jump"] += 1
            clock.ahead += seconds

        times, troubles.jumps = troubles.jumps, []
        return [self._loop.call_later(at, jump, seconds) for at, seconds in times]

    def _again(self, world: World, result: Result, journal: Journal) -> bool:
        """Whether the run is to be taken up again: it waits, was interrupted, or the endpoint was down."""
        if result.stop_reason == "waiting":
            world.waited = True
            return True
        down = world.down_at is not None and bool(world.fired["outage"])
        return down or result.stop_reason == "interrupted" or journal.stopped

    def _settle(self) -> None:
        """Let what was cancelled come to its end, so that the loop is free for the next run."""
        for _ in range(_MOST_ROUNDS):
            if not (left := asyncio.all_tasks(self._loop)):
                return
            for each in left:
                each.cancel()
            self._loop.run_until_complete(asyncio.wait(left, timeout=0))

    def _complained(self, loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        if self._world is not None and not isinstance(error, Crash):
            self._world.wrong("only errors of the hierarchy", f"{context.get('message')}: {error!r}")
