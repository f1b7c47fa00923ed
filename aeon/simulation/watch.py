"""Watches a run of any engine from outside and says what should not have happened."""

from __future__ import annotations

from aeon.kernel.effects import Effect
from aeon.runtime.events import EffectEnded, EffectStarted, Event, RunEnded
from aeon.schema import Allowance, Caps, Outcome, Usage
from aeon.simulation.world import ROUNDING, World

__all__ = ["Watch"]


class Watch:
    """An observer for one process of a run; it tells the world what did not hold."""

    def __init__(self, world: World, caps: Caps) -> None:
        self._world = world
        self._caps = caps

    def __call__(self, event: Event) -> None:
        """See an event."""
        match event:
            case EffectStarted():
                self._started(event.effect, event.number)
            case EffectEnded():
                self._ended(event.effect, event.outcome, event.recorded)
            case RunEnded():
                self._world.over = True

    def _started(self, effect: Effect, number: int) -> None:
        world = self._world
        world.effects += 1
        if world.over:
            world.wrong("no effect after the end", f"effect {number}, '{effect.phase}', was issued")
        if world.disk.refused:
            world.wrong("no effect after the end", f"'{effect.phase}' began when the journal could not be written")

    def _ended(self, effect: Effect, outcome: Outcome, recorded: bool) -> None:
        """Hold what an effect took against what it may; note whether the run was short of calls for it."""
        if effect.allowance.calls < self._caps.of(effect.phase) or outcome.lost.calls > effect.allowance.spare:
            self._world.short = True
        if outcome.ended < outcome.started:
            self._world.wrong("no negative duration", f"'{effect.phase}': {outcome.started} to {outcome.ended}")
        if _beyond(effect.allowance, outcome.usage):
            self._world.wrong("within its bound", f"'{effect.phase}': {outcome.usage} of {effect.allowance}")
        if outcome.failure and not recorded:
            self._world.ran_out(outcome.failure.limit)


def _beyond(allowed: Allowance, spent: Usage) -> bool:
    """Whether an effect spent more than it was allowed."""
    return (
        spent.calls > allowed.calls
        or (allowed.tokens is not None and spent.tokens > allowed.tokens)
        or (allowed.cost is not None and spent.cost > allowed.cost + ROUNDING)
    )
