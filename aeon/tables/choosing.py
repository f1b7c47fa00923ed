"""Which convention the numbers of a column are in: what they say themselves, then what the file says."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from aeon.tables.conventions import CONVENTIONS, PLAIN, Convention
from aeon.tables.numerals import Numeral, fits, value_of
from aeon.tables.reading import Ways
from aeon.tables.shapes import Shape

__all__ = ["allowed", "chosen", "ways"]

_THREE = 3


def allowed(numerals: Iterable[Numeral]) -> list[Convention]:
    """The conventions in which all of the numbers can be read."""
    every = [*numerals]
    return [one for one in CONVENTIONS if all(fits(found, one) for found in every)]


def chosen(numerals: Mapping[Shape, Numeral], known: Collection[Convention], delimiter: str) -> tuple[Convention, str]:
    """The convention of a column that can be read in one, and what speaks against it if anything does.

    ``known`` are those that other columns of the file allow, ``delimiter`` is that of the file, "" without one.
    """
    possible = allowed(numerals.values())
    if _are_one(numerals, possible):
        return next((one for one in possible if one in known), possible[0]), ""
    own = _by_themselves(numerals, possible)
    left = [one for one in own if one in known]
    if not left:
        return own[0], f"the file has other numbers in another convention than {_marked(numerals).example}"
    if _are_one(numerals, left):
        return left[0], ""
    return _by_custom(numerals, left, delimiter)


def ways(numerals: Mapping[Shape, Numeral]) -> Ways | None:
    """What a cell with marks is in the conventions in which all numbers can be read, where that differs."""
    cell = _marked(numerals).example
    values: dict[str, str] = {}
    for convention in allowed(numerals.values()):
        values.setdefault(value_of(cell, convention), convention.example)
    return Ways(cell, tuple((stated, value) for value, stated in values.items())) if len(values) > 1 else None


def _are_one(numerals: Mapping[Shape, Numeral], conventions: Sequence[Convention]) -> bool:
    """Whether the numbers are the same in all of the conventions."""
    return len({tuple(found.places(one) for found in numerals.values()) for one in conventions}) == 1


def _by_themselves(numerals: Mapping[Shape, Numeral], possible: Sequence[Convention]) -> Sequence[Convention]:
    """What is left where a number below one has no groups, and plain numbers show whether longer ones have."""
    if any(one.below_one for one in numerals):
        has_groups = False
    elif plain := [found for found in numerals.values() if not found.marks]:
        has_groups = all(found.body.count("9") <= _THREE for found in plain)
    else:
        return possible
    return [one for one in possible if _groups(numerals, one) == has_groups] or possible


def _by_custom(numerals: Mapping[Shape, Numeral], left: Sequence[Convention], delimiter: str) -> tuple[Convention, str]:
    """What programs usually write: behind semicolons decimal commas, and groups with commas elsewhere."""
    marked = _marked(numerals)
    marks = numerals[marked].marks
    commas = [one for one in left if one.point == ","]
    if delimiter == ";" and commas:
        if "." in marks:
            return commas[0], ""
        left = [*commas, *left]
    elif "," in marks and PLAIN in left:
        return PLAIN, ""
    return left[0], _open(numerals, left)


def _open(numerals: Mapping[Shape, Numeral], left: Sequence[Convention]) -> str:
    """What a cell is in the first of several conventions, and what it may be in another."""
    cell, found = _marked(numerals).example, numerals[_marked(numerals)]
    other = next(one for one in left if found.places(one) != found.places(left[0]))
    return f"{cell} is read as {value_of(cell, left[0])}; it may be {value_of(cell, other)}"


def _marked(numerals: Mapping[Shape, Numeral]) -> Shape:
    """Cells with marks between their digits."""
    return next(one for one, found in numerals.items() if found.marks)


def _groups(numerals: Mapping[Shape, Numeral], convention: Convention) -> bool:
    """Whether marks between digits are those of groups, in a convention."""
    return any(set(found.marks) & set(convention.group) for found in numerals.values() if found.marks)
