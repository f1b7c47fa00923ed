"""What a run may spend, and what it has spent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, NamedTuple, Self

from pydantic import Field, model_validator

from aeon.schema.frozen import Frozen
from aeon.schema.value import Value

__all__ = ["Allowance", "Bound", "Budget", "Left", "Price", "Usage", "dearest"]


class Usage(Value):
    """What was spent: model calls, tokens, tool calls, cost in US dollars; and what was mended. Adds up with ``+``."""

    calls: Annotated[int, Field(ge=0)] = 0
    prompt_tokens: Annotated[int, Field(ge=0)] = 0
    cached_tokens: Annotated[int, Field(ge=0, description="prompt tokens that came from a prefix cache")] = 0
    generated_tokens: Annotated[int, Field(ge=0)] = 0
    tool_calls: Annotated[int, Field(ge=0)] = 0
    mended: Annotated[int, Field(ge=0, description="values whose JSON syntax had to be mended")] = 0
    cost: Annotated[float, Field(ge=0)] = 0.0

    @property
    def tokens(self) -> int:
        """Prompt and generated tokens together."""
        return self.prompt_tokens + self.generated_tokens

    def __add__(self, other: Usage) -> Usage:
        if other == _NOTHING:
            return self
        return Usage.made(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            generated_tokens=self.generated_tokens + other.generated_tokens,
            tool_calls=self.tool_calls + other.tool_calls,
            mended=self.mended + other.mended,
            cost=self.cost + other.cost,
        )


_NOTHING = Usage()


class Price(Frozen):
    """What a model costs, in US dollars per million tokens; cached prompt tokens cost as much as others by default."""

    input: float = Field(ge=0, description="for a million prompt tokens")
    output: float = Field(ge=0, description="for a million generated tokens")
    cached: float | None = Field(None, ge=0, description="for a million prompt tokens from a prefix cache")

    @model_validator(mode="after")
    def _cached_is_no_dearer(self) -> Self:
        if self.cached is not None and self.cached > self.input:
            raise ValueError("cached must not be above input: the bound on the cost rests on it")
        return self

    def of(self, usage: Usage) -> float:
        """The cost of these tokens in US dollars."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        price = self.input if self.cached is None else self.cached
        dollars = (usage.prompt_tokens - cached) * self.input + cached * price + usage.generated_tokens * self.output
        return dollars / 1_000_000


def dearest(prices: Iterable[Price | None], usage: Usage, limit: float | None = None) -> float | None:
    """What these tokens cost at the highest of the prices, at most ``limit``; in US dollars.

    ``None`` without prices, or where one is unknown.
    """
    every = tuple(prices)
    known = [price.of(usage) for price in every if price is not None]
    if not known or len(known) < len(every):
        return None
    return max(known) if limit is None else min(max(known), limit)


class Budget(Frozen):
    """Hard limits of a run; ``None`` sets no limit of its own (passes and call caps bound the run all the same)."""

    calls: int | None = Field(None, ge=1, description="model calls, repairs included")
    tokens: int | None = Field(None, ge=1, description="prompt and generated tokens together")
    seconds: float | None = Field(None, gt=0, description="wall time")
    cost: float | None = Field(0.5, gt=0, description="US dollars; holds for models whose price is known")


class Allowance(Value):
    """What one effect may spend at most; the ledger refuses a call that would go beyond it."""

    calls: Annotated[int, Field(ge=0)]
    tokens: Annotated[int | None, Field(ge=0)] = None
    seconds: Annotated[float | None, Field(ge=0)] = None
    cost: Annotated[float | None, Field(ge=0)] = None

    def shares(self, calls: int, tokens: int, cost: float) -> int:
        """How many effects of so many calls each it bears, where one call takes so many tokens and dollars."""
        calls = max(1, calls)
        fit = [self.calls // calls]
        if self.tokens is not None:
            fit.append(self.tokens // (calls * tokens))
        if self.cost is not None and cost > 0:
            fit.append(int(self.cost / (calls * cost)))
        return min(fit)

    def split(self, shares: int, cap: int) -> list[Allowance]:
        """The allowance divided among effects that run at once, each of at most ``cap`` calls: together never more."""
        tokens = None if self.tokens is None else self.tokens // shares
        cost = None if self.cost is None else self.cost / shares
        share = Allowance.made(calls=min(cap, self.calls), tokens=tokens, seconds=self.seconds, cost=cost)
        whole = self.calls // cap if cap else shares
        return [share if n < whole else share.changed(calls=max(0, self.calls - n * cap)) for n in range(shares)]


class Bound(Value):
    """The most that a run can spend, known before it starts.

    ``cost`` is in US dollars; ``None`` where a model has no known price, so that nobody knows the cost.
    """

    calls: Annotated[int, Field(ge=0)]
    tokens: Annotated[int, Field(ge=0)]
    cost: Annotated[float | None, Field(ge=0)] = None


class Left(NamedTuple):
    """What is left of each budget: calls, tokens, seconds, US dollars; ``None``: not limited."""

    calls: int
    tokens: int | None
    seconds: float | None
    cost: float | None
