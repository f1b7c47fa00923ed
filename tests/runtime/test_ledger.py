"""The ledger: it lets a call begin or says which limit forbids it, and counts whatever was used."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.errors import AllowanceExhausted
from aeon.runtime.ledger import Ledger, current_ledger
from aeon.schema import Allowance, Usage

T = TypeVar("T")
CALL = Usage(calls=1, prompt_tokens=1)


class Clock:
    """A clock that stands still until it is told otherwise."""

    now = 50.0

    def __call__(self) -> float:
        return self.now


async def refused(ledger: Ledger, most: Usage = CALL) -> str | None:
    """The limit that forbids a call; ``None`` where it was admitted, and is under way now."""
    try:
        await ledger.admit(most)
    except AllowanceExhausted as error:
        return error.limit
    return None


def refusal(ledger: Ledger, most: Usage = CALL) -> str | None:
    """The limit that forbids a call, or ``None``; a call that is admitted ends at once and uses nothing."""

    async def work() -> str | None:
        limit = await refused(ledger, most)
        if limit is None:
            ledger.settle(most, Usage())
        return limit

    return asyncio.run(work())


def run(work: Coroutine[object, object, T]) -> T:
    return asyncio.run(work)


@pytest.mark.requirement("K9", "K12")
def test_as_many_calls_begin_as_are_allowed() -> None:
    """The next one is refused for calls."""
    ledger = Ledger(Allowance(calls=2))
    for left in (2, 1):
        assert ledger.calls_left() == left
        assert refusal(ledger) is None
        ledger.charge(Usage(calls=1))
    assert refusal(ledger) == "calls"
    assert ledger.calls_left() == 0


@pytest.mark.requirement("K9", "K12", "K12b")
def test_a_call_begins_only_if_the_most_it_can_take_fits() -> None:
    """What is left in calls and tokens is exact, and without a limit there is none."""
    ledger = Ledger(Allowance(calls=3, tokens=100))
    ledger.charge(Usage(prompt_tokens=30, generated_tokens=10))
    assert ledger.tokens_left() == 60
    assert refusal(ledger, Usage(calls=1, prompt_tokens=40, generated_tokens=20)) is None
    assert refusal(ledger, Usage(calls=1, prompt_tokens=40, generated_tokens=21)) == "tokens"
    assert (refusal(ledger, Usage(calls=3)), refusal(ledger, Usage(calls=4))) == (None, "calls")
    assert Ledger(Allowance(calls=9)).tokens_left() is None
    assert refusal(Ledger(Allowance(calls=9)), Usage(calls=1, prompt_tokens=10**9)) is None


@pytest.mark.requirement("K9")
def test_no_call_begins_after_the_deadline() -> None:
    """Seconds count from the ledger's making, for model calls and for tool calls."""
    clock = Clock()
    ledger = Ledger(Allowance(calls=9, seconds=10), clock)
    clock.now += 9.5
    assert (ledger.seconds_left(), refusal(ledger)) == (0.5, None)
    clock.now += 0.5
    assert (ledger.seconds_left(), refusal(ledger)) == (0.0, "seconds")

    async def tool() -> None:
        with pytest.raises(AllowanceExhausted, match="time for this step is over"):
            async with ledger.tool_call():
                raise AssertionError("the tool ran")

    run(tool())
    assert ledger.spent.tool_calls == 0
    assert Ledger(Allowance(calls=9), clock).seconds_left() is None


@pytest.mark.requirement("J7a", "K9")
@pytest.mark.parametrize("shown", [0.0, 7.15625, -284_018_399.0, 4e8])
@pytest.mark.parametrize("seconds", [1.52188, 2.2875, 1.3453125, 3.05625])
def test_a_deadline_is_met_whatever_the_clock_shows(shown: float, seconds: float) -> None:
    """A call that took all the time that was left leaves none; a clock of years has fewer digits."""
    clock = Clock()
    clock.now = shown
    ledger = Ledger(Allowance(calls=9, seconds=seconds), clock)
    clock.now += 0.015625
    left = ledger.seconds_left()
    assert left is not None and left == round(left, 6) and abs(left + 0.015625 - seconds) < 1e-6
    assert left == Ledger(Allowance(calls=9, seconds=seconds), lambda: 0.0, waited=0.015625).seconds_left()
    clock.now += left
    assert (ledger.seconds_left(), refusal(ledger)) == (0.0, "seconds")


