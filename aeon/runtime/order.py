"""The order within a batch: which effects wait for others of it, and what they get from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aeon.kernel.effects import Effect, ExecuteStep
from aeon.schema import Failure, Outcome, StepResult

__all__ = ["after", "awaited", "in_order", "wave_starts"]


def awaited(effect: Effect) -> tuple[str, ...]:
    """The ids of the steps of its batch that an effect waits for."""
    if not isinstance(effect, ExecuteStep) or not effect.inputs:
        return ()
    return tuple(given.names[0] for given in effect.inputs if given.awaited)


def after(effect: Effect, before: Sequence[Outcome]) -> tuple[Effect, Failure | None]:
    """The effect with what it awaited, given in the order of `awaited`; or why it cannot be done.

    What cannot be done because something was broken off counts as broken off itself, so that it still can be.
    """
    outputs = []
    for name, outcome in zip(awaited(effect), before, strict=True):
        if not isinstance(outcome.value, StepResult) or outcome.value.clarity == "BLOCKED":
            kind = outcome.failure.kind if outcome.failure else "skipped"
            passed_on = kind if kind in ("interrupted", "endpoint") else "skipped"
            return effect, Failure(kind=passed_on, message=f"step {name}, which it builds on, gave no output")
        outputs.append(outcome.value.output)
    if not isinstance(effect, ExecuteStep) or not outputs:
        return effect, None
    given = iter(outputs)
    return effect.changed(inputs=tuple(i.changed(output=next(given)) if i.awaited else i for i in effect.inputs)), None


def in_order(
    effects: Sequence[Effect], outcome: Callable[[int, Effect, Failure | None], Outcome | None]
) -> tuple[tuple[Effect, ...], tuple[Outcome | None, ...]]:
    """The effects of a batch, each with what it awaited, and their outcomes as far as they are known.

    ``outcome`` gives the one of an effect, by its place in the batch, or ``None``; it is told why one cannot be done.
    """
    made: list[Effect] = []
    known: list[Outcome | None] = []
    steps: dict[str, Outcome] = {}
    for place, effect in enumerate(effects):
        before = [steps[name] for name in awaited(effect) if name in steps]
        ready, failure = after(effect, before) if len(before) == len(awaited(effect)) else (effect, None)
        found = outcome(place, ready, failure)
        made.append(ready)
        known.append(found)
        if isinstance(effect, ExecuteStep) and found is not None:
            steps[effect.step.id] = found
    return tuple(made), tuple(known)


def wave_starts(effects: Sequence[Effect]) -> tuple[int, ...]:
    """The places in a batch, after the first, before which all that comes earlier can be over: where a wave begins."""
    depths: dict[str, int] = {}
    starts = []
    latest = 0
    for place, effect in enumerate(effects):
        depth = 1 + max((depths[name] for name in awaited(effect)), default=-1)
        if isinstance(effect, ExecuteStep):
            depths[effect.step.id] = depth
        if depth > latest:
            starts.append(place)
            latest = depth
    return tuple(starts)
