"""What a server answers to a call, as a value."""

from __future__ import annotations

from jsonschema.exceptions import ValidationError
from mcp_types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from aeon.errors import ToolFailed
from aeon.jsonschemas.patterns import PatternValidator, bad_pattern
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.text import one_line

__all__ = ["value_of"]

_WRAPPED = "result"
_Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource


def value_of(result: CallToolResult, schema: JsonObject | None) -> JsonValue:
    """The structured content, or else the texts; an object that only wraps a ``result`` is that result.

    Where it does not fit the ``schema`` that the server declared, the value is an object of what came all the same, and
    of what is ``not_as_declared`` in it: the call was made, and its text may be all that is known of it.

    Raises:
        ToolFailed: the server says that the call failed.
    """
    if result.is_error:
        raise ToolFailed(one_line(_texts(result.content), 500) or "it failed and does not say why")
    value: JsonValue = result.structured_content
    if schema is not None and (problem := _unfit(value, schema)):
        came: JsonObject = {"text": text} if (text := _texts(result.content)) else {"value": value}
        return {**came, "not_as_declared": problem}
    if value is None:
        return _texts(result.content)
    return value[_WRAPPED] if isinstance(value, dict) and [*value] == [_WRAPPED] else value


def _unfit(value: JsonValue, schema: JsonObject) -> str:
    """Why a value does not fit; nothing where the schema cannot be held against it in bounded time."""
    if bad_pattern(schema) or "$ref" in str(schema):
        return ""
    try:
        PatternValidator(schema).validate(value)
    except ValidationError as error:
        return one_line(error.message, 160)
    return ""


def _texts(content: list[_Content]) -> str:
    return "\n".join(map(_text, content))


def _text(block: _Content) -> str:
    match block:
        case TextContent():
            return block.text
        case ImageContent() | AudioContent():
            return f"[{block.type} {one_line(block.mime_type, 60)}, not shown]"
        case ResourceLink():
            return str(block.uri)
        case EmbeddedResource(resource=TextResourceContents() as resource):
            return resource.text
        case _:
            return f"[{one_line(block.type, 60)}, not shown]"
