"""Where the sentences of a text end."""

from __future__ import annotations

from collections.abc import Iterator

import sentencex

from aeon.language.dates import days
from aeon.language.words import language_of

__all__ = ["sentence_ends"]

_EMPHASIS = ("*", "_")
"""What Markdown may write behind a full stop."""


def sentence_ends(text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Give the places within ``text[start:end]`` behind each sentence but the last, by the text's language.

    Abbreviations, initials, ordinals, decimals, dates and addresses hold full stops that end nothing, and what has no
    letter is no sentence, such as the number before a heading.
    """
    part = text[start:end]
    found = sentencex.get_sentence_boundaries(language_of(part), part)
    places = [int(one["end_index"]) for one in found[:-1]]
    within = _within_days(part) if any(_is_behind_figure(part, place) for place in places) else frozenset()
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


def _within_days(part: str) -> frozenset[int]:
    """The places between the letters of the dates of a text."""
    return frozenset(place for day in days(part) for place in range(day.start + 1, day.end))


def _is_behind_figure(part: str, place: int) -> bool:
    """Whether the full stop before a place stands behind a figure."""
    return part[max(0, place - 4) : place].rstrip()[-2:-1].isdigit()
