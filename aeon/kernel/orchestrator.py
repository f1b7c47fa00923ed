"""The front door: a task goes in, a result comes out."""

from __future__ import annotations

from collections.abc import AsyncIterator

from aeon.kernel.budget import bound
from aeon.kernel.phases import run
from aeon.kernel.ports import Driver, Job, Modules
from aeon.schema import Bound, Config, Frozen, Result, Task

__all__ = ["Orchestrator"]


class Orchestrator:
    """Runs tasks: the kernel decides, the modules judge, the driver touches the world."""

    def __init__(self, modules: Modules, driver: Driver, config: Config) -> None:
        self.modules, self.driver, self.config = modules, driver, config

    @property
    def bound(self) -> Bound:
        """The most that any run can spend, known before it starts."""
        return bound(self.config)

    def execute(self, task: Task | str) -> Result:
        """Run a task to its end. Also works where an event loop is already running, as in a notebook."""
        return self.driver.execute(self._job(task))

    async def aexecute(self, task: Task | str) -> Result:
        """Run a task to its end without blocking the event loop."""
        return await self.driver.aexecute(self._job(task))

    def stream(self, task: Task | str) -> AsyncIterator[Frozen]:
        """Run a task and give each event as it happens; the last one carries the result."""
        return self.driver.stream(self._job(task))

    def _job(self, task: Task | str) -> Job:
        return Job(run, Task(text=task) if isinstance(task, str) else task, self.config, self.modules)