@pytest.mark.requirement("K9", "K12", "O4")
def test_a_call_that_could_cost_more_than_is_left_does_not_begin() -> None:
    """The money is counted before it is spent, so that not even one call goes beyond it."""
    ledger = Ledger(Allowance(calls=9, cost=0.5))
    assert refusal(ledger, Usage(calls=1, cost=0.5)) is None
    assert refusal(ledger, Usage(calls=1, cost=0.51)) == "cost"
    ledger.charge(Usage(cost=0.25))
    assert ledger.cost_left() == 0.25
    assert (refusal(ledger, Usage(calls=1, cost=0.25)), refusal(ledger, Usage(calls=1, cost=0.26))) == (None, "cost")
    assert Ledger(Allowance(calls=9)).cost_left() is None


@pytest.mark.requirement("K12", "K12b")
@pytest.mark.parametrize("limit", ["calls", "tokens", "cost"])
def test_calls_under_way_at_the_same_time_share_what_is_left(limit: str) -> None:
    """What one may use is reserved until it is settled; then what it left over is there for others."""
    ledger = Ledger(Allowance(calls=4, tokens=400, cost=0.5))
    asked = {"calls": Usage(calls=3), "tokens": Usage(calls=1, prompt_tokens=300), "cost": Usage(calls=1, cost=0.3)}
    most = asked[limit]

    async def work() -> tuple[str | None, ...]:
        first, second = await asyncio.gather(refused(ledger, most), refused(ledger, most))
        ledger.settle(most, Usage(calls=1, prompt_tokens=10, cost=0.125))
        return first, second, await refused(ledger, most)

    assert run(work()) == (None, limit, None)
    ledger.settle(most, Usage())
    assert ledger.spent == Usage(calls=1, prompt_tokens=10, cost=0.125)
    assert (ledger.calls_left(), ledger.tokens_left(), ledger.cost_left()) == (3, 390, 0.375)


@pytest.mark.requirement("X5", "K12")
def test_the_most_a_call_can_use_is_noted_before_it_begins() -> None:
    """The note is awaited with the effect's number; while it is written, the call's share is reserved already."""
    notes: list[tuple[int, Usage, int]] = []

    async def note(number: int, most: Usage) -> None:
        await asyncio.sleep(0)
        notes.append((number, most, ledger.calls_left()))

    ledger = Ledger(Allowance(calls=3), number=7, note=note)
    assert refusal(ledger, Usage(calls=2)) is None
    assert notes == [(7, Usage(calls=2), 1)] and ledger.calls_left() == 3
    assert refusal(ledger, Usage(calls=4)) == "calls" and len(notes) == 1


@pytest.mark.requirement("K12")
def test_a_call_whose_note_fails_does_not_begin() -> None:
    """The error reaches the caller, and nothing stays reserved."""

    async def note(number: int, most: Usage) -> None:
        raise OSError("disk full")

    ledger = Ledger(Allowance(calls=3), note=note)
    with pytest.raises(OSError, match="disk full"):
        run(ledger.admit(Usage(calls=2)))
    assert ledger.calls_left() == 3 and ledger.spent == Usage()


@pytest.mark.requirement("K9", "O4")
def test_nothing_begins_once_the_run_was_asked_to_stop() -> None:
    """Neither a model call, not even one whose note was being written, nor a tool call; one that is noted is made."""
    ran: list[str] = []

    async def note(number: int, most: Usage) -> None:
        ledger.closed = True

    async def begin(number: int, tool: str) -> None:
        ledger.closed = True

    async def tool() -> None:
        async with ledger.tool_call("mail"):
            ran.append("mail")

    ledger = Ledger(Allowance(calls=3), note=note, begin=begin)
    assert refusal(ledger) == "seconds" and ledger.calls_left() == 3
    assert refusal(ledger) == "seconds"
    with pytest.raises(AllowanceExhausted, match="asked to stop"):
        run(tool())
    assert ledger.spent == Usage() and not ran
    ledger.closed = False
    run(tool())
    assert ledger.spent == Usage(tool_calls=1) and ran == ["mail"]


@pytest.mark.requirement("K9")
def test_a_tool_call_is_counted_and_marked_while_it_runs() -> None:
    """Also where the tool raises."""
    ledger = Ledger(Allowance(calls=0))

    async def tool() -> None:
        async with ledger.tool_call():
            assert ledger.in_tool
            raise ValueError("tool broke")

    with pytest.raises(ValueError, match="tool broke"):
        run(tool())
    assert not ledger.in_tool
    assert ledger.spent == Usage(tool_calls=1)


