"""What a short answer measures: one value as a program writes it, and what it counts."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import NamedTuple

from aeon.errors import ToolError
from aeon.language.dates import days_named, same_day
from aeon.proof.mentions import mentions
from aeon.tools.dates import read_date

__all__ = ["Measure", "day_of", "measured", "value_of"]

_NUMBER = re.compile(r"(?<![\w.,:/-])\d+(?:,\d{3})*(?:\.\d+)?(?![\d:/-])")
_COUNTED = re.compile(r"(?P<before>[\u20ac\u00a3$]|[A-Z]{3} )?\d+(?:[.,]\d+)*(?P<behind>\D{0,40})")
"""A number with what it counts, and nothing before it but a currency."""


class Measure(NamedTuple):
    """A value as a program writes it; ``unit`` is what it counts, in the singular, ``None`` where more is said."""

    value: str
    unit: str | None


def measured(answer: str, sentence: str) -> Measure | None:
    """What an answer measures that stands in a sentence, a day with the year that this has; ``None`` if not one thing.

    The units of two answers tell whether these can be compared: euros a week and euros a day cannot.
    """
    if day := day_of(answer, sentence):
        return Measure(repr(day), "day")
    value, found = value_of(answer), _COUNTED.fullmatch(answer.strip())
    if not value:
        return None
    if found is None:
        return Measure(value, None)
    behind = " ".join(word.removesuffix("s") for word in found["behind"].casefold().split())
    return Measure(value, f"{found['before'] or ''}{behind}")


def day_of(answer: str, sentence: str) -> str:
    """The day of an answer, with the year that a sentence gives it, as 2025-04-12; "" unless that is one day."""
    named = sorted(day for day in days_named(sentence) if same_day(day, answer))
    others = [one for one in mentions(answer) if one.kind in ("date", "number")]
    return named[0] if len(named) == 1 and len(others) == 1 else ""


def value_of(printed: str) -> str:
    """A value as a program writes it: a date or a time as a text, else its only number; "" where it has none.

    A day without its year is no number: 24 October is not 24 of anything.
    """
    with suppress(ToolError):
        return repr(read_date(printed).isoformat())
    if any(one.kind == "date" and re.search(r"\d", one.text) for one in mentions(printed)):
        return ""
    if re.fullmatch(r"\d{1,2}:\d\d", printed.strip()):
        return repr(printed.strip())
    numbers = _NUMBER.findall(printed)
    return numbers[0].replace(",", "") if len(numbers) == 1 else ""
