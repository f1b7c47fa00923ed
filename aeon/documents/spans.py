"""From when to when something is: a sentence that says "open from 8:00 to 17:30" says when it closes, too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from typing import NamedTuple

from aeon.documents.words import stems

__all__ = ["Ends", "asked_end", "of_asked_day", "said_by_span"]

_I = re.IGNORECASE
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
_POINT = (
    r"(?:\d{1,2}[:.]\d\d(?:\s*[ap]\.?m\b)?|\d{1,2}\s*[ap]\.?m\b|noon|midnight|"
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}(?: \d{{4}})?|{_MONTH} \d{{1,2}}\b(?:, \d{{4}})?|"
    r"\d{1,2})"
)
_SPAN = re.compile(
    rf"(?P<between>\bbetween\s+)?(?<![\w.:/-])(?P<first>{_POINT})\s*"
    r"(?:-|\u2013|\b(?:to|until|till)\b|(?(between)\band\b|(?!)))\s*"
    rf"(?P<last>{_POINT})(?![\w:/%-]|[.,]\d)(?!\s*(?:euros?|years?|people|persons|kg|km|m|cm|metres?|per ?cent)\b)",
    _I,
)
_IS_TIME = re.compile(r"[:.]\d\d|[ap]\.?m\b|noon|midnight|[a-z]{3}", _I)
_WHEN = re.compile(
    r"\W*(?:when|until when|till when|from when|(?:at|until|by|from)? ?what (?:time|hour|day)|how (?:late|early))\b", _I
)
_FIRST = re.compile(
    r"\b(?:opens|(?:do|does|did|will|can)\b[^?.!]{0,200}\bopen|starts?|begins?|how early|from (?:when|what))\b", _I
)
_LAST = re.compile(
    r"\b(?:closes?|closing|shuts?|ends?|finish(?:es)?|stops?|over|how late|(?:until|till) (?:when|what))\b", _I
)
_WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NUMBERED = {day: number for number, day in enumerate(_WEEK)}
_NAME = r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?-i:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun))\b"
_DAYS = re.compile(rf"(?P<day>{_NAME})(?:\s*(?:-|\u2013|\bto\b|\buntil\b|\bthrough\b)\s*(?P<until>{_NAME}))?", _I)
_KINDS = {
    r"(?:weekdays?|workdays?)": frozenset(range(5)),
    r"(?:weekends?)": frozenset((5, 6)),
    r"(?:daily|every day|each day)": frozenset(range(7)),
}
_OTHERWISE = re.compile(
    rf"\W*[,;.(]\s*(?:(?:but|and|on|at)\s+)*(?:{_NAME}|weekends?)(?:\s*(?:,|-|\u2013|&|/|\band\b|\bto\b)\s*{_NAME})*\s*"
    r"(?:only\s+)?(?:from|between|:)?\s*",
    _I,
)
"""Stands between two spans and names the days of the second one, which are excepted from the first."""
_DAY = re.compile(rf"{_NAME}|\b(?:weekdays?|workdays?|weekends?|daily)\b", _I)
_DATED = re.compile(rf"\d\.? (?:of )?{_MONTH}|\b{_MONTH} \d|\d-\d\d-\d", _I)
_SHUT = re.compile(r"\b(?:closed|shut)\b", _I)
_ENDS = stems(
    "open opens start starts begin begins close closes closing shut shuts end ends finish finishes stop stops over"
)


class Ends(NamedTuple):
    """The end of a span that a question asks for, "" where none is of its day, and those that it does not ask for."""

    wanted: str
    others: tuple[str, ...]


def asked_end(question: str, sentence: str) -> Ends | None:
    """Which end of which span a sentence gives for a question for when something begins or ends.

    Of several spans it is that of the day of the question, Sunday being one of the weekend. ``None`` where it asks for
    neither, where it does not say which span, or where the sentence is about when something is closed.
    """
    side, spans = _side(question), _spans(sentence)
    if not side or not spans:
        return None
    days, asked = _days_of(sentence, spans), _days(question)
    if len(spans) > 1 and not all(days):
        return None
    own = [span for span, its in zip(spans, days, strict=True) if not (asked and its) or asked & its]
    return None if own[1:] else _ends(side, own, spans)


def _side(question: str) -> str:
    """Whether a question asks for the ``first`` or the ``last`` end of something; "" where for neither, or both."""
    asked = [side for side, words in (("first", _FIRST), ("last", _LAST)) if words.search(question)]
    return asked[0] if _WHEN.match(question) and len(asked) == 1 else ""


def _spans(sentence: str) -> list[re.Match[str]]:
    """From when to when something is, each time that a sentence says it; none where it says that something is shut."""
    found = [] if _SHUT.search(sentence) else _SPAN.finditer(sentence)
    return [span for span in found if _IS_TIME.search(span["first"] + span["last"])]


def _ends(side: str, own: list[re.Match[str]], spans: list[re.Match[str]]) -> Ends:
    """The end on a side of the only one of the spans that is meant, if there is one, and all others."""
    wanted = own[0][side] if own else ""
    every = dict.fromkeys(span[end] for span in spans for end in ("first", "last"))
    return Ends(wanted, tuple(one for one in every if one != wanted))


def _days_of(sentence: str, spans: list[re.Match[str]]) -> list[frozenset[int]]:
    """The days of each span: those named before it where days are named before the first one, else those behind it.

    The first is that of all other days where each of the others begins with its own: "from 8 to 17, Fridays 8 to 12".
    """
    starts, ends = [span.start() for span in spans], [span.end() for span in spans]
    between = [sentence[end:start] for end, start in zip(ends, starts[1:], strict=False)]
    if (
        between
        and not _DAY.search(sentence[: starts[0]] + sentence[ends[-1] :])
        and all(map(_OTHERWISE.fullmatch, between))
    ):
        own = [_days(text) for text in between]
        return [frozenset(range(7)).difference(*own), *own]
    if _DAY.search(sentence[: starts[0]]):
        parts = zip([0, *ends[:-1]], starts, strict=True)
    else:
        parts = zip(ends, [*starts[1:], len(sentence)], strict=True)
    return [_days(sentence[begin:end]) for begin, end in parts]


def _days(text: str) -> frozenset[int]:
    """The days of the week that a text names, from Monday, 0."""
    named: set[int] = set()
    for found in _DAYS.finditer(text):
        first, last = _NUMBERED[found["day"][:3].casefold()], _NUMBERED[(found["until"] or found["day"])[:3].casefold()]
        named |= {(first + n) % 7 for n in range((last - first) % 7 + 1)}
    for kind, days in _KINDS.items():
        named |= days if re.search(rf"\b{kind}\b", text, _I) else frozenset()
    return frozenset(named)


def of_asked_day(question: str, sentence: str, sentences: Iterable[str]) -> list[str]:
    """The ones of the sentences that speak of the day of the week that a question names, where this one does not.

    None where it names no days at all, or where the question gives a date.
    """
    asked, its = _days(question), _days(sentence)
    if not asked or not its or asked & its or _DATED.search(question):
        return []
    return [one for one in sentences if asked & _days(one)]


def said_by_span(question: str, sentence: str) -> Set[str]:
    """The stems of the words of a question that a sentence says by when something begins and ends, and its days."""
    ends = asked_end(question, sentence)
    said = _ENDS | stems(" ".join(found[0] for found in _DAYS.finditer(question)))
    return said & stems(question) if ends and ends.wanted else frozenset()
