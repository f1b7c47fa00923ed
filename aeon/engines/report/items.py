"""Items: documents that a caller gives or gets, with the keys of the reference."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from aeon.schema.frozen import Frozen, JsonObject

__all__ = ["ITEM_KEYS", "Item", "described", "named"]

ITEM_KEYS = ("@type", "url", "name", "site", "siteUrl", "score", "description", "schema_object")
"""The keys of an Item that is given back, in their order."""
_METADATA = "_reasoning_metadata"


def _text(value: object) -> object:
    return "" if value is None else value


def _object(value: object) -> object:
    return {} if value is None else value


_Text = Annotated[str, BeforeValidator(_text)]


class Item(Frozen):
    """A document that is given directly: its text, ``description``, and whose it is. Other keys are left out.

    ``url`` tells items apart; one without has its ``name`` for that. What is found of it is given back as it came.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    url: _Text = ""
    name: _Text = ""
    site: _Text = ""
    site_url: _Text = Field(default="", alias="siteUrl")
    description: _Text = ""
    schema_object: Annotated[JsonObject, BeforeValidator(_object)] = Field(default={})

    @model_validator(mode="after")
    def _usable(self) -> Item:
        if not self.description.strip():
            raise ValueError("an item needs a 'description': the text that the report may cite")
        if not self.url.strip() and not self.name.strip():
            raise ValueError("an item needs a 'url' or a 'name', which its citations name it by")
        return self


def named(items: Iterable[Item]) -> dict[str, Item]:
    """The items by the names of their sources, each text of an address once.

    Another text under the same address is kept, too, under the address with a number: both may be cited.
    """
    sources: dict[str, Item] = {}
    for one in items:
        name = source = one.url.strip() or one.name.strip()
        number = 1
        while source in sources and sources[source].description != one.description:
            number += 1
            source = f"{name}#{number}"
        sources.setdefault(source, one)
    return sources


def described(fields: JsonObject, tier: int | None, kind: str, origin: str) -> JsonObject:
    """An Item with the tier of its source: before its description, and as metadata."""
    label = f"[Tier {tier if tier is not None else 'unknown'} | {kind or 'unknown'}]"
    metadata: JsonObject = {"tier": tier, "type": kind or None, "original_source": origin}
    return {**fields, "description": f"{label} {fields['description']}", _METADATA: metadata}
