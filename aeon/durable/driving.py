"""Runs of a program that live in a database: the program submits them, works on them, and waits for their ends."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import threading
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from aeon.asking.asker import Answerer, Asker
from aeon.durable.database import Address, Database
from aeon.durable.equipment import Equipment
from aeon.durable.jobs import Jobs
from aeon.durable.values import JobRecord, needs
from aeon.durable.worker import Worker
from aeon.errors import AeonError, DatabaseAway, UnknownNameError, UsageError
from aeon.kernel.decide import Signals
from aeon.kernel.ports import Job
from aeon.runtime.attempts import given_up
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import Event, Observer, OnRecord
from aeon.runtime.lines import Opening
from aeon.runtime.replay import replay
from aeon.schema import Conclusion, JsonObject, Settings, Task
from aeon.text import one_line

__all__ = ["DurableDriver", "Place"]

C = TypeVar("C", bound=Settings)
S = TypeVar("S", bound=Signals)
R = TypeVar("R", bound=Conclusion)
_LOOK = 0.1
_AWAY = 1.0


class _Here:
    """The worker of this process, of which DBOS knows one, from the first run on to the end of the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: tuple[object, ...] = ()
        self._worker: Worker | None = None
        self._users = 0

    def enter(self, address: Address, equipment: Equipment) -> Worker:
        """The worker with this equipment; an idle one with another is stopped first.

        Raises:
            UsageError: one with another is at work.
            InputFileError: the database cannot be used.
        """
        key = (address.url, id(equipment.model), *equipment.queues(), *map(id, equipment.tools))
        with self._lock:
            if self._worker is None or self._key != key:
                if self._users:
                    raise UsageError(
                        "durable: this process works on runs with another model, other tools or another database, and "
                        "can have one worker; wait for these runs first, or take another process"
                    )
                self.stop()
                self._worker, self._key = _started(address, equipment), key
            self._users += 1
            return self._worker

    def leave(self) -> None:
        """Wait for no run any more."""
        with self._lock:
            self._users -= 1

    def stop(self) -> None:
        """Leave what is under way to other workers, or to the next start of the program."""
        if self._worker is not None:
            self._worker.stop()
            self._worker = None


def _started(address: Address, equipment: Equipment) -> Worker:
    database = Database(address, create=True)
    try:
        worker = Worker(database, equipment)
        worker.start()
    except BaseException:
        database.close()
        raise
    return worker


_HERE = _Here()
atexit.register(_HERE.stop)


class Place(NamedTuple):
    """Where runs live; ``run`` is the id of the one that is begun or taken up again, ``None`` for a new one each."""

    url: str
    run: str | None = None


