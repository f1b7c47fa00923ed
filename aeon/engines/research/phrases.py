"""The descriptions in a question that can be looked up first, such as "the author of Heidi"; as spans of it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from aeon.documents.plain import word_set
from aeon.engines.research.common import stems
from aeon.engines.research.questions import asks_yes_no
from aeon.language.readings import MONTHS

__all__ = ["descriptions", "is_nested", "names", "questions"]

_ARTICLES = frozenset({"the", "a", "an"})
_DEFINITE = "the"
_NO_END = word_set(
    "the a an of in on at by for to and or with from that which who whose whom where what when how did do does as into "
    "between during is was are were be been has have had will would can could"
)
_LONGEST = 18
"""Words of a description."""
_OWNED = 3
"""Words behind a possessive name that can belong to it."""
_LEAST = 4
"""Words of a description that holds no name."""
_WORD = re.compile(r"\S+")
_NAMED = re.compile(r"[A-Z]|\d{3}")
_ASKS = re.compile(r"\b(?:what|whom)\b", re.IGNORECASE)
_ASKING = re.compile(r"\b(?:who|what|which|when|where|whom|whose|how|why)\b", re.IGNORECASE)
_NAME = re.compile("\\b(?:[A-Z][\\w'\u2019]*|\\d{3,4})\\b")
_NO_NAME = word_set(
    "who what when where which whose whom why how in on at of from is are was were did do does the a an for to by "
    "under name if between both has have had this that it"
)
_TIMES = frozenset(month for month in MONTHS if len(month) > len("Jan") or month == "may") | word_set(
    "monday tuesday wednesday thursday friday saturday sunday"
)
"""No names; "Jan" is one."""
_CLAUSE = re.compile(r"\b(?:who|which|that|where|whose)\b", re.IGNORECASE)
_POSSESSIVE = re.compile("['\u2019]s?$")
_ENDING = " ?.,;:"
_GOES_ON = re.compile(r" [A-Z]")
_AND = re.compile(r",? and (?=(?:who|whom|whose|what|when|where|which|why|how)\b)", re.IGNORECASE)
_MARK = re.compile(r"\?\s+(?=\S)")
_MOST_QUESTIONS = 4
_BEFORE = "of|in|on|at|by|for|to|with|from|after|into|under"
_DESCRIBES = re.compile(r"\b(?:who|which|that|where|whose|of)\b|['\u2019]s? ", re.IGNORECASE)
_CLAUSES = "who|whom|whose|which|that|where|when"
_NAMED_ITSELF = re.compile(
    rf"the (?:(?!(?:{_BEFORE}|{_CLAUSES}|the|a|an)\b|\S+(?:ing|ed) )[a-z]\S* ){{1,3}}(?:[A-Z]\S*(?: |$))+"
    rf"(?:$|(?:{_BEFORE}|{_CLAUSES})\b)"
)
"""What names the thing itself, as "the painter Maud Tessaly"; not "the house Maud Tessaly painted"."""
_GAP = re.compile(rf"[^A-Z]*\b[a-z]+ed (?:{_BEFORE}) (?:{_BEFORE})\b")
"""Where what is asked for was: "the church named after in the town"; not "the city Ann Lee moved to in 1990"."""
_NAME_OWNED = re.compile(r"(?:[A-Z]\S* ?)+$")
"""A possessive that is all a name, as "Levi's Stadium"."""
_NAMED_OWNED = re.compile("(?:[A-Z]\\S* )*[A-Z]\\S*['\u2019]s (?:[a-z]\\S* ){1,2}(?:[A-Z]\\S* ?)+$")
"""A possessive with its name behind it, as "Maud Tessaly's painting Grey Morning"."""
_VERB_WITHIN = re.compile(
    r"(\b(?:do|does|did) the (?:[a-z]+ ){1,3})(have|employ|cost|earn|own|make|produce|sell|hold|get|need) "
    r"(where\b[^?]{1,200})(?=\?$)"
)


_DO = re.compile(r"\b(?:do|does|did) $", re.IGNORECASE)
_NEXT = re.compile(r"\s*([\w'\u2019-]*)")
_NO_VERB = word_set(
    "in on at by for to with from after before into under over of until since during between through the a an his her "
    "its their our this that when where who which while if as and or than about against"
)
_OVER = re.compile(r"[a-z]{3}[.?!] [A-Z]")
"""Where a sentence is over; no "St. Anne"."""


class _Word(NamedTuple):
    start: int
    end: int
    text: str


def descriptions(question: str) -> list[str]:
    """The spans of a question that may describe a thing without naming it, in order; none where it asks for one thing.

    Such a span begins with a definite article before a word in small letters, or is a possessive name with what it has.
    What is left of the question must ask something about it. Of a question with a name, only spans with a name count;
    of one for a yes or no, only those with a clause, an "of" or a possessive: in "Did the man driving the train survive
    the crash?" no capital says where what is described ends.
    """
    parts = [span for span in dict.fromkeys(_spans(question)) if _is_part(span, question)]
    named = [span for span in parts if _NAMED.search(span)]
    return named if named or names(question) else [span for span in parts if len(span.split()) >= _LEAST]


def names(text: str) -> frozenset[str]:
    """The stems of the capitalised words and the numbers of a text, but for words of asking, months and weekdays.

    "In the other months" says of November when the gate is locked, and names it nowhere.
    """
    return stems(" ".join(word for word in _NAME.findall(text) if word.casefold() not in _NO_NAME | _TIMES))


def questions(task: str) -> list[str]:
    """The questions that a task asks one after the other, as in "Which is older, and who built it?"; at most four.

    A verb within a description stands behind it: "does the town where she was born have", not "does the town have where
    she was born".
    """
    parts = [part.strip() for piece in _MARK.split(task) for part in _AND.split(piece)]
    parts = [part if part.endswith("?") else f"{part}?" for part in parts if len(part.split()) > 1]
    own = parts if 1 < len(parts) <= _MOST_QUESTIONS else [task]
    return [_VERB_WITHIN.sub(r"\1\3 \2", part) for part in own]


def is_nested(span: str) -> bool:
    """Whether the span describes by a clause, as in "the city where she died"."""
    return _CLAUSE.search(span) is not None


def _spans(question: str) -> Iterator[str]:
    words = [_Word(match.start(), match.end(), match[0]) for match in _WORD.finditer(question)]
    for at in range(len(words)):
        yield from _described(question, words, at)
        yield from _owned(question, words, at)


def _is_part(span: str, question: str) -> bool:
    """Whether what is left of the question still asks, and asks something about the span, not only what it is."""
    rest = question.replace(span, " ")
    asked = {word.casefold().strip(_ENDING) for word in rest.split()} - _NO_NAME
    if _ASKS.search(span) or not any(asked) or _goes_on(span, question):
        return False
    if asks_yes_no(question) and not _DESCRIBES.search(span):
        return False
    if any(pattern.match(span) for pattern in (_NAMED_ITSELF, _GAP, _NAME_OWNED, _NAMED_OWNED)):
        return False
    return _ASKING.search(rest) is not None or _ASKING.search(question) is None


def _goes_on(span: str, question: str) -> bool:
    """Whether a span goes over the end of a sentence, or behind a "did" over the verb.

    "The farmer get" of "did the farmer get for the crop" does: behind a subject stands its verb.
    """
    before, _, behind = question.partition(span)
    following = _NEXT.match(behind)
    word = following[1].casefold() if following else ""
    return _OVER.search(span) is not None or (_DO.search(before) is not None and (not word or word in _NO_VERB))


def _described(question: str, words: list[_Word], at: int) -> Iterator[str]:
    """The spans that begin with the article at this place: to each later word that can end a description."""
    if words[at].text.lower().strip('",') != _DEFINITE or at + 1 == len(words):
        return
    if not words[at + 1].text[0].islower():
        return
    run = words[at + 1 : at + _LONGEST]
    pairs = enumerate(itertools.pairwise(run), 1)
    most = next((n for n, (one, other) in pairs if other.text in _ARTICLES and one.text[0].isupper()), len(run))
    yield from _ended(question, words[at].start, run[:most])


def _owned(question: str, words: list[_Word], at: int) -> Iterator[str]:
    """The spans that begin with the possessive name at this place."""
    if not _POSSESSIVE.search(words[at].text) or not words[at].text[0].isupper():
        return
    first = at
    while first > 1 and words[first - 1].text[0].isupper():
        first -= 1
    yield from _ended(question, words[first].start, words[at + 1 : at + 1 + _OWNED])


def _ended(question: str, start: int, run: list[_Word]) -> Iterator[str]:
    """The spans from ``start`` to each word of a run that can end a description; none ends within or before a name.

    Nor does one end with a possessive, before what that owns.
    """
    for word in run:
        within = (word.text[-1].isalpha() and _GOES_ON.match(question, word.end)) or _POSSESSIVE.search(word.text)
        if word.text.strip(_ENDING).lower() not in _NO_END and not within:
            yield question[start : word.end].rstrip(_ENDING)
