"""Short answers of a model: what one says, whether it says anything, and which two are the same."""

from __future__ import annotations

import re

from aeon.documents.words import stems
from aeon.proof.readings import NUMBER_WORDS
from aeon.supervisor.meaning import same

__all__ = ["MOST_SENTENCES", "bare", "in_minutes", "is_absent", "is_echo", "is_same"]

MOST_SENTENCES = 30
"""Sentences that are shown; of 14, eight of twelve answers were right, of 30 ten, of whole texts ten as well."""
_CITED = re.compile(r"[\[(]\s*(?:sentences?\s*)?\d{1,3}(?:\s*(?:,|and|-)\s*\d{1,3})*\s*[\])]")
_SAID = r"(?:stat|mention|specif|provid|indicat|contain|includ|giv|say|said|tell|told|find|found|determin|know)\w*"
_ABSENT = re.compile(
    rf"(?:\b(?:not|cannot)|n[\u2019']t)(?: \w+){{0,2}}? {_SAID}|\bnot in the (?:sentence|text|passage)|"
    r"\bno (?:sentence|information|mention|text|answer)\b|\bunknown\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_FIGURE = re.compile(r"\d+")
_WORD = re.compile(r"\w+")
_OPEN = re.compile(r"(?!.*\bor\b)\s*(?:who|whose|whom|where|when|how|what|why)\b", re.IGNORECASE | re.DOTALL)
_CLOCK = re.compile(
    r"\b(?P<hours>\d{1,2})(?:[:.](?P<minutes>\d\d))? ?(?P<half>[ap])\.?m\b\.?|\b(?P<h>\d{1,2}):(?P<m>\d\d)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|no|never|none|without|except)\b|n[\u2019']t\b", re.IGNORECASE)


def bare(reply: str) -> str:
    """The answer of a reply, without the numbers of sentences, quotes and a full stop."""
    return _CITED.sub("", reply).strip().strip("\"'").removesuffix(".").strip()


def is_absent(answer: str) -> bool:
    """Whether an answer says that the sentences do not say it, or nothing."""
    return not answer or bool(_ABSENT.search(answer))


def is_echo(question: str, answer: str) -> bool:
    """Whether a question for who, where, when or how, and not for one of two, says its answer itself."""
    numbers = {word for word in _WORD.findall(answer.casefold()) if word in NUMBER_WORDS}
    known = not _DIGIT.search(answer) and numbers <= set(_WORD.findall(question.casefold()))
    return bool(_OPEN.match(question)) and known and stems(answer) <= stems(question)


def is_same(question: str, one: str, other: str) -> bool:
    """Whether two short answers to a question are the same one, as far as a host can tell (`same`).

    A time of day is the same in either form. Where only a model could tell, they are if one has all words of the other,
    neither denies what the other does not, and both have the same numbers.
    """
    one, other = in_minutes(one), in_minutes(other)
    judged = same(question, one, other)
    if judged is not None:
        return judged
    few, many = sorted((stems(one), stems(other)), key=len)
    denied = bool(_DENIED.search(one)) is bool(_DENIED.search(other))
    return bool(few) and few <= many and denied and sorted(_FIGURE.findall(one)) == sorted(_FIGURE.findall(other))


def in_minutes(text: str) -> str:
    """The text with its times of day as minutes since midnight."""
    return _CLOCK.sub(_time, text)


def _time(match: re.Match[str]) -> str:
    """A time of day as the minutes since midnight."""
    hours, minutes = int(match["hours"] or match["h"]), int(match["minutes"] or match["m"] or 0)
    hours = hours if match["half"] is None else hours % 12 + 12 * (match["half"] == "p")
    return f"{hours * 60 + minutes} minutes"
