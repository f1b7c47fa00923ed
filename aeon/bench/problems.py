"""The questions of the bench: families drawn from a seed, and the fixed tasks that are scored by keywords."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from random import Random
from typing import NamedTuple

from aeon.bench import patterns
from aeon.bench.keywords import KEYWORD_TASKS
from aeon.bench.question import Question

__all__ = ["FAMILIES", "Family", "Problem", "problems"]

_DRAWS = 5_000
"""Questions of a pattern that may repeat another one, or have no single answer, before it counts as used up."""


@dataclass(frozen=True)
class Problem:
    """A question with its place: the ``number`` of its family, from 1 on."""

    family: str
    number: int
    question: Question

    @property
    def id(self) -> str:
        """Family and number in one word."""
        return f"{self.family}-{self.number:02}"


class Family(NamedTuple):
    """A kind of questions: what they are about, and the patterns that draw them; none for the fixed tasks."""

    about: str
    patterns: tuple[Callable[[Random], Question | None], ...] = ()


FAMILIES: Mapping[str, Family] = {
    "sums": Family("arithmetic word problems of two to four operations", patterns.SUMS),
    "units": Family("sums with units: minutes and hours, metres and kilometres, clock times", patterns.UNITS),
    "dates": Family("sums with dates: a day after so many days, the days between two, weekdays", patterns.DATES),
    "order": Family("who comes where, of five people of whom pairs are compared", (patterns.ordering,)),
    "compare": Family("which of three is cheapest, fastest, or has most left", patterns.COMPARE),
    "lookup": Family("one fact out of a short text with eight alike", patterns.LOOKUP),
    "unclear": Family("what is needed is left out: right is to ask back", patterns.UNCLEAR),
    "keywords": Family("30 fixed questions, scored by the keywords of their answers"),
}
"""The families by name."""


def problems(families: Sequence[str], sample: int, seed: int) -> list[Problem]:
    """The first ``sample`` questions of each family, the first of each before the second of any.

    They are the same for the same seed, whatever other families and however many are asked for. The fixed tasks end
    where there are no more.
    """
    drawn = {family: list(islice(_drawn(family, seed), sample)) for family in families}
    return [
        Problem(family, number + 1, drawn[family][number])
        for number in range(sample)
        for family in families
        if number < len(drawn[family])
    ]


def _drawn(family: str, seed: int) -> Iterator[Question]:
    """The questions of a family, of each pattern in turn, none of them twice."""
    if not FAMILIES[family].patterns:
        yield from KEYWORD_TASKS
        return
    chance, seen = Random(f"{seed} {family}"), set[tuple[str, str]]()
    for turn in count():
        pattern = FAMILIES[family].patterns[turn % len(FAMILIES[family].patterns)]
        drawn = (pattern(chance) for _ in range(_DRAWS))
        new = next((one for one in drawn if one is not None and (one.text, one.context) not in seen), None)
        if new is None:
            return
        seen.add((new.text, new.context))
        yield new
