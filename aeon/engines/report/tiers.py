"""Source tiers: how much a source is trusted, from 1 (official) to 5 (social), and what each mode does with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, field_validator

from aeon.engines.research.places import longest, place_of
from aeon.schema.frozen import Frozen
from aeon.schema.search import Document
from aeon.schema.value import Value

__all__ = [
    "IN_WORDS",
    "ITEMS",
    "MODES",
    "Mode",
    "ModeConfigs",
    "Ranked",
    "SourceTier",
    "check_places",
    "ranked",
    "usable",
]

Mode = Literal["strict", "discovery", "monitor"]
MODES: tuple[Mode, ...] = ("strict", "discovery", "monitor")
IN_WORDS: dict[Mode, str] = {
    "strict": "Mode strict: the report rests on known sources of the best tiers alone.",
    "discovery": "Mode discovery: the report may cite all sources, and is careful with those of tier 3 to 5.",
    "monitor": "Mode monitor: the report sets side by side what sources of two tiers say to each question.",
}
"""What prompts say of a mode."""
ITEMS = "items"
"""The provider of the documents that are given directly: only they say themselves whose they are."""
_TierNumber = Annotated[int, Field(ge=1, le=5)]


class SourceTier(Frozen):
    """The tier of a source, and what sort of source it is, such as ``official`` or ``news``."""

    tier: _TierNumber
    type: str = ""


class _Strict(Frozen):
    max_tier: _TierNumber = 2


class _Discovery(Frozen):
    max_tier: _TierNumber = 5


class _Monitor(Frozen):
    compare_tiers: tuple[_TierNumber, _TierNumber] = (1, 5)

    @field_validator("compare_tiers")
    @classmethod
    def _two(cls, tiers: tuple[int, int]) -> tuple[int, int]:
        if tiers[0] == tiers[1]:
            raise ValueError(f"name two tiers to compare, not {tiers[0]} twice")
        return tiers


class ModeConfigs(Frozen):
    """What each mode takes: ``strict`` known sources up to a tier, ``discovery`` unknown ones too, ``monitor`` two."""

    strict: _Strict = _Strict()
    discovery: _Discovery = _Discovery()
    monitor: _Monitor = _Monitor()


class Ranked(Value):
    """A source with its tier, ``None`` where it is not known, and the ``key`` of the configuration that gives it.

    ``origin`` is the name that it has by itself.
    """

    source: str
    title: str = ""
    origin: str = ""
    tier: int | None = None
    type: str = ""
    key: str = ""

    @property
    def words(self) -> str:
        """The tier as people read it."""
        return f"tier {self.tier}, {self.type or 'no type'}" if self.tier is not None else "unknown"


def ranked(document: Document, provider: str, tiers: Mapping[str, SourceTier]) -> Ranked:
    """The document with the tier that its name, its host or its path has in the configuration; the longest key counts.

    Whose site it is counts only for items, where the caller says so: a page of the web may say anything of itself.
    """
    names = [document.source, document.site] if provider == ITEMS else [document.source]
    keys = {place_of(key): key for key in tiers}
    key = keys.get(longest(names, keys), "")
    ranking = Ranked(source=document.source, title=document.title, origin=document.site or document.source)
    return ranking.changed(key=key, tier=tiers[key].tier, type=tiers[key].type) if key else ranking


def check_places(tiers: Mapping[str, SourceTier]) -> None:
    """Refuse keys that name no place, or one place under two names: only one of them could count.

    Raises:
        ValueError: names them.
    """
    keys: dict[str, str] = {}
    for key in tiers:
        place = place_of(key)
        if not place:
            raise ValueError(f"{key!r} names no source: give a name, a host or a path")
        if place in keys:
            raise ValueError(f"{keys[place]!r} and {key!r} are the same source; keep one")
        keys[place] = key


def usable(tier: int | None, mode: Mode, modes: ModeConfigs) -> bool:
    """Whether the mode takes sources of this tier; what monitor compares is narrowed down later."""
    match mode:
        case "strict":
            return tier is not None and tier <= modes.strict.max_tier
        case "monitor":
            return True
    return tier is None or tier <= modes.discovery.max_tier
