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
from aeon.engines.tutor.quantities import CountOf, ValueOf
from aeon.engines.tutor.statements import Contains, ImportsModule
from aeon.schema.column import DAY

__all__ = ["Seen", "contained", "counted", "existing", "imported", "measured", "same", "shows"]


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
    return found.text == action.text and bool(path) and found.complete(path)


def existing(path: str, seen: Observation) -> bool | None:
    """Whether there is such a file."""
    match seen:
        case Listing():
            return _settled(path in seen.files, seen.whole and path.startswith(seen.path))
        case Excerpt():
            return _settled(seen.path == path)
        case Matches():
            return _settled(seen.of(path) > 0)
        case Modules():
            return _settled(path in dict(seen.files))
    return None


def _settled(holds: bool, absent: bool = False) -> bool | None:
    """What one observation says: that it holds, that it does not, or nothing."""
    return True if holds else False if absent else None


def contained(claim: Contains, seen: Observation) -> bool | None:
    """Whether the line, or any line, holds the text; polarity is not looked at."""
    match seen:
        case Excerpt(path=path) if path == claim.path:
            return _in_excerpt(claim.text, seen) if claim.line is None else _in_line(claim.line, claim.text, seen)
        case Matches():
            return _in_matches(claim, seen)
        case Listing():
            return False if existing(claim.path, seen) is False else None
    return None


def _in_excerpt(text: str, seen: Excerpt) -> bool | None:
    """Whether any line holds the text: that none does is known where all are there, and whole."""
    whole = len(seen.lines) == seen.total and not seen.cut
    return _settled(any(text in line for _, line in seen.lines), whole)


def _in_line(number: int, text: str, seen: Excerpt) -> bool | None:
    """Whether this line holds the text; one beyond the end holds none."""
    shown = dict(seen.lines).get(number)
    if shown is None:
        return _settled(False, number > seen.total)
    return _settled(text in shown, number not in seen.cut)


def _in_matches(claim: Contains, seen: Matches) -> bool | None:
    """Whether a line that holds the searched text holds the claim's.

    That none does is known where the searched text is a part of it: each line that holds it would be among the hits.
    """
    hits = [hit for hit in seen.hits_of(claim.path) if claim.line in (None, hit.line)]
    holds = any(claim.text in f"{hit.text}\n{seen.text}" for hit in hits)
    complete = seen.complete(claim.path) and seen.text in claim.text
    return _settled(holds, complete and not any(hit.cut for hit in hits))


def counted(term: CountOf, seen: Observation) -> int | None:
    """How many lines hold the text."""
    if not isinstance(seen, Matches) or seen.text != term.text:
        return None
    if term.path:
        return seen.of(term.path) if seen.covers(term.path) else None
    return seen.total if seen.whole and not (seen.path or seen.unread) else None


def measured(term: ValueOf, seen: Observation) -> TableValue | None:
    """The observation of exactly this aggregate; it has no value where no row has one."""
    names = ("table", "column", "aggregate", "where", "equals")
    if isinstance(seen, TableValue) and all(getattr(seen, name) == getattr(term, name) for name in names):
        return seen
    return None


def imported(claim: ImportsModule, seen: Observation) -> bool | None:
    """Whether an import statement names the module."""
    if not isinstance(seen, Modules):
        return None
    modules = dict(seen.files).get(claim.path)
    return None if modules is None else claim.module in modules


def _instant(text: str) -> tuple[str, ...]:
    """The parts of a day and its time, whatever they are written with; of another text nothing."""
    match = DAY.fullmatch(text)
    return (match[1], match[2] or "00:00", match[3] or "00", (match[4] or "").rstrip("0")) if match else ()


def same(one: float | str, other: float | str, within: float) -> bool:
    """Whether two values are the same: numbers unless they are further apart than that, days in any notation, texts."""
    if isinstance(one, str) and isinstance(other, str):
        return one == other or (DAY.fullmatch(one) is not None and _instant(one) == _instant(other))
    if isinstance(one, str) or isinstance(other, str):
        return False
    return one == other if not within else abs(one - other) <= within
