"""What a program can ask for, whatever engine it belongs to.

A program yields a ``Batch`` of effects and is sent one ``Outcome`` for each, in the batch's order. It also yields
``Note``s: what people may want to see, answered with nothing and never journalled.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import ClassVar, Generic, Literal, Self, TypeAlias, TypeVar, get_args

from pydantic import SerializeAsAny

from aeon.schema.conclusion import Decision
from aeon.schema.outcome import Failure, Outcome
from aeon.schema.task import Question, Reply, Task
from aeon.schema.usage import Allowance
from aeon.schema.value import Value

__all__ = ["AskUser", "Batch", "Effect", "EffectOf", "Note", "Program", "Role", "skipped"]

T = TypeVar("T")
V = TypeVar("V", bound=Value)
Role: TypeAlias = Literal["planner", "worker", "verifier", "tutor", "peer"]


class Effect(Value):
    """A request that only the world outside can answer, and the most it may spend.

    ``role`` is the model that it wants. ``after`` are the places in its batch (from 0, all before its own) that it
    waits for. ``scope`` tells the effects of a nested run from those of others; it is empty for the outermost one.
    """

    phase: ClassVar[str]
    result: ClassVar[type[Value]]

    task: Task
    role: Role = "worker"
    after: tuple[int, ...] = ()
    scope: str = ""
    allowance: Allowance = Allowance(calls=0)

    @property
    def subject(self) -> str:
        """What it is about, for people."""
        return self.phase.replace("_", " ")

    def joined(self, outcomes: tuple[Outcome, ...]) -> Self | Failure:
        """The effect with what it waited for, in the order of ``after``; or why it cannot be done."""
        missing = next((outcome for outcome in outcomes if outcome.value is None), None)
        return self if missing is None else skipped(missing, "an effect that it waits for gave no value")


def skipped(missing: Outcome, message: str) -> Failure:
    """Why an effect cannot be done after that outcome; it still can be where the other one was only broken off."""
    kind = missing.failure.kind if missing.failure and missing.broken_off else "skipped"
    return Failure(kind=kind, message=message)


class EffectOf(Effect, Generic[V]):
    """The base of every kind of effect: ``class Search(EffectOf[Hits])`` asks for hits.

    It names its ``phase``, which is also the name of its handler. An effect and a fallback of another type in one
    `Run.perform` are an error for a type checker.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for base in cls.__dict__.get("__orig_bases__", ()):
            if arguments := get_args(base):
                cls.result = arguments[0]


class AskUser(EffectOf[Reply]):
    """What does the person who set the task say to this question?"""

    phase = "ask"
    question: Question


class Batch(Value):
    """Effects to be done at once; the outcomes come back in this order."""

    effects: tuple[SerializeAsAny[Effect], ...]

    @classmethod
    def joined(cls, batches: Iterable[Batch]) -> Batch:
        """One batch of all; the places that an effect waits for are counted in it."""
        effects: list[Effect] = []
        for batch in batches:
            shift = len(effects)
            effects += [effect.changed(after=tuple(at + shift for at in effect.after)) for effect in batch.effects]
        return cls(effects=tuple(effects))


class Note(Value):
    """Something that observers may want to show: a decision here, more in an engine's own subclass."""

    decision: Decision | None = None


Program: TypeAlias = Generator[Batch | Note, tuple[Outcome, ...], T]
