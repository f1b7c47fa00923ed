"""The service over a database of durable runs: it accepts and shows them, and any worker executes them."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

import sqlalchemy as sa

from aeon.assembly.noting import ModelCall
from aeon.assembly.roles import cast_of
from aeon.durable.database import Database
from aeon.durable.equipment import Equipment as WorkerEquipment
from aeon.durable.equipment import Limits, made_of
from aeon.durable.jobs import NOBODY, Jobs
from aeon.durable.rooms import Rooms
from aeon.durable.tail import Tail
from aeon.durable.values import needs, role_models
from aeon.durable.worker import Worker
from aeon.errors import AeonError, DatabaseAway, DatabaseFull, UsageError
from aeon.llm.adapter import LLMAdapter
from aeon.runtime.events import Observer
from aeon.runtime.lines import Opening
from aeon.schema import JsonObject, Question
from aeon.server.accepted import Accepted
from aeon.server.bodies import ForkBody
from aeon.server.equipment import Equipment, Order
from aeon.server.feed import Feed, frames
from aeon.server.host import Host, branched, fork_digest, no_past, not_begun, queue_full, same
from aeon.server.metrics import Metrics
from aeon.server.preparing import future, meant_by
from aeon.server.problems import Problem, problem_of
from aeon.server.runs import OPEN, RunRecord, RunState, has_room, no_room
from aeon.server.streams import last_of
from aeon.server.tokens import NO_ROOMS
from aeon.server.told import Place, Told, recorded_in, unkept

__all__ = ["DurableService", "Work"]

T = TypeVar("T")
_LOOK = 0.25
"""Seconds between two looks at a run that somebody follows."""
_AWAY = 1.0


class Work(NamedTuple):
    """What the service's own worker may do, or ``None`` where others work; and how many runs may wait in all.

    ``others`` are the models that it has for roles. ``rooms`` says of owners how many runs they may have under way.
    """

    limits: Limits | None = Limits()
    name: str | None = None
    queue: int = 1_000
    say: Callable[[str], None] = lambda line: None
    others: Sequence[LLMAdapter] = ()
    rooms: Mapping[str, int | None] = NO_ROOMS


@dataclass(eq=False)
class _Watch:
    """A run that somebody follows. ``over`` is set when it is at rest, or the server stops."""

    feed: Feed = field(default_factory=Feed)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    readers: int = 0


class DurableService(Host):
    """Takes runs into a database; ``work`` says whether it is one of the workers itself.

    ``observers`` make further observers, one for each run that it executes.
    """

    def __init__(
        self,
        database: Database,
        equipment: Equipment,
        work: Work | None = None,
        observers: Sequence[Callable[[], Observer]] = (),
        metrics: Metrics | None = None,
    ) -> None:
        super().__init__(equipment, metrics)
        self._work = work or Work()
        self._jobs = Jobs(database)
        self._accepted = Accepted(self._jobs)
        self._folder = tempfile.TemporaryDirectory(prefix="aeon-runs-")
        self._watches: dict[str, _Watch] = {}
        self._waiting = 0
        self._counting: asyncio.Task[None] | None = None
        self._tools = equipment.given(None)
        self._setup = made_of(equipment.model, equipment.spec, self._tools)
        self._worker: Worker | None = None
        if self._work.limits is not None:
            has = WorkerEquipment(
                equipment.around(equipment.model), equipment.spec, self._tools,
                observers=(self.metrics.observer, *observers),
                ended=lambda result: self.metrics.concluded(result.engine, result), others=self._work.others,
            )  # fmt: skip
            self._worker = Worker(database, has, self._work.limits, self._work.name, self._work.say)

    @property
    def place(self) -> str:
        """The folder where journals are while they are read."""
        return self._folder.name

    @property
    def busy(self) -> tuple[int, int]:
        """How many runs its own worker has, and how many waited in the database a moment ago."""
        return self._worker.busy if self._worker else 0, self._waiting

    @property
    def obstacle(self) -> Problem | None:
        """Why no run can start now."""
        return self.problem or (None if self._has_room else no_room())

    @property
    def _has_room(self) -> bool:
        """Whether the disk of the database has room, where it is a file: of a server nobody here can tell."""
        file = self._jobs.database.address.file
        return file is None or has_room(file.parent)

    async def make_ready(self) -> None:
        """Load the model, if the service works on runs itself."""
        if self._worker is None:
            self.ready = True
        else:
            await super().make_ready()

    async def start(self) -> None:
        """Begin to work on runs, also on those of workers that are gone."""
        await self._do(self._limit)
        if self._worker is not None:
            await asyncio.to_thread(self._worker.start)
        self._counting = asyncio.create_task(self._count())

    def _limit(self) -> None:
        with self._jobs.database.reached():
            Rooms(self._jobs.database).set(self._work.rooms)

    def close_streams(self) -> None:
        """End all streams; the runs go on elsewhere, or at the next start."""
        self.closing = True
        for name, watch in self._watches.items():
            watch.feed.close(unkept("closing", {"id": name, "detail": "the server stops; the run goes on"}))
            watch.over.set()

    async def close(self) -> None:
        """Let go of every run: another worker continues it, or the next start."""
        self.close_streams()
        tasks = [self._counting, *(watch.task for watch in self._watches.values())]
        for task in tasks:
            if task is not None:
                task.cancel()
        if self._worker is not None:
            await asyncio.to_thread(self._worker.stop)
        self._folder.cleanup()
        self._jobs.database.close()

    async def submit(self, record: RunRecord, order: Order, most: int | None = None) -> RunRecord:
        """Accept a new run. See `Host.submit`."""
        config: JsonObject = order.config.model_dump(mode="json")
        cast = cast_of(order.config, self.equipment.model)
        setup = made_of(self.equipment.model, self.equipment.spec, order.tools, cast)
        opening = Opening(
            execution_id=record.id, engine=record.engine, task=order.task, config=config, setup=setup
        )  # fmt: skip
        queue = needs(opening.engine, self._setup, role_models(setup))
        return await self._accept(
            record,
            most,
            lambda within: self._jobs.submit(
                opening, record.priority, owner=record.owner or NOBODY, queue=queue, within=within
            ),
        )

    async def fork(
        self, record: RunRecord, body: ForkBody, key: str | None = None, most: int | None = None
    ) -> RunRecord:
        """Give a run another future. See `Host.fork`."""
        digest = fork_digest(record, body)
        if key is not None and (there := await self._do(self._accepted.keyed, record.owner, key)):
            return same(digest, there)
        if not await self._do(self._jobs.lines, record.id):
            raise no_past()
        parent, journal = await self._do(self._jobs.get, record.id), await self._do(self._jobs.journal, record.id)
        made = await asyncio.to_thread(future, journal, body)
        new = branched(record, key, digest, made)
        return await self._accept(new, most, lambda within: self._jobs.fork(made, parent, within))

    async def _accept(
        self, record: RunRecord, most: int | None, submit: Callable[[sa.Connection], object]
    ) -> RunRecord:
        if self.closing:
            raise Problem(503, "closing", "the server is stopping; try again soon", True, {"Retry-After": "5"})
        if not self._has_room:
            raise no_room()
        if (waiting := await self._do(self._jobs.waiting)) >= self._work.queue:
            raise queue_full(waiting)
        added, is_new = await self._do(self._accepted.add, record, most, submit)
        return added if is_new else same(record.digest, added)

    async def find(self, name: str) -> RunRecord | None:
        """The run of that id, if a service accepted it."""
        return await self._do(self._accepted.get, name)

    async def page(self, owner: str, most: int, before: int | None, state: RunState | None) -> list[RunRecord]:
        """The latest runs of an owner, whichever service accepted them."""
        return await self._do(self._accepted.page, owner, most, before, state)

    async def position(self, record: RunRecord) -> int | None:
        """How many of the runs that wait for the same workers are started before this one."""
        if record.state != "queued":
            return None
        return await self._do(lambda: self._jobs.before(self._jobs.get(record.id)))

    async def over(self, name: str) -> RunRecord:
        """The run when nobody works on it any more, or the server stops."""
        record = await self._there(name)
        if record.state in OPEN and not self.closing:
            async with self._watched(name) as watch:
                await watch.over.wait()
            record = await self._there(name)
        return record

    async def cancel(self, record: RunRecord, now: bool = False) -> None:
        """Ask a run to stop, whoever has it. See `Host.cancel`."""
        if record.state not in (*OPEN, "waiting"):
            raise Problem(409, "over", f"the run is over ({record.state}); there is nothing to stop")
        if record.stop and not now:
            detail = 'the run was asked to stop already; {"now": true} breaks off the wording of its answer, too'
            raise Problem(409, "stopping", detail)
        await self._changed("over", self._jobs.cancel, record.id, now)

    async def answer(self, record: RunRecord, said: str) -> None:
        """Answer the question that a run waits for; any worker continues it. See `Host.answer`."""
        asked = record.conclusion.get("question") if record.conclusion else None
        if record.state != "waiting" or not asked:
            raise Problem(409, "no_question", f"the run waits for no answer: it is {record.state}")
        answer = meant_by(Question.model_validate(asked), said)
        await self._changed("no_question", self._jobs.answer, record.id, answer)

    async def resume(self, record: RunRecord) -> None:
        """Continue a run that was broken off. See `Host.resume`."""
        broken = (record.conclusion or {}).get("stop_reason") in ("failed", "interrupted")
        if not (broken or record.state in ("failed", "cancelled")):
            raise Problem(409, "not_broken_off", f"the run was not broken off: it is {record.state}")
        bound = (record.conclusion or {}).get("bound")
        if isinstance(bound, dict):
            await self._do(self._accepted.reopen, record.id, bound["calls"])
        await self._changed("not_broken_off", self._jobs.resume, record.id)

    async def _changed(self, kind: str, change: Callable[..., object], *values: object) -> None:
        """Change a run; what somebody else did a moment before is a conflict."""
        try:
            await self._do(lambda: change(*values))
        except UsageError as error:
            raise Problem(409, kind, str(error)) from None

    @contextlib.asynccontextmanager
    async def kept(self, record: RunRecord) -> AsyncIterator[Path]:
        """The journal of a run, written out. See `Host.kept`."""
        written = await self._do(self._jobs.written, record.id)
        if not written:
            raise not_begun(record)
        path = Path(self._folder.name) / f"{record.id}-{uuid.uuid4().hex[:8]}.jsonl"
        await asyncio.to_thread(path.write_bytes, written)
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)

    async def told(self, record: RunRecord) -> Sequence[Told]:
        """The events of a run that are in the database."""
        lines = await self._do(self._jobs.lines, record.id)
        return (await asyncio.to_thread(recorded_in, record.id, lines)).told if lines else ()

    def follow(self, record: RunRecord, after: Place | None) -> AsyncIterator[bytes] | None:
        """What a stream of a run sends until it is at rest, whoever works on it."""
        return self._frames(record.id, after) if record.state in OPEN else None

    async def calls(self, record: RunRecord, number: int) -> tuple[ModelCall, ...]:
        """The model calls for an effect, as its worker noted them."""
        return await self._do(self._jobs.calls, record.id, number)

    async def _frames(self, name: str, after: Place | None) -> AsyncIterator[bytes]:
        async with self._watched(name) as watch:
            async for frame in frames(watch.feed, after):
                yield frame

    @contextlib.asynccontextmanager
    async def _watched(self, name: str) -> AsyncIterator[_Watch]:
        """Look at a run again and again while it is entered; once for all who do."""
        watch = self._watches.get(name)
        if watch is None:
            watch = self._watches[name] = _Watch()
            watch.task = asyncio.create_task(self._watch(name, watch))
        watch.readers += 1
        try:
            yield watch
        finally:
            watch.readers -= 1
            if not watch.readers and watch.task is not None:
                watch.task.cancel()
                self._drop(name, watch)

    async def _watch(self, name: str, watch: _Watch) -> None:
        """Tell what comes into the journal of a run until it is at rest."""
        last = unkept("failed", {"id": name, "error": problem_of(AssertionError()).error})
        try:
            last = await self._seen_at_rest(name, watch.feed)
        except AeonError as error:
            last = unkept("failed", {"id": name, "error": problem_of(error).error})
        finally:  # whatever it is, nobody waits for what will not come
            self._drop(name, watch)  # who comes later sees what becomes of the run then
            watch.feed.close(last)
            watch.over.set()

    async def _seen_at_rest(self, name: str, feed: Feed) -> bytes:
        """Tell what comes into the journal of a run; the event that ends its streams."""
        tail = Tail(self._jobs, name)
        while True:
            try:
                seen = await self._do(tail.look)
                if seen.lines:
                    past = await asyncio.to_thread(recorded_in, name, seen.lines)
                    feed.load(past.told, past.under_way if seen.job.state == "running" else ())
                if seen.job.state not in OPEN:
                    return last_of(await self._there(name))
            except Problem:  # the database is away
                await asyncio.sleep(_AWAY)
            await asyncio.sleep(_LOOK)

    def _drop(self, name: str, watch: _Watch) -> None:
        if self._watches.get(name) is watch:
            del self._watches[name]

    async def _there(self, name: str) -> RunRecord:
        record = await self.find(name)
        assert record is not None
        return record

    async def _count(self) -> None:
        """Count what waits, now and then."""
        while True:
            with contextlib.suppress(Problem):
                self._waiting = await self._do(self._jobs.waiting)
            await asyncio.sleep(5)

    async def _do(self, work: Callable[..., T], *values: object) -> T:
        """Ask the database, in a thread.

        Raises:
            Problem: it is away, or its disk is full.
        """
        try:
            return await asyncio.to_thread(work, *values)
        except DatabaseFull:
            detail = "the database of the runs takes no more; nothing is lost: make room, then try again"
            raise Problem(507, "storage", detail, True) from None
        except DatabaseAway:
            detail = "the database of the runs does not answer; nothing is lost, try again"
            raise Problem(503, "database_away", detail, True, {"Retry-After": "5"}) from None
