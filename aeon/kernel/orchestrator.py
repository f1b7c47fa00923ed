"""The front door: a task goes in, a result comes out."""

from __future__ import annotations

from typing import Generic, TypeVar

from aeon.kernel.decide import Signals
from aeon.kernel.engine import Engine
from aeon.kernel.ports import Driver, Handlers, Job
from aeon.schema.conclusion import Conclusion
from aeon.schema.config import Settings
from aeon.schema.stream import OnLeave, Stream
from aeon.schema.task import Task, task_of
from aeon.schema.usage import Bound

__all__ = ["Orchestrator"]

C = TypeVar("C", bound=Settings)
S = TypeVar("S", bound=Signals)
R = TypeVar("R", bound=Conclusion)


class Orchestrator(Generic[C, S, R]):
    """Runs tasks on an engine: its program decides, handlers judge, the driver touches the world.

    Raises:
        UsageError: an effect of the engine has no handler.
    """

    def __init__(self, engine: Engine[C, S, R], handlers: Handlers, driver: Driver, config: C) -> None:
        self.engine, self.handlers, self.driver, self.config = engine, handlers, driver, config
        engine.check(handlers)

    @property
    def bound(self) -> Bound:
        """The most that any run can spend, known before it starts."""
        return self.engine.bound(self.config)

    def execute(self, task: Task | str) -> R:
        """Run a task to its end. Also works where an event loop is already running, as in a notebook."""
        return self.driver.execute(self._job(task))

    async def aexecute(self, task: Task | str) -> R:
        """Run a task to its end without blocking the event loop."""
        return await self.driver.aexecute(self._job(task))

    def stream(self, task: Task | str, on_leave: OnLeave = "interrupt") -> Stream[R]:
        """Run a task and give each event as it happens. Leaving them interrupts the run, unless it is to continue."""
        return self.driver.stream(self._job(task), on_leave)

    def _job(self, task: Task | str) -> Job[C, S, R]:
        return Job(self.engine, task_of(task), self.config, self.handlers)
