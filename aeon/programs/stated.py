"""Whether a value, or a short answer, stands in sentences, and in which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from aeon.documents.sentences import heading_of
from aeon.documents.telling import nearness
from aeon.language.dates import same_day
from aeon.language.literals import is_german, stands_as_words
from aeon.language.mention import Mention
from aeon.language.numerals import spelt_numerals
from aeon.language.unspaced import is_unspaced, spaced
from aeon.language.words import language_of, stems
from aeon.programs.short_answers import tokens
from aeon.proof.figures import figures_in
from aeon.schema import Source

__all__ = ["sentence_of", "stands_in", "stands_whole", "stated_numbers"]

_CLOCK = re.compile(r"(?<![\w:.,-])(\d{1,2}):(\d\d)(?!\d)")
_SHARE = 0.75
"""Of the words of a text, that its sentence must have."""


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
    joined = "".join(said) in "".join(there) and all(map(is_unspaced, said))
    return bool(said) and (joined or any(there[place : place + len(said)] == said for place in places))


def stands_in(value: str | float, source: Source) -> bool:
    """Whether a number stands in a sentence, also in words; of a text all its numbers and most of its words."""
    if not isinstance(value, str):
        return Fraction(str(value)) in _said(source.text)
    if stands_as_words(value, source.text) or same_day(value, source.text):
        return True
    if not _stands(value, source.text) or not _times(value) <= _times(source.text):
        return False
    tag = language_of(source.text)
    words = stems(value, tag)
    return bool(words) and len(words & stems(f"{source.heading} {source.text}", tag)) >= _SHARE * len(words)


def _stands(value: str, text: str) -> bool:
    """Whether each number of a text stands in another one, in one of the ways to read it."""
    said = _said(text)
    return all(
        {*_readings(one)} & said if one.kind == "number" else stands_as_words(one.text, text)
        for one in figures_in(value)
        if one.kind in ("number", "name", "address")
    )


@lru_cache(maxsize=2_048)
def _said(text: str) -> frozenset[Fraction]:
    """The numbers that a sentence states, in each way to read them, one of per cent also as a share."""
    whole = [one for one in figures_in(text) if one.kind in ("number", "date")]
    parts = [part for one in whole for part in one.parts]
    found = [one for one in (*whole, *parts, *spelt_numerals(spaced(text), is_german(text))) if one.kind == "number"]
    return frozenset(number for one in found for number in (*_readings(one), *_shares(one)))


def _readings(mention: Mention) -> list[Fraction]:
    return [form.read.number for form in mention.forms if form.read.number is not None]


def _shares(mention: Mention) -> list[Fraction]:
    """A number of per cent as a share of one."""
    return [form.read.number / 100 for form in mention.forms if form.read.number is not None and form.read.unit == "%"]


def _times(text: str) -> set[tuple[str, str]]:
    """The times of day of a text, as hours without a leading zero and minutes."""
    return {(hours.lstrip("0"), minutes) for hours, minutes in _CLOCK.findall(text)}


def stated_numbers(text: str) -> frozenset[Fraction]:
    """The numbers that a text states; one of per cent also as a share, and as what is left or comes on top."""
    shares = {share for one in figures_in(text) if one.kind == "number" for share in _shares(one)}
    return _said(text) | {one for share in shares for one in (1 + share, 1 - share)}
