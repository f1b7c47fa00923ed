"""Where the sentences of a text end."""

from __future__ import annotations

import re
from collections.abc import Iterator

import sentencex

from aeon.language.dates import days
from aeon.language.words import language_of

__all__ = ["sentence_ends"]

_EMPHASIS = ("*", "_")
"""What Markdown may write behind a full stop."""
_INITIAL, _FIGURE = re.compile(r"(?<!\w)[^\W\d_a-z]\.\s*$"), re.compile(r"\d\S\s*$")


def sentence_ends(text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Give the places within ``text[start:end]`` behind each sentence but the last, by the text's language.

    Abbreviations, initials, ordinals, decimals, dates and addresses hold full stops that end nothing, and what has no
    letter is no sentence, such as the number before a heading.
    """
    part = text[start:end]
    places = _places(part)
    within = _within_days(part) if any(_FIGURE.search(part, place - 4, place) for place in places) else frozenset()
    latest, has_letter = 0, False
    for place in places:
        has_letter = has_letter or any(map(str.isalpha, part[latest:place]))
        latest = place
        if place in within or not has_letter:
            continue
        while part[place : place + 1] in _EMPHASIS:
            place += 1
        latest, has_letter = place, False
        yield start + place


def _places(part: str) -> list[int]:
    """The ends by the rules of the text's language; behind an initial ("M. Dupont") by English ones, which know it."""
    places = [int(one["end_index"]) for one in sentencex.get_sentence_boundaries(language_of(part), part)[:-1]]
    if initials := {place for place in places if _INITIAL.search(part, place - 4, place)}:
        initials -= {int(one["end_index"]) for one in sentencex.get_sentence_boundaries("en", part)}
    return [place for place in places if place not in initials]


def _within_days(part: str) -> frozenset[int]:
    """The places between the letters of the dates of a text."""
    return frozenset(place for day in days(part) for place in range(day.start + 1, day.end))
