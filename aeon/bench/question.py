"""What a question of the bench is, and how an answer to it is judged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aeon.language.mention import Mention
from aeon.language.readings import stands_for
from aeon.proof.mentions import mentions

__all__ = ["Question", "Verdict", "final", "judged"]

_MARK = re.compile(r"\banswer\W{0,3}:", re.IGNORECASE)
_BESIDE = re.compile(r"\b(?:than|before|after|behind|from|over|not|to)\s+(?:the\s+)?(?:shop\s+)?$", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_OPEN = re.compile(
    r"\?|\bunclear|\bunknown|\bambiguous|\bcannot\b|\bcan't\b|\bcould not\b|\bmissing\b|\bdepends on\b"
    r"|\bnot (?:enough|stated|given|specified|provided|known|clear)\b|\bneed(?:s|ed)? (?:more|further|to know)\b"
    r"|\bplease (?:tell|specify|provide|clarify|give)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Question:
    """A question, with the text that its answer may rest on.

    ``expected`` is the exact answer as it is written, "" where there is none: a task that is ``unclear``, or one that
    is scored by ``keywords`` alone (of words with a bar between them, one is enough). ``options`` are the names that
    may be chosen.
    """

    text: str
    expected: str = ""
    options: tuple[str, ...] = ()
    context: str = ""
    unclear: bool = False
    keywords: tuple[str, ...] = ()


class Verdict(NamedTuple):
    """Whether an answer is right, ``None`` where nobody can say; and the share (0-1) of the keywords that it has."""

    right: bool | None
    coverage: float | None


def judged(question: Question, answer: str, asked: bool = False) -> Verdict:
    """The verdict on an answer; ``asked``: it is a question back, which is right only where the task is unclear.

    A text asks back if it has a question of its own, or says that something is not known or not given. The only keyword
    of an exact answer is its value, in any notation.
    """
    if question.unclear:
        return Verdict(asked or _asks_back(question.text, answer), None)
    if asked:
        return Verdict(False, 0.0)
    if not question.expected:
        return Verdict(None, _coverage(question.keywords, answer))
    return Verdict(_is_right(question, final(answer)), float(_says(question, answer)))


def _asks_back(task: str, answer: str) -> bool:
    """Whether an answer, without the sentences of the task that it repeats, asks or says what is missing."""
    for sentence in _SENTENCE.split(task):
        answer = answer.replace(sentence, " ")
    return _OPEN.search(answer) is not None


def final(answer: str) -> str:
    """The last part of an answer that says that it is the answer; else the whole."""
    return _MARK.split(answer)[-1].strip() or answer


def _coverage(keywords: Sequence[str], answer: str) -> float:
    """The share of the keywords that the answer has."""
    found = sum(any(_has(answer, word) for word in keyword.split("|")) for keyword in keywords)
    return found / len(keywords)


def _has(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


def _is_right(question: Question, answer: str) -> bool:
    """Whether the answer's last value is the expected one; those that the question gives count only if alone."""
    if question.options:
        return _chosen(question.options, answer) == question.expected
    expected, asked = mentions(question.expected)[0], mentions(question.text)
    values = [one for one in mentions(_plain(answer)) if one.kind == expected.kind]
    new = [one for one in values if not any(_same(other, one) for other in asked)]
    last = (new or values)[-1:]
    return bool(last) and _same(expected, last[0])


def _says(question: Question, answer: str) -> bool:
    """Whether the expected value stands anywhere in the answer."""
    if question.options:
        return _has(answer, question.expected)
    expected = mentions(question.expected)[0]
    return any(_same(expected, one) for one in mentions(_plain(answer)))


def _plain(text: str) -> str:
    """The text without marks of its setting."""
    return re.sub(r"[*`$]|\\[()\[\]]", " ", text)


def _same(value: Mention, other: Mention) -> bool:
    """Whether both say the same value in one of their readings; a unit that one leaves out is no difference."""
    return value.kind == other.kind and any(stands_for(a.read, b.read) for a in value.forms for b in other.forms)


def _chosen(options: Sequence[str], answer: str) -> str:
    """The name that an answer chooses: in its last sentence with any, the first that nothing is compared with."""
    either = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, options))})(?!\w)")
    for sentence in reversed(_SENTENCE.split(answer)):
        named = [match for match in either.finditer(sentence) if not _BESIDE.search(sentence[: match.start()])]
        if named:
            return named[0][0]
    return ""
