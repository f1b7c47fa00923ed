"""Budgets as arithmetic: parts never add up to more than the whole, and what is kept for the end stays there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.kernel.budget import affordable, allowance, bound, exhausted, left, share, split
from aeon.schema import Allowance, Bound, Budget, Left, Price, Reserve, Settings, Usage


def maybe(values: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.none() | values


SHARES = st.floats(0, 0.9)
BUDGETS = st.builds(
    Budget, calls=maybe(st.integers(1, 90)), tokens=maybe(st.integers(1, 900_000)),
    seconds=maybe(st.floats(0.5, 90)), cost=maybe(st.floats(0.001, 0.2)),
)  # fmt: skip
PRICES = st.builds(Price, input=st.floats(0, 50), output=st.floats(0, 100))
SETTINGS = st.builds(
    Settings, budget=BUDGETS, reserve=st.builds(Reserve, tokens=SHARES, seconds=SHARES, cost=SHARES),
    prompt_bytes=st.integers(1_000, 20_000), output_tokens=st.integers(64, 2_000),
)  # fmt: skip
ALLOWANCES = st.builds(
    Allowance, calls=st.integers(0, 60), tokens=maybe(st.integers(0, 999_999)), cost=maybe(st.floats(0, 1)),
    seconds=st.just(7.0),
)  # fmt: skip
LEFTS = st.builds(
    Left, calls=st.integers(0, 60), tokens=maybe(st.integers(0, 9_999)), seconds=maybe(st.floats(0, 90)),
    cost=maybe(st.floats(0, 1)),
)  # fmt: skip


@pytest.mark.requirement("K12")
@given(settings=SETTINGS, calls=st.integers(0, 500))
def test_the_bound_is_never_above_a_budget(settings: Settings, calls: int) -> None:
    """A budget for calls or tokens caps the bound; without a price nobody knows the cost, but that of no call is 0."""
    most = bound(settings, calls)
    assert most.calls == (calls if settings.budget.calls is None else min(calls, settings.budget.calls))
    assert settings.budget.tokens is None or most.tokens <= settings.budget.tokens
    assert most.cost == (None if most.calls else 0.0)


@pytest.mark.requirement("K12", "X1", "O4")
@given(settings=SETTINGS, prices=st.lists(PRICES, min_size=1, max_size=3), calls=st.integers(0, 500))
def test_the_bound_on_the_cost_is_that_of_the_dearest_model(
    settings: Settings, prices: list[Price], calls: int
) -> None:
    """It is what all calls cost at their largest, at most the budget; with one model of unknown price there is none."""
    by_name: dict[str, Price | None] = {f"model {number}": price for number, price in enumerate(prices)}
    most = bound(settings.changed(prices=by_name), calls)
    largest = Usage(
        prompt_tokens=most.calls * settings.prompt_bytes, generated_tokens=most.calls * settings.generated_tokens
    )
    dearest = max(price.of(largest) for price in prices)
    assert most.cost == (dearest if settings.budget.cost is None else min(dearest, settings.budget.cost))
    unknown = bound(settings.changed(prices={**by_name, "another": None}), calls)
    assert unknown.cost == (None if calls else 0.0)


@pytest.mark.requirement("K9", "K12")
@given(
    settings=SETTINGS, calls=st.integers(0, 99), tokens=st.integers(0, 999_999), elapsed=st.floats(0, 99),
    reserve=st.integers(1, 5),
)  # fmt: skip
def test_an_allowance_never_reaches_into_the_reserve(
    settings: Settings, calls: int, tokens: int, elapsed: float, reserve: int
) -> None:
    """However much is spent, what an effect may spend leaves the reserve; only the last effect may take it."""
    most, spent = bound(settings, 40), Usage(calls=calls, prompt_tokens=tokens)
    now = allowance(left(settings, most, spent, elapsed, reserve), cap=4)
    last = allowance(left(settings, most, spent, elapsed, 0), cap=4)
    assert now.calls == 0 or calls + now.calls + reserve <= most.calls
    if settings.budget.tokens is not None and now.tokens:
        assert tokens + now.tokens <= settings.budget.tokens * (1 - settings.reserve.tokens) + 1e-6
    if settings.budget.tokens is not None and last.tokens:
        assert tokens + last.tokens <= settings.budget.tokens
    assert (last.calls, last.tokens or 0, last.seconds or 0, last.cost or 0) >= (
        now.calls, now.tokens or 0, now.seconds or 0, now.cost or 0,
    )  # fmt: skip


@pytest.mark.requirement("K9")
def test_an_unlimited_budget_is_never_exhausted() -> None:
    """Without budgets only calls are limited, by the bound; a run that makes none is never out of them."""
    settings = Settings(budget=Budget(cost=None))
    most = bound(settings, 9)
    assert exhausted(left(settings, most, Usage(prompt_tokens=10**9, cost=10**6), 10**6, 0), most) is None
    assert exhausted(left(settings, most, Usage(calls=9), 0, 0), most) == "calls_exhausted"
    none = bound(settings, 0)
    assert exhausted(left(settings, none, Usage(), 0, 0), none) is None


@pytest.mark.requirement("K9")
@pytest.mark.parametrize("place", range(4))
def test_the_first_budget_of_which_nothing_is_left_is_named(place: int) -> None:
    """Each has a stop reason of its own."""
    nothing = Left(1, 1, 1.0, 1.0)._replace(**{Left._fields[place]: 0})
    assert exhausted(nothing, Bound(calls=9, tokens=9)) == f"{Left._fields[place]}_exhausted"
    assert exhausted(Left(1, 1, 1.0, 1.0), Bound(calls=9, tokens=9)) is None


@pytest.mark.requirement("K12")
@given(whole=ALLOWANCES, cap=st.integers(0, 8), effects=st.integers(1, 12))
def test_a_split_allowance_never_exceeds_the_whole(whole: Allowance, cap: int, effects: int) -> None:
    """Shares add up to no more than the whole, none is above the cap, and earlier ones are served first."""
    parts = split(whole, effects, cap)
    assert len(parts) == effects
    assert sum(p.calls for p in parts) == min(whole.calls, cap * effects)
    assert [p.calls for p in parts] == sorted((p.calls for p in parts), reverse=True)
    assert whole.tokens is None or sum(p.tokens or 0 for p in parts) <= whole.tokens
    assert whole.cost is None or sum(p.cost or 0 for p in parts) <= whole.cost * (1 + 1e-9)
    assert {p.seconds for p in parts} == {7}


@pytest.mark.requirement("K12", "M3")
@given(budget=BUDGETS, remaining=LEFTS, runs=st.integers(1, 5))
def test_the_shares_of_nested_runs_never_exceed_what_remains(budget: Budget, remaining: Left, runs: int) -> None:
    """Together they spend no more than is left around them, and each no more than its own budget; time is shared."""
    part = share(budget, remaining, runs)
    assert part.calls is not None and part.calls * runs <= remaining.calls
    assert remaining.tokens is None or (part.tokens is not None and part.tokens * runs <= remaining.tokens)
    assert remaining.cost is None or (part.cost is not None and part.cost * runs <= remaining.cost * (1 + 1e-9))
    for name in Budget.model_fields:
        own, mine = getattr(budget, name), getattr(part, name)
        assert own is None or mine <= own
    assert remaining.seconds is None or (part.seconds is not None and part.seconds <= remaining.seconds)


@pytest.mark.requirement("K12", "K4")
@given(settings=SETTINGS, whole=ALLOWANCES, cap=st.integers(0, 8), prices=st.lists(PRICES, max_size=2))
def test_as_many_effects_are_affordable_as_the_allowance_bears_if_each_spends_all(
    settings: Settings, whole: Allowance, cap: int, prices: list[Price]
) -> None:
    """So many calls of the largest size fit, and one more effect would not fit."""
    settings = settings.changed(prices={f"model {number}": price for number, price in enumerate(prices)})
    count, calls = affordable(settings, whole, cap), max(1, cap)

    def fits(effects: int) -> bool:
        most = effects * calls
        usage = Usage(prompt_tokens=most * settings.prompt_bytes, generated_tokens=most * settings.generated_tokens)
        cost = max((price.of(usage) for price in prices), default=0.0)
        dear = whole.cost is not None and cost > whole.cost * (1 + 1e-9)
        return most <= whole.calls and (whole.tokens is None or usage.tokens <= whole.tokens) and not dear

    assert fits(count)
    assert not fits(count + 1) or whole.cost is not None


@pytest.mark.requirement("K12")
def test_a_price_of_next_to_nothing_makes_everything_affordable() -> None:
    """The calls are what limits the effects then."""
    settings = Settings(prices={"model": Price(input=0, output=5e-324)})
    assert affordable(settings, Allowance(calls=12, cost=0.5), 4) == 3
