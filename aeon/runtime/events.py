"""What a driver tells its observers: everything that happens in a run, as it happens."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from pydantic import SerializeAsAny

from aeon.kernel.effects import Effect, Note
from aeon.schema import Bound, Config, Frozen, Outcome, Result, Task

__all__ = ["EffectEnded", "EffectStarted", "Event", "Noted", "Observer", "RunEnded", "RunStarted"]


class RunStarted(Frozen):
    """A run begins; ``bound`` is the most that it can spend."""

    type: Literal["run_started"] = "run_started"
    execution_id: str
    task: Task
    config: Config
    bound: Bound


class EffectStarted(Frozen):
    """An effect was issued. ``number`` counts the effects of the run from 0."""

    type: Literal["effect_started"] = "effect_started"
    number: int
    effect: SerializeAsAny[Effect]


class EffectEnded(Frozen):
    """An effect has its outcome; ``recorded``: it had it already, in the journal of a run that is taken up again."""

    type: Literal["effect_ended"] = "effect_ended"
    number: int
    effect: SerializeAsAny[Effect]
    outcome: Outcome
    recorded: bool = False


class Noted(Frozen):
    """The kernel has something to show: a decision or a changed plan."""

    type: Literal["noted"] = "noted"
    note: Note


class RunEnded(Frozen):
    """The run is over."""

    type: Literal["run_ended"] = "run_ended"
    result: Result


Event: TypeAlias = RunStarted | EffectStarted | EffectEnded | Noted | RunEnded


class Observer(Protocol):
    """A callable that sees every event, in order, and cannot change the run."""

    def __call__(self, event: Event, /) -> None:
        """Take note of an event; must be quick and must not raise."""
