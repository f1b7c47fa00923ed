"""What single observations say about a statement: it holds, it does not, or they leave it open.

Every function here answers ``None`` unless one observation, of exactly the object that is spoken of, settles it.
"""

from __future__ import annotations

from aeon.engines.tutor.actions import Excerpt, Hit, Listing, Matches, Modules, Observation, TableValue
from aeon.engines.tutor.statements import Contains, CountOf, ImportsModule, ValueOf

__all__ = ["contained", "counted", "existing", "imported", "measured", "same"]

_CLOSE = 1e-9
"""The share of a number that two may differ by and be the same: sums of doubles are not exact."""


def existing(path: str, seen: Observation) -> bool | None:
    """Whether there is such a file."""
    match seen:
        case Listing(files=files, path=prefix, whole=whole):
            return True if path in files else False if whole and path.startswith(prefix) else None
        case Excerpt(path=name):
            return True if name == path else None
        case Matches():
            return True if seen.of(path) else None
        case Modules(files=files):
            return True if any(name == path for name, _ in files) else None
    return None


def contained(claim: Contains, seen: Observation) -> bool | None:
    """Whether the line, or any line, holds the text; polarity is not looked at."""
    match seen:
        case Excerpt(path=path) if path == claim.path:
            return _in_excerpt(claim, seen)
        case Matches():
            return _in_matches(claim, seen)
        case Listing():
            return False if existing(claim.path, seen) is False else None
    return None


def _in_excerpt(claim: Contains, seen: Excerpt) -> bool | None:
    lines = list(enumerate(seen.lines, seen.start))
    if claim.line is None:
        whole = len(lines) == seen.total and not seen.cut
        return True if any(claim.text in line for _, line in lines) else False if whole else None
    if claim.line > seen.total:
        return False
    shown = dict(lines).get(claim.line)
    if shown is None:
        return None
    return True if claim.text in shown else None if claim.line in seen.cut else False


def _in_matches(claim: Contains, seen: Matches) -> bool | None:
    hits = [hit for hit in seen.hits if hit.path == claim.path and claim.line in (None, hit.line)]
    if any(claim.text in hit.text or claim.text in seen.text for hit in hits):
        return True
    covers = seen.path in ("", claim.path) and seen.text in claim.text and claim.path not in seen.unread
    return False if covers and seen.whole and _all_shown(claim, seen, hits) else None


def _all_shown(claim: Contains, seen: Matches, hits: list[Hit]) -> bool:
    """Whether every line that could hold the text is there, uncut: none of them does, as was looked at before."""
    every = sum(hit.path == claim.path for hit in seen.hits) == seen.of(claim.path)
    return every and not any(hit.cut for hit in hits)


def counted(term: CountOf, seen: Observation) -> int | None:
    """How many lines hold the text."""
    if not isinstance(seen, Matches) or seen.text != term.text or not seen.whole:
        return None
    if seen.path == term.path:
        return sum(count for _, count in seen.counts) if not seen.unread else None
    return seen.of(term.path) if not seen.path and term.path not in seen.unread else None


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
