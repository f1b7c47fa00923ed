"""A run from its beginning to its end, through as many processes as it takes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextvars import Context
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from aeon.asking.asker import Answerer
from aeon.assembly.build import assemble, resumption
from aeon.assembly.multipass import PLUGIN
from aeon.assembly.plugin import AnyPlugin
from aeon.engines.graph.record import Worked
from aeon.engines.research.effects import FindProviders
from aeon.engines.tutor.effects import Act
from aeon.errors import JournalError
from aeon.kernel.ports import Job
from aeon.llm.adapter import LLMAdapter
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import Observer
from aeon.runtime.journal import Journal
from aeon.runtime.replay import resume_point
from aeon.runtime.store import Store
from aeon.schema import Conclusion, Result
from aeon.simulation.clock import Clock, SimulatedLoop, Stalled
from aeon.simulation.disk import BEGINNINGS, ENDED, PROCESS, Crash, DiskStore
from aeon.simulation.endpoint import Endpoint
from aeon.simulation.looks import Glass
from aeon.simulation.scene import computes, observes, settings, task
from aeon.simulation.searches import Library
from aeon.simulation.streams import Watches, read_through
from aeon.simulation.tools import Desk
from aeon.simulation.troubles import Troubles
from aeon.simulation.world import World
from aeon.tools.tool import Tool

__all__ = ["Life", "Parts", "Story"]

_logger = logging.getLogger("aeon")
_MOST_LIVES = 300
_MOST_ROUNDS = 20


@dataclass(frozen=True)
class Parts:
    """What is simulated: the shipped engine with its handlers, and the shipped driver, unless others are given.

    ``endpoint`` makes the adapter for the model of a world, ``observers`` those that see a process of the run, too, and
    ``store`` what its journal is kept in, over the disk.
    """

    plugin: AnyPlugin = PLUGIN
    driver: type[AsyncDriver] = AsyncDriver
    endpoint: Callable[[World], LLMAdapter] = Endpoint
    observers: Callable[[World, Journal], Sequence[Observer]] = lambda world, journal: ()
    store: Callable[[DiskStore], Store] = lambda store: store

    @property
    def option(self) -> str:
        """What a command line that simulates it has at its end."""
        return "" if self.plugin is PLUGIN else f" --engine {self.plugin.name}"


@dataclass
class Story:
    """A run that has ended: its result, its world, and its journal as it is on disk."""

    result: Conclusion
    world: World
    journal: Journal

    @cached_property
    def text(self) -> str:
        """The result, byte for byte."""
        return self.result.model_dump_json()


class _Log(logging.Handler):
    """Hands each record on."""

    def __init__(self, logged: Callable[[logging.LogRecord], None]) -> None:
        super().__init__(logging.WARNING)
        self._logged = logged

    def emit(self, record: logging.LogRecord) -> None:
        """Hand a record on."""
        self._logged(record)


class Life:
    """Runs scenarios on one event loop, one after the other; a context manager that closes the loop.

    Within it, what the runtime logs goes to the world: a full disk is part of it, an observer that raises is not.
    """

    def __init__(self, parts: Parts = Parts()) -> None:
        self.parts = parts
        self._loop = SimulatedLoop()
        self._loop.set_exception_handler(self._complained)
        self._desk: Desk | None = None
        self._library: Library | None = None
        self._glass: Glass | None = None
        self._world: World | None = None
        self._log = _Log(self._logged)

    def __enter__(self) -> Life:
        _logger.addHandler(self._log)
        _logger.propagate = False
        return self

    def __exit__(self, *_: object) -> None:
        _logger.removeHandler(self._log)
        _logger.propagate = True
        self._loop.close()

    def lived(self, world: World, troubles: Troubles) -> Story | None:
        """The run to its end; ``None``, and a problem in the world, where it comes to none."""
        self._enter(world, troubles)
        result: Conclusion | None = None
        while world.lives < _MOST_LIVES:
            try:
                result = self._process(world, troubles, result)
            except Crash:
                self._settle()
                continue
            except JournalError as error:
                self._settle()
                if world.disk.refused not in BEGINNINGS:  # else the process has begun nothing, and says why
                    world.wrong("it ends in an answer", f"{type(error).__name__}: {error}")
                    return None
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

    def once_more(self, story: Story, answer: str | None = None) -> Conclusion:
        """Resume a run that has ended. Raises what that raises."""
        story.world.over, story.world.disk.strike = True, None
        return self._driven(story.world, story.world.disk.journal(), answer, Troubles())

    def _enter(self, world: World, troubles: Troubles) -> None:
        self._loop.restart()
        self._world = world
        world.disk.kept_in = self.parts.store
        if self._desk is None:
            self._desk = Desk(world)
        self._desk.world = world
        if self._library is None:
            self._library = Library(world)
        self._library.world = world
        if self._glass is None:
            self._glass = Glass(world)
        self._glass.world = world
        world.disk.strike, world.disk.full_at = troubles.strike, troubles.full_at
        world.strike_call, world.down_at = troubles.strike_call, troubles.down_at
        world.attended = troubles.attended

    def _process(self, world: World, troubles: Troubles, before: Conclusion | None) -> Conclusion:
        """One process, from its start to its end or death."""
        world.begin()
        if world.fired["outage"]:
            world.down_at = None
        if world.disk.refused:
            world.fired["disk_full"] += world.has("disk_full")
            world.disk.refused, world.disk.full_at = "", None
        journal = world.disk.journal()
        answer = None
        waits = before is not None and before.stop_reason == "waiting"
        if waits and (question := resume_point(journal, self.parts.plugin.engine).question) is not None:
            world.fired["question_suspended"] += world.has("question_suspended")
            answer = world.said(question)
        result = self._driven(world, journal, answer, troubles)
        if world.disk.refused not in ("", ENDED) and not _says(result, "No space left"):
            world.wrong("a full disk ends the run", f"{result.stop_reason}: {result.detail}")
        return result

    def _driven(self, world: World, journal: Journal, answer: str | None, troubles: Troubles) -> Conclusion:
        return self._loop.run_until_complete(self._drive(world, journal, answer, troubles))

    async def _drive(self, world: World, journal: Journal, answer: str | None, troubles: Troubles) -> Conclusion:
        """One process of the run; where it stands still and loses the run, the result is that of who continued it."""
        PROCESS.set(world.disk.owner)
        clock = Clock(self._loop)
        resumes = journal.opening is not None
        job = self._job(world, journal, answer)
        world.tell_time(self._loop.time, job.config.budget.seconds, jumps=bool(troubles.jumps) or resumes)
        if resumes:
            clock.ahead = troubles.moved.pop() if troubles.moved else 0.0
            world.fired["clock_moved"] += bool(clock.ahead)
        watches = Watches(world, job, journal, self.parts.observers(world, journal))
        driver = self.parts.driver(watches.observers, lambda _: journal, clock, lambda: f"run{world.scenario.seed}")
        timers = [*self._interrupts(world, driver, troubles), *self._jumps(world, clock, troubles)]
        others = self._successor(world, troubles)
        try:
            result = await read_through(world, driver, job, troubles, watches)
        except JournalError:
            if not world.lost:
                raise
        finally:
            for timer in timers:
                timer.cancel()
        if others:
            return await others[0]
        watches.concluded(result)
        return result

    def _successor(self, world: World, troubles: Troubles) -> list[asyncio.Task[Conclusion]]:
        """Who continues the run when this process stands still: a task, from then on."""
        others: list[asyncio.Task[Conclusion]] = []

        async def stood() -> None:
            world.fired["handed_over"] += 1
            world.begin()
            following = self._drive(world, world.disk.journal(), None, troubles)
            others.append(self._loop.create_task(following, context=Context()))
            await asyncio.wait(others)

        disk = world.disk
        disk.stood, disk.stand_at, disk.stand_begun = stood, troubles.stand_at, troubles.stand_begun
        troubles.stand_at = troubles.stand_begun = None
        return others

    def _job(self, world: World, journal: Journal, answer: str | None) -> Job[Any, Any, Any]:
        """The run of the scenario, begun or resumed."""
        plugin, endpoint, ask = self.parts.plugin, self.parts.endpoint(world), self._answerer(world)
        tools = self._tools(world)
        if journal.opening is not None:
            return resumption(journal, endpoint, tools, ask=ask, answer=answer, engine=plugin).job
        config = settings(world.scenario, plugin.engine.config())
        handlers = assemble(endpoint, tools, config, ask, plugin=plugin)
        return Job(plugin.engine, task(world.scenario), config, handlers)

    def _tools(self, world: World) -> tuple[Tool, ...]:
        """What there is to call, to search, or to look at; for engines of steps mostly what programs may call, too."""
        if self._desk is None or self._library is None or self._glass is None:
            return ()
        if Act in self.parts.plugin.engine.effects:
            return self._glass.tools
        if FindProviders in self.parts.plugin.engine.effects:
            return self._library.tools
        plans = issubclass(self.parts.plugin.engine.result, Result | Worked)
        if plans and computes(world.scenario):
            return self._desk.sums
        return self._desk.looks if plans and observes(world.scenario) else self._desk.tools

    def _answerer(self, world: World) -> Answerer | None:
        return None if world.has("question_assumed") else world.answer

    def _interrupts(self, world: World, driver: AsyncDriver, troubles: Troubles) -> list[asyncio.TimerHandle]:
        def interrupt() -> None:
            world.fired["interrupt"] += 1
            world.stopping |= not world.lost
            driver.interrupt()

        def noted(number: int) -> None:
            if number == troubles.interrupt_begun:
                troubles.interrupt_begun = None
                interrupt()

        def written(line: int) -> None:
            if line == troubles.interrupt_line:
                troubles.interrupt_line = None
                interrupt()

        world.disk.noted, world.disk.written = noted, written
        times, troubles.interrupts = troubles.interrupts[:1], troubles.interrupts[1:]
        return [self._loop.call_later(seconds, interrupt) for seconds in times]

    def _jumps(self, world: World, clock: Clock, troubles: Troubles) -> list[asyncio.TimerHandle]:
        def jump(seconds: float) -> None:
            world.fired["clock_jump"] += 1
            clock.ahead += seconds

        times, troubles.jumps = troubles.jumps, []
        return [self._loop.call_later(at, jump, seconds) for at, seconds in times]

    def _again(self, world: World, result: Conclusion, journal: Journal) -> bool:
        """Whether the run is to be resumed: it waits, was interrupted, or the endpoint was down, or the disk full."""
        if result.stop_reason == "waiting":
            world.waited = True
            return True
        down = world.down_at is not None and bool(world.fired["outage"])
        return down or bool(world.disk.refused) or result.stop_reason == "interrupted" or journal.stopped

    def _settle(self) -> None:
        """Let what was cancelled come to its end, so that the loop is free for the next run."""
        for _ in range(_MOST_ROUNDS):
            if not (left := asyncio.all_tasks(self._loop)):
                return
            for each in left:
                each.cancel()
            self._loop.run_until_complete(asyncio.wait(left, timeout=0))

    def _logged(self, record: logging.LogRecord) -> None:
        if self._world is not None and record.exc_info is not None:
            self._world.wrong("only errors of the hierarchy", f"{record.getMessage()}: {record.exc_info[1]!r}")

    def _complained(self, loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        if self._world is not None and not isinstance(error, Crash):
            self._world.wrong("only errors of the hierarchy", f"{context.get('message')}: {error!r}")


def _says(result: Conclusion, reason: str) -> bool:
    """Whether a run failed for this reason, or its last effect could not be done for it."""
    failed = result.stop_reason == "failed" and reason in result.detail
    return failed or (result.stop_reason != "failed" and reason in "".join(one.message for one in result.degraded[-1:]))
