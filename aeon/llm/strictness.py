"""JSON Schemas as Anthropic enforces them.

Its structured outputs take a part of JSON Schema only (https://platform.claude.com/docs/en/build-with-claude/
structured-outputs): objects are closed, and bounds of numbers and lengths are refused. The host checks those itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from aeon.schema.frozen import JsonObject, JsonValue

__all__ = ["strict"]

_KEPT = ("type", "enum", "const", "title", "description", "$ref", "required")
_FORMATS = ("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid")
_BOUND: Mapping[str, tuple[JsonValue, ...]] = {"format": _FORMATS, "minItems": (0, 1)}
"""What is enforced for these values alone."""
_INSIDE = {
    "$defs": "$defs",
    "properties": "properties",
    "items": "items",
    "anyOf": "anyOf",
    "oneOf": "anyOf",
    "allOf": "allOf",
}
"""Where schemas stand inside one, and under which name they are sent."""


def strict(schema: JsonObject) -> JsonObject | None:
    """The schema without what cannot be enforced; ``None`` where an object may have fields that nobody named."""
    if _is_open(schema):
        return None
    kept = {name: schema[name] for name in _KEPT if name in schema}
    kept |= {name: schema[name] for name, values in _BOUND.items() if schema.get(name) in values}
    if schema.get("type") == "object":
        kept["additionalProperties"] = False
    inside = {_INSIDE[name]: _strict_inside(name, value) for name, value in schema.items() if name in _INSIDE}
    return None if None in inside.values() else kept | inside


def _strict_inside(name: str, value: JsonValue) -> JsonValue:
    """The same of the schemas inside one: one of items, a list of variants, or an object that names some."""
    if name == "items":
        return strict(value) if isinstance(value, dict) and value else None
    listed = value if isinstance(value, list) else [*value.values()] if isinstance(value, dict) else [None]
    made = [strict(one) if isinstance(one, dict) else None for one in listed]
    if None in made:
        return None
    return dict(zip(value, made, strict=True)) if isinstance(value, dict) else [*made]


def _is_open(schema: JsonObject) -> bool:
    """Whether it is of objects that may have fields that nobody named."""
    closed = schema.get("properties") and schema.get("additionalProperties") in (None, False)
    return schema.get("type") == "object" and not closed
