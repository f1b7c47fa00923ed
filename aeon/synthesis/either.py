"""Sentences about one of two that a question names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aeon.documents.words import stem

__all__ = ["about_chosen"]

_BEFORE = re.compile(r"[,:]\s*(?:the\s)?(?P<other>[^,:?]+?),?\sor\s(?:the\s)?$", re.IGNORECASE)
_BEHIND = re.compile(r",?\sor\s(?:the\s)?(?P<other>[^,?.]+)", re.IGNORECASE)
"""The other of two, before and behind the one."""
_WORD = re.compile(r"[^\W\d_]+")
_GIVEN = frozenset(map(stem, ("the", "a", "an", "is", "was", "are", "were", "has", "had", "it", "that")))


def about_chosen(sentence: str, question: str, results: Sequence[str]) -> str:
    """The sentence about the only result, where it says of the other of two what the question asks for.

    "The Old Mill was opened later" is true of the other: a sentence with words of its own stays, and so does one that
    refers to results.
    """
    chosen = results[0] if len(results) == 1 else ""
    other = "" if "{" in sentence or chosen in sentence else _other(question, chosen)
    if not other or sentence.count(other) != 1:
        return sentence
    own = _stems(sentence) - _stems(question) - _GIVEN
    return sentence if own else sentence.replace(other, chosen)


def _other(question: str, chosen: str) -> str:
    """The other of the two; "" where the question does not name both."""
    before, found, behind = question.partition(chosen)
    beside = (_BEFORE.search(before) or _BEHIND.match(behind)) if chosen and found else None
    return beside["other"] if beside is not None else ""


def _stems(text: str) -> set[str]:
    return {stem(word) for word in _WORD.findall(text)}
