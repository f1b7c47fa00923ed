"""Watches the texts that are told while a model writes them: each is in the end the text of its effect's outcome."""

from __future__ import annotations

from aeon.engines.contractive.values import Collapsed
from aeon.engines.research.values import Cited
from aeon.runtime.events import EffectEnded, EffectStarted, Event, TextDelta
from aeon.schema import Answer, Outcome, StepResult, Turn
from aeon.simulation.world import World

__all__ = ["ProseWatch"]

_TOLD = "a text that is told is the one that is taken"


class ProseWatch:
    """An observer for one process of a run; it tells the world what did not hold."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._texts: dict[int, list[str] | None] = {}  # of effects under way; None: nothing was told of one

    def __call__(self, event: Event, /) -> None:
        """See an event."""
        match event:
            case EffectStarted():
                self._texts[event.number] = None
            case TextDelta():
                self._tell(event)
            case EffectEnded():
                text = self._texts.pop(event.number, None)
                if text is not None:
                    self._taken(event, "".join(text))

    def _tell(self, event: TextDelta) -> None:
        self._world.texts_told += 1
        if event.number not in self._texts:
            self._world.wrong(_TOLD, f"effect {event.number} is not under way, and {event.text!r} was told of it")
            return
        text = self._texts[event.number]
        if text is None and not event.begins:
            self._world.wrong(_TOLD, f"the text of effect {event.number} goes on with {event.text!r}, and never began")
        self._texts[event.number] = [event.text] if event.begins or text is None else [*text, event.text]

    def _taken(self, event: EffectEnded, text: str) -> None:
        taken = _text_of(event.outcome)
        if taken is not None and text != taken:
            self._world.wrong(_TOLD, f"effect {event.number} gave {taken!r}, and {text!r} was told")


def _text_of(outcome: Outcome) -> str | None:
    """The text that an effect gave; ``None`` where it failed, or gave no text of a model's."""
    match outcome.value:
        case Answer() | Turn() | Cited() | Collapsed() as value:
            return value.text
        case StepResult(mode="reasoning" | "tools", output=str() as text):
            return text
    return None
