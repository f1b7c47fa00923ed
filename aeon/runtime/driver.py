"""The driver: steps a program, has its effects handled at once, keeps the clock and the journal, tells observers."""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from typing import TypeVar, cast

from aeon.errors import (
    AeonError, AllowanceExhausted, CompletionError, InputFileError, JournalError, MissingExtraError, ModelError,
    OutcomeUnknown, ToolError, Waiting, WeightsError,
)  # fmt: skip
from aeon.kernel.budget import bound
from aeon.kernel.effects import AskUser, Effect, ExecuteStep, Note
from aeon.kernel.ports import Handler, Job
from aeon.runtime.events import EffectEnded, EffectStarted, Event, Noted, Observer, RunEnded, RunStarted
from aeon.runtime.journal import Entry, Journal, Opening
from aeon.runtime.ledger import Ledger, charging
from aeon.runtime.replay import waiting
from aeon.schema import Failure, Frozen, JsonObject, Outcome, Question, Result, Usage

__all__ = ["AsyncDriver", "failure_of"]

T = TypeVar("T")

_BROKEN_OFF = Failure(kind="interrupted", message="broken off because the run was asked to stop")


class AsyncDriver:
    """Drives runs on asyncio. One driver serves any number of runs, also at the same time.

    ``observers`` see every event. ``journal`` makes the journal of each run (default: in memory); where it holds the
    beginning of a run, that run is gone on with, and nothing is done again. ``clock`` gives seconds that never run
    backwards; ``new_id`` gives execution ids; ``setup`` goes into the opening of each journal.
    """

    def __init__(
        self,
        observers: Iterable[Observer] = (),
        journal: Callable[[], Journal] = Journal,
        clock: Callable[[], float] = time.monotonic,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
        setup: JsonObject | None = None,
    ) -> None:
        self._observers = tuple(observers)
        self._journal = journal
        self._clock = clock
        self._new_id = new_id
        self._setup = setup or {}
        self._running: set[_Run] = set()

    def execute(self, job: Job) -> Result:
        """Run a job to its end; where an event loop is already running, in a thread with a loop of its own."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.aexecute(job))
        return _in_thread(self.aexecute(job))

    async def aexecute(self, job: Job) -> Result:
        """Run a job to its end in the running event loop."""
        return await self._run(job, self._observers)

    async def stream(self, job: Job) -> AsyncIterator[Event]:
        """Run a job and give its events as they happen; leaving the iteration early cancels the run."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        task = asyncio.create_task(self._run(job, (*self._observers, queue.put_nowait)))
        task.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            await task
        finally:
            await _end([task])

    def interrupt(self) -> None:
        """Ask every run to stop at its next boundary: a model's reasoning is broken off, a tool call is not."""
        for run in tuple(self._running):
            run.interrupt()

    async def _run(self, job: Job, observers: tuple[Observer, ...]) -> Result:
        journal = self._journal()
        if journal.opening is None:
            opening = Opening(execution_id=self._new_id(), task=job.task, config=job.config, setup=self._setup)
            journal.open(opening)
        run = _Run(job, observers, journal, self._clock)
        self._running.add(run)
        try:
            return await run.drive()
        finally:
            self._running.discard(run)
            run.journal.close()


