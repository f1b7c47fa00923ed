"""The runs of a server at work: accepted, queued, started, resumed after a restart, stopped, answered, forked."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from aeon.assembly.noting import ModelCall
from aeon.runtime.attempts import REASON, Attempts
from aeon.runtime.events import Observer, OnRecord
from aeon.runtime.journal import Journal
from aeon.schema import Conclusion, JsonObject, Question
from aeon.server.attempts import RunAttempts
from aeon.server.bodies import ForkBody, TaskBody
from aeon.server.calls import calls_of
from aeon.server.equipment import Equipment, Order
from aeon.server.feed import frames
from aeon.server.host import Host, branched, fork_digest, no_past, not_begun, queue_full, same
from aeon.server.live import Live
from aeon.server.metrics import Metrics
from aeon.server.preparing import Kept, Prepared, Wanted, concluded, forked, meant_by, prepared
from aeon.server.problems import Problem, problem_of, process_ended
from aeon.server.runs import RunRecord, Runs, RunState, no_room, now
from aeon.server.tokens import NO_ROOMS
from aeon.server.told import Place, Told, ended, recorded, unkept

__all__ = ["Limits", "Service"]

_log = logging.getLogger("aeon.server")
_FULL_SECONDS = 1.0


class Limits(NamedTuple):
    """How many runs are worked on at once, and how many may wait. ``rooms`` limit the runs of some owners at once."""

    parallel: int = 2
    queue: int = 1_000
    rooms: Mapping[str, int | None] = NO_ROOMS


class Service(Host):
    """Works on the runs in the list of a folder with what the server was started with.

    ``observers`` make further observers, one for each run; ``metrics`` are figures of all.
    """

    def __init__(
        self,
        runs: Runs,
        equipment: Equipment,
        limits: Limits | None = None,
        observers: Sequence[Callable[[], Observer]] = (),
        metrics: Metrics | None = None,
    ) -> None:
        super().__init__(equipment, metrics)
        self.runs = runs
        self.limits = limits or Limits()
        self._observers = (self.metrics.observer, *observers)
        self._queue: deque[Live] = deque()
        self._live: dict[str, Live] = {}
        self._running: set[Live] = set()
        self._later: asyncio.TimerHandle | None = None
        self._attempts = Attempts(RunAttempts(runs), self.limits.parallel)

    @property
    def busy(self) -> tuple[int, int]:
        """How many runs are worked on, and how many wait."""
        return len(self._running), len(self._queue)

    @property
    def obstacle(self) -> Problem | None:
        """Why no run can start now."""
        return self.problem or (None if self.runs.has_room() else no_room())

    async def start(self) -> None:
        """Queue again what was running or queued when the server ended, in the order in which it was accepted."""
        for record in await self.runs.open():
            if record.stop:
                await self.runs.change(record.id, state="cancelled", ended=now())
            else:
                self._enqueue(Live.of(record))
        self._pump()

    @property
    def place(self) -> str:
        """The folder of its runs."""
        return str(self.runs.folder)

    def close_streams(self) -> None:
        """End all streams, and start nothing more: the server is going."""
        self.closing = True
        for live in self._live.values():
            live.feed.close(unkept("closing", {"id": live.name, "detail": "the server stops; the run goes on later"}))
            live.over.set()

    async def close(self) -> None:
        """Let go of every run; the next start continues it."""
        self.close_streams()
        if self._later is not None:
            self._later.cancel()
        tasks = [live.task for live in self._running if live.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._attempts.end_all()
        self.runs.close()

    async def submit(self, record: RunRecord, order: Order, most: int | None = None) -> RunRecord:
        """Accept a new run. See `Host.submit`."""
        return await self._accept(record, order, most)

    async def fork(
        self, record: RunRecord, body: ForkBody, key: str | None = None, most: int | None = None
    ) -> RunRecord:
        """Give a run another future. See `Host.fork`."""
        digest = fork_digest(record, body)
        if key is not None and (there := await self.runs.keyed(record.owner, key)):
            return same(digest, there)
        if not self.runs.begun(record.id):
            raise no_past()
        if not self.runs.has_room():
            raise no_room()
        path = self.runs.path(record.id)
        journal = await asyncio.to_thread(forked, path, self.runs.folder, body)
        new = branched(record, key, digest, journal)
        try:
            return await self._accept(new, None, most)
        except Problem:
            await asyncio.to_thread(self.runs.path(new.id).unlink, missing_ok=True)
            raise

    async def _accept(self, record: RunRecord, order: Order | None, most: int | None) -> RunRecord:
        if record.key is not None and (there := await self.runs.keyed(record.owner, record.key)):
            return same(record.digest, there)
        if self.closing:
            raise Problem(503, "closing", "the server is stopping; try again soon", True, {"Retry-After": "5"})
        if len(self._queue) >= self.limits.queue:
            raise queue_full(len(self._queue))
        if not self.runs.has_room():
            raise no_room()
        added, is_new = await self.runs.add(record, most)
        if not is_new:
            return same(record.digest, added)
        self._enqueue(Live.of(added, order, added))
        self._pump()
        return added

    def _enqueue(self, live: Live) -> None:
        self._live[live.name] = live
        later = (place for place, one in enumerate(self._queue) if one.priority > live.priority)
        self._queue.insert(next(later, len(self._queue)), live)

    async def find(self, name: str) -> RunRecord | None:
        """The run of that id."""
        return await self.runs.get(name)

    async def page(self, owner: str, most: int, before: int | None, state: RunState | None) -> list[RunRecord]:
        """The latest runs of an owner, newest first, before the place ``before`` in the list."""
        return await self.runs.page(owner, most, before, state)

    async def position(self, record: RunRecord) -> int | None:
        """How many runs of the queue are started before this one; ``None`` if it does not wait."""
        return next((place for place, live in enumerate(self._queue) if live.name == record.id), None)

    @contextlib.asynccontextmanager
    async def kept(self, record: RunRecord) -> AsyncIterator[Path]:
        """The journal of a run. See `Host.kept`."""
        if not self.runs.begun(record.id):
            raise not_begun(record)
        yield self.runs.path(record.id)

    async def told(self, record: RunRecord) -> Sequence[Told]:
        """The events of a run: those that its readers have had, or those of its journal."""
        live, begun = self.live(record.id), self.runs.begun(record.id)
        if live is not None and (live.feed.told or not begun):
            return live.feed.told
        return (await asyncio.to_thread(recorded, self.runs.path(record.id))).told if begun else ()

    def follow(self, record: RunRecord, after: Place | None) -> AsyncIterator[bytes] | None:
        """What a stream of a run sends that is worked on or waits for that."""
        live = self.live(record.id)
        return frames(live.feed, after) if live is not None else None

    async def calls(self, record: RunRecord, number: int) -> tuple[ModelCall, ...]:
        """The model calls for an effect, as they were noted beside the journal."""
        return await asyncio.to_thread(calls_of, self.runs.path(record.id).with_suffix(".calls"), number)

    def live(self, name: str) -> Live | None:
        """The run, if it is worked on or waits for that."""
        return self._live.get(name)

    async def over(self, name: str) -> RunRecord:
        """The run when it does no more: it is over, waits for an answer, or the server stops."""
        if (live := self._live.get(name)) is not None:
            await live.over.wait()
        record = await self.runs.get(name)
        assert record is not None
        return record

    async def cancel(self, record: RunRecord, now: bool = False) -> None:
        """Ask a run to stop. See `Host.cancel`."""
        live = self._live.get(record.id)
        if live is None and record.state != "waiting":
            raise Problem(409, "over", f"the run is over ({record.state}); there is nothing to stop")
        if live is not None and live.stop and (live.now or not now):
            detail = 'the run was asked to stop already; {"now": true} breaks off the wording of its answer, too'
            raise Problem(409, "stopping", detail)
        if live is None or live in self._queue:
            await self._drop(record, live)
            return
        live.interrupt(now)
        await self.runs.change(record.id, stop=True)

    async def _drop(self, record: RunRecord, live: Live | None) -> None:
        """End a run that waits; while that is written, nobody else can answer or continue it."""
        queued = live is not None
        live = live or Live.of(record)
        if queued:
            self._queue.remove(live)
        self._live[record.id] = live
        live.stop = live.now = True
        try:
            used = Conclusion.model_validate(record.conclusion) if record.conclusion else None
            calls = (used.usage + used.lost).calls if used else 0
            await self.runs.change(record.id, state="cancelled", stop=True, ended=now(), calls=calls)
        except Problem:  # as if nobody had asked
            live.stop = live.now = False
            self._live.pop(live.name, None)
            if queued:
                self._enqueue(live)
            raise
        self._live.pop(live.name, None)
        live.feed.close(unkept("cancelled", {"id": record.id}))
        live.over.set()

    async def answer(self, record: RunRecord, said: str) -> None:
        """Answer the question that a run waits for. See `Host.answer`."""
        live = self._live.get(record.id)
        if live is not None and live.feed.last is not None:  # it has just put its question
            await live.over.wait()
            live = self._live.get(record.id)
        asked = record.conclusion.get("question") if record.conclusion else None
        if record.state != "waiting" or not asked or live is not None:
            state = record.state if live is None else "worked on"
            raise Problem(409, "no_question", f"the run waits for no answer: it is {state}")
        answer = meant_by(Question.model_validate(asked), said)
        await self._continue(record, answer)

    async def resume(self, record: RunRecord) -> None:
        """Continue a run that was broken off. See `Host.resume`."""
        broken = record.state == "failed" or (record.conclusion or {}).get("stop_reason") in ("failed", "interrupted")
        if record.id in self._live or not (broken or record.state == "cancelled"):
            raise Problem(409, "not_broken_off", f"the run was not broken off: it is {record.state}")
        await self._continue(record, None)

    async def _continue(self, record: RunRecord, answer: str | None) -> None:
        live = Live.of(record)
        self._live[live.name] = live
        try:
            bound = (record.conclusion or {}).get("bound")
            most = {"calls": bound["calls"]} if isinstance(bound, dict) else {}
            fields = {"state": "queued", "answer": answer, "stop": False, "ended": None, "error": None, **most}
            await self.runs.change(record.id, **fields)
        except Problem:
            self._live.pop(live.name, None)
            raise
        self._enqueue(live)
        self._pump()

    def _pump(self) -> None:
        """Start runs from the queue as long as there is room; where the disk is full they wait for it."""
        while len(self._running) < self.limits.parallel and not self.closing:
            if (live := self._next()) is None:
                return
            if not self.runs.has_room():
                self._pump_later()
                return
            self._queue.remove(live)
            self._running.add(live)
            live.task = asyncio.create_task(self._work(live), context=live.context)

    def _pump_later(self) -> None:
        if self._later is not None:
            self._later.cancel()
        self._later = asyncio.get_running_loop().call_later(_FULL_SECONDS, self._pump)

    def _next(self) -> Live | None:
        """The first run of the queue whose owner may have another one."""
        having, rooms = Counter(live.owner for live in self._running), self.limits.rooms
        fits = (live for live in self._queue if (most := rooms.get(live.owner)) is None or having[live.owner] < most)
        return next(fits, None)

    async def _work(self, live: Live) -> None:
        """Work on a run until it does no more."""
        journal: Journal | None = None
        try:
            if not await self._attempts.begin(live.name):
                await self._give_up(live)
                return
            async with self._attempts.turn(live.name):
                made = await self._prepared(live)
            journal, live.driver = made.journal, made.driver
            live.feed.load(made.told)
            await self._concluded(live, await made.driver.aexecute(made.job), journal)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the run has failed, and its clients hear of it
            await self._failed(live, error)
        finally:
            if journal is not None:
                journal.close()
            self._running.discard(live)
            if not self.closing:
                await self._attempts.end(live.name)
                self._live.pop(live.name, None)
                live.over.set()
                self._pump()

    async def _prepared(self, live: Live) -> Prepared:
        """The run, noted as running and ready to be driven; what it was asked with is let go of."""
        record = live.record or await self.runs.get(live.name)
        assert record is not None
        await self.runs.note(live.name, state="running")
        request = TaskBody.model_validate(record.request)
        path, begun = self.runs.path(record.id), live.order is None and self.runs.begun(record.id)
        kept = Kept(path, self.runs.commits, begun, self._attempts)
        wanted = Wanted(record.id, request, kept, record.answer, live.order)
        live.order = live.record = None
        observers = (OnRecord(live), *(make() for make in self._observers))
        return await asyncio.to_thread(prepared, wanted, self.equipment, live.feed, observers)

    async def _concluded(self, live: Live, result: Conclusion, journal: Journal) -> None:
        """Note how a run ended, or that it waits, in the list and then in its streams."""
        waits = result.stop_reason == "waiting" and result.question is not None
        if not waits and journal.ended is None:
            raise Problem(507, "storage", "the journal of the run cannot be written; make room, then resume it", True)
        conclusion: JsonObject = result.model_dump(mode="json", include=set(Conclusion.model_fields))
        state = "waiting" if waits else "ended"
        counted = {} if waits else {"calls": (result.usage + result.lost).calls}
        fields = {"state": state, "conclusion": conclusion, "answer": None, "error": None, "ended": now(), **counted}
        await self.runs.note(live.name, **fields)
        if waits:
            live.feed.close(unkept("waiting", {"id": live.name, "question": conclusion["question"]}))
        else:
            self.metrics.concluded(result.engine, result)
            live.feed.tell(ended(journal.line, result))
            live.feed.close(b"")

    async def _give_up(self, live: Live) -> None:
        """Note that a run is not taken up any more, with an answer of what its journal holds."""
        fields: dict[str, object] = {}
        if self.runs.begun(live.name):
            told, result = await asyncio.to_thread(concluded, self.runs.path(live.name))
            live.feed.load(told)
            fields = {"conclusion": result.model_dump(mode="json", include=set(Conclusion.model_fields))}
            self.metrics.concluded(result.engine, result)
        await self._fail(live, process_ended(REASON).error, fields)

    async def _failed(self, live: Live, error: Exception) -> None:
        """Note that a run could not be worked on to an end."""
        problem = problem_of(error)
        if problem.kind == "bug":
            _log.error("run %s failed", live.name, exc_info=error)
        await self._fail(live, problem.error, {})

    async def _fail(self, live: Live, error: JsonObject, fields: Mapping[str, object]) -> None:
        await self.runs.note(live.name, state="failed", error=error, ended=now(), **fields)
        live.feed.close(unkept("failed", {"id": live.name, "error": error}))
