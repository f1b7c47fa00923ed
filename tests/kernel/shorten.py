"""A tiny engine of the tests' own: it shortens a text, one effect a version, until the text is short enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from aeon.kernel.decide import Rule, Signals
from aeon.kernel.engine import Engine, Halt, Run
from aeon.schema import Answer, Caps, Conclusion, Settings, Value
from aeon.schema.effects import EffectOf, Program

__all__ = ["SHORTEN", "Caps1", "Shorten", "ShortenSettings", "Shortened", "Shortness", "Words"]


class Words(Value):
    """A text."""

    text: Annotated[str, Field(min_length=1)]


class Shorten(EffectOf[Words]):
    """How can this text be said in fewer words?"""

    phase = "shorten"
    text: str


class Caps1(Caps):
    """One call a version."""

    shorten: int = Field(1, ge=0)


class ShortenSettings(Settings):
    """``longest`` is how many characters are short enough; ``most`` is how many versions are made at most."""

    caps: Caps1 = Caps1()
    longest: int = 12
    most: int = 8


@dataclass(slots=True)
class Shortness(Signals):
    """``short``: the latest version is; ``stuck``: it is no shorter than the one before; ``over``: it was the last."""

    short: bool = False
    stuck: bool = False
    over: bool = False


class Shortened(Conclusion):
    """The versions, the first is the task's text."""

    versions: tuple[str, ...]


def _program(run: Run[ShortenSettings, Shortness]) -> Program[Shortened]:
    versions = [run.task.text]
    try:
        while True:
            run.signals.short = len(versions[-1]) <= run.config.longest
            run.signals.over = len(versions) > run.config.most
            run.boundary()
            words = yield from run.perform(Shorten(task=run.task, text=versions[-1]), Words(text=versions[-1]))
            run.signals.stuck = len(words.text) >= len(versions[-1])
            versions.append(words.text)
    except Halt as halt:
        end = run.conclude(halt.decision, Answer(text=versions[-1]))
        return Shortened(**dict(end), versions=tuple(versions))


SHORTEN: Engine[ShortenSettings, Shortness, Shortened] = Engine(
    name="shorten/1",
    config=ShortenSettings,
    result=Shortened,
    signals=Shortness,
    effects=(Shorten,),
    table=(
        Rule("short", "short", "it is short enough", sufficient=True),
        Rule("stuck", "stuck", "it gets no shorter"),
        Rule("over", "over", "every version is used"),
    ),
    calls=lambda config: config.most * config.caps.shorten,
    program=_program,
)
