"""Budgets as arithmetic: what a run may spend in all, what an effect may spend now, and what is kept for the end."""

from __future__ import annotations

from aeon.schema.config import Reserve, Settings
from aeon.schema.usage import ROUNDING, Allowance, Bound, Budget, Left, Usage

__all__ = ["affordable", "allowance", "bound", "dearest", "exhausted", "left", "overspent", "share", "split"]

_NOTHING_KEPT = Reserve(tokens=0, seconds=0, cost=0)


def bound(settings: Settings, calls: int) -> Bound:
    """The most that a run can spend whose program makes at most so many calls, whatever the models say.

    No token is shorter than a byte. The cost is not known, and so has no bound, where a model's price is not.
    """
    budget = settings.budget
    most = calls if budget.calls is None else min(calls, budget.calls)
    usage = Usage(prompt_tokens=most * settings.prompt_bytes, generated_tokens=most * settings.generated_tokens)
    tokens = usage.tokens if budget.tokens is None else min(usage.tokens, budget.tokens)
    cost = dearest(settings, usage) if most else 0.0
    return Bound(calls=most, tokens=tokens, cost=None if cost is None else _least(cost, budget.cost))


def dearest(settings: Settings, usage: Usage) -> float | None:
    """What these tokens cost at the highest of the prices, in US dollars; ``None`` if a price is not known."""
    prices = [price for price in settings.prices.values() if price is not None]
    if not prices or len(prices) < len(settings.prices):
        return None
    return max(price.of(usage) for price in prices)


def left(settings: Settings, most: Bound, spent: Usage, elapsed: float, reserve: int) -> Left:
    """What is left of each budget after ``elapsed`` seconds, but for ``reserve`` calls and the settings' reserve.

    With a ``reserve`` of 0 calls all of it is there to be spent: so it is for the last effect of a run.
    """
    budget, kept = settings.budget, settings.reserve if reserve else _NOTHING_KEPT
    tokens, seconds, cost = budget.tokens, budget.seconds, budget.cost
    return Left(
        calls=max(0, most.calls - spent.calls - reserve),
        tokens=None if tokens is None else max(0, int(tokens * (1 - kept.tokens)) - spent.tokens),
        seconds=None if seconds is None else max(0.0, seconds * (1 - kept.seconds) - elapsed),
        cost=None if cost is None else max(0.0, cost * (1 - kept.cost) - spent.cost),
    )


def exhausted(remaining: Left, most: Bound) -> str | None:
    """The first budget of which nothing is left; calls are none for a run that makes no calls at all."""
    limits = remaining if most.calls else remaining._replace(calls=1)
    return f"{Left._fields[limits.index(0)]}_exhausted" if 0 in limits else None


def overspent(most: Bound, spent: Usage) -> str:
    """What was counted beyond the bound, which no run goes beyond that is counted rightly; "" where nothing was."""
    counted = zip(("calls", "tokens", "dollars"), (spent.calls, spent.tokens, spent.cost), most.limits, strict=True)
    over = [(n, what, limit) for what, n, limit in counted if limit is not None and n > limit + ROUNDING]
    told = [f"{round(n, 6):,} {what} where {limit:,} were admitted" for n, what, limit in over]
    return f"the endpoint reported {told[0]}" if told else ""


def allowance(remaining: Left, cap: int) -> Allowance:
    """What may be spent now: at most ``cap`` calls, and what is left of each budget."""
    calls = min(cap, remaining.calls)
    spare = remaining.calls - calls
    return Allowance(calls=calls, spare=spare, tokens=remaining.tokens, seconds=remaining.seconds, cost=remaining.cost)


def split(whole: Allowance, effects: int, cap: int) -> list[Allowance]:
    """The allowance divided among effects that run at once, each of at most ``cap`` calls: together never more."""
    tokens = None if whole.tokens is None else whole.tokens // effects
    cost = None if whole.cost is None else whole.cost / effects
    calls, spare = min(cap, whole.calls), whole.spare // effects
    share = Allowance(calls=calls, spare=spare, tokens=tokens, seconds=whole.seconds, cost=cost)
    full = whole.calls // cap if cap else effects
    return [share if n < full else share.changed(calls=max(0, whole.calls - n * cap)) for n in range(effects)]


def affordable(settings: Settings, whole: Allowance, cap: int) -> int:
    """How many effects of ``cap`` calls the allowance bears if each call spends all that it can."""
    calls = max(1, cap)
    usage = Usage(prompt_tokens=calls * settings.prompt_bytes, generated_tokens=calls * settings.generated_tokens)
    fits = [whole.calls // calls]
    if whole.tokens is not None:
        fits.append(whole.tokens // usage.tokens)
    if whole.cost is not None and (cost := dearest(settings, usage)):
        fits.append(int(min(whole.cost / cost, whole.calls)))  # a price of next to nothing divides to infinity
    return min(fits)


def share(budget: Budget, remaining: Left, runs: int) -> Budget:
    """The budget of one of ``runs`` nested runs that go side by side: together they spend no more than remains."""
    return budget.changed(
        calls=_least(budget.calls, remaining.calls // runs),
        tokens=_least(budget.tokens, None if remaining.tokens is None else remaining.tokens // runs),
        seconds=_least(budget.seconds, remaining.seconds),
        cost=_least(budget.cost, None if remaining.cost is None else remaining.cost / runs),
    )


def _least(one: float | None, other: float | None) -> float | None:
    return other if one is None else one if other is None else min(one, other)
