"""What a run's batches may still spend of its bound, counted apart from its program: so no program goes beyond it."""

from __future__ import annotations

from typing import Any

from aeon.kernel.engine import Engine
from aeon.schema import NOTHING, Outcome, Settings
from aeon.schema.effects import Effect

__all__ = ["Remainder"]

_ROUNDING = 1e-9  # US dollars that a sum of shares may be off, since each of them is a binary fraction


class Remainder:
    """The rest of the bound of one run of this engine, over all its lives."""

    __slots__ = ("_calls", "_cost", "_engine", "_most_calls", "_most_cost", "_most_tokens", "_tokens")

    def __init__(self, engine: Engine[Any, Any, Any], config: Settings) -> None:
        self._engine = engine
        self._calls, self._tokens, self._cost = 0, 0, 0.0  # spent
        self._configure(config)

    def _configure(self, config: Settings) -> None:
        """Note what there is; a budget that as many calls cannot exceed anyway need not be looked at."""
        bound, budget = self._engine.bound(config), config.budget
        self._most_calls = bound.calls
        self._most_tokens = budget.tokens if bound.tokens == budget.tokens else None
        self._most_cost = budget.cost if bound.cost == budget.cost else None

    def charge(self, outcomes: tuple[Outcome, ...]) -> None:
        """Take away what these outcomes cost; a fork's settings may change what there is."""
        for outcome in outcomes:
            usage = outcome.usage if outcome.lost is NOTHING else outcome.usage + outcome.lost
            self._calls += usage.calls
            self._tokens += usage.tokens
            self._cost += usage.cost
            if isinstance(outcome.config, Settings):
                self._configure(outcome.config)

    def exceeded(self, effects: tuple[Effect, ...]) -> str | None:
        """What these effects may together spend more of than there is, if anything."""
        shares = [effect.allowance for effect in effects if effect.allowance.calls]
        if sum([share.calls for share in shares]) > self._most_calls - self._calls:
            return "calls"
        if _beyond([share.tokens for share in shares], self._most_tokens, self._tokens):
            return "tokens"
        return "dollars" if _beyond([share.cost for share in shares], self._most_cost, self._cost - _ROUNDING) else None


def _beyond(parts: list[int | None] | list[float | None], most: float | None, spent: float) -> bool:
    """Whether the parts are more than what is left of ``most``; one without a limit is more than any."""
    if most is None:
        return False
    return sum([float("inf") if part is None else part for part in parts]) > most - spent
