"""Items: documents that a caller gives or gets, with the keys of the reference."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from aeon.schema.frozen import Frozen, JsonObject

__all__ = ["ITEM_KEYS", "Item", "described"]

ITEM_KEYS = ("@type", "url", "name", "site", "siteUrl", "score", "description", "schema_object")
"""The keys of an Item that is given back, in their order."""
_METADATA = "_reasoning_metadata"


def _text(value: object) -> object:
    return "" if value is None else value


_Text = Annotated[str, BeforeValidator(_text)]


class Item(Frozen):
    """A document that is given directly: its text, ``description``, and whose it is. Other keys are left out.

    ``url`` tells items apart; one without has its ``name`` for that.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="ignore")

    url: _Text = ""
    name: _Text = ""
    site: _Text = ""
    site_url: _Text = Field(default="", alias="siteUrl")
    description: _Text = ""

    @model_validator(mode="after")
    def _usable(self) -> Item:
        if not self.description.strip():
            raise ValueError("an item needs a 'description': the text that the report may cite")
        if not self.url.strip() and not self.name.strip():
            raise ValueError("an item needs a 'url' or a 'name', which its citations name it by")
        return self


def described(fields: JsonObject, tier: int | None, kind: str, origin: str) -> JsonObject:
    """An Item with the tier of its source: before its description, and as metadata."""
    label = f"[Tier {tier if tier is not None else 'unknown'} | {kind or 'unknown'}]"
    metadata: JsonObject = {"tier": tier, "type": kind or None, "original_source": origin}
    return {**fields, "description": f"{label} {fields['description']}", _METADATA: metadata}
