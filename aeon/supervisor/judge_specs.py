"""Judgments and their calibrations, both data in files beside this one.

A calibration belongs to one model, one judgment in one wording, and one form. ``aeon doctor --judge`` measures them on
labelled cases for the profile of an endpoint, ``scripts/bench/judgments.py --fit`` for the file that is shipped.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from functools import cached_property, lru_cache
from importlib import resources
from typing import Literal, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from aeon.errors import InputFileError, UnknownNameError
from aeon.schema import Form
from aeon.schema.calibration import PAR, Calibration
from aeon.schema.frozen import Frozen
from aeon.supervisor.prompt import clean, cut, fence, render

__all__ = [
    "PAR",
    "Calibration",
    "Calibrations",
    "Example",
    "JudgmentSpec",
    "Question",
    "calibrations",
    "judgment",
    "judgments",
]

T = TypeVar("T")


class Question(Frozen):
    """One yes/no question about the material; ``yes`` says whether a Yes speaks for the judgment."""

    ask: str = Field(min_length=1)
    yes: bool = True

    @property
    def prompt(self) -> str:
        """The question as it is put to the model."""
        return f"{self.ask} Answer Yes or No."


class Example(Frozen):
    """A case with the right answer to the only question of its judgment, for a model to see first."""

    material: dict[str, str]
    answer: Literal["Yes", "No"]


class JudgmentSpec(Frozen):
    """A judgment as data: how the material is shown, and the questions, the best first, whose log-odds are averaged.

    ``material`` is a template; values named in ``fenced`` are foreign text and shown as data, an empty one not at all,
    each in at most ``longest`` characters. Of several parts of one case, ``combine`` takes the weakest or the mean. The
    judgment says yes where its score reaches ``threshold``. One that is ``briefed`` is asked behind what all prompts of
    a run begin with, which holds the task. ``examples`` stand before a question whose answer is one token.
    """

    name: str
    material: str
    questions: tuple[Question, ...] = Field(min_length=1)
    fenced: tuple[str, ...] = ()
    longest: int = Field(default=3_000, ge=1)
    combine: Literal["mean", "min"] = "mean"
    threshold: float = Field(default=0.5, gt=0, lt=1)
    briefed: bool = False
    examples: tuple[Example, ...] = ()

    def worked(self, question: Question) -> tuple[tuple[str, str], ...]:
        """The examples as turns of a conversation that ends in the question."""
        return tuple((f"{shown}\n\n{question.prompt}", answer) for shown, answer in self._shown_examples)

    @cached_property
    def _shown_examples(self) -> tuple[tuple[str, str], ...]:
        """Each example as the model sees it, and its answer."""
        return tuple((self.shown(one.material), one.answer) for one in self.examples)

    def score(self, odds: float) -> float:
        """The score (0-1) for log-odds of yes: their probability, stretched so that one half is the threshold."""
        likely = 1 / (1 + math.exp(-min(max(odds, -50.0), 50.0)))
        if likely < 0.5:
            return 2 * self.threshold * likely
        return 1 - 2 * (1 - self.threshold) * (1 - likely)

    def shown(self, material: Mapping[str, str]) -> str:
        """The material as the model sees it.

        Raises:
            ConfigError: it lacks a value that the template names, or has one that it does not.
        """
        values = {
            name: fence(name, text, self.longest) if text and name in self.fenced else cut(clean(text), self.longest)
            for name, text in material.items()
        }
        return render(self.material, **values)

    @cached_property
    def wording(self) -> str:
        """A short digest of everything that the answers depend on; a calibration holds for one wording only."""
        unsaid = {"threshold"} if self.examples else {"threshold", "examples"}
        asked = [self.model_dump_json(exclude=unsaid), *(question.prompt for question in self.questions)]
        return hashlib.sha256("\n".join(asked).encode("utf-8")).hexdigest()[:12]


class Calibrations(Frozen):
    """What was measured. Of two entries for the same, the first counts."""

    entries: tuple[Calibration, ...] = ()

    def find(self, model: str, spec: JudgmentSpec, form: Form) -> Calibration | None:
        """The calibration of this model, judgment and form, in exactly this wording."""
        return self.named(model, spec.name, form, spec.wording)

    def named(self, model: str, name: str, form: Form, wording: str) -> Calibration | None:
        """The calibration of the judgment of this name, likewise."""
        key = (model, name, form, wording)
        return next((e for e in self.entries if (e.model, e.judgment, e.form, e.wording) == key), None)

    def before(self, others: Calibrations) -> Calibrations:
        """These, and behind them the others: these count first."""
        return Calibrations(entries=(*self.entries, *others.entries)) if self.entries else others


@lru_cache(maxsize=1)
def judgments() -> dict[str, JudgmentSpec]:
    """The shipped judgments by name."""
    specs = _read("judgments.json", TypeAdapter(tuple[JudgmentSpec, ...]))
    return {spec.name: spec for spec in specs}


def judgment(name: str) -> JudgmentSpec:
    """The shipped judgment of that name. Raises `UnknownNameError` if there is none."""
    try:
        return judgments()[name]
    except KeyError:
        raise UnknownNameError(f"no judgment is called {name!r}; use one of {', '.join(judgments())}") from None


@lru_cache(maxsize=1)
def calibrations() -> Calibrations:
    """The shipped calibrations."""
    return _read("calibrations.json", TypeAdapter(Calibrations))


def _read(name: str, shape: TypeAdapter[T]) -> T:
    try:
        return shape.validate_json(resources.files("aeon.supervisor").joinpath(name).read_bytes())
    except (OSError, ValidationError) as error:
        raise InputFileError(f"{name} of aeon.supervisor cannot be read: {error}") from error
