"""The asyncio driver: steps a program, has its effects handled at once, tells observers."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import uuid
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from aeon.errors import Divergence, JournalError, UsageError
from aeon.isolation.aside import aside
from aeon.kernel.decide import Signals
from aeon.kernel.ports import Job
from aeon.runtime.attempts import Attempts
from aeon.runtime.batch import joined
from aeon.runtime.events import (
    EffectEnded,
    EffectStarted,
    Event,
    Noted,
    Observer,
    OnRecord,
    RunEnded,
    RunStarted,
    TextDelta,
)
from aeon.runtime.failures import BROKEN_OFF
from aeon.runtime.handling import Handled, Handling
from aeon.runtime.journal import Journal
from aeon.runtime.lines import Opening
from aeon.runtime.stepping import Stepper
from aeon.runtime.stream import RunStream
from aeon.schema import Conclusion, Failure, JsonObject, Outcome, Settings, Task
from aeon.schema.effects import Effect, Note
from aeon.schema.stream import OnLeave
from aeon.text import one_line

__all__ = ["AsyncDriver"]

C = TypeVar("C", bound=Settings)
S = TypeVar("S", bound=Signals)
R = TypeVar("R", bound=Conclusion)
T = TypeVar("T")
_log = logging.getLogger("aeon")


class AsyncDriver:
    """Drives runs on asyncio. One driver serves any number of runs, also at the same time.

    ``observers`` see every event. ``journal`` makes the journal of a run from its execution id (default: in memory);
    if it holds the beginning of a run, that run is continued, and recorded effects are not issued again. ``clock``
    gives seconds that never run backwards; ``new_id`` gives execution ids; ``setup`` goes into each journal's opening.
    ``admit`` raises for a task that no run can do, before anything is written. ``took`` is told of each run that ended.
    ``attempts`` says when a run may begin an effect, in a process where others may have to go on alone.
    """

    _latest_config: ClassVar[tuple[Settings, JsonObject] | None] = None

    def __init__(
        self,
        observers: Iterable[Observer] = (),
        journal: Callable[[str], Journal] = lambda execution_id: Journal(),
        clock: Callable[[], float] = time.monotonic,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
        setup: JsonObject | None = None,
        admit: Callable[[Task], None] = lambda task: None,
        took: Callable[[Conclusion], None] = lambda end: None,
        attempts: Attempts | None = None,
    ) -> None:
        self._observers = tuple(observers)
        self._journal = journal
        self._clock = clock
        self._new_id = new_id
        self._setup = setup or {}
        self._admit = admit
        self._took = took
        self._attempts = attempts
        self._reading = 0.0
        self._running: set[_Run[Any, Any, Any]] = set()
        self._beginning: dict[str, bool] = {}  # whether it was asked to stop
        self._streamed: set[asyncio.Task[Any]] = set()

    def execute(self, job: Job[C, S, R]) -> R:
        """Run a job to its end; where an event loop is already running, in a thread with a loop of its own."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return _run_whole(self.aexecute(job))
        return _in_thread(self.aexecute(job))

    async def aexecute(self, job: Job[C, S, R]) -> R:
        """Run a job to its end in the running event loop.

        Raises:
            UsageError: the task is not admitted, or what should make its journal does not.
            EngineError: the engine's program breaks the rules; what it did so far is in the journal.
            JournalError: the journal cannot be begun.
        """
        return await self._run(job, self._observers)

    def stream(self, job: Job[C, S, R], on_leave: OnLeave = "interrupt") -> RunStream[R]:
        """The events of a run, as they happen. Leaving them interrupts the run, unless it is to ``continue``."""
        return RunStream(partial(self._follow, job), self.interrupt, on_leave)

    def charge(self, seconds: float) -> None:
        """Charge the next run with the seconds that its files took to be read: its first effect begins so much later.

        What is read once for many runs is charged to none of them.
        """
        self._reading += seconds

    def interrupt(self, execution_id: str | None = None) -> None:
        """Ask one run, or every run, to stop at its next boundary: reasoning is broken off, a tool call is not."""
        for one in tuple(self._beginning):
            self._beginning[one] |= execution_id in (None, one)
        for run in tuple(self._running):
            if execution_id in (None, run.execution_id):
                run.handling.interrupt()

    def wake(self) -> None:
        """Wake the event loops of the runs. Thread-safe.

        Python runs a signal's handler between two steps of the main thread; a signal that comes just before a loop
        waits would be handled only when something else happens.
        """
        for run in tuple(self._running):
            run.handling.wake()

    async def _run(self, job: Job[C, S, R], observers: tuple[Observer, ...]) -> R:
        self._admit(job.task)
        execution_id = self._new_id()
        journal = self._journal(execution_id)
        if not isinstance(journal, Journal):
            raise UsageError(f"journal: the function must give a Journal, not {one_line(repr(journal), 60)}")
        self._beginning[execution_id] = False
        try:
            if journal.opening is None:
                await journal.open(Opening(
                    execution_id=execution_id,
                    engine=job.engine.name,
                    task=job.task,
                    config=self._dumped(job.config),
                    setup=self._setup,
                ))  # fmt: skip
            elif journal.unsettled:
                journal.resume(())
            reading, self._reading = self._reading, 0.0
            handling = Handling(job.handlers, job.engine.config, journal, self._clock, reading)
            run = _Run(job, observers, handling, self._attempts)
            self._running.add(run)
            if self._beginning.pop(execution_id):
                run.handling.interrupt()
            try:
                had_ended = journal.ended is not None
                result = await run.drive()
                if not had_ended:
                    self._took(result)
                return result
            finally:
                run.handling.tell = None  # part of the run: no cycle
                self._running.discard(run)
        finally:
            self._beginning.pop(execution_id, None)
            journal.close()

    @classmethod
    def _dumped(cls, config: Settings) -> JsonObject:
        """The configuration as JSON, made once for runs that have the same one: thousands may be under way."""
        latest = cls._latest_config
        if latest is None or latest[0] is not config:
            latest = cls._latest_config = (config, config.model_dump(mode="json"))
        return latest[1]

    def _follow(self, job: Job[C, S, R], observer: Observer) -> asyncio.Task[R]:
        """Run a job in a task of its own, which the driver keeps until its end; one more observer sees it."""
        task = asyncio.create_task(self._run(job, (*self._observers, observer)))
        self._streamed.add(task)
        task.add_done_callback(self._streamed.discard)
        return task


