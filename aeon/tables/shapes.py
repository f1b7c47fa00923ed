"""How cells are written, whatever their digits: the shape of ``1.250,00`` is ``9.999,99``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

__all__ = [
    "DIGITS",
    "MARKS",
    "MOST",
    "Shape",
    "ascii_digits",
    "digits_of",
    "is_nothing",
    "pattern_of",
    "shape",
    "shape_of",
    "shapes",
]

DIGITS = "".join(chr(zero + n) for zero in (0x30, 0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10) for n in range(10))
"""The digits of the scripts that write numbers with them: Latin, Arabic, Persian, Devanagari, Bengali, Thai, wide."""
MOST = 2_000
"""Different shapes of a column above which they are those of texts."""

MARKS = frozenset({"n/a", "null", "#n/a"})
"""Texts that say in any table that there is no value, beside those without a letter or a digit."""
_NINES = str.maketrans(dict.fromkeys(DIGITS, "9"))
_ASCII = str.maketrans({digit: str(place % 10) for place, digit in enumerate(DIGITS)})


class Shape(NamedTuple):
    """A shape of a column: its text, how many cells have it, and the last of them in the order of their letters.

    ``zeros``: one begins like ``007``; ``below_one``: one begins like ``0.7``.
    """

    text: str
    cells: int
    example: str
    zeros: bool = False
    below_one: bool = False

    @classmethod
    def of(cls, text: str, cells: int, first: str, last: str) -> Shape:
        """That of cells whose ``first`` and ``last`` in order are known: they differ by digits alone."""
        at = text.find("9")
        has_zero = at >= 0 and ascii_digits(first)[at] == "0"
        behind = text[at + 1 : at + 2]
        return cls(text, cells, last, has_zero and behind == "9", has_zero and behind in (".", ","))


def shape(cell: str) -> str:
    """The cell with a 9 for each digit."""
    return cell.translate(_NINES)


def ascii_digits(cell: str) -> str:
    """The cell with its digits as ASCII has them."""
    return cell.translate(_ASCII)


def shape_of(column: str) -> str:
    """The same as `shape` in SQL, of a column."""
    return _by_letters(column, f"translate({column}, '012345678', '999999999')", "9" * len(DIGITS))


def digits_of(column: str) -> str:
    """The same as `ascii_digits` in SQL, of a column."""
    return _by_letters(column, column, "0123456789" * (len(DIGITS) // 10))


def _by_letters(column: str, plain: str, digits: str) -> str:
    """The digits of a column as others: a cell of ASCII alone is ``plain``, since so many digits take long."""
    other = f"translate({column}, '{DIGITS}', '{digits}')"
    return f"CASE WHEN strlen({column}) = length({column}) THEN {plain} ELSE {other} END"


def is_nothing(text: str) -> bool:
    """Whether a cell says by itself that it holds no value."""
    return not any(letter.isalnum() for letter in text) or text.casefold() in MARKS


def pattern_of(one: Shape) -> str:
    """The regular expression of the cells that have a shape, in ASCII digits."""
    return re.sub("9+", lambda run: f"[0-9]{{{len(run[0])}}}", re.escape(one.text))


def shapes(cells: Iterable[str]) -> tuple[Shape, ...]:
    """The shapes of some cells, the most frequent first."""
    found: dict[str, list[str]] = {}
    for cell in cells:
        found.setdefault(shape(cell), []).append(cell)
    every = (Shape.of(text, len(those), min(those), max(those)) for text, those in found.items())
    return tuple(sorted(every, key=lambda one: (-one.cells, one.text)))
