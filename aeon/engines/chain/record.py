"""The record of a chain: what each member said, and whether that was handed on."""

from __future__ import annotations

from aeon.engines.ensemble.members import Said
from aeon.schema.conclusion import Conclusion
from aeon.schema.frozen import JsonValue

__all__ = ["Chain", "Link"]


class Link(Said):
    """What a member said. ``handed_on``: the members after it saw that; the last one hands nothing on."""

    engine: str
    handed_on: bool = False


class Chain(Conclusion):
    """The result of a chain: the ending of its last member that ran. ``links`` are what each of them said."""

    links: tuple[Link, ...] = ()

    def parts(self) -> dict[str, JsonValue]:
        """What each member said, under its place."""
        return {f"member {place}": link.model_dump(mode="json") for place, link in enumerate(self.links, 1)}
