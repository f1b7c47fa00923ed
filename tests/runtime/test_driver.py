"""The driver on a real event loop: batches, failures, interrupts, events, and many runs at once."""

from __future__ import annotations

import asyncio
import gc
import logging
import weakref
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest
from kernel.world import NOT_YET, World, add, step

from aeon import errors
from aeon.kernel.passes import MULTIPASS
from aeon.multipass.effects import ExecuteStep
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import EffectEnded, EffectStarted, Event, RunEnded
from aeon.runtime.failures import failure_of
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import Ledger, current_ledger
from aeon.runtime.replay import replay
from aeon.runtime.stream import RunStream
from aeon.schema import (
    Allowance,
    Answer,
    Budget,
    Conclusion,
    Config,
    Failure,
    Plan,
    Question,
    Result,
    Step,
    StepResult,
    Usage,
    Value,
)
from aeon.schema.effects import AskUser, Effect
from runtime.handlers import TASK, job

PATIENCE = 20  # seconds; only a run that hangs ever waits for so long


async def within(awaitable: Awaitable[object]) -> object:
    return await asyncio.wait_for(awaitable, PATIENCE)


def drive(driver: AsyncDriver, *args: object, **kwargs: object) -> object:
    return asyncio.run(within(driver.aexecute(job(*args, **kwargs))))  # type: ignore[arg-type]


def family(root: type[errors.AeonError]) -> list[type[errors.AeonError]]:
    return [root, *(error for child in root.__subclasses__() for error in family(child))]


@pytest.mark.requirement("K4")
def test_the_steps_of_a_batch_run_at_once() -> None:
    """Two steps that each wait for the other both complete."""
    here, there = asyncio.Event(), asyncio.Event()

    async def execute(effect: ExecuteStep) -> StepResult:
        mine, other = (here, there) if effect.step.id == "a" else (there, here)
        mine.set()
        await other.wait()
        return StepResult(output=effect.step.id)

    result = drive(AsyncDriver(), World((step("a"), step("b"))), execute=execute)
    assert [s.output for s in result.history.passes[0].executed] == ["a", "b"]


@pytest.mark.requirement("K4", "K3")
def test_outcomes_keep_the_order_of_the_batch_whoever_ends_first() -> None:
    """The last step ends first, and each output still belongs to its step."""
    ended = {name: asyncio.Event() for name in "abc"}

    async def execute(effect: ExecuteStep) -> StepResult:
        later = {"a": "b", "b": "c"}.get(effect.step.id)
        if later:
            await ended[later].wait()
        ended[effect.step.id].set()
        return StepResult(output=effect.step.id)

    seen: list[Event] = []
    world = World((step("a"), step("b"), step("c")))
    result = drive(AsyncDriver([seen.append]), world, execute=execute)
    finished = [e.effect.step.id for e in seen if isinstance(e, EffectEnded) and isinstance(e.effect, ExecuteStep)]
    assert finished == ["c", "b", "a"]
    assert [(s.id, s.output) for s in result.history.passes[0].executed] == [("a", "a"), ("b", "b"), ("c", "c")]


KINDS = {
    errors.ModelError: "request",
    errors.ServerBroken: "endpoint",
    errors.EndpointUnreachable: "endpoint",
    errors.EndpointMoved: "endpoint",
    errors.FieldRefused: "endpoint",
    errors.EndpointRejected: "endpoint",
    errors.NotPermitted: "endpoint",
    errors.ModelNotFound: "endpoint",
    errors.CassetteMiss: "endpoint",
    errors.WeightsError: "endpoint",
    errors.InputFileError: "endpoint",
    errors.MissingExtraError: "endpoint",
    errors.CompletionError: "completion",
    errors.ToolError: "tool",
    errors.OutcomeUnknown: "unknown",
    errors.JournalError: "journal",
}
STEP = ExecuteStep(task=TASK, step=step("s1"))


def failed(error: Exception) -> Failure:
    """The failure of a step whose handler raised this."""
    return failure_of(error, STEP, Ledger(Allowance(calls=1)))


