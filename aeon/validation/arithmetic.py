"""Evidence that needs no model: sums that a text claims, done again exactly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from aeon.errors import AeonError
from aeon.proof.numbers import plain
from aeon.tools.calculator import evaluate

__all__ = ["wrong_sums"]

# A chain is taken whole, link by link, whatever it claims, so that the time is linear.
_LINK = r"(?:(?:[$€£]-?)?\d+(?:,\d+)*(?:\.\d+)?%?|[-+*/\u00d7\u00f7()=])"
_FIRST = re.compile(rf"(?<![\w.$]){_LINK}")
_NEXT = re.compile(rf"[ \t]*{_LINK}")
_OPERATION = re.compile(r"[\d)%][ \t]*+[-+*/\u00d7\u00f7]")
_HEAD = re.compile(r"(?:[+*/\u00d7\u00f7=]|-(?![\d$€£(]))[-+*/\u00d7\u00f7= \t]*+")
_OPERATORS = "-+*/^\u00d7\u00f7\u00b7\u2212\u2013"
_GOES_BEFORE = re.compile(rf"(?:[)\]!%\u221a]|\S[ \t]*[{_OPERATORS}]|(?<!\w)[xX])[ \t]*\Z")
_GOES_ON = re.compile(rf"[\w%]|\.\d|[ \t]*+[{_OPERATORS}xX(][ \t]*+[$€£(.\d]")
_ADDS_PERCENT = re.compile(r"[-+]\s*[\d,.]+%")
_LONGEST = 200
_MOST = 5
_BEFORE = 16
_FLOAT_NOISE = Fraction(1, 10**9)


def wrong_sums(text: str) -> tuple[str, ...]:
    """The first five ``a + b = c`` in the text that are wrong, each with the exact value.

    Brackets are read, and in a chain of equations each side is held against the next. A result is wrong if it is off
    by a unit or more in its last digit: rounded and truncated ones are right. Two formulas are compared only where they
    are of whole numbers. Parts of longer formulas, and formulas that mean different things to different people
    (``200 + 10%``), are left alone.
    """
    faults: dict[str, None] = {}
    for start, end in _chains(text):
        if "=" in text[start:end]:
            faults.update(dict.fromkeys(filter(None, (_fault(*pair) for pair in pairwise(_sides(text, start, end))))))
        if len(faults) >= _MOST:
            break
    return tuple(faults)[:_MOST]


def _chains(text: str) -> Iterator[tuple[int, int]]:
    """Where numbers and signs follow each other with nothing but blanks between them: from where to where."""
    end = 0
    while (first := _FIRST.search(text, end)) is not None:
        end = first.end()
        while (link := _NEXT.match(text, end)) is not None:
            end = link.end()
        yield first.start(), end


def _sides(text: str, start: int, end: int) -> list[str]:
    """The sides of a chain of equations; one that is only a part of something longer is empty."""
    chain = text[start:end]
    head = _HEAD.match(chain)
    start, end = start + (head.end() if head else 0), start + len(chain.rstrip("( \t"))
    sides = [side.strip() for side in text[start:end].split("=")]
    if _is_part(text, start):
        sides[0] = ""
    if _GOES_ON.match(text, end):
        sides[-1] = ""
    sides[0] = _without_surplus(sides[0], "(", ")")
    sides[-1] = _without_surplus(sides[-1][::-1], ")", "(")[::-1]
    return [side if len(side) <= _LONGEST else "" for side in sides]


def _is_part(text: str, start: int) -> bool:
    """Whether the formula goes on before the place, or is the argument of a function or another's sign."""
    before = text[max(0, start - _BEFORE) : start]
    called = text[start : start + 1] == "(" and before[-1:].isalnum()
    signed = text[start : start + 1] == "-" and before.rstrip(" \t")[-1:].isalnum()
    return called or signed or _GOES_BEFORE.search(before) is not None


def _without_surplus(side: str, opening: str, closing: str) -> str:
    """The side without the brackets at its start that the text around the formula closes."""
    surplus = side.count(opening) - side.count(closing)
    while surplus > 0 and side.startswith(opening):
        side, surplus = side[1:].lstrip(), surplus - 1
    return side


def _fault(expression: str, claim: str) -> str:
    """The fault of ``expression = claim``; empty where it holds or cannot be checked."""
    if not claim or not _OPERATION.search(expression) or (_ADDS_PERCENT.search(expression) and not claim.endswith("%")):
        return ""
    try:
        exact, claimed = Fraction(evaluate(expression)), Fraction(evaluate(claim))
    except AeonError:
        return ""
    fact = f"it says {expression} = {claim}; recomputed, {expression} = {plain(exact)}"
    if _OPERATION.search(claim):
        whole = not re.search(r"[.%]", expression + claim)
        return f"{fact} and {claim} = {plain(claimed)}" if whole and exact != claimed else ""
    return fact if _is_off(exact, claimed, claim.strip("() \t")) else ""


def _is_off(exact: Fraction, claimed: Fraction, number: str) -> bool:
    """Whether a number differs from the exact value by a unit in its last digit or more, noise of floats aside."""
    unit = Fraction(1, 10 ** len(number.rstrip("%").partition(".")[2])) / (100 if number.endswith("%") else 1)
    return abs(exact - claimed) >= unit and abs(exact - claimed) > _FLOAT_NOISE * (1 + abs(exact))