@pytest.mark.requirement("X5")
def test_a_tool_that_changes_the_world_is_noted_before_it_is_called() -> None:
    """The note has the effect's number and the tool's name; a tool that changes nothing leaves none."""
    seen: list[object] = []

    async def begin(number: int, tool: str) -> None:
        await asyncio.sleep(0)
        seen.append((number, tool))

    async def tools() -> None:
        ledger = Ledger(Allowance(calls=0), number=3, begin=begin)
        async with ledger.tool_call("mail"):
            seen.append("called")
        async with ledger.tool_call():
            seen.append("called")

    run(tools())
    assert seen == [(3, "mail"), "called", "called"]


@pytest.mark.requirement("K12")
@given(
    allowed=st.integers(0, 6), tokens=st.integers(0, 300), cents=st.integers(0, 90),
    calls=st.lists(st.tuples(st.integers(1, 3), st.integers(1, 90), st.integers(0, 30), st.floats(0, 1)), max_size=12),
    at_once=st.integers(1, 4),
)  # fmt: skip
def test_what_is_admitted_never_exceeds_the_allowance(
    allowed: int, tokens: int, cents: int, calls: list[tuple[int, int, int, float]], at_once: int
) -> None:
    """Calls that take no more than they asked for stay within calls, tokens and cost, however many run at once."""
    ledger = Ledger(Allowance(calls=allowed, tokens=tokens, cost=cents / 128))

    async def call(attempts: int, most: int, cost: int, share: float) -> None:
        asked = Usage(calls=attempts, generated_tokens=most, cost=cost / 128)
        if await refused(ledger, asked) is None:
            await asyncio.sleep(0)
            used = Usage(calls=attempts, generated_tokens=int(most * share), cost=int(cost * share) / 128)
            ledger.settle(asked, used)

    async def work() -> None:
        for first in range(0, len(calls), at_once):
            await asyncio.gather(*(call(*each) for each in calls[first : first + at_once]))

    run(work())
    assert ledger.spent.calls <= allowed
    assert ledger.spent.tokens <= tokens
    assert ledger.spent.cost <= cents / 128
    assert ledger.calls_left() == allowed - ledger.spent.calls


@pytest.mark.requirement("K9")
def test_the_current_ledger_is_that_of_the_effect_being_handled() -> None:
    """Two tasks at once each charge their own, and so do the tasks that they start."""
    mine, yours = Ledger(Allowance(calls=1)), Ledger(Allowance(calls=1))

    async def deeper() -> None:
        await asyncio.sleep(0)
        current_ledger().charge(Usage(calls=1))

    async def handle(ledger: Ledger) -> None:
        with ledger:
            await asyncio.create_task(deeper())
            assert current_ledger() is ledger

    async def both() -> None:
        await asyncio.gather(handle(mine), handle(yours))

    asyncio.run(both())
    assert (mine.spent.calls, yours.spent.calls) == (1, 1)


@pytest.mark.requirement("K9")
def test_outside_a_run_nothing_is_forbidden() -> None:
    """A module can be tried alone."""
    large = Usage(calls=1, prompt_tokens=10**9, cost=10.0**6)
    assert refusal(current_ledger(), large) is None
    with Ledger(Allowance(calls=0)):
        assert refusal(current_ledger()) == "calls"
    assert refusal(current_ledger(), large) is None


@pytest.mark.requirement("K12")
def test_a_note_holds_what_the_effect_was_charged_before_and_not_what_it_was_not() -> None:
    """After a crash the last note alone says what was spent: calls that had ended count as what they really took."""
    notes: list[int] = []

    async def note(number: int, most: Usage) -> None:
        notes.append(most.tokens)

    async def calls() -> None:
        ledger = Ledger(Allowance(calls=9), note=note)
        first, second, third = (Usage(calls=1, prompt_tokens=n) for n in (100, 200, 400))
        await ledger.admit(first)
        await ledger.admit(second)
        ledger.settle(first, Usage(calls=1, prompt_tokens=7))
        await ledger.admit(third)

    asyncio.run(calls())
    assert notes == [100, 300, 607]


@pytest.mark.requirement("K9", "X3")
def test_a_tool_call_cannot_be_broken_off_from_the_moment_that_it_is_noted() -> None:
    """Once the note is on record the tool counts as called: else a person would be asked in vain."""
    marked: list[bool] = []

    async def begin(number: int, tool: str) -> None:
        marked.append(ledger.in_tool)

    async def call() -> None:
        async with ledger.tool_call("post"):
            marked.append(ledger.in_tool)

    ledger = Ledger(Allowance(calls=0), begin=begin)
    asyncio.run(call())
    assert marked == [True, True] and not ledger.in_tool
