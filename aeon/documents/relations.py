"""What a sentence says only in relation to something else, and of whom it speaks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from aeon.documents.words import content_words, is_common, stem, stems

__all__ = ["Compared", "compared_with", "denied", "no_superlative", "other_clause", "other_kind", "other_subject"]

_I = re.IGNORECASE
_WORD = re.compile(r"[^\W_]+")
_A_NUMBER = r"(?<![\d.,])\d++(?:[.,]\d++)*(?![.,]?\d)"
"""A number, read from its beginning only and never given back, so that a long line of them is read once."""
_NUMBER = re.compile(_A_NUMBER)
_COMPARATIVE = (
    r"(?:more|less|fewer|higher|lower|cheaper|dearer|later|earlier|older|younger|longer|shorter|heavier|lighter|taller|"
    r"bigger|larger|smaller|faster|slower|deeper|wider)"
)
_RELATIVE = re.compile(
    rf"(?P<said>(?P<number>{_A_NUMBER})[^\d.!?;]{{0,30}}?\b(?P<how>{_COMPARATIVE})\b"
    r"(?:[^.!?;\d]{0,40}?\bthan\b(?P<other>[^.!?;]*)|(?=\s*(?:[.,;!?]|$))))",
    _I,
)
_MORE = re.compile(r"more|higher|dearer|longer|heavier|taller|bigger|larger|deeper|wider", _I)
_LESS = re.compile(r"less|fewer|lower|cheaper|shorter|lighter|smaller", _I)
_ASKS_RELATION = re.compile(rf"\b{_COMPARATIVE}\b|\bdifferen|\bthan\b|\bby how\b|\bapart\b|\bcompared?\b", _I)
_NAMED = re.compile(r"(?<![.!?] )(?<!^)\b([A-Z][\w'\u2019-]+) ([a-z]\w{2,})\b")
_PART = re.compile(r";|, (?:and|but|while|whereas)\b")
_OWN_SUBJECT = re.compile(r"\s*(?:an?|the|each|every|our)\s", _I)
_TAKES_UP = re.compile(r"\W*(?:it|its|he|his|she|her|they|their|this|that|these|those|there|then|here)\b", _I)
_REST = re.compile(
    rf"(?P<all>{_A_NUMBER})(?P<part>[^.;\d]*+(?P<some>{_A_NUMBER})[^.;\d]*?)"
    r"\b(?:the rest|the remainder|the others)\b(?P<what>[^.;\d]*)",
    _I,
)
_DENIES = re.compile(
    r"\b(?:not|cannot|never|no longer|against|opposes?|refuse[sd]?|rejects?|rejected|declined)\b|n't\b", _I
)
_ASKS_MOST = re.compile(
    r"\b(?:who|which|what)\b[^.?!]{0,200}\b(?:most|least|fewest|(?:long|short|old|young|bigg|small|larg|high|low|cheap|"
    r"earli|lat|near|clos|fast|slow|heavi|light|strong|tall|deep|wid|new|dear)est)\b",
    _I,
)
_MOST = re.compile(
    r"\b(?:most|least|fewest|first|last|only|best|worst|\w{3,}est|record|never|all|every|up to|no more|not more|"
    r"maximum|minimum|limit\w*|until|before|after|from)\b",
    _I,
)
"""Words by which a sentence says what is most or least, or how far something goes."""
_ARTICLES = frozenset({"the", "a", "an", "of", "is", "was", "to", "in", "it", "that"})
_NEAR = 4
_BACK = 3
"""Sentences that are gone back for whom one speaks of, itself among them."""


class Compared(NamedTuple):
    """What a sentence ``said`` in relation to something, and what is to be computed ``instead``, where it is known."""

    said: str
    instead: str = ""


def compared_with(question: str, sentence: str, value: str) -> Compared | None:
    """What a sentence says in relation to what is asked for, as in "45 euros more than"; else ``None``.

    A ``value`` is no answer where it is only how much more or less something is, nor where the question is about what
    the sentence compares with: of this it is the other value and the difference that say something.
    """
    if _ASKS_RELATION.search(question):
        return None
    if rest := _REST.search(sentence):
        of_rest = _words(rest["what"]) & _words(question) - _words(rest["part"])
        if of_rest and {*_NUMBER.findall(value)} & {rest["all"], rest["some"]}:
            return Compared("the rest", f"{rest['all']} - {rest['some']}")
    each = (_compared(found, question, sentence[: found.start()], value) for found in _RELATIVE.finditer(sentence))
    return next(filter(None, each), None)


def _compared(found: re.Match[str], question: str, before: str, value: str) -> Compared | None:
    """What one comparison of a sentence says, where the value is its difference or of its other side."""
    said, numbers = found["said"].removesuffix(found["other"] or ""), _NUMBER.findall(value)
    if found["number"] in numbers:
        return Compared(said)
    if not _words(found["other"] or "") & _words(question) - _words(before):
        return None
    there = frozenset(numbers) & frozenset(_NUMBER.findall(before))
    return Compared(said, _undone(found, min(there)) if there else "")


def _undone(found: re.Match[str], number: str) -> str:
    """What gives the other side of a comparison whose own side is this number; "" where it is not plain."""
    sign = "-" if _MORE.fullmatch(found["how"]) else "+" if _LESS.fullmatch(found["how"]) else ""
    return f"{number} {sign} {found['number']}" if sign else ""


def other_kind(question: str, sentence: str, others: Iterable[str]) -> str:
    """The kind of thing that is asked about, such as a ``return ticket``, where a sentence speaks of tickets only.

    It counts where one of the ``others`` has these two words close together; "" where none has, or the sentence has
    both.
    """
    own, texts = stems(sentence), list(others)
    for kind, thing in pairwise(_WORD.findall(question.casefold())):
        lacks = stem(thing) in own and stem(kind) not in own and {kind, thing} <= content_words(question)
        if lacks and f"{kind}{thing}".isalpha() and any(_has(one, kind, thing) for one in texts):
            return f"{kind} {thing}"
    return ""


def no_superlative(question: str, sentence: str) -> bool:
    """Whether a sentence says nothing of who is longest, most or first, where a question asks for that.

    It may without such a word where it has two numbers to compare.
    """
    if not _ASKS_MOST.search(question) or _MOST.search(sentence):
        return False
    return len(_NUMBER.findall(sentence)) <= 1


def denied(question: str, sentence: str, value: str) -> str:
    """The word by which the part of a sentence that has a value denies what a question asks; "" where none does.

    What is denied stands behind it, and is what the question asks for: Greta is against a second greenhouse.
    """
    if _DENIES.search(question):
        return ""
    parts = [part for part in _PART.split(sentence) if value in part]
    found = list(_DENIES.finditer(parts[0])) if len(parts) == 1 else []
    if len(found) != 1 or not re.match(r"\W*(?:who|which)\b", question, _I):
        return ""
    return found[0][0] if _shared(content_words(question), parts[0][found[0].end() :]) else ""


def other_clause(question: str, sentence: str, value: str) -> str:
    """The part of a sentence that speaks of what is asked about, where a value stands in one that does not; else "".

    "A helmet is free; a child seat costs 6 euros": asked about the helmet, 6 euros are no answer. A part that takes
    up what was said before ("it is 300 metres long") has no subject of its own.
    """
    parts = _PART.split(sentence)
    holders = [part for part in parts if re.search(rf"(?<![\w.,]){re.escape(value)}(?!\w)", part)]
    asked = content_words(question)
    if len(holders) != 1 or not _has_subject(holders[0], parts) or _shared(asked, holders[0]):
        return ""
    return next((part.strip() for part in parts if _shared(asked, part)), "")


def _has_subject(part: str, parts: Sequence[str]) -> bool:
    """Whether a part of a sentence says itself what it is about: the first does, unless it takes up what was said."""
    return bool(_OWN_SUBJECT.match(part)) or (part is parts[0] and not _TAKES_UP.match(part))


def _shared(words: Iterable[str], text: str) -> frozenset[str]:
    """The stems that words and a text have in common."""
    return frozenset(map(stem, words)) & stems(text)


def _has(text: str, kind: str, thing: str) -> bool:
    """Whether a text has two words side by side, or the first a few words behind the other: a deposit for the key."""
    words = [stem(word.casefold()) for word in _WORD.findall(text)]
    things = [place for place, word in enumerate(words) if word == stem(thing)]
    return any(stem(kind) in (words[place - 1 : place] + words[place + 1 : place + _NEAR]) for place in things)


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
