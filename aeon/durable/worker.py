"""A worker: takes runs from the queues of what it has, and continues those of workers that are gone."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from dbos import DBOS, DBOSClient, DBOSConfig, WorkflowStatus
from sqlalchemy.exc import SQLAlchemyError

from aeon.assembly.build import assemble, resumption
from aeon.assembly.costs import Costs
from aeon.assembly.noting import Noting
from aeon.assembly.plugin import AnyPlugin
from aeon.durable.attempts import WorkerAttempts
from aeon.durable.calls import Calls, Notes
from aeon.durable.database import APPLICATION, JSON, SCHEMA, Database
from aeon.durable.equipment import Equipment, Limits
from aeon.durable.jobs import APP_VERSION, WORKFLOW, Jobs
from aeon.durable.lease import Lease
from aeon.durable.live import Live, end_of, reason
from aeon.durable.presence import Presence
from aeon.durable.rooms import Rooms
from aeon.durable.schedules import SCHEDULED, begun_by, make_up
from aeon.durable.slots import Slots
from aeon.durable.steps import Past, Steps, StepStore, past_of
from aeon.durable.values import Life, LifeEnd, workflow_id
from aeon.errors import AeonError, DatabaseAway, JournalError, UsageError
from aeon.kernel.ports import Job
from aeon.runtime.attempts import REASON, Attempts, given_up
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import Observer, OnRecord
from aeon.runtime.journal import Journal
from aeon.runtime.replay import resume_point
from aeon.schema import Conclusion, JsonObject
from aeon.text import one_line

__all__ = ["Worker"]

_log = logging.getLogger("aeon.durable")
_ADRIFT = 30.0
"""Seconds after which a run counts as adrift: one that was just taken, or has just ended, is so for a moment."""


class Worker:
    """Works on the runs of a database until it is stopped. One to a process: DBOS knows no more.

    ``say`` gets a line for what people who look at the worker want to know.

    Raises:
        UsageError: a worker of this name is at work.
        InputFileError: the database cannot be used.
    """

    def __init__(
        self,
        database: Database,
        equipment: Equipment,
        limits: Limits | None = None,
        name: str | None = None,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._database = database
        self._equipment = equipment
        self._limits = limits or Limits()
        self._shown = say
        self._plugins = equipment.plugins()
        self._queues = equipment.queues()
        self._live: dict[str, Live] = {}
        self._patient = database.patient()
        self._ending = threading.Event()
        self._away = self._closing = self._made_up = False
        self._adrift: dict[str, float] = {}
        self._registered: set[str] = set()
        self.name = name or f"{socket.gethostname()}-{uuid.uuid4().hex[:6]}"
        self._slots = Slots(database, self.name, equipment.model.name, self._limits.model)
        self._rooms, self._calls = Rooms(database), Calls(database)
        self._records = WorkerAttempts(database, self.name)
        self._attempts = Attempts(self._records, self._limits.parallel)
        self._watching: dict[str, tuple[Observer, ...]] = {}
        self._presence = Presence(database, self.name, self._limits.beat, self._limits.patience)
        self._watcher = threading.Thread(target=self._watch, name="aeon-watch", daemon=True)

    def start(self) -> None:
        """Begin to take runs; returns at once."""
        with self._database.reached():
            self._presence.enter(self._queues)
            try:
                self._launch()
            except BaseException:
                DBOS.destroy()
                raise
        self._watcher.start()

    def _launch(self) -> None:
        DBOS(config=self._config())
        logging.getLogger("dbos").setLevel(logging.CRITICAL)

        async def run(life: JsonObject) -> JsonObject:
            return await self._live_through(Life.model_validate(life))

        async def begin(due: str, schedule: JsonObject) -> str:
            return await asyncio.to_thread(begun_by, Jobs(self._database), due, schedule)

        DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)(run)  # see `Attempts`: a hand-over is no failure
        DBOS.workflow(name=SCHEDULED)(begin)
        DBOS.listen_queues(self._queues)
        self._register(self._queues[: len(self._plugins)])  # a queue that is there at the launch is polled at once
        DBOS.launch()

    def _register(self, queues: Iterable[str]) -> None:
        """Take runs from these queues, too."""
        parallel, everywhere, owner = self._limits.parallel, self._limits.everywhere, self._limits.owner
        each = min(owner, everywhere or owner) if owner else None
        for queue in queues:
            self._registered.add(queue)
            self._database.client.register_queue(
                queue, worker_concurrency=min(parallel, everywhere or parallel), global_concurrency=everywhere,
                partition_concurrency=each, polling_interval_sec=self._limits.poll,
            )  # fmt: skip

    def _look_further(self) -> None:
        """Take runs that need further models, where there are some: a queue is polled only once it had a run."""
        if len(self._queues) == len(self._plugins):
            return
        waiting = self._database.client.list_workflows(
            status="ENQUEUED", name=WORKFLOW, load_input=False, load_output=False
        )
        self._register({str(one.queue_name) for one in waiting} & set(self._queues) - self._registered)

    def watch(self, run: str, observers: Iterable[Observer]) -> None:
        """Have more observers see the run, if it is taken up here."""
        self._watching[run] = tuple(observers)

    def unwatch(self, run: str) -> None:
        """Have them see it no more."""
        self._watching.pop(run, None)

    def stop(self, seconds: int = 0) -> None:
        """Take no more runs, and wait so long for those under way; what is left is free for other workers."""
        self._closing = True
        if self._watcher.ident is not None:
            DBOS.destroy(workflow_completion_timeout_sec=seconds)
            self.leave()
        self._patient.destroy()

    def leave(self) -> None:
        """Take this worker off the list: what it has not ended is free for the others at once."""
        self._ending.set()
        self._records.end_all()
        self._presence.leave()

    @property
    def busy(self) -> int:
        """How many runs it has."""
        return len(self._live)

    def _config(self) -> DBOSConfig:
        return DBOSConfig(
            name=APPLICATION, system_database_url=self._database.address.url, dbos_system_schema=SCHEMA,
            application_version=APP_VERSION, executor_id=self.name, serializer=JSON, log_level="CRITICAL",
            enable_otlp=False,
        )  # fmt: skip

    async def _live_through(self, life: Life) -> JsonObject:
        """The workflow: one life of a run, from its beginning or from where an earlier attempt broke off."""
        self._say(f"{life.run}  takes it up")
        live = self._live[life.run] = Live()
        try:
            end = await self._lived(life, live)
        except AeonError as error:
            end = LifeEnd(state="failed", detail=reason(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, the run has failed, and who looks for it sees why
            _log.exception("run %s failed", life.run)
            text = one_line(f"{type(error).__name__}: {error}", 300)
            end = LifeEnd(state="failed", detail=f"{text}; this is a bug: the worker's log has the traceback")
        finally:
            if self._live.get(life.run) is live:
                del self._live[life.run]
        self._say(f"{life.run}  {end.state}{f': {end.detail}' if end.detail else ''}")
        ended: JsonObject = end.model_dump(mode="json", exclude_none=True)
        return ended

    async def _lived(self, life: Life, live: Live) -> LifeEnd:
        """Work on a life to its end, again while the database takes no lines."""
        if await asyncio.to_thread(self._asked_to_stop, self._patient, [life.run]):
            return LifeEnd(state="cancelled")
        if not await self._has_room(life.run, live):
            return LifeEnd(state="cancelled")
        try:
            if not await self._attempts.begin(life.run):
                return await asyncio.to_thread(self._given_up, life)
            while (result := await self._tried(life, live)) is None:
                await asyncio.sleep(self._limits.patience / 3)
        finally:
            await self._attempts.end(life.run)
            await asyncio.to_thread(self._slots.give, life.run)
        if result.stop_reason != "waiting":
            self._equipment.ended(result)
        return end_of(result)

    async def _has_room(self, run: str, live: Live) -> bool:
        """Wait until the model's endpoint has room for the run; false if it was asked to stop meanwhile."""
        while not await asyncio.to_thread(self._took, run):
            if live.stopping:
                return False
            await asyncio.sleep(self._limits.poll)
        return True

    def _took(self, run: str) -> bool:
        try:
            return self._slots.take(run)
        except SQLAlchemyError:  # the watcher says that the database is away
            return False

    async def _tried(self, life: Life, live: Live) -> Conclusion | None:
        """The result of a life; ``None`` if the database took its lines no more."""
        past = await asyncio.to_thread(past_of, self._patient, life.run, life.number)
        notes = Notes(self._calls, life.run)
        steps = Steps(past, notes.write)
        lease = Lease(self._database, self._presence, workflow_id(life.run, life.number))
        store = StepStore(steps, lease)
        result: Conclusion | None = None
        try:
            async with self._attempts.turn(life.run):
                driver, job = await asyncio.to_thread(self._prepared, life, past, (store, notes), live)
            live.driver = driver
            result = await driver.aexecute(job)
        except JournalError:
            if steps.lost is None and not steps.broken:
                raise
        if steps.lost is not None:
            self._say(f"{life.run}  is no longer this worker's; what it did last is not on record")
            raise steps.lost
        if steps.broken:
            self._say(f"{life.run}  goes on from what is on record: {steps.broken}")
            return None
        return result

    def _say(self, line: str) -> None:
        """Tell who looks at the worker; a full disk for its log costs no run."""
        with contextlib.suppress(OSError):
            self._shown(line)

    def _given_up(self, life: Life) -> LifeEnd:
        """How a run ends that is not taken up any more."""
        lines = past_of(self._patient, life.run, life.number).lines
        if lines:
            journal = Journal.of(life.run, lines)
        elif life.opening is not None:
            journal = Journal.written(life.opening, life.entries)
        else:
            return LifeEnd(state="failed", detail=REASON, given_up=True)
        result: Conclusion = given_up(journal, self._plugin(journal).engine)
        return end_of(result).changed(given_up=True)

    def _plugin(self, journal: Journal) -> AnyPlugin:
        name = journal.opened.engine
        if name not in self._plugins:
            raise UsageError(f"the run needs the engine '{name}', and this worker has {', '.join(self._plugins)}")
        return self._plugins[name]

    def _prepared(self, life: Life, past: Past, kept: tuple[StepStore, Notes], live: Live) -> _Prepared:
        """A run made ready: the one that its journal holds, or a new one.

        Raises:
            UsageError: this worker has not what the run needs.
            Divergence: this version would continue the run otherwise; nothing was issued.
        """
        store, notes = kept
        lines = past.lines or _begun(life, store)
        journal = Journal.of(life.run, lines, store=store)
        plugin = self._plugin(journal)
        observers = [OnRecord(live), *(make() for make in self._equipment.observers), *self._watching.get(life.run, ())]
        model, tools = Noting(self._equipment.model, notes), self._equipment.tools_of(journal.setup)
        trust = self._equipment.trust(journal.setup, lambda one: Noting(one, notes))
        if not journal.entries and journal.line == 0:
            config = journal.first_config(plugin.engine.config)
            handlers = assemble(
                model, tools, config, unattended=life.unattended, plugin=plugin, models=trust.select
            )  # fmt: skip
            driver = self._driver(observers, journal, Costs(model, plugin.engine.name, config))
            return _Prepared(driver, Job(plugin.engine, journal.opened.task, config, handlers))
        asked = resume_point(journal, plugin.engine).question is not None
        resumed = resumption(
            journal, model, tools, answer=life.answer if asked else None, unattended=life.unattended,
            engine=plugin, spec=self._equipment.spec, trust=trust,
        )  # fmt: skip
        if journal.unsettled:
            journal.resume(())
        driver = self._driver(observers, journal, Costs(model, plugin.engine.name, resumed.job.config))
        return _Prepared(driver, resumed.job)

    def _driver(self, observers: Sequence[Observer], journal: Journal, costs: Costs) -> AsyncDriver:
        return AsyncDriver(observers, lambda _: journal, attempts=self._attempts, took=costs.note)

    def _watch(self) -> None:
        """Count, continue what workers that are gone had, and stop what was asked to."""
        while not self._ending.wait(self._limits.beat):
            try:
                self._presence.beat(self._queues)
                self._slots.settle()
                if not self._closing:
                    self._take_up()
                self._stop_asked()
            except (SQLAlchemyError, DatabaseAway) as error:
                self._tell_away(one_line(str(getattr(error, "orig", None) or error), 160))
                continue
            if self._away:
                self._away = False
                self._say("the database is back")

    def _take_up(self) -> None:
        """Have runs begin or go on that nobody works on."""
        self._rooms.release()
        self._look_further()
        self._recover()
        if not self._made_up:
            for run in make_up(Jobs(self._database), datetime.now(UTC)):
                self._say(f"{run}  at a time that passed without a worker")
            self._made_up = True

    def _tell_away(self, why: str) -> None:
        if not self._away:
            self._say(f"the database does not answer ({why}); waiting for it")
        self._away, self._made_up = True, False

    def _recover(self) -> None:
        """Queue again the runs of workers that are gone: taken for dead, or not on the list."""
        dead = self._presence.dead()
        there = set(self._presence.beats()) - dead | {self.name}
        pending = self._database.client.list_workflows(
            status="PENDING", name=[WORKFLOW, SCHEDULED], load_input=False, load_output=False
        )
        gone = {one.executor_id for one in pending if one.executor_id} - there
        if gone:
            self._say(f"continues the runs of {', '.join(sorted(gone))}")
            DBOS._recover_pending_workflows(sorted(gone))  # of these alone: a run that has been taken stays where it is
        for name in dead:
            self._presence.remove(name)
        self._requeue([one for one in pending if one.executor_id == self.name and one.name == WORKFLOW])

    def _requeue(self, mine: Sequence[WorkflowStatus]) -> None:
        """Queue again what is this worker's by the database and that it has not: its end could not be written."""
        now = time.monotonic()
        adrift = [one for one in mine if one.workflow_id.rpartition(":")[0] not in self._live]
        self._adrift = {one.workflow_id: self._adrift.get(one.workflow_id, now) for one in adrift}
        for one in adrift:
            if now - self._adrift[one.workflow_id] > _ADRIFT:
                self._database.client.resume_workflow(one.workflow_id, queue_name=one.queue_name)

    def _stop_asked(self) -> None:
        """Interrupt the runs that were asked to stop."""
        for run, now in self._asked_to_stop(self._database.client, [*self._live]).items():
            if (live := self._live.get(run)) is not None:
                live.stop(now)

    @staticmethod
    def _asked_to_stop(client: DBOSClient, runs: Iterable[str]) -> dict[str, bool]:
        """Which of these runs were asked to stop, in their latest life, and whether without an answer in words."""
        prefixes = [f"{run}:" for run in runs]
        if not prefixes:
            return {}
        found = client.list_workflows(
            workflow_id_prefix=prefixes, status="PENDING", load_input=False, load_output=False
        )
        marks = {one.workflow_id.rpartition(":")[0]: one.attributes or {} for one in found}
        return {run: bool(mark.get("now")) for run, mark in marks.items() if mark.get("stop")}


class _Prepared(NamedTuple):
    """A run that is ready to be driven."""

    driver: AsyncDriver
    job: Job[Any, Any, Any]


def _begun(life: Life, store: StepStore) -> list[bytes]:
    """The first lines of a new run, or of a fork, which are in the database when this returns."""
    if life.opening is None:
        raise UsageError("its journal is not in the database; it cannot be continued")
    lines = [line.model_dump_json().encode() for line in (life.opening, *life.entries)]
    store.append_now(*lines)
    return lines
