"""What a run may spend, and what it has spent."""

from __future__ import annotations

from pydantic import Field

from aeon.schema.frozen import Frozen

__all__ = ["Allowance", "Bound", "Budget", "Usage"]


class Usage(Frozen):
    """What was spent: model calls, tokens, tool calls, cost in US dollars; and what was mended. Adds up with ``+``."""

    calls: int = Field(0, ge=0)
    prompt_tokens: int = Field(0, ge=0)
    cached_tokens: int = Field(0, ge=0, description="part of the prompt tokens that came from a prefix cache")
    generated_tokens: int = Field(0, ge=0)
    tool_calls: int = Field(0, ge=0)
    mended: int = Field(0, ge=0, description="values whose JSON syntax had to be mended")
    cost: float = Field(0.0, ge=0)

    @property
    def tokens(self) -> int:
        """Prompt and generated tokens together."""
        return self.prompt_tokens + self.generated_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            generated_tokens=self.generated_tokens + other.generated_tokens,
            tool_calls=self.tool_calls + other.tool_calls,
            mended=self.mended + other.mended,
            cost=self.cost + other.cost,
        )


class Budget(Frozen):
    """Hard limits of a run; ``None`` sets no limit of its own (passes and call caps bound the run all the same)."""

    calls: int | None = Field(None, ge=1, description="model calls, repairs included")
    tokens: int | None = Field(None, ge=1, description="prompt and generated tokens together")
    seconds: float | None = Field(None, gt=0, description="wall time")
    cost: float | None = Field(0.5, gt=0, description="US dollars")


class Allowance(Frozen):
    """What one effect may spend at most; the ledger refuses a call that would go beyond it."""

    calls: int = Field(ge=0)
    tokens: int | None = Field(None, ge=0)
    seconds: float | None = Field(None, ge=0)
    cost: float | None = Field(None, ge=0)

    def split(self, shares: int, cap: int) -> list[Allowance]:
        """The allowance divided among effects that run at once, each of at most ``cap`` calls: together never more."""
        tokens = None if self.tokens is None else self.tokens // shares
        cost = None if self.cost is None else self.cost / shares
        calls = (max(0, min(cap, self.calls - n * cap)) for n in range(shares))
        return [Allowance(calls=c, tokens=tokens, seconds=self.seconds, cost=cost) for c in calls]


class Bound(Frozen):
    """The most that a run can spend, known before it starts (``None``: not limited)."""

    calls: int = Field(ge=0)
    tokens: int = Field(ge=0)
    cost: float | None = Field(None, ge=0)
