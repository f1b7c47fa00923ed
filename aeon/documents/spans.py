"""From when to when something is: a sentence that says "open from 8:00 to 17:30" says when it closes, too."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import NamedTuple

from aeon.documents.words import stems

__all__ = ["Ends", "asked_end", "said_by_span"]

_I = re.IGNORECASE
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
_POINT = (
    r"(?:\d{1,2}[:.]\d\d(?:\s*[ap]\.?m\b)?|\d{1,2}\s*[ap]\.?m\b|noon|midnight|"
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}(?: \d{{4}})?|{_MONTH} \d{{1,2}}\b(?:, \d{{4}})?|"
    r"\d{1,2})"
)
_SPAN = re.compile(
    rf"(?P<from>\b(?:from|between)\s+)?(?<![\w.:/-])(?P<first>{_POINT})\s*(?:-|\u2013|\b(?:to|until|till|and)\b)\s*"
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
_SHUT = re.compile(r"\b(?:closed|shut)\b", _I)
_ENDS = stems(
    "open opens start starts begin begins close closes closing shut shuts end ends finish finishes stop stops over"
)


class Ends(NamedTuple):
    """The end of a span that a question asks for, and the one that it does not ask for."""

    wanted: str
    other: str


def asked_end(question: str, sentence: str) -> Ends | None:
    """Which of the two ends of its only span a sentence gives for a question for when something begins or ends.

    ``None`` where it asks for neither, or there is none, or the sentence is about when something is closed.
    """
    first, last = _FIRST.search(question), _LAST.search(question)
    spans = [span for span in _SPAN.finditer(sentence) if _IS_TIME.search(span["first"] + span["last"])]
    if not _WHEN.match(question) or bool(first) is bool(last) or len(spans) != 1 or _SHUT.search(sentence):
        return None
    ends = (spans[0]["first"], spans[0]["last"])
    return Ends(*(ends if first else ends[::-1]))


def said_by_span(question: str, sentence: str) -> Set[str]:
    """The stems of the words of a question that a sentence says by when something begins and ends."""
    return _ENDS & stems(question) if asked_end(question, sentence) else frozenset()
