"""The driver: steps a program, has its effects handled at once, keeps the clock and the journal, tells observers."""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from typing import TypeVar, cast

from aeon.errors import (
    AeonError, AllowanceExhausted, CompletionError, InputFileError, MissingExtraError, ModelError, ToolError,
    WeightsError,
)  # fmt: skip
from aeon.kernel.budget import bound
from aeon.kernel.effects import Effect, Note
from aeon.kernel.ports import Handler, Job
from aeon.runtime.events import EffectEnded, EffectStarted, Event, Noted, Observer, RunEnded, RunStarted
from aeon.runtime.journal import Entry, Journal
from aeon.runtime.ledger import Ledger, charging
from aeon.schema import Failure, Frozen, Outcome, Result

__all__ = ["AsyncDriver", "failure_of"]

T = TypeVar("T")

_BROKEN_OFF = Failure(kind="interrupted", message="broken off because the run was asked to stop")


class AsyncDriver:
    """Drives runs on asyncio. One driver serves any number of runs, also at the same time.

    ``observers`` see every event. ``journal`` makes the journal of each run (default: in memory). ``clock`` gives
    seconds that never run backwards; ``new_id`` gives execution ids.
    """

    def __init__(
        self,
        observers: Iterable[Observer] = (),
        journal: Callable[[], Journal] = Journal,
        clock: Callable[[], float] = time.monotonic,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self._observers = tuple(observers)
        self._journal = journal
        self._clock = clock
        self._new_id = new_id
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
        run = _Run(job, observers, self._journal(), self._clock, self._new_id())
        self._running.add(run)
        try:
            return await run.drive()
        finally:
            self._running.discard(run)
            run.journal.close()


class _Run:
    """One run under way."""

    def __init__(
        self, job: Job, observers: tuple[Observer, ...], journal: Journal, clock: Callable[[], float], execution_id: str
    ) -> None:
        self._job = job
        self._observers = observers
        self.journal = journal
        self._clock = clock
        self._began = clock()
        self._id = execution_id
        self._issued = 0
        self._interrupted = False
        self._loop = asyncio.get_running_loop()
        self._handling: dict[asyncio.Task[Frozen], Ledger] = {}

    async def drive(self) -> Result:
        job = self._job
        self.journal.open(job, self._id)
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
        handled = [asyncio.create_task(self._handle(first + n, effect)) for n, effect in enumerate(effects)]
        try:
            return tuple(await asyncio.gather(*handled))
        finally:
            await _end(handled)

    async def _handle(self, number: int, effect: Effect) -> Outcome:
        self._tell(EffectStarted(number=number, effect=effect))
        started = self._now()
        ledger = Ledger(effect.allowance, self._clock)
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
        except Exception as error:  # noqa: BLE001 - a third party's handler may raise anything: here it becomes a failure
            failure = _of_its_time(failure_of(error), ledger)
        finally:
            del self._handling[task]
        outcome = Outcome(
            value=value, failure=failure, usage=ledger.spent,
            started=started, ended=max(started, self._now()), interrupted=self._interrupted,
        )  # fmt: skip
        self.journal.append(Entry.of(number, effect, outcome))
        self._tell(EffectEnded(number=number, effect=effect, outcome=outcome))
        return outcome

    def _now(self) -> float:
        return round(max(0.0, self._clock() - self._began), 6)

    def _tell(self, event: Event) -> None:
        for observer in self._observers:
            observer(event)


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
