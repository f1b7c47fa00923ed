"""Evidence that needs no model: sums that a text claims, done again exactly."""

from __future__ import annotations

import re
from fractions import Fraction

from aeon.errors import AeonError
from aeon.tools.calculator import evaluate
from aeon.tools.numbers import plain

__all__ = ["wrong_sums"]

# Every quantifier is possessive and a chain is taken whole, with or without a result, so that the time is linear.
_NUMBER = r"[$€£]?+-?+\d++(?:,\d++)*+(?:\.\d++)?+%?+"
_CLAIM = re.compile(
    rf"(?<![\w.$])({_NUMBER})((?:[ \t]*+[-+*/\u00d7\u00f7][ \t]*+{_NUMBER})*+)(?:[ \t]*+=[ \t]*+({_NUMBER})(?![\w%]))?+"
)
_OPERATOR = "-+*/^\u00d7\u00f7\u00b7\u2212\u2013"
_GOES_BEFORE = re.compile(
    rf"(?:[)\]!%]|\S[ \t]*[{_OPERATOR}]|\b(?:x|times|by|plus|minus)|(?:%|percent|root)[ \t]+of)[ \t]*\Z", re.IGNORECASE
)
_GOES_ON = re.compile(rf"[ \t]*+[{_OPERATOR}xX(][ \t]*+[$€£(.\d]")
_ADDS_PERCENT = re.compile(r"[-+]\s*[\d,.]+%")
_LONGEST = 200
_MOST = 5
_BEFORE = 16
_FLOAT_NOISE = Fraction(1, 10**9)


def wrong_sums(text: str) -> tuple[str, ...]:
    """The first five ``a + b = c`` in the text that are wrong, each with the exact value.

    A result is wrong if it is off by a unit or more in its last digit: rounded and truncated ones are right. What is
    only a part of a longer formula, or means different things to different people (``200 + 10%``), is left alone.
    """
    found: dict[str, None] = {}
    for claim in _CLAIM.finditer(text):
        first, rest, said = claim.groups()
        if not rest or said is None or len(claim[0]) > _LONGEST or _is_part(text, claim.start(), claim.end()):
            continue
        if fault := _fault(first + rest, said):
            found[fault] = None
        if len(found) == _MOST:
            break
    return tuple(found)


def _is_part(text: str, start: int, end: int) -> bool:
    """Whether the formula goes on before or behind the place."""
    return bool(_GOES_BEFORE.search(text[max(0, start - _BEFORE) : start]) or _GOES_ON.match(text, end))


def _fault(expression: str, said: str) -> str:
    if _ADDS_PERCENT.search(expression) and not said.endswith("%"):
        return ""
    try:
        exact, given = Fraction(evaluate(expression)), Fraction(evaluate(said))
    except AeonError:
        return ""
    unit = Fraction(1, 10 ** len(said.rstrip("%").partition(".")[2])) / (100 if said.endswith("%") else 1)
    if abs(exact - given) < unit or abs(exact - given) <= _FLOAT_NOISE * (1 + abs(exact)):
        return ""
    return f"it says {expression} = {said}; recomputed, {expression} = {plain(exact)}"