class _Run(Generic[C, S, R]):
    """One run under way."""

    __slots__ = ("_attempts", "_job", "_line", "_observers", "_resumed", "handling")

    def __init__(
        self, job: Job[C, S, R], observers: tuple[Observer, ...], handling: Handling, attempts: Attempts | None
    ) -> None:
        self._job = job
        self._attempts = attempts
        self._observers = observers
        self._line = 0
        self._resumed = handling.journal.line > 0
        self.handling = handling

    @property
    def execution_id(self) -> str:
        return self.handling.execution_id

    async def drive(self) -> R:
        job, handling = self._job, self.handling
        stepper = Stepper(job.engine, job.task, job.config, self.execution_id, self._noted)  # no part of self: no cycle
        handling.rest = stepper.remainder
        handling.tell = self._written if any(not isinstance(one, OnRecord) for one in self._observers) else None
        if self._observers:
            started = RunStarted(
                line=0,
                execution_id=self.execution_id,
                engine=job.engine.name,
                task=job.task,
                config=job.config,
                bound=job.engine.bound(job.config).changed(expected=handling.journal.opened.expected),
            )
            self._tell(started)
        effects = stepper.batch()
        while effects is not None:
            effects = stepper.batch(await self._issue(stepper.issued - len(effects), effects))
        result = await aside(stepper.held)
        if not handling.suspended and not handling.unkept:
            await self._end(result)
        opened = handling.journal.opened
        result = result.marked(handling.journal.altered, opened.expected, opened.left_out)
        if self._observers:
            self._tell(RunEnded(line=self._line, conclusion=_conclusion(result)))
        return result

    async def _end(self, result: R) -> None:
        """Note the end in the journal. Where that fails the result is as good, and every outcome is on record."""
        journal = self.handling.journal
        try:
            await journal.end(result)
            self._line = journal.line
        except Divergence:
            raise
        except JournalError as error:
            _log.warning("the end of the run is not on record: %s", error)

    async def _issue(self, first: int, effects: tuple[Effect, ...]) -> tuple[Outcome, ...]:
        handling = self.handling
        is_past = all(handling.journal.line_of(n) is not None for n in range(first, first + len(effects)))
        if len(effects) == 1:
            outcomes = [await self._handle(first, effects[0], ())]
        else:
            outcomes = await self._at_once(first, effects)
        for outcome in outcomes:
            handling.elapsed = max(handling.elapsed, outcome.ended)
            if outcome.failure is not None and outcome.failure.kind == "waiting":
                handling.suspended = True
        handling.reading *= is_past
        return tuple(outcomes)

    async def _at_once(self, first: int, effects: tuple[Effect, ...]) -> list[Outcome]:
        """Each effect as soon as those of the batch that it waits for, which come before it, have their outcomes."""
        recorded = await self._recorded(first, effects) if self._resumed else {}
        tasks: list[asyncio.Future[Outcome]] = []
        for number, effect in enumerate(effects, first):
            before = tuple([tasks[at] for at in effect.after])
            tasks.append(recorded.get(number) or asyncio.create_task(self._handle(number, effect, before)))
        try:
            return await asyncio.gather(*tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise

    async def _recorded(self, first: int, effects: tuple[Effect, ...]) -> dict[int, asyncio.Future[Outcome]]:
        """The outcomes that the journal holds for effects of a batch, told in the order of their lines.

        An effect that waits for others has a later line than they have.
        """
        journal = self.handling.journal
        lines = {number: journal.line_of(number) for number in range(first, first + len(effects))}
        there: dict[int, asyncio.Future[Outcome]] = {}
        for number in sorted((n for n, line in lines.items() if line is not None), key=lambda n: lines[n] or 0):
            effect = effects[number - first]
            before = tuple([there[first + at] for at in effect.after])
            there[number] = asyncio.get_running_loop().create_future()
            there[number].set_result(await self._handle(number, effect, before))
        return there

    async def _handle(self, number: int, effect: Effect, before: Sequence[asyncio.Future[Outcome]]) -> Outcome:
        """The outcome of an effect, told to the observers."""
        now, failure = self.handling.start_of(number), None
        if before:
            await asyncio.wait(before)
            outcomes = tuple([task.result() for task in before])
            effect, failure = joined(effect, outcomes)
            failure = BROKEN_OFF if self.handling.interrupted else failure
            now = max(outcome.ended for outcome in outcomes)
        began = partial(self._began, number, effect) if self._observers else None
        handled = await self._handled(number, effect, now, failure, began)
        if began is not None:
            self._line = max(self._line, handled.line or 0)
            self._tell(EffectEnded(
                line=self._line, number=number, effect=effect, outcome=handled.outcome, recorded=handled.recorded
            ))  # fmt: skip
        return handled.outcome

    async def _handled(
        self, number: int, effect: Effect, now: float, failure: Failure | None, began: Callable[[], None] | None
    ) -> Handled:
        """What the journal holds for an effect; else what comes of it when it is the run's turn to begin it."""
        handling, attempts = self.handling, self._attempts
        if attempts is None or handling.journal.line_of(number) is not None:
            return await handling.handle(number, effect, now, failure, began)
        stopped = handling.interrupted
        await attempts.enter(self.execution_id)
        kept = False
        try:
            if handling.interrupted and not stopped:
                failure = failure or BROKEN_OFF
            handled = await handling.handle(number, effect, now, failure, began)
            kept = handled.line is not None
            return handled
        finally:
            attempts.leave(self.execution_id, kept)

    def _began(self, number: int, effect: Effect) -> None:
        self._tell(EffectStarted(line=self._line, number=number, effect=effect))

    def _noted(self, note: Note) -> None:
        if self._observers:
            self._tell(Noted(line=self._line, note=note))

    def _written(self, number: int, text: str, begins: bool) -> None:
        """Tell a piece of a text to those who do not wait for what is on record."""
        event = TextDelta(line=self._line, number=number, text=text, begins=begins)
        self._tell(event, [one for one in self._observers if not isinstance(one, OnRecord)])

    def _tell(self, event: Event, observers: Sequence[Observer] | None = None) -> None:
        """Tell an event to these observers; to all, unless they are named."""
        for observer in self._observers if observers is None else observers:
            try:
                observer(event)
            except Exception:  # noqa: BLE001 - an observer may raise anything, and must not end a run
                self._observers = tuple(other for other in self._observers if other is not observer)
                _log.warning("an observer raised at %s and is told nothing more", event.type, exc_info=True)


def _conclusion(result: Conclusion) -> Conclusion:
    """How the run ended, without an engine's own fields."""
    return Conclusion.model_construct(**{name: getattr(result, name) for name in Conclusion.model_fields})


def _run_whole(coroutine: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end in a new event loop.

    Its result is kept from ``asyncio.run``, which at its end makes a text of the whole task, and of the result in it.
    """
    outcome: list[T] = []

    async def kept() -> None:
        outcome.append(await coroutine)

    asyncio.run(kept())
    return outcome[0]


def _in_thread(coroutine: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end in a thread with an event loop of its own."""
    outcome: list[T] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(_run_whole(coroutine))
        except BaseException as error:  # noqa: BLE001 - handed to the calling thread, whatever it is
            raised.append(error)

    thread = threading.Thread(target=work, name="aeon-run", daemon=True)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return outcome[0]
