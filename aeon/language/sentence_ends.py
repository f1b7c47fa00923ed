"""Where the sentences of a text end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import sentencex

from aeon.language.words import language_of

__all__ = ["sentence_ends"]

_EMPHASIS = ("*", "_")
"""What Markdown may write behind a full stop."""


def sentence_ends(text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Give the places within ``text[start:end]`` behind each sentence but the last, by the text's language.

    Abbreviations, initials, ordinals, decimals, dates and addresses hold full stops that end nothing.
    """
    part = text[start:end]
    found = sentencex.get_sentence_boundaries(language_of(part), part)
    for one in islice(found, len(found) - 1):
        place = start + int(one["end_index"])
        while text[place : place + 1] in _EMPHASIS:
            place += 1
        yield place
