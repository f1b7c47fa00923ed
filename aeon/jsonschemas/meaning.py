"""Which part of a JSON Schema a part of a value is held against. Pure."""

from __future__ import annotations

from aeon.jsonschemas.inlining import inlined
from aeon.schema.frozen import JsonObject, JsonValue

__all__ = ["UNIONS", "Meaning", "at_root", "has_type", "is_object", "object_of", "objects_of"]

UNIONS = ("anyOf", "oneOf")
_DEFINITIONS = "#/$defs/"


class Meaning:
    """Tells by what schema a part of a value is meant; ``schema`` is the whole one, its references written out.

    Raises:
        ValueError, RecursionError: its references lead nowhere, or the schema is too large or too deep.
    """

    def __init__(self, schema: JsonObject) -> None:
        self.schema = at_root(inlined(schema))
        self._definitions = object_of(self.schema.get("$defs"))

    def of(self, value: JsonValue, schema: JsonObject) -> JsonObject:
        """The definition, or the alternative of a union, that a value is of; else the schema itself."""
        target = _named(schema, self._definitions)
        if target is not None:
            return self.of(value, target)
        alternatives = [self.of(value, inner) for inner in self.alternatives(schema)]
        likely = [one for one in alternatives if _is_of_kind(value, one)]
        return likely[0] if len(likely) == 1 else next((one for one in likely if _has_keys_of(value, one)), schema)

    def alternatives(self, schema: JsonObject) -> list[JsonObject]:
        """The schemas that a union is of, or that all hold; references among them are those of definitions."""
        held = [inner for name in (*UNIONS, "allOf") for inner in objects_of(schema.get(name))]
        return [_named(inner, self._definitions) or inner for inner in held]


def at_root(schema: JsonObject) -> JsonObject:
    """The schema with its root written out, where that refers to one of its definitions."""
    definitions = object_of(schema.get("$defs"))
    target = _named(schema, definitions)
    return schema if target is None else {**target, "$defs": definitions}


def is_object(node: JsonValue) -> bool:
    """Whether it is a schema of objects."""
    return isinstance(node, dict) and (has_type(node, "object") or "properties" in node)


def has_type(node: JsonObject, name: str) -> bool:
    """Whether the type is one of those that a schema names."""
    told = node.get("type")
    return name in told if isinstance(told, list) else told == name


def object_of(held: JsonValue) -> JsonObject:
    """The object that is held, or an empty one."""
    return held if isinstance(held, dict) else {}


def objects_of(held: JsonValue) -> list[JsonObject]:
    """The objects in the list that is held."""
    return [inner for inner in held if isinstance(inner, dict)] if isinstance(held, list) else []


def _named(schema: JsonObject, definitions: JsonObject) -> JsonObject | None:
    """The definition that a schema refers to."""
    reference = schema.get("$ref")
    return None if reference is None else object_of(definitions.get(str(reference).removeprefix(_DEFINITIONS)))


def _is_of_kind(value: JsonValue, schema: JsonObject) -> bool:
    """Whether a list or an object can be of this schema."""
    return has_type(schema, "array") if isinstance(value, list) else isinstance(value, dict) and is_object(schema)


def _has_keys_of(value: JsonValue, schema: JsonObject) -> bool:
    """Whether an object has the keys of this schema, and those that can have one value have it."""
    properties = object_of(schema.get("properties"))
    if not isinstance(value, dict) or value.keys() != properties.keys():
        return False
    fixed = {key: inner["const"] for key, inner in properties.items() if isinstance(inner, dict) and "const" in inner}
    return all(value[key] == only for key, only in fixed.items())
