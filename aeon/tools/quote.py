"""A value that stands in a text, for a program that copies it from a sentence."""

from __future__ import annotations

from aeon.documents.collection import Collection
from aeon.errors import ToolFailed
from aeon.schema import JsonObject, JsonValue, Source
from aeon.text import one_line
from aeon.tools.tool import Tool, tool

__all__ = ["QUOTE", "quote", "quoted"]

QUOTE = "quote"


def quote(collection: Collection) -> Tool:
    """Return the tool ``quote``, which no prompt names: it gives the value with the sentence that it stands in."""

    @tool(name=QUOTE, side_effects=False, parallel_safe=True, offered=False)
    def give(value: str | int | float, source: str, start: int, end: int) -> JsonObject:
        """A value that stands in a text.

        Args:
            value: a number or a text
            source: the text's path
            start: where the sentence begins in it, in characters
            end: where it ends
        """
        text = collection.text(source)
        if not 0 <= start < end <= len(text):
            raise ToolFailed(f"{one_line(source, 100)} has no characters {start} to {end}")
        return {"value": value, "sentence": Source(source=source, start=start, end=end, text=text[start:end]).fields()}

    return give


def quoted(output: JsonValue) -> tuple[JsonValue, tuple[Source, ...]]:
    """What the tool gave, taken apart: the value, and the sentence if there is one."""
    match output:
        case {"value": value, "sentence": sentence}:
            return value, (Source.model_validate(sentence),)
        case _:
            return output, ()
