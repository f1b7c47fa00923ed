"""What the kernel expects of the world outside: a handler for each phase and a driver, known by their shape alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from aeon.kernel.decide import Signals
from aeon.kernel.engine import Engine
from aeon.schema.conclusion import Conclusion
from aeon.schema.config import Settings
from aeon.schema.stream import OnLeave, Stream
from aeon.schema.task import Task
from aeon.schema.value import Value

__all__ = ["Driver", "Handlers", "Job"]

C = TypeVar("C", bound=Settings)
S = TypeVar("S", bound=Signals)
R = TypeVar("R", bound=Conclusion)
Handlers: TypeAlias = Mapping[str, Callable[..., Awaitable[Value]]]
"""The coroutine function that answers each phase's effect, under the phase's name; what it raises is a failure."""


@dataclass(frozen=True)
class Job(Generic[C, S, R]):
    """Something to run: an engine, a task, the engine's configuration, and handlers for its effects.

    Raises:
        UsageError: a handler is missing; names its phase.
    """

    engine: Engine[C, S, R]
    task: Task
    config: C
    handlers: Handlers

    def __post_init__(self) -> None:
        self.engine.check(self.handlers)


class Driver(Protocol):
    """Steps a program and has its effects handled; the only one that touches the world."""

    def execute(self, job: Job[C, S, R]) -> R:
        """Run a job to its end, whether or not an event loop is running."""

    async def aexecute(self, job: Job[C, S, R]) -> R:
        """Run a job to its end in the running event loop."""

    def stream(self, job: Job[C, S, R], on_leave: OnLeave = "interrupt") -> Stream[R]:
        """Run a job and give its events; the last one carries the conclusion."""

    def interrupt(self, execution_id: str | None = None) -> None:
        """Ask one run, or every run, to stop at its next boundary."""
