"""What a run may still spend of its bound, counted apart from its program: so no program goes beyond it."""

from __future__ import annotations

from typing import Any

from aeon.kernel.budget import overspent
from aeon.kernel.engine import Engine
from aeon.schema import NOTHING, Outcome, Settings, Usage
from aeon.schema.effects import Effect
from aeon.schema.usage import ROUNDING

__all__ = ["Remainder"]


class Remainder:
    """The rest of the bound of one run of this engine, over all its lives.

    ``surplus`` is the most tokens that its endpoint counted for one call beyond what such a call can take: a system
    prompt that a proxy adds, say. It follows from the outcomes alone, so it is the same in each life of the run.
    """

    __slots__ = ("_bound", "_engine", "_most_cost", "_most_tokens", "_spent", "_under_way", "surplus")

    def __init__(self, engine: Engine[Any, Any, Any], config: Settings) -> None:
        self._engine = engine
        self._spent = self._under_way = NOTHING
        self.surplus = 0
        self._configure(config)

    def _configure(self, config: Settings) -> None:
        """Note what there is; a budget that as many calls cannot exceed anyway need not be held against shares."""
        self._bound, limits = self._engine.bound(config), config.budget
        self._most_tokens = limits.tokens if self._bound.tokens == limits.tokens else None
        self._most_cost = limits.cost if self._bound.cost == limits.cost else None

    def charge(self, outcomes: tuple[Outcome, ...]) -> None:
        """Take away what the outcomes of a batch cost; a fork's settings may change what there is."""
        self._under_way = NOTHING
        for outcome in outcomes:
            self._spent += outcome.usage if outcome.lost is NOTHING else outcome.usage + outcome.lost
            self.surplus = max(self.surplus, outcome.usage.surplus)
            if isinstance(outcome.config, Settings):
                self._configure(outcome.config)

    def take(self, usage: Usage) -> None:
        """Note what an effect of the batch under way spends or reserves, until its outcome is charged."""
        self._under_way += usage

    def give_back(self, usage: Usage) -> None:
        """Take back what was noted."""
        self._under_way -= usage

    @property
    def overspent(self) -> str:
        """What was counted beyond the bound, with all that is under way; "" where nothing was."""
        spent, most = self._spent + self._under_way, self._bound
        if spent.calls <= most.calls and spent.tokens <= most.tokens and spent.cost <= (most.cost or 0.0):
            return ""  # as nearly always: asked for each call and for each batch
        return overspent(most, spent)

    def exceeded(self, effects: tuple[Effect, ...]) -> str | None:
        """What these effects may together spend more of than there is, if anything.

        Where more was counted than the whole bound, a program beside the one that heard of it may still ask: no call of
        its effects is admitted then, so they can spend nothing.
        """
        if self.overspent:
            return None
        shares = [effect.allowance for effect in effects if effect.allowance.calls]
        if sum([share.calls for share in shares]) > max(0, self._bound.calls - self._spent.calls):
            return "calls"
        if _beyond([share.tokens for share in shares], self._most_tokens, self._spent.tokens):
            return "tokens"
        return "dollars" if _beyond([share.cost for share in shares], self._most_cost, self._spent.cost) else None


def _beyond(parts: list[int | None] | list[float | None], most: float | None, spent: float) -> bool:
    """Whether the parts are more than what is left of ``most``; one without a limit is more than any.

    Nothing is left where more was counted than there was.
    """
    if most is None:
        return False
    return sum([float("inf") if part is None else part for part in parts]) > max(0.0, most - spent) + ROUNDING
