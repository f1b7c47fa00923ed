"""What a run may spend, and what it has spent."""

from __future__ import annotations

from typing import Annotated, NamedTuple, Self

from pydantic import Field, model_validator

from aeon.schema.frozen import Frozen, Written
from aeon.schema.value import Value

__all__ = [
    "NOTHING", "ROUNDING", "Allowance", "Bound", "Budget", "Expected", "Left", "Price", "Spread", "Took", "Usage",
]  # fmt: skip


class Usage(Value):
    """What was spent: model calls, tokens, tool calls, cost in US dollars; and what was mended, estimated or put off.

    Adds up with ``+``; ``-`` takes away what was added. The ``surplus`` is of one call, so a sum has the largest.
    """

    calls: Annotated[int, Field(ge=0)] = 0
    prompt_tokens: Annotated[int, Field(ge=0)] = 0
    cached_tokens: Annotated[int, Field(ge=0, description="prompt tokens that came from a prefix cache")] = 0
    generated_tokens: Annotated[int, Field(ge=0)] = 0
    tool_calls: Annotated[int, Field(ge=0)] = 0
    mended: Annotated[int, Field(ge=0, description="values whose JSON syntax had to be mended")] = 0
    cost: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    estimated: Annotated[int, Field(ge=0, description="calls charged with the most tokens, for want of a count")] = 0
    put_off: Annotated[int, Field(ge=0, description="requests put off by a rate limit, none of the calls")] = 0
    surplus: Annotated[
        int, Field(ge=0, description="the most tokens that the endpoint counted for one call beyond what it can take")
    ] = 0

    @property
    def tokens(self) -> int:
        """Prompt and generated tokens together."""
        return self.prompt_tokens + self.generated_tokens

    def __add__(self, other: Usage) -> Usage:
        if other == NOTHING:
            return self
        if self == NOTHING:
            return other
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            generated_tokens=self.generated_tokens + other.generated_tokens,
            tool_calls=self.tool_calls + other.tool_calls,
            mended=self.mended + other.mended,
            cost=self.cost + other.cost,
            estimated=self.estimated + other.estimated,
            put_off=self.put_off + other.put_off,
            surplus=max(self.surplus, other.surplus),
        )

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls - other.calls,
            prompt_tokens=self.prompt_tokens - other.prompt_tokens,
            cached_tokens=self.cached_tokens - other.cached_tokens,
            generated_tokens=self.generated_tokens - other.generated_tokens,
            tool_calls=self.tool_calls - other.tool_calls,
            mended=self.mended - other.mended,
            cost=self.cost - other.cost,
            estimated=self.estimated - other.estimated,
            put_off=self.put_off - other.put_off,
            surplus=self.surplus,
        )


NOTHING = Usage()
"""What costs nothing."""
ROUNDING = 1e-9
"""US dollars that a sum of costs may be off, since each of them is a binary fraction."""


class Price(Frozen):
    """What a model costs, in US dollars per million tokens; cached prompt tokens cost as much as others by default."""

    input: float = Field(ge=0, description="for a million prompt tokens")
    output: float = Field(ge=0, description="for a million generated tokens")
    cached: float | None = Field(default=None, ge=0, description="for a million prompt tokens from a prefix cache")

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


class Budget(Written):
    """Hard limits of a run; ``None`` sets no limit of its own (passes and call caps bound the run all the same)."""

    calls: int | None = Field(default=None, ge=1, description="model calls, repairs included")
    tokens: int | None = Field(default=None, ge=1, description="prompt and generated tokens together")
    seconds: float | None = Field(default=None, gt=0, description="wall time")
    cost: float | None = Field(default=0.5, gt=0, description="US dollars; holds for models whose price is known")


class Allowance(Value):
    """What one effect may spend at most; the ledger refuses a call that would go beyond it.

    ``spare`` is how many more calls it may have lost in earlier lives of the run, which its own are not lessened by.
    """

    calls: Annotated[int, Field(ge=0)]
    spare: Annotated[int, Field(ge=0)] = 0
    tokens: Annotated[int | None, Field(ge=0)] = None
    seconds: Annotated[float | None, Field(ge=0)] = None
    cost: Annotated[float | None, Field(ge=0)] = None


class Took(Value):
    """What one run took, over all its lives: model calls, tokens, US dollars, seconds."""

    calls: Annotated[int, Field(ge=0)]
    tokens: Annotated[int, Field(ge=0)]
    cost: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Spread(Value):
    """What half of some runs took at most, and what nine of ten did."""

    median: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    p90: Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Expected(Value):
    """What a run is expected to take: what so many ``runs`` like it took, which are the latest on record.

    Like runs have the same engine, model, work form and tier. The cost is in US dollars, the time in seconds.
    """

    runs: Annotated[int, Field(ge=1)]
    calls: Spread
    tokens: Spread
    cost: Spread
    seconds: Spread


class Bound(Value):
    """The most that a run can spend, known before it starts; and what it is expected to, where like runs are on record.

    ``cost`` is in US dollars; ``None`` where a model has no known price, so that nobody knows the cost.
    """

    calls: Annotated[int, Field(ge=0)]
    tokens: Annotated[int, Field(ge=0)]
    cost: Annotated[float | None, Field(ge=0)] = None
    expected: Expected | None = None

    @property
    def limits(self) -> tuple[int, int, float | None]:
        """The most calls, tokens and US dollars."""
        return self.calls, self.tokens, self.cost


class Left(NamedTuple):
    """What is left of each budget: calls, tokens, seconds, US dollars; ``None``: not limited."""

    calls: int
    tokens: int | None
    seconds: float | None
    cost: float | None
