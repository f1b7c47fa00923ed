"""Prices for one hour, one day, one person: what a sentence says of one, where a question is about several."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from aeon.documents.words import stem
from aeon.plan.evidence import figures, in_words
from aeon.proof.readings import NUMBER_WORDS, spelt

__all__ = ["Several", "asks_costs", "of_several", "rate_of"]

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


_ONE = re.compile(
    r"\b(?<!with )(?<!have )(?<!has )(?P<one>(?:one|each|every|per) (?P<thing>[^\W\d_]+))\b(?P<rest>[^.;]*)",
    re.IGNORECASE,
)


_YEARLY = re.compile(
    r"\b(?:an?|one|each|every|per) (?:whole |full )?year\b|\b(?:yearly|annual(?:ly)?)\b", re.IGNORECASE
)
_IN_A_YEAR = {stem(word): times for word, times in (("month", 12), ("quarter", 4))}


class Several(NamedTuple):
    """The ``price`` of one, as the sentence ``said`` it, and how many ``times`` it is asked for.

    ``yearly``: it is of a month, say, and asked for a year.
    """

    said: str
    price: str
    times: str
    yearly: bool = False


def asks_costs(question: str) -> bool:
    """Whether a question asks what something costs, or somebody pays."""
    return _COSTS.search(question) is not None


def of_several(question: str, sentence: str, value: str) -> Several | None:
    """The price of one hour that a sentence states, where a question says that it is three of them; else ``None``.

    So is anything that it states of one, each or every thing: four minutes for one token. What it states of so many, as
    in "35 euros an hour, 60 for two", is not multiplied. What it states of a month is, where it is asked for a year.
    """
    written, price = _amount(value)
    if not price:
        return None
    one = rf"(?<![\w.,]){re.escape(written)}[^\W\d_]*(?: ?[€$£]| [^\W\d_]+)? {_EACH} ([^\W\d_]+)"
    rate = re.search(one, sentence, re.IGNORECASE) if asks_costs(question) else None
    if rate is None:
        return _of_one(question, sentence, price)
    found = _times(question, rate[1], rate[0], price) or _in_a_year(question, rate[1], rate[0], price)
    others = sentence.replace(rate[0], "", 1)
    if found and found.yearly and _YEARLY.search(others):
        return None
    return found if found and not _states(others, found.times) else None


def _amount(value: str) -> tuple[str, str]:
    """The amount that a value begins with, as it is written and in digits; two times "" where it begins with none."""
    if (found := _AMOUNT.match(value)) is not None:
        return found[0], found[0]
    words = ((words, str(number)) for words, number in spelt(value) if value.casefold().startswith(words))
    return next(words, ("", ""))


def _in_a_year(question: str, unit: str, said: str, price: str) -> Several | None:
    """What is stated of a month, or a quarter, as often as it comes in the year that a question is for."""
    times = _IN_A_YEAR.get(_unit(unit)) if _YEARLY.search(question) else None
    return Several(said, price, str(times), yearly=True) if times else None


def _of_one(question: str, sentence: str, price: str) -> Several | None:
    """What a sentence states of one, each or every thing, where a question says how many of these there are."""
    told = (found for found in _ONE.finditer(sentence) if _states(found["rest"], price))
    each = (_times(question, found["thing"], found["one"], price) for found in told)
    return next((one for one in each if one and not _states(sentence, one.times)), None)


def _times(question: str, unit: str, said: str, price: str) -> Several | None:
    """The price of one unit as often as a question says, if it says so once."""
    numbers = (found for found in _NUMBERED.finditer(question) if _unit(found["unit"]) == _unit(unit))
    times = [NUMBER_WORDS.get(found["number"].casefold(), found["number"]) for found in numbers]
    return Several(said, price, str(times[0])) if len(times) == 1 else None


def _states(text: str, number: str) -> bool:
    """Whether a text states a number, in digits or in words."""
    return Fraction(number) in figures(text) | in_words(text)


def rate_of(sentence: str, value: str) -> str:
    """For what a sentence states a value: "a day", "per person"; "" where it says nothing of it."""
    found = _RATE.search(sentence, max(sentence.find(value), 0))
    return found[0] if found else ""


def _unit(word: str) -> str:
    return stem("person" if word.casefold() == "people" else word)
