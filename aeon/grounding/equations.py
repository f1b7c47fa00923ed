"""Computations that a text states, such as ``240 * 0.45 = 108``."""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from aeon.grounding.mention import Mention
from aeon.proof.again import evaluate

__all__ = ["Equation", "equations"]

_SIGNS = {"+": "+", "-": "-", "−": "-", "–": "-", "*": "*", "×": "*", "x": "*", "·": "*", "/": "/", "÷": "/", ":": "/"}
_EQUALS = ("=", "≈", "==")


class Equation(NamedTuple):
    """A stated computation: the places of its operands and of its result among the mentions of the text.

    ``expression`` is over ``a``, ``b``, … for the operands in order; a percentage stands for its share.
    """

    operands: tuple[int, ...]
    expression: str
    result: int

    def value(self, numbers: Sequence[Fraction]) -> Fraction | None:
        """What the expression gives for these operands; ``None`` where it has no value."""
        try:
            return evaluate(self.expression, dict(zip(string.ascii_lowercase, numbers, strict=False)))
        except ValueError:
            return None


def equations(text: str, found: Sequence[Mention]) -> Iterator[Equation]:
    """The computations that a text states, by its mentions: numbers with one sign between each two, and a result."""
    chain: list[int] = []
    signs: list[str] = []
    for place, mention in enumerate(found):
        gap = text[found[place - 1].end : mention.start].strip() if chain else ""
        if mention.forms[0].read.number is None:
            chain, signs = [], []
            continue
        if gap in _EQUALS and len(chain) > 1:
            yield Equation(tuple(chain), _expression([found[one] for one in chain], signs), place)
        if gap not in _SIGNS or len(chain) == len(string.ascii_lowercase):
            chain, signs = [place], []
        else:
            chain.append(place)
            signs.append(_SIGNS[gap])


def _expression(operands: Sequence[Mention], signs: Sequence[str]) -> str:
    letters = [
        f"({letter} / 100)" if one.forms[0].read.unit == "%" else letter
        for letter, one in zip(string.ascii_lowercase, operands, strict=False)
    ]
    return letters[0] + "".join(f" {sign} {letter}" for sign, letter in zip(signs, letters[1:], strict=True))
