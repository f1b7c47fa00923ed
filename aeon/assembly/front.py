"""The orchestrator that `build` gives: the kernel's, whose tasks may also ask for an object of a model."""

from __future__ import annotations

from typing import TypeVar, overload

from pydantic import BaseModel

from aeon.kernel.decide import Signals
from aeon.kernel.orchestrator import Orchestrator
from aeon.schema import Conclusion, Settings, Task
from aeon.schema.typed import Typed, asking_for

__all__ = ["Front"]

C = TypeVar("C", bound=Settings)
S = TypeVar("S", bound=Signals)
R = TypeVar("R", bound=Conclusion)
M = TypeVar("M", bound=BaseModel)


class Front(Orchestrator[C, S, R]):
    """Runs tasks; with ``answer_schema``, a model of pydantic's, the ``value`` of the result is an object of it."""

    @overload
    def execute(self, task: Task | str) -> R: ...

    @overload
    def execute(self, task: Task | str, answer_schema: type[M]) -> Typed[R, M]: ...

    def execute(self, task: Task | str, answer_schema: type[M] | None = None) -> R | Typed[R, M]:
        """Run a task to its end. Also works where an event loop is already running, as in a notebook."""
        if answer_schema is None:
            return super().execute(task)
        return Typed(super().execute(asking_for(task, answer_schema)), answer_schema)

    @overload
    async def aexecute(self, task: Task | str) -> R: ...

    @overload
    async def aexecute(self, task: Task | str, answer_schema: type[M]) -> Typed[R, M]: ...

    async def aexecute(self, task: Task | str, answer_schema: type[M] | None = None) -> R | Typed[R, M]:
        """Run a task to its end without blocking the event loop."""
        if answer_schema is None:
            return await super().aexecute(task)
        return Typed(await super().aexecute(asking_for(task, answer_schema)), answer_schema)
