"""How cells are written, whatever their digits: the shape of ``1.250,00`` is ``9.999,99``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["DIGITS", "MOST", "Shape", "ascii_digits", "shape", "shape_of", "shapes"]

DIGITS = "".join(chr(zero + n) for zero in (0x30, 0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10) for n in range(10))
"""The digits of the scripts that write numbers with them: Latin, Arabic, Persian, Devanagari, Bengali, Thai, wide."""
MOST = 2_000
"""Different shapes of a column above which they are those of texts."""

_NINES = str.maketrans(dict.fromkeys(DIGITS, "9"))
_ZEROS = frozenset(f"0{digit}" for digit in range(10))
_BELOW_ONE = frozenset({"0.", "0,"})
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


def shape(cell: str) -> str:
    """The cell with a 9 for each digit."""
    return cell.translate(_NINES)


def ascii_digits(cell: str) -> str:
    """The cell with its digits as ASCII has them."""
    return cell.translate(_ASCII)


def shape_of(column: str) -> str:
    """The same as `shape` in SQL, of an expression."""
    return f"translate({column}, '{DIGITS}', '{'9' * len(DIGITS)}')"


def shapes(cells: Iterable[str]) -> tuple[Shape, ...]:
    """The shapes of some cells, the most frequent first."""
    found: dict[str, Shape] = {}
    for cell in cells:
        text = shape(cell)
        known = found.get(text, Shape(text, 0, cell))
        zeros, below_one = known.zeros, known.below_one
        if "0" in cell[:4]:
            start = cell.lstrip("-+( ")[:2]
            zeros, below_one = zeros or start in _ZEROS, below_one or start in _BELOW_ONE
        found[text] = Shape(text, known.cells + 1, max(known.example, cell), zeros, below_one)
    return tuple(sorted(found.values(), key=lambda one: (-one.cells, one.text)))
