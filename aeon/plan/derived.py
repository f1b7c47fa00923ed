"""What a second program gives beside a plan: whether it is the same, and how it is put on record."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.plan.checking import Candidate
from aeon.proof.alike import alike, computed
from aeon.schema import Agreement, Derivation, JsonValue, Plan

__all__ = ["derived", "does_the_same", "is_same"]


def is_same(one: Sequence[JsonValue], other: Sequence[JsonValue]) -> bool:
    """Whether two programs give the same, numbers as they are rounded."""
    return one == other or bool((sums := computed(one)) and alike(sums, computed(other)))


def does_the_same(one: Plan, other: Plan) -> bool:
    """Whether the steps of two plans do the same, whatever the case of letters and the spaces."""
    return _words_of(one) == _words_of(other)


def _words_of(plan: Plan) -> list[str]:
    return ["".join(str(step.action).casefold().split()) for step in plan.steps]


def derived(method: str, program: Candidate, given: Sequence[JsonValue], agrees: bool, repeats: bool) -> Agreement:
    """What a program gives as the only other derivation of an answer; ``repeats``: it does what the plan does."""
    told = ", ".join(map(str, given))
    derivation = Derivation(method=method, text=program.text, answer=told, agrees=agrees, repeats=repeats)
    return Agreement(derivations=(derivation,))
