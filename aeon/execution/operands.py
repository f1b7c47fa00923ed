"""Numbers of a calculation that nobody stated: what is computed with one is the model's own, however exact."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction

from aeon.grounding.mentions import mentions
from aeon.grounding.results import told
from aeon.schema import JsonValue, Task

__all__ = ["unstated"]

_LITERAL = re.compile(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_TIME = re.compile(r"(\d{1,2})[:.](\d\d)(?!\d)")
_SCALED = re.compile(r"(\d+(?:\.\d+)?)([km])\b", re.IGNORECASE)
_SCALES = {"k": 1_000, "m": 1_000_000}
_LARGE = re.compile(r"(?:hundred|thousand|illion|hundert|tausend|illiarde)", re.IGNORECASE)
"""Words of numbers that are not read."""
_COUNTED = 10
"""Whole numbers up to this one are counted, not looked up."""
_USUAL = frozenset(
    Fraction(number)
    for number in (
        *("12", "14", "24", "28", "30", "31", "52", "60", "90", "180", "360", "365", "366", "1440", "3600", "86400"),
        *("0.01", "0.1", "0.25", "0.5", "0.75", "1.5", "100", "1000", "10000", "100000", "1000000", "1000000000"),
        *("3.14", "3.1416", "3.14159", "32", "1.8", "273.15", "1024", "2.54", "30.48", "0.3048", "1.609", "1.609344"),
        *("0.621371", "3.6", "0.4536", "0.45359237", "2.20462", "16", "28.35", "4.184"),
    )
)
"""Numbers of the calendar, of shares, and of units, which are the same everywhere."""
_UNITS = (7, 10, 12, 24, 52, 60, 100, 365, 1_000, 3_600, 1_000_000)
"""By how much a number of one unit is larger in another: cents, grams, hours, weeks."""


def unstated(expression: str, task: Task, outputs: Iterable[JsonValue]) -> list[str]:
    """The numbers of a calculation, as it has them, that neither the task nor an output states.

    Small whole numbers, and those of the calendar and of units, need nobody to state them. 19 % may stand in it as
    0.19, 1.19 or 0.81, and 5 km as 5000.
    """
    numbers = [one for one in dict.fromkeys(_LITERAL.findall(expression)) if not _is_usual(_value(one))]
    if not numbers:
        return []
    said = "\n".join([told(task).context, task.earlier, task.text, *map(str, outputs)])
    if _LARGE.search(said):
        return []
    known = _stated(said)
    return [one for one in numbers if _value(one) not in known]


def _stated(said: str) -> set[Fraction]:
    """The numbers that a text states, each also in another unit, as a share, and as what is left or comes on top."""
    return {way for number in _numbers(said) for way in _ways(number)}


def _numbers(said: str) -> Iterator[Fraction]:
    """The numbers of a text as it has them, times of day in hours."""
    yield from map(_value, (*_LITERAL.findall(said), *_DIGITS.findall(said)))
    yield from (_value(digits) * _SCALES[scale.casefold()] for digits, scale in _SCALED.findall(said))
    yield from (int(hours) + Fraction(int(minutes), 60) for hours, minutes in _TIME.findall(said))
    forms = (form for one in mentions(said) for form in one.forms)
    yield from (form.read.number for form in forms if form.read.number is not None)


def _ways(number: Fraction) -> Iterator[Fraction]:
    """How a number may stand in a calculation."""
    share = number / 100
    yield from (number, share, 1 + share, 1 - share)
    yield from (other for unit in _UNITS for other in (number * unit, number / unit))


def _value(number: str) -> Fraction:
    return Fraction(Decimal(number))


def _is_usual(value: Fraction) -> bool:
    return (value.denominator == 1 and value <= _COUNTED) or value in _USUAL
