"""The ledger: it lets a call begin or says which limit forbids it, and counts whatever was spent."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.errors import AllowanceExhausted
from aeon.runtime.ledger import Ledger, current_ledger
from aeon.schema import Allowance, Usage


class Clock:
    """A clock that stands still until it is told otherwise."""

    now = 50.0

    def __call__(self) -> float:
        return self.now


def refusal(ledger: Ledger, most_tokens: int = 1, cost: float = 0.0, used: Usage | None = None) -> str | None:
    """The limit that forbids a call, or ``None``: then it is made, and has used this much."""
    most = Usage(calls=1, prompt_tokens=most_tokens, cost=cost)
    try:
        asyncio.run(ledger.admit(most))
    except AllowanceExhausted as error:
        return error.limit
    ledger.settle(most, used or Usage())
    return None


async def tool(ledger: Ledger, error: Exception | None = None) -> None:
    """A tool call, which may raise."""
    async with ledger.tool_call():
        assert ledger.in_tool
        if error is not None:
            raise error


@pytest.mark.requirement("K9", "K12")
def test_as_many_calls_begin_as_are_allowed() -> None:
    """The next one is refused for calls."""
    ledger = Ledger(Allowance(calls=2))
    for left in (2, 1):
        assert ledger.calls_left() == left
        assert refusal(ledger, used=Usage(calls=1)) is None
    assert refusal(ledger) == "calls"
    assert ledger.calls_left() == 0


@pytest.mark.requirement("K9", "K12")
def test_a_call_begins_only_if_the_most_it_can_take_fits() -> None:
    """What is left in tokens is exact, and without a limit there is none."""
    ledger = Ledger(Allowance(calls=9, tokens=100))
    ledger.charge(Usage(prompt_tokens=30, generated_tokens=10))
    assert ledger.tokens_left() == 60
    assert (refusal(ledger, 60), refusal(ledger, 61)) == (None, "tokens")
    assert Ledger(Allowance(calls=9)).tokens_left() is None
    assert refusal(Ledger(Allowance(calls=9)), 10**9) is None


@pytest.mark.requirement("K9")
def test_no_call_begins_after_the_deadline() -> None:
    """Seconds count from the ledger's making, for model calls and for tool calls."""
    clock = Clock()
    ledger = Ledger(Allowance(calls=9, seconds=10), clock)
    clock.now += 9.5
    assert (ledger.seconds_left(), refusal(ledger)) == (0.5, None)
    clock.now += 0.5
    assert (ledger.seconds_left(), refusal(ledger)) == (0.0, "seconds")
    with pytest.raises(AllowanceExhausted, match="time for this step is over"):
        asyncio.run(tool(ledger, AssertionError("the tool ran")))
    assert ledger.spent.tool_calls == 0
    assert Ledger(Allowance(calls=9), clock).seconds_left() is None


@pytest.mark.requirement("K9")
def test_no_call_begins_once_the_money_is_spent() -> None:
    """The limit is named."""
    ledger = Ledger(Allowance(calls=9, cost=0.5))
    ledger.charge(Usage(cost=0.25))
    assert refusal(ledger, cost=0.25) is None
    ledger.charge(Usage(cost=0.25))
    assert refusal(ledger, cost=0.01) == "cost"
    ledger.charge(Usage(cost=0.01))
    assert refusal(ledger) is None, "a call that costs nothing needs no money"


@pytest.mark.requirement("K9")
def test_a_tool_call_is_counted_and_marked_while_it_runs() -> None:
    """Also where the tool raises."""
    ledger = Ledger(Allowance(calls=0))
    with pytest.raises(ValueError, match="tool broke"):
        asyncio.run(tool(ledger, ValueError("tool broke")))
    assert not ledger.in_tool
    assert ledger.spent == Usage(tool_calls=1)


@pytest.mark.requirement("K12")
@given(
    allowed=st.integers(0, 6), tokens=st.integers(0, 300),
    wanted=st.lists(st.tuples(st.integers(1, 90), st.floats(0, 1)), max_size=12),
)  # fmt: skip
def test_what_is_admitted_never_exceeds_the_allowance(
    allowed: int, tokens: int, wanted: list[tuple[int, float]]
) -> None:
    """Calls that take no more than they asked for stay within calls and tokens, in any order of any size."""
    ledger = Ledger(Allowance(calls=allowed, tokens=tokens))
    for most, share in wanted:
        refusal(ledger, most, used=Usage(calls=1, generated_tokens=int(most * share)))
    assert ledger.spent.calls <= allowed
    assert ledger.spent.tokens <= tokens


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
    assert refusal(current_ledger(), 10**9) is None
    with Ledger(Allowance(calls=0)):
        assert refusal(current_ledger()) == "calls"
    assert refusal(current_ledger()) is None
