"""A value that fits a JSON Schema which the caller has: whatever the schema allows, asked for as an object or list."""

from __future__ import annotations

from pydantic import JsonValue, RootModel

from aeon.schema.frozen import JsonObject
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.supervisor import Supervisor

__all__ = ["value_for"]

_WHOLE = ("object", "array")
_DEFINITIONS = ("$defs", "definitions")


class _Anything(RootModel[JsonValue]):
    """Whatever the schema allows."""


async def value_for(supervisor: Supervisor, prompt: Prompt, schema: JsonObject, max_tokens: int) -> JsonValue:
    """The value that the model gives; of a schema that may be for less than an object or list, inside of an object.

    Raises:
        CompletionError, ModelError, AllowanceExhausted: the model gave nothing that fits.
    """
    bare = schema.get("type") not in _WHOLE
    reply = await supervisor.structured(
        prompt, _Anything, schema=_wrapped(schema) if bare else schema, max_tokens=max_tokens
    )
    value = reply.value.root
    return value["answer"] if bare and isinstance(value, dict) else value


def _wrapped(schema: JsonObject) -> JsonObject:
    """A schema for an object whose only member ``answer`` fits the given one, whose definitions stay at the root."""
    known = {name: schema[name] for name in _DEFINITIONS if name in schema}
    inner = {name: value for name, value in schema.items() if name not in known}
    properties: JsonObject = {"answer": inner}
    return {
        "type": "object", "properties": properties, "required": ["answer"], "additionalProperties": False, **known,
    }  # fmt: skip
