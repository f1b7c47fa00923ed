"""Passages of a text: a few sentences in a row, as much as one search result shows."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator
from typing import NamedTuple

from aeon.documents.sentences import Sentence, sentences

__all__ = ["Span", "passages"]

_MOST_SENTENCES = 8
_LONGEST = 600
_LONGEST_LAST = 750
"""Characters that a passage may have if it takes all that is left of its section."""
_SHORT = 120
"""Characters below which a section does not stand alone but begins the passage of the next one."""


class Span(NamedTuple):
    """A passage as a span of its text, the heading that most of it stands under, and the spans of its sentences."""

    start: int
    end: int
    heading: str
    sentences: tuple[tuple[int, int], ...]


def passages(text: str, pages: tuple[int, ...] = ()) -> list[Span]:
    """Return the passages of a text, in order; two that follow each other share a sentence if it is short enough.

    ``pages`` is where each page of the text begins. A passage begins and ends on one page, but for a sentence that runs
    on to the next one, and under one heading, but for very short sections.
    """
    return [_span(run) for section in _sections(sentences(text), pages) for run in _runs(section)]


def _sections(spans: list[Sentence], pages: tuple[int, ...]) -> Iterator[list[Sentence]]:
    for _, page in itertools.groupby(spans, key=lambda sentence: bisect.bisect(pages, sentence.start)):
        section: list[Sentence] = []
        for _, group in itertools.groupby(page, key=lambda sentence: sentence.heading):
            section += group
            if section[-1].end - section[0].start >= _SHORT:
                yield section
                section = []
        if section:
            yield section


def _runs(section: list[Sentence]) -> Iterator[list[Sentence]]:
    count = len(section)
    first = 0
    while first < count:
        after = first + 1
        if count - first <= _MOST_SENTENCES and section[-1].end - section[first].start <= _LONGEST_LAST:
            after = count
        while after < min(count, first + _MOST_SENTENCES) and section[after].end - section[first].start <= _LONGEST:
            after += 1
        yield section[first:after]
        shares = after < count and after > first + 1 and section[after].end - section[after - 1].start <= _LONGEST
        first = after - 1 if shares else after


def _span(run: list[Sentence]) -> Span:
    lengths: dict[str, int] = {}
    for sentence in run:
        lengths[sentence.heading] = lengths.get(sentence.heading, 0) + sentence.end - sentence.start
    heading = max(lengths, key=lengths.__getitem__)
    return Span(run[0].start, run[-1].end, heading, tuple((sentence.start, sentence.end) for sentence in run))
