"""An engine from another package: it shortens a text word by word, and asks which end to begin at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aeon import (
    Answer,
    Caps,
    Conclusion,
    Effect,
    EffectOf,
    Engine,
    Halt,
    Plugin,
    Program,
    Question,
    Rule,
    Run,
    Settings,
    Signals,
    Value,
)


class Words(Value):
    """A text, and how many words it has."""

    text: str
    number: int = 0


class Shorten(EffectOf[Words]):
    """Which text is left without one word?"""

    phase = "shorten"
    text: str
    front: bool = False


class Count(EffectOf[Words]):
    """How many words has it?"""

    phase = "count"
    text: str


class ShortenerCaps(Caps):
    """No effect calls a model."""

    shorten: int = 0
    count: int = 0


class ShortenerSettings(Settings):
    """The ``longest`` text (characters) that is short, and how many ``words`` must be left at least."""

    caps: ShortenerCaps = ShortenerCaps()
    longest: int = 12
    words: int = 1


@dataclass
class Length(Signals):
    """Whether it is short, or cannot get shorter."""

    short: bool = False
    stuck: bool = False


class Shortened(Conclusion):
    """The conclusion with every version of the text."""

    versions: tuple[str, ...]


def program(run: Run[ShortenerSettings, Length]) -> Program[Shortened]:
    """Shorten until it is short; both the text and the number of its words are asked for at once."""
    versions = [run.task.text]
    try:
        front = False
        if "either end" in run.task.text:
            question = Question(text="Which end?", options=("front", "back"), default="back")
            reply = yield from run.ask(question)
            front = reply.text == "front"
        while True:
            run.signals.short = len(versions[-1]) <= run.config.longest
            run.boundary()
            effects: tuple[Effect, ...] = (
                Shorten(task=run.task, text=versions[-1], front=front),
                Count(task=run.task, text=versions[-1], after=(0,)),
            )
            shorter, counted = yield from run.issue(effects)
            words = run.value(Shorten(task=run.task, text=""), shorter, Words(text=versions[-1]))
            run.signals.stuck = counted.value is None or words.number <= run.config.words
            versions.append(words.text)
    except Halt as halt:
        conclusion = run.conclude(halt.decision, Answer(text=versions[-1]))
        return Shortened(**dict(conclusion), versions=tuple(versions))


SHORTENER: Engine[ShortenerSettings, Length, Shortened] = Engine(
    name="shorten/1",
    config=ShortenerSettings,
    result=Shortened,
    signals=Length,
    effects=(Shorten, Count),
    table=(
        Rule("short", "short", "short enough", sufficient=True),
        Rule("stuck", "stuck", "no word can go any more"),
    ),
    calls=lambda config: 0,
    program=program,
)


async def shorten(effect: Shorten) -> Words:
    """The text without its first or last word; a text with ``slowly`` takes its time."""
    if "slowly" in effect.text:
        await asyncio.sleep(0.2)
    words = effect.text.split()
    left = words[1:] if effect.front else words[:-1]
    return Words(text=" ".join(left), number=len(left))


async def count(effect: Count) -> Words:
    """The number of its words."""
    return Words(text=effect.text, number=len(effect.text.split()))


HANDLERS: dict[str, Callable[..., Any]] = {"shorten": shorten, "count": count}
PLUGIN = Plugin(SHORTENER, lambda services: HANDLERS)
