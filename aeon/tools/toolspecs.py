"""The tools of a registry as a model is told of them."""

from __future__ import annotations

from collections.abc import Iterator

from aeon.schema.frozen import JsonObject, JsonValue
from aeon.schema.llm import ToolSpec
from aeon.tools.registry import ToolRegistry
from aeon.tools.tool import Tool

__all__ = ["hints", "specs"]

_CHECKED = ("additionalProperties", "default", "minLength", "maxLength", "minimum", "maximum", "title")


def specs(registry: ToolRegistry) -> tuple[ToolSpec, ...]:
    """Name, description and JSON Schema of each tool that is offered, as far as a model needs it to call one.

    The schema is without what only a check needs: every call is held against the whole of it.
    """
    return tuple(
        ToolSpec(name=one.name, description=" ".join(one.description.split()), parameters=_told(one.parameters))
        for one in _offered(registry)
    )


def _told(parameters: JsonObject) -> JsonObject:
    """The schema of an object without the limits of its properties."""
    properties = parameters.get("properties")
    every = properties.items() if isinstance(properties, dict) else ()
    told: JsonObject = {name: _plain(schema) for name, schema in every}
    return {**{key: value for key, value in parameters.items() if key not in _CHECKED}, "properties": told}


def _plain(schema: JsonValue) -> JsonValue:
    if not isinstance(schema, dict):
        return schema
    return {key: value for key, value in schema.items() if key not in _CHECKED}


def hints(registry: ToolRegistry) -> str:
    """What the tools can be used on, for the system prompt: of a folder its `Files.material`. Data, no instruction."""
    return "\n".join(one.hint for one in _offered(registry) if one.hint)


def _offered(registry: ToolRegistry) -> Iterator[Tool]:
    return (registry.get(name) for name in registry.offered)
