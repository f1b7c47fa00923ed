"""What the texts say to a task: numbered sentences that a program copies its values from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from pydantic import TypeAdapter

from aeon.documents.telling import numbered, telling
from aeon.language.dates import same_day
from aeon.language.numerals import unit_behind
from aeon.language.words import stems
from aeon.proof.readings import spelt
from aeon.schema import JsonValue, Passage, Source
from aeon.tools.numbers import parse_cell

__all__ = ["Evidence", "cited_lines", "figures", "in_words", "stands_in", "stated_numbers"]

_CITED = re.compile(r"#\s*(\d{1,3}(?:(?:\s*(?:,|and|&)\s*|\s+)\d{1,3})*)[\s,]*$")
_NUMBER = re.compile(r"(?<![\w.:])\d+(?:[.,]\d+)*(?![\d:]*:\d)")  # the 6 of 6:30 is none
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
    numbers = figures(source.text) | in_words(source.text)
    if not isinstance(value, str):
        return bool({Fraction(str(value)), Fraction(str(value)) * 100} & numbers)
    if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", source.text, re.IGNORECASE) or same_day(value, source.text):
        return True
    if not figures(value) <= numbers or not _times(value) <= _times(source.text):
        return False
    words = stems(value)
    return bool(words) and len(words & stems(f"{source.heading} {source.text}")) >= _SHARE * len(words)


def _times(text: str) -> set[tuple[str, str]]:
    """The times of day of a text, as hours without a leading zero and minutes."""
    return {(hours.lstrip("0"), minutes) for hours, minutes in _CLOCK.findall(text)}


def cited_lines(code: str) -> Mapping[int, tuple[int, ...]]:
    """The numbers of sentences behind ``#`` at the end of each line of a program, by the line's number from 1."""
    matches = ((number, _CITED.search(line)) for number, line in enumerate(code.splitlines(), 1))
    return {number: tuple(map(int, re.findall(r"\d+", match[1]))) for number, match in matches if match}


def stated_numbers(text: str) -> frozenset[Fraction]:
    """The numbers that a text states; one with a percent sign also as a share, and as what is left or comes on top."""
    every: set[Fraction] = set()
    for match in _NUMBER.finditer(text):
        if (number := _exact(match[0])) is not None:
            shares = (
                {number / 100, 1 + number / 100, 1 - number / 100} if unit_behind(text, match.end()) == "%" else set()
            )
            every |= {number, *shares}
    return frozenset(every)


def figures(text: str) -> set[Fraction | str]:
    """The numbers of a text; what only looks like one, such as ``1.2.3``, as it is written."""
    written = (found.rstrip(".,") for found in _NUMBER.findall(text))
    return {found if (number := _exact(found)) is None else number for found in written}


def in_words(text: str) -> set[Fraction]:
    """The numbers from 2 on that a text has in words."""
    return {Fraction(number) for _, number in spelt(text) if number > 1}


def _exact(text: str) -> Fraction | None:
    return parse_cell(text.rstrip(".,"))