class _Run:
    """One run under way."""

    def __init__(
        self, job: Job, observers: tuple[Observer, ...], journal: Journal, clock: Callable[[], float]
    ) -> None:
        self._job = job
        self._observers = observers
        self.journal = journal
        self._clock = clock
        self._began = clock()
        self._elapsed: float | None = 0.0 if journal.entries else None
        self._id = journal.opened.execution_id
        self._issued = 0
        self._interrupted = False
        self._suspended = False
        self._loop = asyncio.get_running_loop()
        self._handling: dict[asyncio.Task[Frozen], Ledger] = {}

    async def drive(self) -> Result:
        job = self._job
        self._tell(RunStarted(execution_id=self._id, task=job.task, config=job.config, bound=bound(job.config)))
        program = job.program(job.task, job.config, self._id)
        request = next(program)
        while True:
            reply: tuple[Outcome, ...] = ()
            if isinstance(request, Note):
                self._tell(Noted(note=request))
            else:
                reply = await self._issue(request.effects)
            try:
                request = program.send(reply)
            except StopIteration as stop:
                result: Result = stop.value
                break
        if not self._suspended:
            self.journal.end(result)
        self._tell(RunEnded(result=result))
        return result

    def interrupt(self) -> None:
        """Thread-safe: note the wish to stop, and break off what is not inside a tool."""
        self._interrupted = True
        self._loop.call_soon_threadsafe(self._break_off)

    def _break_off(self) -> None:
        for task, ledger in self._handling.items():
            ledger.closed = True
            if not ledger.in_tool:
                task.cancel()

    async def _issue(self, effects: tuple[Effect, ...]) -> tuple[Outcome, ...]:
        first = self._issued
        self._issued += len(effects)
        self._set_clock(range(first, self._issued))
        if len(effects) == 1:
            outcomes: tuple[Outcome, ...] = (await self._handle(first, effects[0]),)
        else:
            outcomes = await self._at_once(first, effects)
        latest = max(outcome.ended for outcome in outcomes)
        if self._elapsed is not None:
            self._elapsed = max(self._elapsed, latest)
        else:
            self._began = min(self._began, self._clock() - latest)  # what comes next begins after all of them
        return outcomes

    async def _at_once(self, first: int, effects: tuple[Effect, ...]) -> tuple[Outcome, ...]:
        handled = [asyncio.create_task(self._handle(number, effect)) for number, effect in enumerate(effects, first)]
        try:
            return tuple(await asyncio.gather(*handled))
        finally:
            await _end(handled)

    def _set_clock(self, numbers: range) -> None:
        """Where a run that is taken up leaves its past, its time goes on: what lay between does not count."""
        if self._elapsed is not None and not self.journal.entries.keys() >= set(numbers):
            self._began, self._elapsed = self._clock() - self._elapsed, None

    async def _handle(self, number: int, effect: Effect) -> Outcome:
        """The outcome that the journal holds, or that the world gives now; then it is in the journal."""
        if number in self.journal.entries:
            outcome = self.journal.entries[number].outcome(effect)
            self._tell(EffectEnded(number=number, effect=effect, outcome=outcome, recorded=True))
            return outcome
        self._tell(EffectStarted(number=number, effect=effect))
        asked = self._clock()
        if number in self.journal.begun:
            outcome = _unknown(effect, self.journal.begun[number], self._now())
        else:
            outcome = await self._answered(number, effect)
        if isinstance(effect, AskUser):
            self._began += self._clock() - asked  # a person's time is not the run's
            outcome = outcome.model_copy(update={"ended": outcome.started})
            if outcome.failure and outcome.failure.kind == "waiting":
                self._suspended, outcome = True, waiting(effect)
        if not self._suspended:
            self.journal.append(Entry.of(number, effect, outcome))
        self._tell(EffectEnded(number=number, effect=effect, outcome=outcome))
        return outcome

    async def _answered(self, number: int, effect: Effect) -> Outcome:
        started = self._now()
        ledger = Ledger(effect.allowance, self._clock, self._id, lambda tool: self.journal.begin(number, tool))
        handler = cast("Handler[Effect, Frozen]", getattr(self._job.modules, effect.phase))
        value, failure = None, None
        with charging(ledger):
            task = asyncio.ensure_future(_answer(handler, effect))
        self._handling[task] = ledger
        try:
            value = await task
        except asyncio.CancelledError:
            if not (self._interrupted and task.cancelled()):
                task.cancel()
                raise
            failure = _BROKEN_OFF
        except JournalError:
            raise  # what cannot be kept must not go on
        except Exception as error:  # noqa: BLE001 - a third party's handler may raise anything: here it becomes a failure
            failure = _of_its_time(_failed(effect, error), ledger)
        finally:
            del self._handling[task]
        return Outcome(
            value=value, failure=failure, usage=ledger.spent,
            started=started, ended=max(started, self._now()), interrupted=self._interrupted,
        )  # fmt: skip

    def _now(self) -> float:
        return round(max(0.0, self._clock() - self._began), 6)

    def _tell(self, event: Event) -> None:
        for observer in self._observers:
            observer(event)


