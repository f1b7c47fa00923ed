"""What the texts say to a task: numbered sentences that a program copies its values from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import TypeAdapter

from aeon.documents.telling import numbered, telling
from aeon.programs.stated import stands_in
from aeon.schema import JsonValue, Passage, Source

__all__ = ["Evidence", "cited_lines"]

_CITED = re.compile(r"#\s*(\d{1,3}(?:[\s,&]+(?:[^\W\d_]{1,3}\s+)?\d{1,3})*)[\s,.]*$")
"""Numbers behind ``#``, with a comma or a short word between them, whatever the language."""
_PASSAGES = TypeAdapter(list[Passage])


class Evidence:
    """The sentences that a search gave, those of a text as they stand in it; `shown` is how a prompt is told of them.

    What has least to do with the ``question`` is left out: it misleads a small model.
    """

    def __init__(self, passages: JsonValue = None, question: str = "") -> None:
        best = telling(_PASSAGES.validate_python(passages), question) if passages else []
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
        return "\n".join(["Sentences:", *numbered(self.sources)]) if self.sources else ""

    def find(self, value: str | float, cited: Sequence[int] = (), only: bool = False) -> Source | None:
        """The sentence that holds a number or a text: a cited one if it does, else the first; ``None`` if none does.

        With ``only`` none but the cited ones are looked at.
        """
        first = [self.sources[number - 1] for number in cited if 1 <= number <= len(self.sources)]
        every = first if only else [*first, *self.sources]
        return next((source for source in every if stands_in(value, source)), None)


def cited_lines(code: str) -> Mapping[int, tuple[int, ...]]:
    """The numbers of sentences behind ``#`` at the end of each line of a program, by the line's number from 1."""
    matches = ((number, _CITED.search(line)) for number, line in enumerate(code.splitlines(), 1))
    return {number: tuple(map(int, re.findall(r"\d+", match[1]))) for number, match in matches if match}
