"""Whether a short answer stands in sentences, and in which."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.documents.sentences import heading_of
from aeon.documents.telling import nearness
from aeon.programs.short_answers import tokens
from aeon.schema import Source

__all__ = ["sentence_of", "stands_in", "stands_whole"]

_SHARE = 0.75
"""Of the words of an answer, that its sentence must have."""


def stands_in(answer: str, source: Source) -> bool:
    """Whether an answer stands in a sentence, or all of its figures and most of its words do."""
    if stands_whole(answer, source):
        return True
    said, there = {*tokens(answer)}, {*tokens(f"{source.heading} {source.text}")}
    figures = {token for token in said if not token.isalpha()}
    return bool(said) and figures <= there and len(said & there) >= _SHARE * len(said)


def sentence_of(question: str, answer: str, sources: Sequence[Source]) -> Source:
    """The sentence that has most of an answer, of several the one that is nearest to the question."""
    near = dict(zip(sources, nearness(sources, question), strict=True))
    said = {*tokens(answer)}

    def holds(one: Source) -> tuple[bool, int, bool, float]:
        return stands_whole(answer, one), len(said & {*tokens(one.text)}), not heading_of(one.text), near[one]

    return max(sources, key=holds)


def stands_whole(answer: str, source: Source) -> bool:
    """Whether a sentence has an answer as it is, but for case, spaces and marks."""
    said, there = tokens(answer), tokens(source.text)
    places = range(len(there) - len(said) + 1)
    joined = "".join(said) in "".join(there) and not any(token.isascii() for token in said)  # words without spaces
    return bool(said) and (joined or any(there[place : place + len(said)] == said for place in places))
