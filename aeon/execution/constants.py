"""Numbers that a call only gives back: the model wrote them into it, and no tool found or computed them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from aeon.schema import JsonObject, JsonValue

__all__ = ["is_given_back"]

_FROM = re.compile(r"\bfrom\b", re.IGNORECASE)
_SELECT = re.compile(r"\s*select\b", re.IGNORECASE)
_BETWEEN = re.compile(r",(?![^(]*\))")
_CONSTANT = re.compile(
    r"[\s(]*['\"]?(?P<number>-?\d+(?:\.\d+)?)['\"]?[\s)]*(?:(?:as\s+)?[\"\w ]+)?;?\s*", re.IGNORECASE
)


def is_given_back(arguments: JsonObject, output: JsonValue) -> bool:
    """Whether all numbers of an output are constants of its call: of ``SELECT 4821 AS amount``, or of ``4821`` alone.

    A constant that is compared or reckoned with is none of these.
    """
    given = set(_numbers(output))
    written = {number for value in arguments.values() for number in _constants(str(value))}
    return bool(given) and given <= written


def _constants(text: str) -> Iterator[Fraction]:
    """The numbers that an expression, or the list of what a query selects, is or has as they stand."""
    head = _FROM.split(text)[0]
    for part in _BETWEEN.split(_SELECT.sub("", head)):
        if found := _CONSTANT.fullmatch(part):
            yield Fraction(found["number"])


def _numbers(value: JsonValue) -> Iterator[Fraction]:
    match value:
        case bool() | None:
            return
        case int() | float():
            yield Fraction(str(value))
        case list():
            for item in value:
                yield from _numbers(item)
        case dict():
            for item in value.values():
                yield from _numbers(item)
        case _:
            return
