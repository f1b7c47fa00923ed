"""What a sentence says only in relation to something else, and of whom it speaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aeon.documents.words import is_common, stem

__all__ = ["compared_with", "other_subject"]

_I = re.IGNORECASE
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
_COMPARATIVE = (
    r"(?:more|less|fewer|higher|lower|cheaper|dearer|later|earlier|older|younger|longer|shorter|heavier|lighter|taller|"
    r"bigger|larger|smaller|faster|slower|deeper|wider)"
)
_RELATIVE = re.compile(
    rf"(?P<said>(?P<number>\d(?:[\d.,]*\d)?)[^\d.!?;]{{0,30}}?\b{_COMPARATIVE}\b"
    r"(?:[^.!?;\d]{0,40}?\bthan\b(?P<other>[^.!?;]*)|(?=\s*(?:[.,;!?]|$))))",
    _I,
)
_ASKS_RELATION = re.compile(rf"\b{_COMPARATIVE}\b|\bdifferen|\bthan\b|\bby how\b|\bapart\b|\bcompared?\b", _I)
_NAMED = re.compile(r"(?<![.!?] )(?<!^)\b([A-Z][\w'\u2019-]+) ([a-z]\w{2,})\b")
_ARTICLES = frozenset({"the", "a", "an", "of", "is", "was", "to", "in", "it", "that"})
_BACK = 3
"""Sentences that are gone back for whom one speaks of, itself among them."""


def compared_with(question: str, sentence: str, value: str) -> str:
    """What a sentence says in relation to what is asked for, as in "45 euros more than"; "" where it says the value.

    A ``value`` is no answer where it is only how much more or less something is, nor where the question is about what
    the sentence compares with.
    """
    if _ASKS_RELATION.search(question):
        return ""
    for found in _RELATIVE.finditer(sentence):
        before = _words(sentence[: found.start()])
        if found["number"] in _NUMBER.findall(value) or _words(found["other"] or "") & _words(question) - before:
            return found["said"].removesuffix(found["other"] or "")
    return ""


def other_subject(question: str, sentences: Sequence[str]) -> str:
    """Of whom the last of the sentences speaks, where that is not who is asked about; "" where nothing says so.

    Asked about the Central branch, "Its head is Ines Falk" is no answer behind a sentence on the Riverside branch.
    """
    for name, noun in _NAMED.findall(question):
        for sentence in reversed(sentences[-_BACK:]):
            there = [other for other, of in _pairs(sentence) if stem(of) == stem(noun)]
            if name in there or re.search(rf"\b{re.escape(name)}\b", sentence):
                break
            if there:
                return f"{there[0]} {noun}"
    return ""


def _pairs(sentence: str) -> Iterator[tuple[str, str]]:
    """The names of a sentence that stand right before a noun, each with this."""
    return ((name, noun) for name, noun in _NAMED.findall(sentence) if not is_common(name))


def _words(text: str) -> frozenset[str]:
    return frozenset(map(stem, _WORD.findall(text))) - _ARTICLES
