"""The driver: steps a program, has its effects handled at once, keeps the clock and the journal, tells observers."""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from typing import TypeVar

from aeon.errors import (
    AeonError, AllowanceExhausted, CompletionError, InputFileError, JournalError, MissingExtraError, ModelError,
    OutcomeUnknown, ToolError, Waiting, WeightsError,
)  # fmt: skip
from aeon.kernel.budget import bound
from aeon.kernel.effects import AskUser, Batch, Effect, ExecuteStep
from aeon.kernel.ports import Handler, Job
from aeon.runtime.events import EffectEnded, EffectStarted, Event, Noted, Observer, RunEnded, RunStarted
from aeon.runtime.journal import Journal, Opening
from aeon.runtime.ledger import Ledger
from aeon.runtime.order import after, awaited
from aeon.runtime.replay import waiting
from aeon.schema import Failure, JsonObject, Outcome, Question, Result, Usage, Value

__all__ = ["AsyncDriver", "failure_of"]

T = TypeVar("T")

_LARGE = 1 << 53
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
            return _run_whole(self.aexecute(job))
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
    """One run under way.

    Its time is that of its effects: one begins, for the run, when those before it, or the steps that it builds on, have
    ended. So a run that is taken up goes on where its past left it, and neither the pause nor a person's time counts.
    """

    __slots__ = (
        "_clock", "_elapsed", "_handling", "_id", "_interrupted", "_issued", "_job", "_loop", "_observers",
        "_suspended", "journal",
    )  # fmt: skip

    def __init__(self, job: Job, observers: tuple[Observer, ...], journal: Journal, clock: Callable[[], float]) -> None:
        self._job = job
        self._observers = observers
        self.journal = journal
        self._clock = clock
        self._elapsed = 0.0
        self._id = journal.opened.execution_id
        self._issued = 0
        self._interrupted = False
        self._suspended = False
        self._loop = asyncio.get_running_loop()
        self._handling: dict[asyncio.Task[object], Ledger] = {}

    async def drive(self) -> Result:
        job = self._job
        if self._observers:
            self._tell(RunStarted(execution_id=self._id, task=job.task, config=job.config, bound=bound(job.config)))
        program = job.program(job.task, job.config, self._id)
        request = next(program)
        while True:
            reply: tuple[Outcome, ...] = ()
            if isinstance(request, Batch):
                reply = await self._issue(request.effects)
            elif self._observers:
                self._tell(Noted(note=request))
            try:
                request = program.send(reply)
            except StopIteration as stop:
                result: Result = stop.value
                break
        if not self._suspended:
            self.journal.end(result)
        if self._observers:
            self._tell(RunEnded(result=result))
        return result

    def interrupt(self) -> None:
        """Thread-safe: note the wish to stop, and break off what is not inside a tool."""
        self._interrupted = True
        self._loop.call_soon_threadsafe(self._break_off)

    def _break_off(self) -> None:
        for task, ledger in self._handling.items():
            ledger.closed = True
            if not ledger.in_tool and not ledger.broken_off:
                ledger.broken_off = True
                task.cancel()

    async def _issue(self, effects: tuple[Effect, ...]) -> tuple[Outcome, ...]:
        first = self._issued
        self._issued += len(effects)
        if len(effects) == 1:
            outcomes = [await self._handle(first, effects[0], ())]
        else:
            outcomes = await self._at_once(first, effects)
        self._elapsed = max(self._elapsed, *(outcome.ended for outcome in outcomes))
        return tuple(outcomes)

    async def _at_once(self, first: int, effects: tuple[Effect, ...]) -> list[Outcome]:
        """Each effect as soon as the steps of the batch that it awaits, which come before it, have their outcomes."""
        handled: list[asyncio.Task[Outcome]] = []
        steps: dict[str, asyncio.Task[Outcome]] = {}
        for number, effect in enumerate(effects, first):
            before = tuple([steps[name] for name in awaited(effect)])
            task = asyncio.create_task(self._handle(number, effect, before))
            handled.append(task)
            if isinstance(effect, ExecuteStep):
                steps[effect.step.id] = task
        try:
            return await asyncio.gather(*handled)
        except BaseException:
            await _end(handled)
            raise

    async def _handle(self, number: int, effect: Effect, before: Sequence[asyncio.Task[Outcome]]) -> Outcome:
        """The outcome that the journal holds, or that the world gives now; then it is in the journal."""
        now, failure = self._elapsed, None
        if before:
            now, effect, failure = await self._ready(effect, before)
        if (known := self.journal.outcome(number, effect)) is not None:
            self._tell_end(number, effect, known, recorded=True)
            return known
        if failure:
            outcome = Outcome(failure=failure, started=now, ended=now, interrupted=self._interrupted)
        else:
            if self._observers:
                self._tell(EffectStarted(number=number, effect=effect))
            begun = self.journal.begun.get(number)
            outcome = _unknown(effect, begun, now) if begun else await self._answered(number, effect, now)
            if isinstance(effect, AskUser):
                outcome = self._by_a_person(effect, outcome)
        if not self._suspended:
            self.journal.append(number, effect, outcome)
        self._tell_end(number, effect, outcome)
        return outcome

    async def _ready(
        self, effect: Effect, before: Sequence[asyncio.Task[Outcome]]
    ) -> tuple[float, Effect, Failure | None]:
        """When the effect can begin, with what it awaited; or why it cannot be done."""
        await asyncio.wait(before)
        outcomes = [task.result() for task in before]
        effect, failure = after(effect, outcomes)
        return max(outcome.ended for outcome in outcomes), effect, _BROKEN_OFF if self._interrupted else failure

    async def _begin(self, number: int, tool: str) -> None:
        self.journal.begin(number, tool)

    async def _answered(self, number: int, effect: Effect, now: float) -> Outcome:
        ledger = Ledger(effect.allowance, self._clock, self._id, self._begin, now - self._elapsed, number)
        handler: Handler[Effect, Value] = getattr(self._job.modules, effect.phase)
        value, failure = None, None
        task = asyncio.current_task()
        assert task is not None
        self._handling[task] = ledger
        began = self._clock()
        try:
            with ledger:
                value = _kept(effect, await handler(effect))
        except asyncio.CancelledError:
            if not ledger.broken_off or task.cancelling() > 1:
                raise
            failure = _BROKEN_OFF
        except JournalError:
            raise  # what cannot be kept must not go on
        except Exception as error:  # noqa: BLE001 - a third party's handler may raise anything: here it becomes a failure
            failure = _of_its_time(_failed(effect, error), ledger)
        finally:
            del self._handling[task]
            if ledger.broken_off:
                task.uncancel()
        return Outcome.made(
            value=value, failure=failure, usage=ledger.spent, started=now,
            ended=round(now + max(0.0, self._clock() - began), 6), interrupted=self._interrupted,
        )  # fmt: skip

    def _by_a_person(self, effect: AskUser, outcome: Outcome) -> Outcome:
        """The outcome of a question: the time that a person took does not count; where it still waits, the run does."""
        if outcome.failure and outcome.failure.kind == "waiting":
            self._suspended = True
            return waiting(effect)
        return outcome.changed(ended=outcome.started)

    def _tell_end(self, number: int, effect: Effect, outcome: Outcome, recorded: bool = False) -> None:
        if self._observers:
            self._tell(EffectEnded(number=number, effect=effect, outcome=outcome, recorded=recorded))

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


def _kept(effect: Effect, value: Value) -> Value:
    """The value as a journal gives it back, or an error now."""
    kind = effect.result
    if not isinstance(value, kind):
        raise TypeError(f"the handler of '{effect.phase}' returned {type(value).__name__}, not {kind.__name__}")
    if type(value) is kind and value.all_fields(_plain):
        return value.checked()
    return kind.model_validate_json(value.model_dump_json())


def _plain(value: object) -> bool:
    """Whether JSON surely gives it back as it is, and nobody can change it: no list or object, no unusual text.

    Raises:
        pydantic.ValidationError: it is a value, or holds one, whose fields are not what they must be.
    """
    check = _PLAIN.get(type(value))
    return check(value) if check else isinstance(value, Value) and value.checked().all_fields(_plain)


def _small(number: float) -> bool:
    return -_LARGE < number < _LARGE


_PLAIN: dict[type, Callable[..., bool]] = {
    str: str.isascii,
    bool: lambda _: True,
    type(None): lambda _: True,
    int: _small,
    float: _small,
    tuple: lambda some: all(map(_plain, some)),
}


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


def _run_whole(coroutine: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end in a new event loop.

    Its result is kept from ``asyncio.run``, which at its end has the whole task, and with it the result, told as text.
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
