"""The record of a chain: what each member said, and whether that was handed on."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from aeon.schema.conclusion import Conclusion
from aeon.schema.frozen import JsonValue
from aeon.schema.value import Value

__all__ = ["Chain", "Link"]

_Count = Annotated[int, Field(ge=0)]


class Link(Value):
    """What a member said. ``handed_on``: the members after it saw that; the last one hands nothing on."""

    engine: str
    answer: str = ""
    stop_reason: str = ""
    sufficient: bool = False
    handed_on: bool = False
    calls: _Count = 0
    tokens: _Count = 0


class Chain(Conclusion):
    """The result of a chain: the ending of its last member that ran. ``links`` are what each of them said."""

    links: tuple[Link, ...] = ()

    def parts(self) -> dict[str, JsonValue]:
        """What each member said, under its place."""
        return {f"member {place}": link.model_dump(mode="json") for place, link in enumerate(self.links, 1)}