@pytest.mark.requirement("J7", "K13")
@pytest.mark.parametrize(
    ("error", "kind"),
    [(e, kind) for root, kind in KINDS.items() for e in family(root) if KINDS.get(e, kind) == kind],
    ids=lambda v: getattr(v, "__name__", v),
)
def test_each_family_of_errors_becomes_its_kind_of_failure(error: type[errors.AeonError], kind: str) -> None:
    """The failure carries the message on one line."""
    failure = failed(error("went\n  wrong"))
    assert (failure.kind, failure.message, failure.limit) == (kind, "went wrong", None)


@pytest.mark.requirement("K9", "J7")
@pytest.mark.parametrize("limit", ["calls", "tokens", "seconds", "cost"])
def test_an_exhausted_allowance_names_its_limit(limit: str) -> None:
    """The kernel learns which budget it was."""
    failure = failed(errors.AllowanceExhausted(limit, "no more"))  # type: ignore[arg-type]
    assert (failure.kind, failure.limit) == ("allowance", limit)


@pytest.mark.requirement("J7")
@pytest.mark.parametrize("error", [errors.AeonError, errors.UsageError, errors.ConfigError, errors.EngineError])
def test_other_errors_of_aeon_are_failures_of_the_handler(error: type[errors.AeonError]) -> None:
    """Their text is for people already."""
    assert (failed(error("no")).message, failed(error("no")).kind) == ("no", "handler")


@pytest.mark.requirement("O6", "X5")
def test_only_a_question_can_wait_for_its_answer() -> None:
    """Where another handler says that it waits, it has failed."""
    question = AskUser(task=TASK, question=Question(text="Which year?"))
    assert failure_of(errors.Waiting("when?"), question, Ledger(Allowance(calls=0))).kind == "waiting"
    assert failed(errors.Waiting("when?")).kind == "handler"


@pytest.mark.requirement("J7", "K13")
def test_whatever_a_handler_raises_becomes_a_failure_of_its_step() -> None:
    """A bug in a module names its exception and does not end the run."""

    async def execute(effect: ExecuteStep) -> StepResult:
        raise ValueError("a bug")

    result = drive(AsyncDriver(), World(), execute=execute)
    assert result.history.passes[0].executed[0].problem == "ValueError: a bug"
    assert result.answer == "the answer"


@pytest.mark.requirement("J7", "K13")
@pytest.mark.parametrize("wrong", ["text", None, Answer(text="x")])
def test_a_value_of_the_wrong_type_is_a_failure_of_the_handler(wrong: object) -> None:
    """The message names the handler, what it returned and what it should have."""

    async def execute(effect: Effect) -> object:
        return wrong

    result = drive(AsyncDriver(), World(), execute=execute)
    problem = result.history.passes[0].executed[0].problem
    assert problem == f"TypeError: the handler of 'execute' returned {type(wrong).__name__}, not StepResult"


@pytest.mark.requirement("H1", "K3")
def test_a_value_that_cannot_be_written_down_is_a_failure_of_the_handler() -> None:
    """A lone surrogate, which no journal could hold, fails its step and not the run."""

    async def execute(effect: Effect) -> StepResult:
        return StepResult(output="\ud800")

    result = drive(AsyncDriver(), World(), execute=execute)
    assert result.history.passes[0].executed[0].status == "failed"
    assert result.model_dump_json()


@pytest.mark.requirement("H1", "K3")
def test_a_step_of_a_plan_that_was_copied_unvalidated_is_refused_now_and_not_when_the_run_is_read_again() -> None:
    """What no journal gives back, however deep it stands in a value, fails the handler; the run can be replayed."""

    async def plan(effect: Effect) -> Plan:
        return Plan(steps=(Step(id="s1", description="Add.").changed(id="NOT AN ID"),))

    journal = Journal()
    result = drive(AsyncDriver(journal=lambda execution_id: journal), World(), plan=plan)
    assert "should match pattern" in result.history.conclusion.degraded[0].message
    assert replay(journal, MULTIPASS).history == result.history


