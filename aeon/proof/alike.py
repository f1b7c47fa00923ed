"""The numbers of answers, and which of them are the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction

from aeon.language.readings import Read, read, rounded

__all__ = ["numbers_of", "without"]

_CLOSE = Fraction(1, 200)
"""How far apart, in proportion, two numbers may be that are written with different numbers of places."""
_NUMBER = re.compile(r"(?<![\w.,])(?:(?<!\d )-)?\d+(?:[.,]\d+)*")


def numbers_of(text: str) -> tuple[Read, ...]:
    """The numbers that a text says, in order."""
    return tuple(_read(match[0]) for match in _NUMBER.finditer(text))


def _read(text: str) -> Read:
    """The number; where its marks are those of no notation, the text as it is, which is like no other."""
    for form in ("point", "comma", "text"):
        with suppress(ValueError):
            return read(text, form)
    return Read(text)


def without(numbers: Sequence[Read], others: Sequence[Read]) -> tuple[Read, ...]:
    """The numbers without those that are among the others, each of which takes away one."""
    left = list(numbers)
    for other in others:
        if (match := next((place for place, each in enumerate(left) if _is_same(other, each)), None)) is not None:
            del left[match]
    return tuple(left)


def _is_same(one: Read, other: Read) -> bool:
    first, second = one.number, other.number
    if first is None or second is None or first == second:
        return one.value == other.value
    places = min(one.places or 0, other.places or 0)
    near = abs(first - second) <= _CLOSE * max(abs(first), abs(second))
    return near and rounded(first, places) == rounded(second, places)
