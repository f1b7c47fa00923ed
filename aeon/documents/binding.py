"""Which sentences of some texts the sentences of a written one are made of, by the words that they have in common."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from aeon.documents.meaning import likeness
from aeon.documents.query import content
from aeon.documents.sentences import sentences
from aeon.documents.words import stem
from aeon.grounding.citations import CitedSentence
from aeon.proof.inference import WORD_FOR_WORD, bare
from aeon.schema import Source

__all__ = ["Bindings", "bound"]

_LEAST = 0.5
"""The share of a sentence's words that must stand in what it is made of."""
_POLITE = re.compile(
    r"\W*(?:(?:subject|to|from|date)\s*:|\[|"
    r"(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|best|kind(?:est)?|warm|yours|regards|sincerely|cheers|"
    r"many thanks|thank|thanks|"
    r"(?:please )?(?:do not |don't )?(?:hesitate|feel free|let (?:me|us) know|contact (?:me|us))|"
    r"if you have (?:any|further)|"
    r"(?:I|we) (?:(?:are|am) (?:\w+ )?(?:excited|happy|pleased|delighted|glad)|hope|look forward|appreciate|thank|"
    r"wanted|want|would like|apologi[sz]e|am writing|are writing)|let (?:me|us) know)\b)",
    re.IGNORECASE,
)
"""How a sentence of a letter begins that says nothing about what it is written from."""
_DIGIT = re.compile(r"\d")
_LABEL = re.compile(
    r"(?:[-*\u2022]|\d+[.)])?\s*\*\*[^*\n]{1,60}\*\*:?\s+|(?:[-*\u2022]|\d+[.)])\s*[A-Z][\w ]{1,40}:\s+"
)
"""What a point of a list is called, before what it says."""

_MOST = 3
"""Sentences that one may be made of."""
_LEAST_ALIKE = 0.6
_LEAST_NEW = 2
_LEAST_GAIN = 0.15
"""The share of the words that another sentence must add to those that are found."""


class Bindings:
    """The sentences of some texts, to which written ones are bound."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._sources = list(sources)
        self._words = [frozenset(content(f"{one.heading} {one.text}")) for one in self._sources]
        self._every = sorted(frozenset[str]().union(*self._words))
        self._common = Counter(stem(word) for words in self._words for word in words)

    def of(self, sentence: str, known: str = "") -> tuple[float, tuple[Source, ...]]:
        """The share (0-1) of its words that stand in at most three sentences, and these in their order.

        Words count the more, the fewer sentences have them; those of ``known``, such as the task, need none where it
        has others.
        """
        new = _new(content(sentence), known)
        weights = {word: self._weight(word) for word in new}
        alike = dict(zip(new, likeness(new, self._every, _LEAST_ALIKE), strict=True))
        places = [_shared(alike, own) for own in self._words]
        chosen = sorted(_chosen(places, weights))
        covered = {word: max((places[place][word] for place in chosen), default=0.0) for word in new}
        whole = math.fsum(weights.values())
        share = math.fsum(weights[word] * covered[word] for word in new) / whole if whole else 0.0
        return share, tuple(self._sources[place] for place in chosen)

    def _weight(self, word: str) -> float:
        return math.log(1 + (1 + len(self._sources)) / (0.5 + self._common[stem(word)]))


def _new(words: Sequence[str], known: str) -> list[str]:
    """Those of the words that are not known; all of them, where too few are new to tell anything."""
    told = {stem(word) for word in content(known)}
    new = [word for word in words if stem(word) not in told]
    return new if len(new) >= _LEAST_NEW else list(words)


def _shared(alike: Mapping[str, Mapping[str, float]], own: frozenset[str]) -> dict[str, float]:
    """How like each word is to one of a sentence's ``own``, 0 to 1."""
    return {word: max((like.get(other, 0.0) for other in own), default=0.0) for word, like in alike.items()}


def _chosen(places: Sequence[Mapping[str, float]], weights: Mapping[str, float]) -> Iterator[int]:
    """The sentences that together have most of the words, the best first, while another one adds enough."""
    whole, covered = math.fsum(weights.values()), dict.fromkeys(weights, 0.0)
    for _ in range(_MOST):
        gains = [
            math.fsum(weights[word] * max(0.0, like - covered[word]) for word, like in place.items())
            for place in places
        ]
        best = max(range(len(places)), key=gains.__getitem__, default=None)
        if best is None or gains[best] < _LEAST_GAIN * whole:
            return
        yield best
        covered = {word: max(covered[word], places[best][word]) for word in weights}


def bound(text: str, task: str, sources: Iterable[Source]) -> list[CitedSentence]:
    """The sentences of a text, each with those that it is made of; none where too few of its words stand there.

    What a letter says out of politeness is left out, and so are headings, labels and what only leads to a list.
    """
    bindings = Bindings(sources)
    found: list[CitedSentence] = []
    for one in sentences(text):
        label = _LABEL.match(text, one.start, one.end)
        start = label.end() if label and content(text[label.end() : one.end]) else one.start
        said = text[start : one.end]
        if content(said) and not _is_empty(said):
            found.append(_bound(start, one.end, said, bindings.of(said, task)))
    return found


def _bound(start: int, end: int, said: str, made_of: tuple[float, tuple[Source, ...]]) -> CitedSentence:
    """A sentence with what it is made of; supported where it stands there word for word."""
    share, spans = made_of
    same = next((one for one in spans if bare(one.text) == bare(said)), None)
    if same is not None:
        return CitedSentence(start, end, (same,), "supported", WORD_FOR_WORD)
    return CitedSentence(start, end, spans if share >= _LEAST else ())


def _is_empty(said: str) -> bool:
    """Whether a sentence is a heading, leads to a list, or is mere politeness."""
    return said.startswith("#") or said.endswith(":") or bool(_POLITE.match(said) and not _DIGIT.search(said))