@pytest.mark.requirement("K13")
def test_a_message_that_cannot_be_written_down_is_still_a_failure() -> None:
    """An exception whose text holds a lone surrogate fails its step and not the run."""

    async def execute(effect: Effect) -> StepResult:
        raise ValueError("odd \ud800 name")

    result = drive(AsyncDriver(), World(), execute=execute)
    assert result.history.passes[0].executed[0].status == "failed"
    assert result.model_dump_json()


@pytest.mark.requirement("K9", "K13")
def test_an_interrupt_breaks_off_a_models_reasoning() -> None:
    """The step stays pending, what it had spent is charged, and synthesis still answers."""
    driver = AsyncDriver()

    async def execute(effect: ExecuteStep) -> StepResult:
        current_ledger().charge(Usage(calls=1))
        driver.interrupt()
        await asyncio.Event().wait()
        raise AssertionError("reasoning went on")

    result = drive(driver, World(cost=Usage()), execute=execute)
    assert (result.stop_reason, result.abandoned, result.answer) == ("interrupted", ("s1",), "the answer")
    assert result.usage.calls == 1


@pytest.mark.requirement("K9")
def test_an_interrupt_never_cuts_off_a_running_tool_call() -> None:
    """The tool ends its work, its step completes, and the run stops at the next boundary."""
    driver = AsyncDriver()
    worked: list[str] = []

    async def execute(effect: ExecuteStep) -> StepResult:
        async with current_ledger().tool_call():
            driver.interrupt()
            for _ in range(5):
                await asyncio.sleep(0)
            worked.append("to the end")
        return StepResult(output=1, mode="tool")

    result = drive(driver, World((step("a"), step("b", "a"))), execute=execute)
    assert worked == ["to the end"]
    assert (result.stop_reason, result.abandoned) == ("interrupted", ("b",))
    assert [s.status for s in result.history.passes[0].executed] == ["complete"]


@pytest.mark.requirement("K9")
def test_after_an_interrupted_tool_call_no_model_is_asked() -> None:
    """The end of a tool call is a boundary: what would begin behind it is left undone, and the step stays pending."""
    driver = AsyncDriver()

    async def execute(effect: ExecuteStep) -> StepResult:
        async with current_ledger().tool_call():
            driver.interrupt()
            await asyncio.sleep(0)
        await current_ledger().admit(Usage(calls=1))
        raise AssertionError("a model was asked")

    result = drive(driver, World(), execute=execute)
    assert (result.stop_reason, result.abandoned) == ("interrupted", ("s1",))


@pytest.mark.requirement("K9", "K13")
def test_a_call_that_the_seconds_cut_off_is_no_dead_endpoint() -> None:
    """Where the run's time ran out under a model call, that is the reason, and the answer is still written."""
    now = [0.0]

    async def execute(effect: ExecuteStep) -> StepResult:
        now[0] += 9
        raise errors.EndpointTimeout("no whole answer within the deadline")

    config = Config(budget=Budget(seconds=10))
    driver = AsyncDriver(clock=lambda: now[0])
    result = drive(driver, World(cost=Usage()), config=config, execute=execute)
    assert (result.stop_reason, result.abandoned, result.answer) == ("seconds_exhausted", ("s1",), "the answer")


@pytest.mark.requirement("K9")
def test_an_interrupt_leaves_later_runs_alone() -> None:
    """It is for the runs under way."""
    driver = AsyncDriver()
    driver.interrupt()
    assert drive(driver, World()).stop_reason == "converged"


class _Opening:
    """Keeps lines, and asks for an interrupt while the first one is being written."""

    def __init__(self, interrupt: Callable[[], None]) -> None:
        self.interrupt = interrupt
        self.lines: list[bytes] = []

    async def append(self, line: bytes) -> None:
        await asyncio.sleep(0)
        if not self.lines:
            self.interrupt()
        self.append_now(line)

    def append_now(self, line: bytes) -> None:
        self.lines.append(line)

    def close(self) -> None:
        pass


@pytest.mark.requirement("K9")
@pytest.mark.parametrize("named", [None, "one", "another"])
def test_an_interrupt_while_the_journal_is_opened_stops_the_run(named: str | None) -> None:
    """The run is not under way yet, and hears of it when it begins; one for another run is none of its."""
    store = _Opening(lambda: driver.interrupt(named))
    driver = AsyncDriver(journal=lambda _: Journal(store=store), new_id=lambda: "one")
    result = drive(driver, World())
    assert isinstance(result, Result)
    assert result.stop_reason == ("converged" if named == "another" else "interrupted")


