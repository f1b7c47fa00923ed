"""Claims that rest on tables of which it is open how they are to be read: they are supported in part at most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from aeon.schema import Claim, FromClaim, FromTool, ToolUse

__all__ = ["with_doubts"]


def with_doubts(claims: Sequence[Claim], uses: Iterable[ToolUse]) -> tuple[Claim, ...]:
    """The claims, each with what is open of the tables that it rests on, directly or through other claims."""
    opened = {use.id: tuple(_open(use)) for use in uses}
    if not any(opened.values()):
        return tuple(claims)
    found: dict[str, tuple[str, ...]] = {}
    for claim in _in_order(claims):
        every = (text for one in claim.evidence for text in _of(one, opened, found))
        found[claim.id] = tuple(dict.fromkeys(every))
    return tuple(_doubted(claim, found[claim.id]) for claim in claims)


def _open(use: ToolUse) -> Iterator[str]:
    return (f"{table.source}: {text}" for table in use.tables for text in table.open)


def _in_order(claims: Sequence[Claim]) -> Iterable[Claim]:
    """The claims, each behind those that it follows from."""
    named = {claim.id: claim for claim in claims}
    rests = {claim.id: {one.claim for one in claim.evidence if isinstance(one, FromClaim)} for claim in claims}
    try:
        return [named[name] for name in TopologicalSorter(rests).static_order() if name in named]
    except CycleError:
        return claims


def _of(one: object, opened: Mapping[str, tuple[str, ...]], found: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """What is open of a piece of evidence."""
    match one:
        case FromTool():
            return opened.get(one.step, ())
        case FromClaim():
            return found.get(one.claim, ())
    return ()


def _doubted(claim: Claim, doubts: tuple[str, ...]) -> Claim:
    if not doubts or claim.verdict not in ("supported", "partial"):
        return claim
    note = f"it rests on a table that could be read in another way: {'; '.join(doubts)}"
    return claim.changed(verdict="partial", doubts=doubts, note="; ".join(filter(None, [claim.note, note])))
