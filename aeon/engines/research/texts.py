"""Passages as a running text that a model reads, and as sentences whose spans the host knows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from aeon.engines.research.common import stems
from aeon.engines.research.effects import Numbered
from aeon.engines.research.values import Citation
from aeon.language.literals import is_german
from aeon.language.readings import GERMAN_WORDS
from aeon.language.readings import spelt as number_words
from aeon.schema import Source
from aeon.text import one_line

__all__ = ["Texts", "large", "numbers", "shown", "spelt", "terms"]

_SMALL = 99
_LONGEST_TITLE, _LONGEST_SENTENCE = 100, 1_000
_LEFT_OUT = " ... "
_BETWEEN = 4
"""Characters between two sentences that follow each other: an empty line, or the mark of a list."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")


class Texts(NamedTuple):
    """What a prompt shows, the sentences of it, those that are titles, and what each source is called."""

    text: str
    sentences: tuple[Citation, ...]
    titles: tuple[Citation, ...]
    heads: Mapping[int, str]

    def around(self, cited: Sequence[Citation]) -> tuple[Citation, ...]:
        """The cited sentences; one that stands alone with the one before it and the one behind it in its source."""
        places = [place for place, one in enumerate(self.sentences) if one in cited]
        if len(places) != 1:
            return tuple(cited)
        first = max(0, places[0] - 1)
        alone = self.sentences[places[0]]
        near = tuple(one for one in self.sentences[first : places[0] + 2] if _is_beside(alone, one))
        return (*near, *(one for one in cited if one not in near))

    def with_titles(self, answer: str, cited: Sequence[Citation]) -> tuple[Citation, ...]:
        """The cited sentences, with the titles of their sources that hold words of the answer which they lack."""
        lacking = stems(answer) - stems(" ".join(one.source.text for one in cited))
        numbers = {one.number for one in cited}
        titles = (one for one in self.titles if one not in cited and one.number in numbers)
        return (*cited, *(one for one in titles if lacking & stems(one.source.text)))


def shown(passages: Sequence[Numbered]) -> Texts:
    """Each source once, in the order of its best passage: its title on a line of its own, then its sentences on one.

    They stand as in the source, each once; dots stand for what is not shown between two. As numbered lines, a small
    model stops at the first name that fits: of nine questions of several hops over just the passages that answer them,
    it is right on a quarter instead of on six in ten.
    """
    sources: dict[int, dict[int, Numbered]] = {}
    for one in passages:
        sources.setdefault(one.number, {}).setdefault(one.passage.start, one)
    return _together([_text([found[start] for start in sorted(found)]) for found in sources.values()])


def _together(texts: Sequence[Texts]) -> Texts:
    return Texts(
        "\n\n".join(one.text for one in texts),
        tuple(sentence for one in texts for sentence in one.sentences),
        tuple(title for one in texts for title in one.titles),
        {number: head for one in texts for number, head in one.heads.items()},
    )


def _text(passages: Sequence[Numbered]) -> Texts:
    """Passages of a source in their order. The first sentence of the source, if that is short, is its title."""
    first, *_ = passages
    every: list[Citation] = []
    for one in passages:
        end = every[-1].source.end if every else 0
        new = (sentence for sentence in one.passage.sources() if sentence.start >= end)
        every += [Citation(number=one.number, source=sentence) for sentence in new]
    titled = first.passage.start == 0 and len(every) > 1 and len(every[0].source.text) <= _LONGEST_TITLE
    head = first.title or first.passage.source
    title = _line(every[0].source) if titled else one_line(head)
    own = every[titled:]
    text = f"{title}\n{''.join(_joined(own))}"
    return Texts(text, tuple(own), tuple(every[:titled]), {first.number: head})


def _joined(sentences: Sequence[Citation]) -> Iterator[str]:
    """The sentences with what stands between them."""
    for before, one in zip((None, *sentences), sentences, strict=False):
        yield "" if before is None else " " if _is_beside(before, one) else _LEFT_OUT
        yield _line(one.source)


def _is_beside(one: Citation, other: Citation) -> bool:
    """Whether there is nothing but some white space or a mark between two sentences of a source."""
    between = max(one.source.start, other.source.start) - min(one.source.end, other.source.end)
    return one.number == other.number and between <= _BETWEEN


def terms(text: str) -> frozenset[str]:
    """The stems and the numbers of a text: what a sentence has to hold to say the same."""
    return stems(text) | numbers(text) | spelt(text)


def numbers(text: str) -> frozenset[str]:
    """The numbers that a text has in digits, without the commas of thousands."""
    return frozenset(one.replace(",", "") if _GROUPED.fullmatch(one) else one for one in _NUMBER.findall(text))


def spelt(text: str) -> frozenset[str]:
    """The numbers that a text has in words of its language, in digits: 71 for seventy-one."""
    return frozenset(str(number) for _, number in _said(text))


def large(text: str) -> dict[str, str]:
    """The numbers above 99 that a text has in words, in digits, by these words."""
    return {words: str(number) for words, number in _said(text) if number > _SMALL}


def _said(text: str) -> Iterator[tuple[str, int]]:
    german = is_german(text)
    return (said for said in number_words(text) if german or said[0] not in GERMAN_WORDS)


def _line(sentence: Source) -> str:
    return one_line(sentence.text, _LONGEST_SENTENCE)
