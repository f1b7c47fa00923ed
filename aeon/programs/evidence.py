"""What the texts say to a task: numbered sentences that a program copies its values from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from pydantic import TypeAdapter

from aeon.documents.telling import numbered, telling
from aeon.grounding.figures import figures_in
from aeon.language.dates import same_day
from aeon.language.literals import is_german, stands_as_words
from aeon.language.mention import Mention
from aeon.language.numerals import spelt_numerals
from aeon.language.unspaced import spaced
from aeon.language.words import language_of, stems
from aeon.schema import JsonValue, Passage, Source

__all__ = ["Evidence", "cited_lines", "stands_in", "stated_numbers"]

_CITED = re.compile(r"#\s*(\d{1,3}(?:(?:\s*(?:,|and|&)\s*|\s+)\d{1,3})*)[\s,]*$")
_CLOCK = re.compile(r"(?<![\w:.,-])(\d{1,2}):(\d\d)(?!\d)")
_SHARE = 0.75  # of a text's words that its sentence must have
_PASSAGES = TypeAdapter(list[Passage])


class Evidence:
    """The sentences that a search gave, those of a text as they stand in it; `shown` is how a prompt is told of them.

    What has least to do with the ``question`` is left out: it misleads a small model.
    """

    def __init__(self, passages: JsonValue = None, question: str = "") -> None:
        best = telling(_PASSAGES.validate_python(passages or []), question)
        files = list(dict.fromkeys(source.source for source in best))
        self.sources = tuple(sorted(best, key=lambda source: (files.index(source.source), source.start)))

    @classmethod
    def of(cls, sources: Sequence[Source]) -> Evidence:
        """These sentences, all of them, in their order."""
        every = cls()
        every.sources = tuple(sources)
        return every

    @property
    def shown(self) -> str:
        """The sentences, numbered from 1, below the names of their files and their headings; empty without any."""
        return "\n".join(["Sentences:", *numbered(self.sources, files=True)]) if self.sources else ""

    def find(self, value: str | float, cited: Sequence[int] = (), only: bool = False) -> Source | None:
        """The sentence that holds a number or a text: a cited one if it does, else the first; ``None`` if none does.

        With ``only`` none but the cited ones are looked at.
        """
        first = [self.sources[number - 1] for number in cited if 1 <= number <= len(self.sources)]
        every = first if only else [*first, *self.sources]
        return next((source for source in every if stands_in(value, source)), None)


def stands_in(value: str | float, source: Source) -> bool:
    """Whether a number stands in a sentence, also in words, or all the numbers and most of the words of a text."""
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


def cited_lines(code: str) -> Mapping[int, tuple[int, ...]]:
    """The numbers of sentences behind ``#`` at the end of each line of a program, by the line's number from 1."""
    matches = ((number, _CITED.search(line)) for number, line in enumerate(code.splitlines(), 1))
    return {number: tuple(map(int, re.findall(r"\d+", match[1]))) for number, match in matches if match}


def stated_numbers(text: str) -> frozenset[Fraction]:
    """The numbers that a text states; one of per cent also as a share, and as what is left or comes on top."""
    shares = {share for one in figures_in(text) if one.kind == "number" for share in _shares(one)}
    return _said(text) | {one for share in shares for one in (1 + share, 1 - share)}
