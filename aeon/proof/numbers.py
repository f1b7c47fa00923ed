"""Exact numbers and their JSON forms, as the calculator and the table tool share them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass

__all__ = ["MAX_DIGITS", "Number", "decimal_text", "plain", "restored"]

Number = Fraction | float
"""An exact number, or a ``float`` where only an approximation exists."""

MAX_DIGITS = 4_000
"""Numbers of more digits, above or below the fraction bar, are refused: JSON readers stop at 4,300."""

_DIGITS = 15  # decimal digits that a double keeps through a round trip
_PLAIN_DIGITS = 12  # a text of so few digits is always taken as it stands
_SIMPLE = 100_000  # fractions up to this denominator survive a trip through a double
_CHANCE = 1e-3  # how likely a double may be that of a simple fraction by accident


def plain(value: Number | bool) -> int | float | bool | str:
    """Return a number's JSON form.

    Whole numbers stay whole at any size. Another exact number becomes the nearest double, from which ``restored``
    gets the exact one back where it has up to 12 digits or a small denominator. Where a double would lose
    what counts (cents of 10¹⁵ and above) or cannot hold it, the number is given as text, which the calculator
    reads: ``"1/3"`` or a decimal. An approximation is given to 15 digits.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        rounded = float(f"{value:.{_DIGITS}g}")
        return int(rounded) if rounded.is_integer() and abs(rounded) < 10**_DIGITS else rounded
    if value.denominator == 1:
        return value.numerator
    if 10**-300 < abs(value) < 10**_DIGITS:
        return float(value)
    return decimal_text(value) or f"{value.numerator}/{value.denominator}"


def decimal_text(value: Fraction) -> str:
    """Return the exact decimal text, such as ``"0.125"``, or nothing where it has no end within 60 places."""
    for places in range(61):
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
            return f"-{text}" if value < 0 else text
    return ""


def restored(text: str) -> Fraction:
    """Return the exact value of a decimal text, or of the simple fraction whose double the text shows.

    ``3.3333333333333335`` is how a double shows 10/3: a text of more than 12 digits that is exactly such a display, of
    a fraction with a small denominator, is taken for that fraction. So a number survives being handed on as JSON, and
    ``10 / 3`` in one step times 3 in the next is 10. This holds for every denominator up to 1,000 and values up to a
    million, and for nearly every one up to 100,000 and values up to 1,000.
    """
    exact = Fraction(text)
    if sum(character.isdigit() for character in text.lower().split("e")[0].lstrip("0.")) <= _PLAIN_DIGITS:
        return exact
    try:
        double = float(exact)
    except OverflowError:
        return exact
    if Fraction(repr(double)) != exact:
        return exact
    apart = math.isqrt(int(_CHANCE / math.ulp(double)))
    simple = exact.limit_denominator(max(1, min(_SIMPLE, apart)))
    return simple if float(simple) == double else exact
