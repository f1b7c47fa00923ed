"""How a benchmark reads an answer out of what a model said: tolerantly, and the same way for every method."""

from __future__ import annotations

import re

__all__ = ["RELATIONS", "WEEKDAYS", "read"]

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
RELATIONS = (
    "mother-in-law", "father-in-law", "sister-in-law", "brother-in-law", "daughter-in-law", "son-in-law",
    "grandmother", "grandfather", "granddaughter", "grandson", "mother", "father", "sister", "brother", "daughter",
    "son", "wife", "husband", "aunt", "uncle", "niece", "nephew", "cousin",
)  # fmt: skip
_MINUS = "\u2212"
_WORDS = (WEEKDAYS, RELATIONS, ("yes", "no"))
_FRACTION = re.compile(r"\\[dt]?frac\{\s*(-?\d+)\s*\}\{\s*(-?\d+)\s*\}")
_RATIO = re.compile(r"(-?\d+)\s*/\s*(\d+)")
_NUMBER = re.compile(r"(?:(?<![\w.)])-)?\d[\d,]*(?:\.\d+)?")


def read(said: str, expected: str) -> str:
    """The last thing in the answer that is of the expected one's kind; without one, the answer's last line.

    The kinds are fractions, numbers, days of the week, family relations, and yes or no. What follows the last
    "Answer:" is read first, and the whole text only if that holds nothing of the kind.
    """
    tail = re.split(r"answer\W{0,3}:", said, flags=re.IGNORECASE)[-1]
    for text in (tail, said):
        found = _last(text.replace(_MINUS, "-"), expected.strip().lower())
        if found is not None:
            return found
    lines = [line.strip(" *_`.$") for line in tail.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _last(text: str, expected: str) -> str | None:
    if _RATIO.fullmatch(_FRACTION.sub(r"\1/\2", expected).strip("$ ")):
        ratios = _RATIO.findall(_FRACTION.sub(r"\1/\2", text))
        return "/".join(ratios[-1]) if ratios else None
    if _NUMBER.fullmatch(expected):
        numbers = _NUMBER.findall(text)
        return _plain(numbers[-1]) if numbers else None
    return _word(text.lower(), next((kind for kind in _WORDS if expected in kind), ()))


def _word(text: str, words: tuple[str, ...]) -> str | None:
    """The last of these words, as the verifiers spell it."""
    found = re.findall(rf"\b(?:{'|'.join(words)})\b", text) if words else []
    if not found:
        return None
    return str(found[-1]) if words == RELATIONS else str(found[-1]).capitalize()


def _plain(number: str) -> str:
    """The number without separators, and without decimals that are none."""
    digits = number.replace(",", "")
    whole, _, decimals = digits.partition(".")
    return whole if not decimals.strip("0") else digits
