"""What the texts say to a task: numbered sentences that a program copies its values from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby

from pydantic import TypeAdapter

from aeon.documents.words import stems
from aeon.schema import JsonValue, Passage, Source
from aeon.tools.numbers import parse_cell

__all__ = ["Evidence", "cited_lines", "stands_in", "stated_numbers"]

_CITED = re.compile(r"#\s*((?:\d{1,3}\s*(?:,|and|&)?\s*)+)\s*$")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_MOST_SENTENCES = 30
_LONGEST_SENTENCE = 400
_SHARE = 0.75  # of a text's words that its sentence must have
_PASSAGES = TypeAdapter(list[Passage])


class Evidence:
    """The sentences that a search gave, in their order; `shown` is how a prompt is told of them."""

    def __init__(self, passages: JsonValue = None) -> None:
        there: dict[tuple[str, int, int], Source] = {}
        for passage in _PASSAGES.validate_python(passages or []):
            for source in passage.sources():
                there.setdefault((source.source, source.start, source.end), source)
        self.sources = tuple(there.values())[:_MOST_SENTENCES]

    @property
    def shown(self) -> str:
        """The sentences, numbered from 1, below the names of their files; empty without any."""
        lines = ["Sentences:"] if self.sources else []
        numbered = enumerate(self.sources, 1)
        for name, group in groupby(numbered, key=lambda pair: pair[1].source):
            lines.append(f"({name})")
            lines += [f"{number} {source.text[:_LONGEST_SENTENCE]}" for number, source in group]
        return "\n".join(lines)

    def find(self, value: str | float, cited: Sequence[int] = ()) -> Source | None:
        """The sentence that holds a number or a text: a cited one if it does, else the first; ``None`` if none does."""
        first = [self.sources[number - 1] for number in cited if 1 <= number <= len(self.sources)]
        return next((source for source in (*first, *self.sources) if stands_in(value, source)), None)


def stands_in(value: str | float, source: Source) -> bool:
    """Whether a number stands in a sentence, or all the numbers and most of the words of a text."""
    numbers = {_exact(text) for text in _NUMBER.findall(source.text)}
    if not isinstance(value, str):
        return bool({Fraction(str(value)), Fraction(str(value)) * 100} & numbers)
    if value.casefold() in source.text.casefold():
        return True
    if not {_exact(text) for text in _NUMBER.findall(value)} <= numbers:
        return False
    words = stems(value)
    return bool(words) and len(words & stems(f"{source.heading} {source.text}")) >= _SHARE * len(words)


def cited_lines(code: str) -> Mapping[int, tuple[int, ...]]:
    """The numbers of sentences behind ``#`` at the end of each line of a program, by the line's number from 1."""
    matches = ((number, _CITED.search(line)) for number, line in enumerate(code.splitlines(), 1))
    return {number: tuple(map(int, re.findall(r"\d+", match[1]))) for number, match in matches if match}


def stated_numbers(text: str) -> frozenset[Fraction]:
    """The numbers that a text states; one with a percent sign also as a share, and as what is left or comes on top."""
    every: set[Fraction] = set()
    for match in _NUMBER.finditer(text):
        if (number := _exact(match[0])) is not None:
            every |= {number, number / 100, 1 + number / 100, 1 - number / 100}
    return frozenset(every)


def _exact(text: str) -> Fraction | None:
    return parse_cell(text.rstrip(".,"))
