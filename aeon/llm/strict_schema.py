"""JSON Schemas as the strict mode of hosted endpoints takes them: every key required, no other key allowed. Pure.

What strict mode takes follows OpenAI's reference (https://platform.openai.com/docs/guides/structured-outputs) and what
its endpoints refuse. A key that may be left out becomes one that may be null, and a bound that strict mode does not
know is told in the description. `without_nulls` leaves such keys out again on reading, so that the value is held
against the schema as it was meant.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain

from aeon.jsonschemas.inlining import inlined
from aeon.jsonschemas.meaning import UNIONS, Meaning, at_root, has_type, is_object, object_of, objects_of
from aeon.schema.frozen import JsonObject, JsonValue

__all__ = ["MOST_ENUM_VALUES", "MOST_LEVELS", "MOST_PROPERTIES", "rooted", "strict_schema", "without_nulls"]

MOST_LEVELS = 10
"""Objects and arrays within each other that strict mode takes."""
MOST_PROPERTIES = 5_000
"""Properties of all objects of a schema that strict mode takes."""
MOST_ENUM_VALUES = 1_000
"""Values of all enumerations of a schema that strict mode takes."""
_MOST_NAMES = 120_000
"""Characters of all names and values in a schema that strict mode takes."""

_WRITTEN = {
    "type", "description", "title", "enum", "const", "pattern", "format", "multipleOf", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
}  # fmt: skip
"""Keywords that strict mode takes as they are."""
_INSIDE = {"properties", "required", "additionalProperties", "items", "$defs", *UNIONS, "allOf", "$ref"}
"""Keywords that are written anew."""
_TOLD = ("minLength", "maxLength", "uniqueItems")
"""Bounds that strict mode does not know; the host holds the value against them."""
_SILENT = {
    "default", "examples", "$schema", "$id", "$comment", "deprecated", "readOnly", "writeOnly", "discriminator",
}  # fmt: skip
"""What says nothing of the value. Any other keyword has no strict form."""
_FORMATS = ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
_NULL: JsonObject = {"type": "null"}


class _NotEquivalentError(Exception):
    """A part of a schema has no strict form that means the same to the reader."""


def strict_schema(schema: JsonObject) -> JsonObject | None:
    """The schema in the form that strict mode takes; ``None`` where no such form means the same to the reader."""
    text = _strict_text(json.dumps(schema))
    written: JsonObject | None = json.loads(text) if text else None
    return written


def without_nulls(value: JsonValue, schema: JsonObject) -> JsonValue:
    """``value`` without the nulls of keys that may be left out and may not be null."""
    try:
        meaning = Meaning(schema)
        return _read(value, meaning.schema, meaning)
    except (ValueError, RecursionError):
        return value


@lru_cache(maxsize=128)
def _strict_text(schema: str) -> str:
    """The strict form as JSON; empty where there is none."""
    try:
        whole = at_root(inlined(rooted(json.loads(schema))))
        written = _strict(whole)
        _check_size(written)
    except (_NotEquivalentError, ValueError, RecursionError):
        return ""
    return json.dumps(written) if written.get("type") == "object" else ""


def rooted(schema: JsonObject) -> JsonObject:
    """The schema with an object at its root, as hosted endpoints want it; what is none is its one member ``answer``.

    Whoever reads the value takes it out of there. A schema that may be of an object stays as it is.
    """
    try:
        whole = at_root(inlined(schema))
    except ValueError:
        return schema
    told = whole.get("type")
    if told is None or "object" in (told if isinstance(told, list) else [told]):
        return schema
    inner = {key: value for key, value in whole.items() if key not in ("$defs", "$schema", "$id")}
    definitions = object_of(whole.get("$defs"))
    return {
        "type": "object", "properties": {"answer": inner}, "required": ["answer"], "additionalProperties": False,
        **({"$defs": definitions} if definitions else {}),
    }  # fmt: skip


def _strict(node: JsonValue) -> JsonObject:
    if not isinstance(node, dict):
        raise _NotEquivalentError
    node = _merged(node)
    if node.keys() - _WRITTEN - _INSIDE - _SILENT - {*_TOLD}:
        raise _NotEquivalentError
    if "$ref" in node:
        return {"$ref": node["$ref"], **_definitions(node)}  # strict mode takes nothing beside a reference
    written: JsonObject = {key: value for key, value in node.items() if key in _WRITTEN}
    written |= _type(node)
    _tell(node, written)
    if has_type(node, "array"):
        written["items"] = _strict(node.get("items"))
    for union in UNIONS:
        if union in node:
            written["anyOf"] = [*_strict_union(node[union])]
    closed = _closed(node, written) if is_object(node) else written
    return {**closed, **_definitions(node)}


def _definitions(node: JsonObject) -> JsonObject:
    held = object_of(node.get("$defs"))
    return {"$defs": {name: _strict(inner) for name, inner in held.items()}} if held else {}


def _merged(node: JsonObject) -> JsonObject:
    """The node with the one schema that it is to fit as well, if that says nothing else of the same keywords."""
    held = node.get("allOf")
    if held is None:
        return node
    inner = held[0] if isinstance(held, list) and len(held) == 1 else None
    rest = {key: value for key, value in node.items() if key != "allOf"}
    if not isinstance(inner, dict) or inner.keys() & rest.keys() - {"description"}:
        raise _NotEquivalentError
    return _merged({**inner, **rest})


def _type(node: JsonObject) -> JsonObject:
    """The type, which strict mode wants to be told, also where the values say it."""
    if "type" in node or not node.keys().isdisjoint(UNIONS):
        return {}
    if "properties" in node:
        return {"type": "object"}
    types: list[JsonValue] = [*dict.fromkeys(_TYPES.get(type(value), "") for value in _values(node))]
    if not types or "" in types:
        raise _NotEquivalentError  # any value, of which strict mode knows nothing
    return {"type": types[0] if len(types) == 1 else types}


def _tell(node: JsonObject, written: JsonObject) -> None:
    """Put what strict mode does not know into the description."""
    told = [f"{key}: {json.dumps(node[key])}" for key in _TOLD if key in node]
    if written.get("format", _FORMATS[0]) not in _FORMATS:
        told.append(f"format: {written.pop('format')}")
    if told:
        written["description"] = " ".join(filter(None, (str(node.get("description", "")), f"({', '.join(told)})")))


def _strict_union(held: JsonValue) -> Iterable[JsonObject]:
    alternatives = [_strict(inner) for inner in (held if isinstance(held, list) else [])]
    beginnings = [next(iter(object_of(one.get("properties")).items()), None) for one in alternatives if is_object(one)]
    firsts = [json.dumps(first) for first in beginnings]
    if len({*firsts}) < len(firsts):
        raise _NotEquivalentError  # objects that begin alike are refused: the model could not tell which it began
    return alternatives


def _closed(node: JsonObject, written: JsonObject) -> JsonObject:
    """The object with all of its keys required, and no others."""
    properties = object_of(node.get("properties"))
    if not properties or node.get("additionalProperties", False) is not False:
        raise _NotEquivalentError  # it has keys that nobody can name
    required = _required(node)
    keys: list[JsonValue] = list(properties)
    written["properties"] = {
        key: _strict(inner) if key in required or _takes_null(inner) else {"anyOf": [_strict(inner), _NULL]}
        for key, inner in properties.items()
    }
    return {**written, "required": keys, "additionalProperties": False}


def _check_size(written: JsonObject) -> None:
    """Raise where the schema is larger than strict mode takes."""
    by_level = [*_levels(written)]
    levels = sum(any(is_object(node) or has_type(node, "array") for node in nodes) for nodes in by_level)
    nodes = [*chain.from_iterable(by_level)]
    names = [name for node in nodes for name in object_of(node.get("properties"))]
    values = [value for node in nodes for value in _values(node)]
    characters = sum(map(len, map(str, [*names, *values])))
    sizes = (levels, len(names), len(values), characters)
    most = (MOST_LEVELS, MOST_PROPERTIES, MOST_ENUM_VALUES, _MOST_NAMES)
    if any(size > limit for size, limit in zip(sizes, most, strict=True)):
        raise _NotEquivalentError


def _levels(written: JsonObject) -> Iterator[Sequence[JsonObject]]:
    """All schemas inside one, by how deep they lie; definitions begin at the top."""
    below = [written, *objects_of([*object_of(written.get("$defs")).values()])]
    while below:
        yield below
        below = [inner for node in below for inner in _within(node)]


def _values(node: JsonObject) -> list[JsonValue]:
    """The values that are the only ones of a node."""
    held = node.get("enum", [node["const"]] if "const" in node else [])
    return held if isinstance(held, list) else []


def _within(node: JsonObject) -> Iterable[JsonObject]:
    """The schemas right inside one."""
    yield from objects_of([*object_of(node.get("properties")).values(), node.get("items")])
    yield from objects_of(node.get("anyOf"))


def _read(value: JsonValue, schema: JsonValue, meaning: Meaning) -> JsonValue:
    """The value as it was meant."""
    if not isinstance(schema, dict):
        return value
    schema = meaning.of(value, schema)
    if isinstance(value, list):
        return [_read(item, schema.get("items"), meaning) for item in value]
    if not isinstance(value, dict):
        return value
    properties, required = object_of(schema.get("properties")), _required(schema)
    return {
        key: _read(inner, properties.get(key), meaning)
        for key, inner in value.items()
        if inner is not None or key in required or key not in properties or _takes_null(properties[key])
    }


def _required(node: JsonObject) -> list[JsonValue]:
    required = node.get("required")
    return required if isinstance(required, list) else []


def _takes_null(node: JsonValue) -> bool:
    """Whether null is a value of the schema."""
    if not isinstance(node, dict):
        return node is True
    unions = [inner for union in UNIONS for inner in objects_of(node.get(union))]
    if unions:
        return any(map(_takes_null, unions))
    if "$ref" in node or "allOf" in node:
        return False
    if "enum" in node or "const" in node:
        return None in _values(node)
    return has_type(node, "null") or "type" not in node
