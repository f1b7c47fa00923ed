"""Prices for one hour, one day, one person: what a sentence says of one, where a question is about several."""

from __future__ import annotations

import re
from typing import NamedTuple

from aeon.documents.words import stem
from aeon.proof.readings import NUMBER_WORDS

__all__ = ["Several", "of_several", "rate_of"]

_RATE = re.compile(
    r"(?<=[a-z\u20ac$\u00a3] )(?:an?|per|each|(?:for )?every) (?:hour|day|night|week|month|year|person|head)\b"
)
_AMOUNT = re.compile(r"\d+(?:\.\d+)?(?![\d.,]*\d)")
_COSTS = re.compile(r"\b(?:costs?|price|pays?|paid|charged?|come to|bill|spend|owes?|fees?|how much)\b", re.IGNORECASE)
_EACH = r"(?:an?|per|each|(?:for )?every|for each)"
_NUMBERED = re.compile(
    rf"\b(?P<number>\d+(?![\d.,]*\d)|{'|'.join(word for word in NUMBER_WORDS if len(word) > 2)}) (?P<unit>[^\W\d_]+)",
    re.IGNORECASE,
)


class Several(NamedTuple):
    """The ``price`` of one, as the sentence ``said`` it, and how many ``times`` it is asked for."""

    said: str
    price: str
    times: str


def of_several(question: str, sentence: str, value: str) -> Several | None:
    """The price of one hour that a sentence states, where a question says that it is three of them; else ``None``."""
    price = _AMOUNT.match(value)
    if price is None or not _COSTS.search(question):
        return None
    one = rf"(?<![\w.,]){re.escape(price[0])}[^\W\d_]*(?: ?[€$£]| [^\W\d_]+)? {_EACH} ([^\W\d_]+)"
    rate = re.search(one, sentence)
    if rate is None:
        return None
    numbers = (found for found in _NUMBERED.finditer(question) if _unit(found["unit"]) == _unit(rate[1]))
    times = [NUMBER_WORDS.get(found["number"].casefold(), found["number"]) for found in numbers]
    return Several(rate[0], price[0], str(times[0])) if len(times) == 1 else None


def rate_of(sentence: str, value: str) -> str:
    """For what a sentence states a value: "a day", "per person"; "" where it says nothing of it."""
    found = _RATE.search(sentence, max(sentence.find(value), 0))
    return found[0] if found else ""


def _unit(word: str) -> str:
    return stem("person" if word.casefold() == "people" else word)