def _failed(effect: Effect, error: Exception) -> Failure:
    """The typed failure, with the question that it raises, if any."""
    failure = failure_of(error)
    if failure.kind == "waiting" and not isinstance(effect, AskUser):
        return failure.model_copy(update={"kind": "handler"})  # only a question can wait for its answer
    if failure.kind != "unknown" or not isinstance(effect, ExecuteStep):
        return failure
    return failure.model_copy(update={"question": _whether_done(effect, failure.message)})


def _unknown(effect: Effect, tool: str, now: float) -> Outcome:
    """The outcome of an effect that had called a tool, which changes the world, when the process ended."""
    message = f"{tool} had been called when the process ended, and whether it was done is not known"
    question = _whether_done(effect, message) if isinstance(effect, ExecuteStep) else None
    failure = Failure(kind="unknown", message=message, question=question)
    return Outcome(failure=failure, usage=Usage(tool_calls=1), started=now, ended=now)


def _whether_done(effect: ExecuteStep, message: str) -> Question:
    step = f"step {effect.step.id} ({effect.step.description})"
    return Question(text=f"{step}: {message}. Was it done?", options=("done", "repeat", "stop"))


def _of_its_time(failure: Failure, ledger: Ledger) -> Failure:
    """The failure, seen for what it is where the run was asked to stop, or its time is what ran out."""
    if ledger.closed and failure.kind == "allowance":
        return _BROKEN_OFF
    if failure.kind == "endpoint" and ledger.seconds_left() == 0:
        return Failure(kind="allowance", limit="seconds", message=f"the time for this step is over: {failure.message}")
    return failure


async def _end(tasks: Sequence[asyncio.Task[T]]) -> None:
    """Cancel what is still running, and wait until it has ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _answer(handler: Handler[Effect, Frozen], effect: Effect) -> Frozen:
    value = await handler(effect)
    if not isinstance(value, effect.result):
        got, wanted = type(value).__name__, effect.result.__name__
        raise TypeError(f"the handler of '{effect.phase}' returned {got}, not {wanted}")
    return effect.result.model_validate_json(value.model_dump_json())  # as a journal gives it back, or a failure now


def failure_of(error: Exception) -> Failure:
    """The typed failure for what a handler raised."""
    text = str(error).encode(errors="backslashreplace").decode()
    message = " ".join(text.split()) or type(error).__name__
    match error:
        case AllowanceExhausted():
            return Failure(kind="allowance", message=message, limit=error.limit)
        case ModelError() | WeightsError() | MissingExtraError() | InputFileError():
            return Failure(kind="endpoint", message=message)
        case OutcomeUnknown():
            return Failure(kind="unknown", message=message)
        case Waiting():
            return Failure(kind="waiting", message=message)
        case CompletionError():
            return Failure(kind="completion", message=message)
        case ToolError():
            return Failure(kind="tool", message=message)
        case AeonError():
            return Failure(kind="handler", message=message)
        case _:
            return Failure(kind="handler", message=f"{type(error).__name__}: {message}")


def _in_thread(coroutine: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end in a thread with an event loop of its own."""
    outcome: list[T] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(asyncio.run(coroutine))
        except BaseException as error:  # noqa: BLE001 - handed to the calling thread, whatever it is
            raised.append(error)

    thread = threading.Thread(target=work, name="aeon-run", daemon=True)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return outcome[0]
