"""The order within a batch: which effects wait for others of it, and what they get from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aeon.schema import Failure, Outcome
from aeon.schema.effects import Effect

__all__ = ["in_order", "joined", "wave_starts"]


def joined(effect: Effect, before: tuple[Outcome, ...]) -> tuple[Effect, Failure | None]:
    """The effect with the outcomes that it waited for, or why it cannot be done."""
    ready = effect.joined(before) if effect.after else effect
    return (effect, ready) if isinstance(ready, Failure) else (ready, None)


def in_order(
    effects: Sequence[Effect], outcome: Callable[[int, Effect, Failure | None], Outcome | None]
) -> tuple[tuple[Effect, ...], tuple[Outcome | None, ...]]:
    """The effects of a batch, each with what it waited for, and their outcomes as far as they are there.

    ``outcome`` gives the one of an effect, by its place in the batch and with the reason why it cannot be done, if
    any; or ``None``.
    """
    ready: list[Effect] = []
    outcomes: list[Outcome | None] = []
    for place, effect in enumerate(effects):
        before = tuple([one for at in effect.after if (one := outcomes[at]) is not None])
        complete, failure = joined(effect, before) if len(before) == len(effect.after) else (effect, None)
        ready.append(complete)
        outcomes.append(outcome(place, complete, failure))
    return tuple(ready), tuple(outcomes)


def wave_starts(effects: Sequence[Effect]) -> tuple[int, ...]:
    """The places in a batch, after the first, before which all that comes earlier can be over: where a wave begins."""
    depths: list[int] = []
    starts: list[int] = []
    for place, effect in enumerate(effects):
        depth = 1 + max((depths[at] for at in effect.after), default=-1)
        if depth > max(depths, default=0):
            starts.append(place)
        depths.append(depth)
    return tuple(starts)
