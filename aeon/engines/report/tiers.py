"""Source tiers: how much a source is trusted, from 1 (official) to 5 (social), and what each mode does with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.frozen import Frozen
from aeon.schema.search import Document
from aeon.schema.value import Value

__all__ = ["ITEMS", "MODES", "Mode", "ModeConfigs", "Ranked", "SourceTier", "ranked", "usable"]

Mode = Literal["strict", "discovery", "monitor"]
MODES: tuple[Mode, ...] = ("strict", "discovery", "monitor")
ITEMS = "items"
"""The provider of the documents that are given directly: only they say themselves whose they are."""
_SCHEME = re.compile(r"(?i)^[a-z][a-z0-9+.-]*://")
_AUTHORITY = re.compile(r"^(?:[^/?#]*@)?(?:www\.)?(\[[^\]/]*\]|[^/?#:]*)\.?(?::\d*)?(?=[/?#]|$)")
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


class ModeConfigs(Frozen):
    """What each mode takes: ``strict`` known sources up to a tier, ``discovery`` unknown ones too, ``monitor`` two."""

    strict: _Strict = _Strict()
    discovery: _Discovery = _Discovery()
    monitor: _Monitor = _Monitor()


class Ranked(Value):
    """A source with its tier, ``None`` where it is not known. ``origin`` is the name that it has by itself."""

    source: str
    title: str = ""
    origin: str = ""
    tier: int | None = None
    type: str = ""

    @property
    def words(self) -> str:
        """The tier as people read it."""
        return f"tier {self.tier}, {self.type or 'no type'}" if self.tier is not None else "unknown"


def ranked(document: Document, provider: str, tiers: Mapping[str, SourceTier]) -> Ranked:
    """The document with the tier that its name, its host or its path has in the configuration; the longest key counts.

    Whose site it is counts only for items, where the caller says so: a page of the web may say anything of itself.
    """
    names = [document.source, document.site] if provider == ITEMS else [document.source]
    keys = {_place(key): tier for key, tier in tiers.items()}
    found = [(len(key), tier) for key, tier in keys.items() if any(_within(_place(name), key) for name in names)]
    tier = max(found, key=lambda one: one[0], default=(0, None))[1]
    ranking = Ranked(source=document.source, title=document.title, origin=document.site or document.source)
    return ranking if tier is None else ranking.changed(tier=tier.tier, type=tier.type)


def usable(tier: int | None, mode: Mode, modes: ModeConfigs) -> bool:
    """Whether the mode takes sources of this tier; what monitor compares is narrowed down later."""
    match mode:
        case "strict":
            return tier is not None and tier <= modes.strict.max_tier
        case "monitor":
            return True
    return tier is None or tier <= modes.discovery.max_tier


def _place(name: str) -> str:
    """A name, or an address as host and path, as two that mean the same place are alike."""
    text = " ".join(name.split()).casefold()
    if _SCHEME.match(text):
        text = _AUTHORITY.sub(r"\1", _SCHEME.sub("", text))
    return text.removeprefix("www.").partition("#")[0].partition("?")[0].rstrip("/")


def _within(place: str, key: str) -> bool:
    """Whether a place is that of the key, or below it; nothing is known of a path that goes up or has backslashes."""
    if not key or "\\" in place or ".." in place.split("/"):
        return False
    return place == key or place.startswith(f"{key}/")
