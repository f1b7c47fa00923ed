"""JSON Schemas as the strict mode of hosted endpoints takes them: every key required, no other key allowed. Pure.

A key that may be left out becomes one that may be null. `without_nulls` leaves such keys out again on reading, so that
the value is held against the schema as it was meant.
"""

from __future__ import annotations

from collections.abc import Iterable

from aeon.schema.frozen import JsonObject, JsonValue

__all__ = ["strict_schema", "without_nulls"]

_UNIONS = ("anyOf", "oneOf")
_FOREIGN = (
    "$ref", "patternProperties", "propertyNames", "dependentSchemas", "dependentRequired", "unevaluatedProperties",
    "allOf", "not", "if", "minProperties", "maxProperties",
)  # fmt: skip
"""Keywords that lead elsewhere, that strict mode does not know, or that closing an object could contradict."""
_NULL: JsonObject = {"type": "null"}


class _NotEquivalentError(Exception):
    """A part of a schema has no strict form that means the same to the reader."""


def strict_schema(schema: JsonObject) -> JsonObject | None:
    """The schema in the form that strict mode takes; ``None`` where no such form means the same to the reader."""
    if schema.get("type") != "object":
        return None
    try:
        written = _strict(schema)
    except (_NotEquivalentError, RecursionError):
        return None
    return written if isinstance(written, dict) else None


def without_nulls(value: JsonValue, schema: JsonValue) -> JsonValue:
    """``value`` without the nulls of keys that may be left out and may not be null."""
    if not isinstance(schema, dict):
        return value
    schema = _meant(value, schema)
    if isinstance(value, list):
        return [without_nulls(item, schema.get("items")) for item in value]
    if not isinstance(value, dict):
        return value
    properties, required = _properties(schema), _required(schema)
    return {
        key: without_nulls(inner, properties.get(key))
        for key, inner in value.items()
        if inner is not None or key in required or key not in properties or _takes_null(properties[key])
    }


def _strict(node: JsonValue) -> JsonValue:
    if not isinstance(node, dict):
        return node
    if not node.keys().isdisjoint(_FOREIGN):
        raise _NotEquivalentError
    written = {key: value for key, value in node.items() if key != "default"}
    if isinstance(node.get("items"), dict):
        written["items"] = _strict(node["items"])
    written |= {union: _strict_union(node[union]) for union in _UNIONS if union in node}
    return _closed(node, written) if _is_object(node) else written


def _strict_union(held: JsonValue) -> JsonValue:
    alternatives = held if isinstance(held, list) else []
    written = [_strict(inner) for inner in alternatives]
    if sum(map(_is_object, alternatives)) > 1 and written != alternatives:
        raise _NotEquivalentError  # on reading nobody knows which of them a null was left out of
    return written


def _closed(node: JsonObject, written: JsonObject) -> JsonObject:
    """The object with all of its keys required, and no others."""
    properties = _properties(node)
    if not properties or node.get("additionalProperties", False) is not False:
        raise _NotEquivalentError  # it has keys that nobody can name
    required = _required(node)
    keys: list[JsonValue] = list(properties)
    written["properties"] = {
        key: _strict(inner) if key in required or _takes_null(inner) else {"anyOf": [_strict(inner), _NULL]}
        for key, inner in properties.items()
    }
    return {**written, "required": keys, "additionalProperties": False}


def _is_object(node: JsonValue) -> bool:
    return isinstance(node, dict) and (node.get("type") == "object" or "properties" in node)


def _properties(node: JsonObject) -> JsonObject:
    properties = node.get("properties")
    return properties if isinstance(properties, dict) else {}


def _required(node: JsonObject) -> list[JsonValue]:
    required = node.get("required")
    return required if isinstance(required, list) else []


def _takes_null(node: JsonValue) -> bool:
    """Whether null is a value of the schema."""
    if not isinstance(node, dict):
        return node is True
    unions = [inner for union in _UNIONS for inner in _objects(node.get(union))]
    if unions:
        return any(map(_takes_null, unions))
    if "const" in node:
        return node["const"] is None
    allowed, kind = node.get("enum", node.get("type")), node.get("type")
    if isinstance(allowed, list):
        return None in allowed or ("enum" not in node and "null" in allowed)
    return kind is None or kind == "null"


def _meant(value: JsonValue, schema: JsonObject) -> JsonObject:
    """The alternative of a union that a value can only be of, by its kind; else the schema itself."""
    kind = "object" if isinstance(value, dict) else "array"
    for union in _UNIONS:
        held = schema.get(union)
        alternatives = [inner for inner in _objects(held) if inner.get("type") == kind]
        if len(alternatives) == 1:
            return alternatives[0]
    return schema


def _objects(held: JsonValue) -> Iterable[JsonObject]:
    return [inner for inner in held if isinstance(inner, dict)] if isinstance(held, list) else []
