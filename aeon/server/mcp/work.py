"""The runs of an MCP server: each has a journal in a folder, is interrupted when nobody waits for it, and is resumed.

A run that asks ends for now, whoever may answer; the answer resumes its journal. So a person at the client, a later
request and another process all continue it in the same way.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, NamedTuple

from aeon.assembly.build import Resumption, assemble, resumption
from aeon.assembly.costs import Costs
from aeon.assembly.proofs import proof_of
from aeon.assembly.registry import plugin_of, view_of
from aeon.assembly.roles import cast_of
from aeon.assembly.runs import replay
from aeon.assembly.setup import Trust, setup_of
from aeon.errors import InputFileError
from aeon.kernel.ports import Job
from aeon.proof.document import proof_bytes
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import EffectStarted, Event, OnRecord, RunStarted
from aeon.runtime.journal import Journal
from aeon.runtime.replay import resume_point
from aeon.schema import Conclusion
from aeon.server.bodies import TaskBody
from aeon.server.equipment import Equipment
from aeon.server.mcp.shapes import is_id
from aeon.server.mcp.tasks import Tasks
from aeon.server.preparing import meant_by
from aeon.server.problems import Problem
from aeon.tools.select import Given

__all__ = ["Ended", "Told", "Work"]

Told = Callable[[str], None]
"""Is told what a run begins to do, in a few words."""
_OWN = Trust(whole=True)
_SOURCES = "sources"
_TASKS = "tasks"
_CLOSE_SECONDS, _SETTLE_SECONDS = 20.0, 5.0


class Ended(NamedTuple):
    """A run that has ended or waits for an answer, by its id."""

    name: str
    end: Conclusion


class _Watch:
    """Tells what a run begins, and interrupts it when that was asked for; again, so that no answer is worded."""

    def __init__(self, engine: str, told: Told) -> None:
        self._view = view_of(engine)
        self._told = told
        self._stop: Callable[[], None] | None = None

    def __call__(self, event: Event, /) -> None:
        if self._stop is not None and isinstance(event, RunStarted | EffectStarted):
            self._stop()
        elif isinstance(event, EffectStarted):
            self._told(self._view.title(event.effect))

    def stop(self, interrupt: Callable[[], None]) -> None:
        self._stop = interrupt
        interrupt()


class Work:
    """Works on runs with what the server was started with. ``parallel`` is how many at once; others wait.

    ``tasks`` are the calls that are worked on while nobody waits for them.
    """

    def __init__(self, equipment: Equipment, folder: Path, parallel: int = 2) -> None:
        self.equipment = equipment
        self.folder = folder
        self.tasks = Tasks(lambda owner: self._of(owner) / _TASKS)
        self._room = asyncio.Semaphore(parallel)
        self._driven: dict[asyncio.Task[Conclusion], tuple[AsyncDriver, _Watch]] = {}
        self._closing = False

    async def start(self, owner: str, body: TaskBody, told: Told) -> Ended:
        """Work on a task until the run ends or asks.

        Raises:
            Problem: there is no such engine or collection, the run could make more calls than the server allows, or
                the server is ending.
            AeonError: a setting or a schema is wrong, or the run cannot be worked on.
        """
        order = await asyncio.to_thread(self.equipment.order, body)
        async with self._place():
            engine, name = order.plugin.engine, uuid.uuid4().hex
            path = self._path(owner, name)
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            model = self.equipment.around(self.equipment.model)
            cast = await asyncio.to_thread(cast_of, order.config, model)
            handlers = await asyncio.to_thread(
                assemble, model, order.tools, order.config, plugin=order.plugin, cast=cast
            )
            setup = setup_of(self.equipment.model, self.equipment.spec, order.tools, cast)
            watch, costs = _Watch(engine.name, told), Costs(model, engine.name, order.config)
            driver = AsyncDriver(
                (OnRecord(watch),),
                lambda _: Journal(path),
                new_id=lambda: name,
                setup={**setup, **costs.setup(), _SOURCES: [*self.equipment.named(body.sources)]},
                took=costs.note,
            )
            job = Job(engine, order.task, order.config, handlers)
            return Ended(name, await self._conducted(driver, job, watch))

    async def answer(self, owner: str, name: str, said: str, told: Told) -> Ended:
        """Answer the question of a run, and work on it until it ends or asks again.

        Raises:
            Problem: there is no such run, it waits for no answer, what was said is none, or the server is ending.
            AeonError: its journal is damaged, or the run cannot be worked on.
        """
        async with self._place():
            journal = await asyncio.to_thread(self._reopened, owner, name)
            try:
                resumed, watch = await self._resumed(journal, said, told)
            except BaseException:
                journal.close()
                raise
            return Ended(name, await self._conducted(resumed.driver, resumed.job, watch))

    async def _resumed(self, journal: Journal, said: str, told: Told) -> tuple[Resumption, _Watch]:
        """What continues the run of a journal with what was said to its question."""
        engine = plugin_of(journal).engine
        question = resume_point(journal, engine).question
        if question is None:
            raise Problem(409, "no_question", "the run waits for no answer: nothing is asked")
        watch = _Watch(engine.name, told)
        resumed = await asyncio.to_thread(
            resumption, journal, self.equipment.around(self.equipment.model), self._given(journal), (OnRecord(watch),),
            answer=meant_by(question, said), unattended="suspend", spec=self.equipment.spec, trust=_OWN,
        )  # fmt: skip
        return resumed, watch

    def waiting(self, owner: str, name: str) -> Ended:
        """The run as it waits for an answer.

        Raises:
            Problem: there is no such run, or it waits for none.
        """
        with contextlib.closing(self._reopened(owner, name)) as journal:
            return Ended(name, replay(journal))

    def proof(self, owner: str, ended: Ended) -> str:
        """The proof file of a run's answer, as `aeon verify` takes it.

        Raises:
            UsageError: a text that the answer rests on is not there any more.
        """
        path = self._path(owner, ended.name)
        given = self._given(Journal.read(path))
        return proof_bytes(proof_of(ended.end, given, path)).decode()

    async def close(self) -> None:
        """Interrupt all runs, let what is asked wait, and wait until all that is known."""
        self._closing = True
        self.tasks.decline()
        for driver, watch in self._driven.values():
            watch.stop(driver.interrupt)
        if self._driven:
            await asyncio.wait({*self._driven}, timeout=_CLOSE_SECONDS)
        await self.tasks.settle(_SETTLE_SECONDS)

    @contextlib.asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        """A place among the runs that are worked on at once. Raises ``Problem`` where none is begun any more."""
        async with self._room:
            if self._closing:
                raise Problem(503, "ending", "the server is ending; ask again when it is back", True)
            yield

    async def _conducted(self, driver: AsyncDriver, job: Job[Any, Any, Any], watch: _Watch) -> Conclusion:
        """Drive a run. If who waits for it is cancelled, the run is interrupted, and ends in its own time."""
        task = asyncio.create_task(driver.aexecute(job))
        self._driven[task] = (driver, watch)
        task.add_done_callback(self._done)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            watch.stop(driver.interrupt)
            raise

    def _done(self, task: asyncio.Task[Conclusion]) -> None:
        del self._driven[task]
        if not task.cancelled():
            task.exception()  # who waited for it was told

    def _given(self, journal: Journal) -> list[Given]:
        sources = journal.setup.get(_SOURCES)
        return self.equipment.given([str(one) for one in sources] if isinstance(sources, list) else None)

    def _path(self, owner: str, name: str) -> Path:
        return self._of(owner) / f"{name}.jsonl"

    def _of(self, owner: str) -> Path:
        return self.folder / f"of-{owner}" if owner else self.folder

    def _reopened(self, owner: str, name: str) -> Journal:
        path = self._path(owner, name)
        if not is_id(name) or not path.is_file():
            raise Problem(404, "unknown_run", "there is no such run here; its id stands in the result that asked")
        try:
            return Journal.reopen(path)
        except InputFileError:
            raise Problem(409, "under_way", "the run is worked on, or its journal cannot be read") from None
