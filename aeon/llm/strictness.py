"""JSON Schemas as Anthropic enforces them.

Its structured outputs take a part of JSON Schema only (https://platform.claude.com/docs/en/build-with-claude/
structured-outputs): objects are closed, and bounds of numbers and lengths are refused. The host checks those itself.
"""

from __future__ import annotations

from aeon.schema.frozen import JsonObject, JsonValue

__all__ = ["strict"]

_KEPT = ("type", "enum", "const", "title", "description", "$ref", "required")
_FORMATS = ("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid")
_VARIANTS = {"anyOf": "anyOf", "oneOf": "anyOf", "allOf": "allOf"}


def strict(schema: JsonObject) -> JsonObject | None:
    """The schema without what cannot be enforced; ``None`` where an object may have fields that nobody named."""
    kept = {name: schema[name] for name in _KEPT if name in schema}
    if schema.get("format") in _FORMATS:
        kept["format"] = schema["format"]
    if schema.get("minItems") in (0, 1):
        kept["minItems"] = schema["minItems"]
    if schema.get("type") == "object":
        if not schema.get("properties") or schema.get("additionalProperties") not in (None, False):
            return None
        kept["additionalProperties"] = False
    for name, below in _below(schema):
        inner: dict[str, JsonValue] = {key: strict(one) for key, one in below.items() if isinstance(one, dict)}
        if None in inner.values():
            return None
        kept[name] = [*inner.values()] if name in _VARIANTS.values() else inner
    if isinstance(items := schema.get("items"), dict):
        kept["items"] = strict(items)
        if kept["items"] is None:
            return None
    return kept


def _below(schema: JsonObject) -> list[tuple[str, dict[str, JsonValue]]]:
    """The schemas inside this one, by name or by place."""
    named = [(name, value) for name in ("$defs", "properties") if isinstance(value := schema.get(name), dict)]
    listed = [
        (kept, {str(place): one for place, one in enumerate(value)})
        for name, kept in _VARIANTS.items()
        if isinstance(value := schema.get(name), list)
    ]
    return [*named, *listed]
