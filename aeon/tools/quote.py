"""A value that stands in a text, for a program that copies it from a sentence."""

from __future__ import annotations

from aeon.documents.collection import Collection
from aeon.errors import ToolFailed
from aeon.text import one_line
from aeon.tools.tool import Tool, tool

__all__ = ["QUOTE", "quote"]

QUOTE = "quote"


def quote(collection: Collection) -> Tool:
    """Return the tool ``quote``, which no prompt names: it gives the value if the place in the text exists."""

    @tool(name=QUOTE, side_effects=False, parallel_safe=True, offered=False)
    def quoted(value: str | int | float, source: str, start: int, end: int) -> str | int | float:
        """A value that stands in a text.

        Args:
            value: a number or a text
            source: the text's path
            start: where the sentence begins in it, in characters
            end: where it ends
        """
        if not 0 <= start < end <= len(collection.text(source)):
            raise ToolFailed(f"{one_line(source, 100)} has no characters {start} to {end}")
        return value

    return quoted
