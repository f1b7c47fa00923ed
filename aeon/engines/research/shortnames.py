"""Names of people that a column has written out in some rows and short in others."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import TypeAlias

__all__ = ["is_name", "written_out"]

_Key: TypeAlias = tuple[str, str, str]
"""A title, a first name and a last name, one of which is an initial."""
_LONGEST = 40
_INITIAL_FIRST = re.compile(r"(?P<initial>[^\W\d_])\. ?(?P<rest>[^\W\d_].*)")
_INITIAL_LAST = re.compile(r"(?P<first>[^\W\d_]{2,}) (?P<initial>[^\W\d_])\.")
_WHOLE = re.compile(r"(?P<first>[^\W\d_]{2,}) (?P<rest>[^\W\d_]{2}.*)")
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "dr", "prof", "sir", "st", "herr", "frau"})


def is_name(cell: str) -> bool:
    """Whether a cell may be a name of several words."""
    return len(cell) <= _LONGEST and " " in cell and cell[:1].isupper()


def written_out(cells: Iterable[str]) -> dict[str, str]:
    """The name for which each short one stands: "Ines Locke" for "I. Locke" or "Ines L.".

    Only a name of which the cells hold just one that it can be short for; titles are no first names, and stay.
    """
    whole: defaultdict[_Key, list[str]] = defaultdict(list)
    short: list[tuple[str, _Key]] = []
    for cell in sorted(cells):
        before, _, behind = cell.partition(" ")
        title, name = (before, behind) if before.casefold().rstrip(".") in _TITLES else ("", cell)
        if match := _INITIAL_FIRST.fullmatch(name):
            short.append((cell, (title, match["initial"], match["rest"])))
        elif match := _INITIAL_LAST.fullmatch(name):
            short.append((cell, (title, match["first"], match["initial"])))
        elif match := _WHOLE.fullmatch(name):
            whole[title, match["first"][0], match["rest"]].append(cell)
            whole[title, match["first"], match["rest"][0]].append(cell)
    return {cell: whole[key][0] for cell, key in short if len(whole[key]) == 1}