@pytest.mark.requirement("H1")
def test_a_stream_gives_the_events_in_order_and_then_the_result() -> None:
    """Start, each effect's start and end, notes, and the end with the conclusion; the record is in the result alone."""

    async def collect() -> tuple[list[Event], Result]:
        stream = AsyncDriver().stream(job(World()))
        with pytest.raises(RuntimeError, match="the run has not ended yet"):
            _ = stream.result
        return [event async for event in stream], stream.result

    events, result = asyncio.run(collect())
    types = [event.type for event in events]
    assert types[:3] == ["run_started", "effect_started", "effect_ended"]
    assert types[-1] == "run_ended"
    assert [e.number for e in events if isinstance(e, EffectEnded)] == list(range(7))
    assert types.count("effect_started") == 7
    assert "noted" in types
    last = events[-1]
    assert isinstance(last, RunEnded) and type(last.conclusion) is Conclusion
    assert last.conclusion == Conclusion(**{name: getattr(result, name) for name in Conclusion.model_fields})
    assert isinstance(result, Result) and len(result.history.passes) == 1
    assert "history" not in last.model_dump_json()


@pytest.mark.requirement("K9", "O3")
@pytest.mark.parametrize("how", ["break", "cancel"])
def test_leaving_a_stream_that_is_to_continue_does_not_end_its_run(tmp_path: Path, how: str) -> None:
    """Whether the reader breaks off or is cancelled: the run ends by itself, and its journal is whole."""
    path, world = tmp_path / "run.jsonl", World()
    driver = AsyncDriver(journal=lambda execution_id: Journal(path))

    async def read(stream: RunStream[Result]) -> None:
        async for event in stream:
            if isinstance(event, EffectStarted) and event.number == 1:
                if how == "break":
                    break
                await asyncio.Event().wait()

    async def go() -> Result:
        stream = driver.stream(job(world), on_leave="continue")
        reader = asyncio.create_task(read(stream))
        while len(world.effects) < 2:
            await asyncio.sleep(0)
        if how == "cancel":
            reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
        await stream.aclose()
        while True:
            with suppress(RuntimeError):
                return stream.result
            await asyncio.sleep(0.001)

    result = asyncio.run(within(go()))
    assert (result.stop_reason, world.phases[-1]) == ("converged", "synthesize")
    assert replay(Journal.read(path), MULTIPASS) == result


@pytest.mark.requirement("K9", "O3")
def test_leaving_a_stream_interrupts_its_run() -> None:
    """The handler under way is broken off, and the run still ends in an answer, and in its journal."""
    ended: list[str] = []
    journal = Journal()

    async def plan(effect: Effect) -> Value:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("plan")
        raise AssertionError

    async def leave() -> Result:
        driver = AsyncDriver(journal=lambda execution_id: journal)
        async with driver.stream(job(World(), plan=plan)) as stream:
            async for event in stream:
                if isinstance(event, EffectStarted) and event.number == 1:
                    break
        return stream.result

    result = asyncio.run(within(leave()))
    assert (ended, result.stop_reason, result.answer) == (["plan"], "interrupted", "the answer")
    assert journal.ended is not None and journal.ended.stop_reason == "interrupted"


@pytest.mark.requirement("K9", "O3")
@pytest.mark.parametrize("how", ["break", "cancel"])
def test_a_loop_over_a_stream_that_is_left_interrupts_the_run(how: str) -> None:
    """No other word is needed: the loop is left, and the run ends in an answer."""
    phases: list[str] = []

    async def plan(effect: Effect) -> Value:
        await asyncio.Event().wait()
        raise AssertionError

    async def read(stream: RunStream[Result]) -> None:
        async for event in stream:
            if isinstance(event, EffectStarted):
                phases.append(event.effect.phase)
                if event.number == 1 and how == "break":
                    return

    async def go() -> Result:
        stream = AsyncDriver().stream(job(World(), plan=plan))
        reader = asyncio.create_task(read(stream))
        while "plan" not in phases:
            await asyncio.sleep(0)
        if how == "cancel":
            reader.cancel()
        while True:
            with suppress(RuntimeError):
                return stream.result
            await asyncio.sleep(0)

    result = asyncio.run(within(go()))
    assert (result.stop_reason, result.answer) == ("interrupted", "the answer")


