"""Computations that a text states, such as ``240 * 0.45 = 108`` or ``3 kits * 9.6 kg = 28.8 kg``."""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from aeon.language.mention import Mention
from aeon.proof.again import CHANGES, evaluate, letters_of

__all__ = ["Equation", "equations", "may_compute", "with_constants"]

_SIGNS = {
    "+": "+", "-": "-", "−": "-", "–": "-", "*": "*", "×": "*", "x": "*", "·": "*", "/": "/", "÷": "/", ":": "/",
    "\\times": "*", "\\cdot": "*", "\\div": "/",
}  # fmt: skip
_SIGN = "|".join(map(re.escape, sorted(_SIGNS, key=len, reverse=True)))
_WORDS = r"(?:[^\W\d_]++\.?(?:\s[^\W\d_]++\.?){0,2})"
_GAP = re.compile(rf"(?P<close>[)]*+)\s*+(?:(?P<words>{_WORDS})\s)?(?P<end>[)]*+)\s*+(?P<sign>{_SIGN})\s*(?P<open>\(*)")
_EQUALITIES = ("==", "=", "≈", "\\approx")
_EQUAL = "|".join(map(re.escape, _EQUALITIES))
_EQUALS = re.compile(rf"(?P<close>[)]*+)\s*+(?P<words>{_WORDS})?(?P<end>[)]*+)\s*+(?:{_EQUAL})\s*(?P<about>{_WORDS})?")
_APART = re.compile(r"[.,:;()\[\]|=\n]")
"""What stands between two numbers of which the second does not go on with the first."""


_MOST_BRACKETS = 10


class Equation(NamedTuple):
    """A stated computation: the places of its operands and of its result among the mentions of the text.

    ``expression`` is over ``a``, ``b``, … for the operands in order; a percentage stands for its share. ``whole``:
    there is nothing about it that may belong to it and was not read, as in "15 % of 200 - 10 = 20".
    """

    operands: tuple[int, ...]
    expression: str
    result: int
    whole: bool = True

    def value(self, numbers: Sequence[Fraction]) -> Fraction | None:
        """What the expression gives for these operands; ``None`` where it has no value."""
        try:
            return evaluate(self.expression, dict(zip(string.ascii_lowercase, numbers, strict=False)))
        except ValueError:
            return None


@dataclass
class _Chain:
    """Numbers with a sign between each two, as far as they are read."""

    whole: bool = True
    places: list[int] = field(default_factory=list)
    text: str = ""

    def add(self, place: int, mention: Mention) -> None:
        letter = string.ascii_lowercase[len(self.places)]
        self.places.append(place)
        self.text += f"({letter} / 100)" if mention.forms[0].read.unit == "%" else letter

    def grows(self, gap: str) -> bool:
        """Add the sign that a gap is, between the last number and the next one; false where it is none."""
        sign = _GAP.fullmatch(gap) if 0 < len(self.places) < len(string.ascii_lowercase) else None
        if sign is None or (sign["words"] and sign["sign"] == ":"):
            return False
        self.whole = self.whole and not sign["words"]
        self.text += f"{sign['close']}{sign['end']} {_SIGNS[sign['sign']]} {sign['open']}"
        return True

    def closed(self, brackets: str) -> str | None:
        """The expression, without brackets that nothing closes; ``None`` where one closes that was not opened."""
        text = f"{self.text}{brackets}"
        missing = text.count("(") - text.count(")")
        leading = len(text) - len(text.lstrip("("))
        return text[missing:] if 0 <= missing <= leading else None


def with_constants(equation: Equation, found: Sequence[Mention], loose: Collection[int]) -> Equation | None:
    """The equation without the operands at ``loose`` places, if those only change units (`CHANGES`)."""
    expression = equation.expression
    kept: list[int] = []
    for letter, place in zip(string.ascii_lowercase, equation.operands, strict=False):
        number = found[place].forms[0].read.number
        if place not in loose or number is None:
            new = string.ascii_uppercase[len(kept)]
            kept.append(place)
        elif number in CHANGES:
            new = str(number)
        else:
            return None
        expression = expression.replace(letter, new)
    try:
        free = len(letters_of(expression.lower())) == len(kept) > 0
    except ValueError:
        return None
    return equation._replace(operands=tuple(kept), expression=expression.lower()) if free else None


def may_compute(text: str) -> bool:
    """Whether a text has a sign of equality, without which it states no computation."""
    return any(sign in text for sign in _EQUALITIES)


def equations(text: str, found: Sequence[Mention]) -> Iterator[Equation]:
    """The computations that a text states, by its mentions: numbers with one sign between each two, and a result."""
    if not may_compute(text):
        return
    chain = _Chain()
    for place, mention in enumerate(found):
        if mention.forms[0].read.number is None:
            chain = _Chain()
            continue
        gap = _gap(text, found, place) if chain.places else ""
        equals = _EQUALS.fullmatch(gap) if chain.places else None
        if equals and (equation := _equation(chain, equals, found, place)) is not None:
            yield equation._replace(whole=equation.whole and not _goes_on(text, found, place))
        if not chain.grows(gap):
            chain = _Chain(
                _is_apart(text, found, place),
                text=_opened(text[max(0, mention.start - _MOST_BRACKETS) : mention.start]),
            )
        chain.add(place, mention)


def _opened(before: str) -> str:
    """The brackets that stand right before a number."""
    return before[len(before.rstrip("(")) :]


def _equation(chain: _Chain, equals: re.Match[str], found: Sequence[Mention], place: int) -> Equation | None:
    """The equation of a chain and the result at a place; one number alone equals another one in another unit."""
    expression = chain.closed(equals["close"] + equals["end"])
    several = len(chain.places) > 1
    if expression is None or not (several or _unit(found[chain.places[0]]) != _unit(found[place])):
        return None
    whole = chain.whole and several and not equals["words"] and not equals["about"]
    return Equation(tuple(chain.places), expression, place, whole)


def _gap(text: str, found: Sequence[Mention], place: int) -> str:
    """What stands before a mention and behind the one before it, without signs of bold type."""
    return text[found[place - 1].end : found[place].start].replace("**", "").replace("__", "").strip()


def _is_apart(text: str, found: Sequence[Mention], place: int) -> bool:
    """Whether a number does not go on with one before it; a year does not count."""
    if place and any(form.form == "y" for form in found[place - 1].forms):
        return True
    return place == 0 or _APART.search(text, found[place - 1].end, found[place].start) is not None


def _goes_on(text: str, found: Sequence[Mention], place: int) -> bool:
    """Whether what looks like a result is only the first number of a longer right side."""
    return place + 1 < len(found) and _GAP.fullmatch(_gap(text, found, place + 1)) is not None


def _unit(mention: Mention) -> str:
    return mention.forms[0].read.unit
