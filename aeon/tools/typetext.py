"""A tool's parameters as a signature that a small model can read: ``path: string, limit?: integer``."""

from __future__ import annotations

import json

from aeon.schema.frozen import JsonObject, JsonValue

__all__ = ["signature", "type_text"]

_DEPTH = 3


def signature(parameters: JsonObject, depth: int = _DEPTH) -> str:
    """Return the parameters of a JSON Schema of type object, in order; those that may be left out end in ``?``."""
    properties, required = parameters.get("properties"), parameters.get("required")
    must = required if isinstance(required, list) else []
    entries = properties.items() if isinstance(properties, dict) else ()
    return ", ".join(f"{key}{'' if key in must else '?'}: {type_text(schema, depth)}" for key, schema in entries)


def type_text(schema: JsonValue, depth: int = _DEPTH) -> str:
    """Return a schema in a few words, such as ``list of integer``, ``"a" | "b"`` or ``any``."""
    if not isinstance(schema, dict) or depth == 0:
        return "any"
    choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(choices, list):
        return " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)
    options = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(options, list):
        return " | ".join(dict.fromkeys(type_text(option, depth - 1) for option in options))
    return _kind_text(schema, depth)


def _kind_text(schema: JsonObject, depth: int) -> str:
    """Return the type that a schema names."""
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(str(item) for item in kind)
    if kind == "array":
        return _list_text(schema, depth - 1)
    if kind == "object" and "properties" in schema and depth > 1:
        return f"{{{signature(schema, depth - 1)}}}"
    return kind if isinstance(kind, str) else "any"


def _list_text(schema: JsonObject, depth: int) -> str:
    """Return what a list holds: of any length one thing, or one thing for each place."""
    places = schema.get("prefixItems")
    if isinstance(places, list):
        return f"[{', '.join(type_text(place, depth) for place in places)}]"
    return f"list of {type_text(schema.get('items'), depth)}"