@pytest.mark.requirement("K9", "O3")
@pytest.mark.parametrize("leaving", ["loop", "block", "first event"])
def test_nothing_is_done_for_a_stream_that_was_left(leaving: str) -> None:
    """Five things are to be booked: whoever leaves after the first, or before the run has begun, books no other."""
    booked: list[str] = []

    async def book(effect: ExecuteStep) -> StepResult:
        booked.append(effect.step.id)
        await asyncio.sleep(0)
        return StepResult(output=1)

    async def leave() -> Result:
        chain = Plan(steps=tuple(step(f"s{n}", *([f"s{n - 1}"] if n else [])) for n in range(5)))
        stream = AsyncDriver().stream(job(World(plan=chain), execute=book))
        if leaving == "first event":
            reader = asyncio.ensure_future(anext(stream))
            await asyncio.sleep(0)
            reader.cancel()
            await stream.aclose()
        elif leaving == "loop":
            async for event in stream:
                if isinstance(event, EffectEnded) and event.effect.phase == "execute":
                    break
            await asyncio.sleep(0.05)
            result = stream.result  # nobody has closed it
            await stream.aclose()
            assert stream.result == result
        else:
            async with stream:
                while not booked:
                    await anext(stream)
        return stream.result

    result = asyncio.run(within(leave()))
    assert booked == ([] if leaving == "first event" else ["s0"]), booked
    assert result.stop_reason == "interrupted"


@pytest.mark.requirement("K9")
def test_one_of_two_runs_of_a_driver_is_interrupted_and_the_other_is_not() -> None:
    """An interrupt may name its run; without a name it is for all that are under way."""
    ids = iter(["one", "two", "three", "four"])
    driver = AsyncDriver(new_id=lambda: next(ids))
    gate, waiting = asyncio.Event(), []

    async def execute(effect: ExecuteStep) -> StepResult:
        waiting.append(effect)
        await gate.wait()
        return StepResult(output=1)

    async def two(*names: str) -> list[str]:
        waiting.clear()
        gate.clear()
        runs = [asyncio.create_task(driver.aexecute(job(World(), execute=execute))) for _ in range(2)]
        while len(waiting) < 2:
            await asyncio.sleep(0)
        for name in names:
            driver.interrupt(name)
        if not names:
            driver.interrupt()
        while names and not any(run.done() for run in runs):
            await asyncio.sleep(0)
        gate.set()
        return [result.stop_reason for result in await asyncio.gather(*runs)]

    async def go() -> None:
        assert await two("two", "unknown") == ["own_knowledge", "interrupted"]
        assert await two() == ["interrupted", "interrupted"]

    asyncio.run(within(go()))


@pytest.mark.requirement("K13", "O3")
def test_an_observer_that_raises_is_told_nothing_more_and_the_run_continues(caplog: pytest.LogCaptureFixture) -> None:
    """The other observers are told everything, and a warning says which event it was."""
    told: list[str] = []
    others: list[str] = []

    def broken(event: Event) -> None:
        told.append(event.type)
        if event.type == "effect_ended":
            raise RuntimeError("observer broke")

    driver = AsyncDriver([broken, lambda event: others.append(event.type)])
    with caplog.at_level(logging.WARNING, "aeon"):
        result = drive(driver, World())
    assert result.stop_reason == "converged"
    assert told == ["run_started", "effect_started", "effect_ended"]
    assert others.count("effect_ended") == 7 and others[-1] == "run_ended"
    (warning,) = caplog.records
    assert warning.getMessage() == "an observer raised at effect_ended and is told nothing more"
    assert warning.exc_info and str(warning.exc_info[1]) == "observer broke"


