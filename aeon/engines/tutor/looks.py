"""What single observations say about a statement: it holds, it does not, or they leave it open.

Every function here answers ``None`` unless one observation, of exactly the object that is spoken of, settles it.
"""

from __future__ import annotations

from typing import NamedTuple

from aeon.engines.tutor.actions import (
    Action,
    CountLines,
    Excerpt,
    Listing,
    Matches,
    Modules,
    Observation,
    Search,
    TableValue,
)
from aeon.engines.tutor.statements import Contains, CountOf, ImportsModule, ValueOf

__all__ = ["Seen", "contained", "counted", "existing", "imported", "measured", "same", "shows"]

_CLOSE = 1e-9
"""The share of a number that two may differ by and be the same: sums of doubles are not exact."""


class Seen(NamedTuple):
    """An observation under its number in the graph, with the action that made it."""

    number: int
    action: Action
    observation: Observation


def shows(action: Action, seen: Seen) -> bool:
    """Whether a look shows all that this action would."""
    found = seen.observation
    if seen.action == action or not isinstance(action, Search | CountLines) or not isinstance(found, Matches):
        return seen.action == action
    path = action.path
    shown = found.covers(path) and sum(hit.path == path for hit in found.hits) == found.of(path)
    return found.text == action.text and bool(path) and shown


def existing(path: str, seen: Observation) -> bool | None:
    """Whether there is such a file."""
    match seen:
        case Listing(files=files, path=prefix, whole=whole):
            absent = whole and path.startswith(prefix)
            return path in files or (False if absent else None)
        case Excerpt(path=name):
            return name == path or None
        case Matches():
            return seen.of(path) > 0 or None
        case Modules(files=parsed):
            return path in dict(parsed) or None
    return None


def contained(claim: Contains, seen: Observation) -> bool | None:
    """Whether the line, or any line, holds the text; polarity is not looked at."""
    match seen:
        case Excerpt(path=path) if path == claim.path:
            return _in_line(claim.line, claim.text, seen) if claim.line is not None else _in_excerpt(claim.text, seen)
        case Matches():
            return _in_matches(claim, seen)
        case Listing():
            return False if existing(claim.path, seen) is False else None
    return None


def _in_excerpt(text: str, seen: Excerpt) -> bool | None:
    """Whether any line holds the text: that none does is known where all are there, and whole."""
    absent = len(seen.lines) == seen.total and not seen.cut
    return any(text in line for line in seen.lines) or (False if absent else None)


def _in_line(number: int, text: str, seen: Excerpt) -> bool | None:
    """Whether this line holds the text; one beyond the end holds none."""
    if number > seen.total:
        return False
    shown = dict(enumerate(seen.lines, seen.start)).get(number)
    return None if shown is None else text in shown or (None if number in seen.cut else False)


def _in_matches(claim: Contains, seen: Matches) -> bool | None:
    hits = [hit for hit in seen.hits if hit.path == claim.path and claim.line in (None, hit.line)]
    if any(claim.text in hit.text or claim.text in seen.text for hit in hits):
        return True
    shown = sum(hit.path == claim.path for hit in seen.hits) == seen.of(claim.path)
    cut = any(hit.cut for hit in hits)
    # a line that holds the claim's text holds the shorter one that was searched for, so it would be among the hits
    absent = seen.text in claim.text and seen.covers(claim.path) and shown and not cut
    return False if absent else None


def counted(term: CountOf, seen: Observation) -> int | None:
    """How many lines hold the text."""
    if not isinstance(seen, Matches) or seen.text != term.text:
        return None
    if not term.path:
        whole = seen.whole and not seen.path and not seen.unread
        return sum(count for _, count in seen.counts) if whole else None
    return seen.of(term.path) if seen.covers(term.path) else None


def measured(term: ValueOf, seen: Observation) -> int | float | str | None:
    """The value of an aggregate."""
    if not isinstance(seen, TableValue):
        return None
    names = ("table", "column", "aggregate", "where", "equals")
    return seen.value if all(getattr(seen, name) == getattr(term, name) for name in names) else None


def imported(claim: ImportsModule, seen: Observation) -> bool | None:
    """Whether an import statement names the module."""
    if not isinstance(seen, Modules):
        return None
    modules = dict(seen.files).get(claim.path)
    return None if modules is None else claim.module in modules


def same(one: float | str, other: float | str) -> bool:
    """Whether two values are the same: numbers to nine digits, texts exactly."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return abs(one - other) <= _CLOSE * max(1.0, abs(one), abs(other))