class DurableDriver(AsyncDriver):
    """Drives runs as `AsyncDriver` does, in a database. Any worker with the same equipment may do a part of a run.

    ``ask`` answers the questions of its runs, in this process. Observers see what this process does.
    """

    def __init__(
        self,
        place: Place,
        equipment: Equipment,
        observers: Iterable[Observer],
        ask: Answerer | None,
        setup: JsonObject,
        admit: Callable[[Task], None],
    ) -> None:
        super().__init__(observers, setup=setup, admit=admit)
        self._address = Address.of(place.url)
        self._run_id = place.run
        if place.run is not None and (not place.run.strip() or ":" in place.run or len(place.run) > 200):
            raise UsageError(
                f"run: {one_line(repr(place.run), 60)} is no id; take up to 200 characters without a colon"
            )
        self._equipment = equipment
        self._ask = ask
        self._under_way: set[str] = set()

    def interrupt(self, execution_id: str | None = None) -> None:
        """Ask one run, or every run, to stop at its next boundary, whoever works on it."""
        for run in [run for run in self._under_way if execution_id in (None, run)]:
            threading.Thread(target=self._cancel, args=(run,), daemon=True).start()

    def _cancel(self, run: str) -> None:
        with contextlib.suppress(UsageError), Jobs(self._address.url) as jobs:
            jobs.cancel(run, now=jobs.get(run).stopping)

    async def _run(self, job: Job[C, S, R], observers: tuple[Observer, ...]) -> R:
        self._admit(job.task)
        run = self._run_id or self._new_id()
        worker = await asyncio.to_thread(_HERE.enter, self._address, self._equipment)
        loop = asyncio.get_running_loop()
        try:
            with Jobs(self._address.url) as jobs:
                worker.watch(run, [_on(loop, observer) for observer in observers])
                self._under_way.add(run)
                await asyncio.to_thread(self._begin, jobs, run, job)
                ended = await self._ended(jobs, run)
                journal = await asyncio.to_thread(jobs.journal, run)
                return given_up(journal, job.engine) if _is_given_up(ended) else replay(journal, job.engine)
        finally:
            self._under_way.discard(run)
            worker.unwatch(run)
            _HERE.leave()

    def _begin(self, jobs: Jobs, run: str, job: Job[C, S, R]) -> None:
        """Submit the run, or take it up where it was left.

        Raises:
            UsageError: the run of this id is another one.
        """
        opening = Opening(
            execution_id=run, engine=job.engine.name, task=job.task, config=self._dumped(job.config), setup=self._setup
        )
        try:
            there = jobs.get(run)
        except UnknownNameError:
            jobs.submit(opening, unattended="suspend" if self._ask is not None else None)
            return
        before = jobs.journal(run).opened
        for what in ("engine", "task", "config"):
            if getattr(before, what) != getattr(opening, what):
                raise UsageError(f"run: {run!r} is a run with another {what}; choose another id")
        if there.needs != (own := needs(opening.engine, opening.setup)):
            raise UsageError(f"run: {run!r} needs {there.needs}, and this program has {own}; choose another id")
        if _broken(there):
            jobs.resume(run, "suspend" if self._ask is not None else None)

    async def _ended(self, jobs: Jobs, run: str) -> JobRecord:
        """The run when it does no more; its questions are answered.

        Raises:
            AeonError: it failed, or was cancelled.
        """
        while True:
            try:
                job = await asyncio.to_thread(jobs.get, run)
                goes_on = job.state == "waiting" and await self._answered(jobs, job)
            except DatabaseAway:
                await asyncio.sleep(_AWAY)
                continue
            if job.state not in ("queued", "running") and not goes_on:
                _check(job)
                return job
            await asyncio.sleep(_LOOK)

    async def _answered(self, jobs: Jobs, job: JobRecord) -> bool:
        """Put the question of a run to whoever answers here; whether the run goes on."""
        question = job.end.question if job.end else None
        if question is None or self._ask is None:
            return False
        said = await Asker(self._ask).said(question)
        if said and said.strip():
            await asyncio.to_thread(jobs.answer, job.id, said, "suspend")
            return True
        return False


def _check(job: JobRecord) -> None:
    """Refuse a run that is over without a result."""
    if job.state in ("failed", "cancelled") and (job.end is None or job.end.conclusion is None):
        why = f": {job.detail}" if job.detail else ""
        raise AeonError(f"{job.id}: {job.state}{why}; the run goes on when it is executed again")


def _is_given_up(job: JobRecord) -> bool:
    """Whether a run ended its process again and again: then a program does not take it up again by itself."""
    return job.end is not None and job.end.given_up is True


def _broken(job: JobRecord) -> bool:
    """Whether a run was broken off, so that it goes on when its program is there again."""
    if _is_given_up(job):
        return False
    reason = job.end.stop_reason if job.end else ""
    return job.state in ("failed", "cancelled") or reason in ("failed", "interrupted")


def _on(loop: asyncio.AbstractEventLoop, observer: Observer) -> Observer:
    """The observer, told in its own event loop what happens in the worker's thread."""

    def observe(event: Event, /) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(observer, event)

    return OnRecord(observe) if isinstance(observer, OnRecord) else observe
