"""The driver on a real event loop: batches, failures, interrupts, events, and many runs at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import pytest

from aeon import errors
from aeon.kernel.effects import Effect
from aeon.multipass.effects import ExecuteStep
from aeon.runtime.driver import AsyncDriver, failure_of
from aeon.runtime.events import EffectEnded, Event
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import current_ledger
from aeon.runtime.replay import replay
from aeon.schema import Answer, Budget, Config, Frozen, Plan, Step, StepResult, Usage
from kernel.world import NOT_YET, World, add, step
from runtime.handlers import job

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
    errors.ModelError: "endpoint", errors.WeightsError: "endpoint", errors.InputFileError: "endpoint",
    errors.MissingExtraError: "endpoint", errors.CompletionError: "completion", errors.ToolError: "tool",
    errors.OutcomeUnknown: "unknown", errors.Waiting: "waiting",
}  # fmt: skip


@pytest.mark.requirement("J7", "K13")
@pytest.mark.parametrize(
    ("error", "kind"),
    [(e, kind) for root, kind in KINDS.items() for e in family(root) if KINDS.get(e, kind) == kind],
    ids=lambda v: getattr(v, "__name__", v),
)
def test_each_family_of_errors_becomes_its_kind_of_failure(error: type[errors.AeonError], kind: str) -> None:
    """The failure carries the message on one line."""
    failure = failure_of(error("went\n  wrong"))
    assert (failure.kind, failure.message, failure.limit) == (kind, "went wrong", None)


@pytest.mark.requirement("K9", "J7")
@pytest.mark.parametrize("limit", ["calls", "tokens", "seconds", "cost"])
def test_an_exhausted_allowance_names_its_limit(limit: str) -> None:
    """The kernel learns which budget it was."""
    failure = failure_of(errors.AllowanceExhausted(limit, "no more"))  # type: ignore[arg-type]
    assert (failure.kind, failure.limit) == ("allowance", limit)


@pytest.mark.requirement("J7")
@pytest.mark.parametrize("error", [errors.AeonError, errors.UsageError, errors.ConfigError, errors.JournalError])
def test_other_errors_of_aeon_are_failures_of_the_handler(error: type[errors.AeonError]) -> None:
    """Their text is for people already."""
    assert failure_of(error("no")).message == "no"
    assert failure_of(error("no")).kind == "handler"


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
        return StepResult.model_construct(output="\ud800", clarity="CLEAR", mode="reasoning", problem="", cut=False)

    result = drive(AsyncDriver(), World(), execute=execute)
    assert result.history.passes[0].executed[0].status == "failed"
    assert result.model_dump_json()


@pytest.mark.requirement("H1", "K3")
def test_a_step_of_a_plan_that_was_copied_unvalidated_is_refused_now_and_not_when_the_run_is_read_again() -> None:
    """What no journal gives back, however deep it stands in a value, fails the handler; the run can be replayed."""

    async def plan(effect: Effect) -> Plan:
        return Plan(steps=(Step(id="s1", description="Add.").changed(id="NOT AN ID"),))

    journal = Journal()
    result = drive(AsyncDriver(journal=lambda: journal), World(), plan=plan)
    assert "should match pattern" in result.history.conclusion.degraded[0].message
    assert replay(journal).history == result.history


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


@pytest.mark.requirement("H1")
def test_a_stream_gives_the_events_in_order_and_ends_with_the_result() -> None:
    """Start, each effect's start and end, notes, and the end."""

    async def collect() -> list[Event]:
        return [event async for event in AsyncDriver().stream(job(World()))]

    events = asyncio.run(collect())
    types = [event.type for event in events]
    assert types[:3] == ["run_started", "effect_started", "effect_ended"]
    assert types[-1] == "run_ended"
    assert [e.number for e in events if isinstance(e, EffectEnded)] == list(range(7))
    assert types.count("effect_started") == 7
    assert "noted" in types
    assert events[-1].result.answer == "the answer"  # type: ignore[union-attr]


@pytest.mark.requirement("K9")
def test_a_stream_that_is_left_early_ends_its_run() -> None:
    """The handler under way is cancelled and no further effect is issued."""
    ended: list[str] = []
    world = World()

    async def plan(effect: Effect) -> Frozen:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("plan")
        raise AssertionError

    async def leave() -> None:
        stream = AsyncDriver().stream(job(world, plan=plan))
        async for event in stream:
            if event.type == "effect_started" and event.number == 1:
                await asyncio.sleep(0)
                break
        await stream.aclose()  # type: ignore[attr-defined]
        assert ended == ["plan"]

    asyncio.run(leave())
    assert [e.phase for e in world.effects] == ["profile"]


@pytest.mark.requirement("K13")
def test_a_stream_raises_what_its_run_raises() -> None:
    """An observer's error reaches the reader of the stream, after the events before it."""

    def observe(event: Event) -> None:
        if event.type == "effect_ended":
            raise RuntimeError("observer broke")

    async def collect(seen: list[str]) -> None:
        async for event in AsyncDriver([observe]).stream(job(World())):
            seen.append(event.type)

    seen: list[str] = []
    with pytest.raises(RuntimeError, match="observer broke"):
        asyncio.run(collect(seen))
    assert seen == ["run_started", "effect_started"]


@pytest.mark.requirement("K13")
def test_where_one_of_a_batch_breaks_the_run_the_others_are_ended() -> None:
    """No handler is left running behind a run that has raised."""
    ended: list[str] = []

    async def execute(effect: ExecuteStep) -> StepResult:
        if effect.step.id == "a":
            return StepResult(output=1)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(effect.step.id)
        raise AssertionError

    def observe(event: Event) -> None:
        if event.type == "effect_ended" and event.effect.phase == "execute":
            raise RuntimeError("observer broke")

    async def go() -> None:
        with pytest.raises(RuntimeError, match="observer broke"):
            await AsyncDriver([observe]).aexecute(job(World((step("a"), step("b"))), execute=execute))
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

    def observe(event: Event) -> None:
        raise RuntimeError("observer broke")

    async def cell() -> None:
        AsyncDriver([observe]).execute(job(World()))

    with pytest.raises(RuntimeError, match="observer broke"):
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


@pytest.mark.requirement("K9", "K3")
def test_a_clock_that_jumps_gives_no_negative_times() -> None:
    """Whatever the clock says, nothing ends before it began or before the run did."""
    readings = iter([1e9, 1e9 - 4e7, 1e9 + 4e7, 5.0] * 90)
    result = drive(AsyncDriver(clock=lambda: next(readings)), World())
    timings = [*result.history.preparation.timings, *result.history.passes[0].timings]
    assert all(0 <= t.started <= t.ended for t in timings)