@pytest.mark.requirement("K13")
def test_a_stream_raises_what_its_run_raises(tmp_path: Path) -> None:
    """Where the journal cannot be begun there is no run; the reader of the stream learns it."""
    driver = AsyncDriver(journal=lambda execution_id: Journal(tmp_path / "gone" / "run.jsonl"))

    async def collect() -> None:
        async for _ in driver.stream(job(World())):
            raise AssertionError("an event of a run that is none")

    with pytest.raises(errors.InputFileError, match="cannot be written: No such file"):
        asyncio.run(collect())


class Gone(BaseException):
    """What no run survives."""


@pytest.mark.requirement("K13")
def test_where_one_of_a_batch_breaks_the_run_the_others_are_ended() -> None:
    """No handler is left running behind a run that has raised."""
    ended: list[str] = []

    async def execute(effect: ExecuteStep) -> StepResult:
        if effect.step.id == "a":
            raise Gone
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(effect.step.id)
        raise AssertionError

    async def go() -> None:
        with pytest.raises(Gone):
            await AsyncDriver().aexecute(job(World((step("a"), step("b"))), execute=execute))
        assert ended == ["b"]

    asyncio.run(go())


@pytest.mark.requirement("K13")
def test_execute_works_with_and_without_a_running_loop() -> None:
    """A script and a notebook cell call the same function."""
    driver = AsyncDriver()

    async def cell() -> str:
        return driver.execute(job(World())).answer

    assert driver.execute(job(World())).answer == "the answer"
    assert asyncio.run(cell()) == "the answer"


@pytest.mark.requirement("K13")
def test_execute_in_a_running_loop_raises_what_the_run_raises() -> None:
    """The thread that it runs in hides nothing."""

    async def profile(effect: Effect) -> Value:
        raise Gone

    async def cell() -> None:
        AsyncDriver().execute(job(World(), profile=profile))

    with pytest.raises(Gone):
        asyncio.run(cell())


@pytest.mark.requirement("K3", "K9")
def test_many_runs_at_once_on_one_driver_do_not_touch_each_other() -> None:
    """Each of fifty runs has its own id, usage, outputs and journal."""
    ids = iter(range(50))
    driver = AsyncDriver(new_id=lambda: f"run-{next(ids)}")

    def world(n: int) -> World:
        grow = {"assess": NOT_YET, "refine_plan": lambda _, k: add(step(f"more{k}"))} if n % 2 else {}
        return World((step(f"only{n}"),), cost=Usage(calls=1, prompt_tokens=n), **grow)

    async def go() -> list[object]:
        return await asyncio.gather(*(driver.aexecute(job(world(n), Config(max_passes=2))) for n in range(50)))

    results = asyncio.run(go())
    assert {r.history.execution_id for r in results} == {f"run-{n}" for n in range(50)}
    for n, result in enumerate(results):
        assert result.history.passes[0].executed[0].output == f"out of only{n}"
        assert result.usage.prompt_tokens == n * result.usage.calls
        assert result.passes == 1 + n % 2


@pytest.mark.requirement("X1")
def test_a_run_that_is_over_leaves_nothing_for_the_garbage_collector() -> None:
    """Its memory is free at once: thousands of runs in one process hold no more than those under way."""

    async def go() -> bool:
        journals: list[weakref.ref[Journal]] = []

        def journal(execution_id: str) -> Journal:
            made = Journal()
            journals.append(weakref.ref(made))
            return made

        await AsyncDriver([lambda event: None], journal=journal).aexecute(job(World((step("a"), step("b")))))
        await asyncio.sleep(0)
        return journals[0]() is None

    gc.disable()
    try:
        assert asyncio.run(within(go()))
    finally:
        gc.enable()


@pytest.mark.requirement("K9", "K3")
def test_a_clock_that_jumps_gives_no_negative_times() -> None:
    """Whatever the clock says, nothing ends before it began or before the run did."""
    readings = iter([1e9, 1e9 - 4e7, 1e9 + 4e7, 5.0] * 90)
    result = drive(AsyncDriver(clock=lambda: next(readings)), World())
    timings = [*result.history.preparation.timings, *result.history.passes[0].timings]
    assert all(0 <= t.started <= t.ended for t in timings)
