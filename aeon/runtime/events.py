"""What a driver tells its observers: everything that happens in a run, as it happens.

``line`` of an event is the number of a line of the journal, from 0: of the event's own line where it has one (the
opening, an outcome, the end), else of the last line before it. Whoever has seen all events up to a line misses nothing
if the run is told again from there.

A `TextDelta` is the one event that is no part of the run: it tells of a text while that is written, is never journaled
nor told again, and no result depends on it.
"""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from pydantic import SerializeAsAny

from aeon.schema import Bound, Conclusion, Frozen, Outcome, Settings, Task
from aeon.schema.effects import Effect, Note

__all__ = [
    "EffectEnded", "EffectStarted", "Event", "Noted", "Observer", "OnRecord", "RunEnded", "RunStarted", "TextDelta",
]  # fmt: skip


class RunStarted(Frozen):
    """A run of this engine begins, or is resumed; ``bound`` is the most that it can spend, over all its lives."""

    type: Literal["run_started"] = "run_started"
    line: int
    execution_id: str
    engine: str
    task: Task
    config: SerializeAsAny[Settings]
    bound: Bound


class EffectStarted(Frozen):
    """An effect was issued. ``number`` counts the effects of the run from 0."""

    type: Literal["effect_started"] = "effect_started"
    line: int
    number: int
    effect: SerializeAsAny[Effect]


class EffectEnded(Frozen):
    """An effect has its outcome; ``recorded``: the journal of a resumed run held it already."""

    type: Literal["effect_ended"] = "effect_ended"
    line: int
    number: int
    effect: SerializeAsAny[Effect]
    outcome: Outcome
    recorded: bool = False


class Noted(Frozen):
    """The program has something to show: a decision, or what its engine notes."""

    type: Literal["noted"] = "noted"
    line: int
    note: SerializeAsAny[Note]


class TextDelta(Frozen):
    """A model writes prose for effect ``number`` that the answer is made of, and this is the next piece of it.

    The pieces since the last one that ``begins`` are the text. One begins a new text where what came before for this
    effect is void: after an attempt that failed, before another turn, or where the text was taken otherwise in the end;
    an empty one says that there is no text. So is the text of an effect that ends in a failure. A recorded effect tells
    none.
    """

    type: Literal["text_delta"] = "text_delta"
    line: int
    number: int
    text: str
    begins: bool = False


class RunEnded(Frozen):
    """The run is over. The engine's record is not in the event: `execute` and the stream's ``result`` give it."""

    type: Literal["run_ended"] = "run_ended"
    line: int
    conclusion: Conclusion


Event: TypeAlias = RunStarted | EffectStarted | EffectEnded | Noted | TextDelta | RunEnded


class Observer(Protocol):
    """A callable that sees every event, in order, and cannot change the run.

    It must be quick. One that raises is told nothing more; the run continues.
    """

    def __call__(self, event: Event, /) -> None:
        """Take note of an event."""


class OnRecord:
    """An observer that is told what is on record alone: no text while it is written.

    Where every observer of a run is one, nothing is made of such texts.
    """

    def __init__(self, observer: Observer) -> None:
        self.observer = observer

    def __call__(self, event: Event, /) -> None:
        """Hand the event on."""
        self.observer(event)
