"""Sums that a derivation states, done again: a model that sets a problem up well may still calculate badly."""

from __future__ import annotations

import re
from fractions import Fraction

from aeon.proof.again import evaluate
from aeon.proof.readings import exact, rounded

__all__ = ["done_again", "in_both", "uses_all"]

_NUM = r"\d+(?:,\d{3})*(?:\.\d+)?"
_SIGN = r"(?:[-+*/\u00d7\u00f7\u00b7\u2212]|\\times|\\div|\\cdot)"
_OPERAND = rf"[(\s]*[€$]?{_NUM}\s?(?:\\?%)?[)\s]*"
_SUM = re.compile(
    rf"(?P<left>{_OPERAND}(?:{_SIGN}{_OPERAND})+)=\s*[€$]?(?P<result>-?{_NUM})(?![\d%]|[.,]\d|\s*(?:{_SIGN}|%))"
)
_WORDS = {"\\times": "*", "\\cdot": "*", "\\div": "/", "\u00b7": "*", "$": "", "€": "", ",": "", "\\%": "%"}
_PLACES = 4
_ALONE = re.compile(r"(?<![\w.,:/-])\d+(?:,\d{3})*(?:\.\d+)?(?![.,:/-]?\d)")


def done_again(text: str, task: str) -> str:
    """The text with each sum that is wrong put right, and the right result wherever its wrong one stands later.

    A result that is only rounded stays, and so does a number that the ``task`` gives.
    """
    given = set(re.findall(_NUM, task))
    place = 0
    while (found := _SUM.search(text, place)) is not None:
        place = found.end()
        right = _right(found["left"], found["result"])
        if right:
            before, said, after = text[: found.start("result")], found["result"], text[place:]
            later = after if said in given else re.sub(rf"(?<![\d.,]){re.escape(said)}(?![\d]|[.,]\d)", right, after)
            text, place = f"{before}{right}{later}", found.start("result") + len(right)
    return text


def uses_all(text: str, task: str) -> bool:
    """Whether the sums of a derivation calculate with every number of its task, be it as a percentage."""
    used = {Fraction(number.replace(",", "")) for found in _SUM.finditer(text) for number in _ALONE.findall(found[0])}
    needed = (Fraction(number.replace(",", "")) for number in _ALONE.findall(task))
    return all(used & {one, one / 100, 1 - one / 100, 1 + one / 100} for one in needed)


def in_both(task: str, expressions: str) -> str:
    """The numbers of a task that expressions calculate with; what only names something, as a year does, is none."""
    used = set(_ALONE.findall(re.sub(r"\$\w+", "", expressions)))
    return " ".join(number for number in _ALONE.findall(task) if number in used)


def _right(left: str, said: str) -> str:
    """What the sum gives, if that is not what is said of it, in whatever rounding; else empty."""
    for word, sign in _WORDS.items():
        left = left.replace(word, sign)
    try:
        value = evaluate(re.sub(r"(\d+(?:\.\d+)?)\s?%", r"(\1 / 100)", left), {})
    except ValueError:
        return ""
    stated, places = Fraction(said.replace(",", "")), len(said.partition(".")[2])
    if abs(value - stated) < Fraction(1, 10**places):
        return ""
    return exact(rounded(value, _PLACES))
