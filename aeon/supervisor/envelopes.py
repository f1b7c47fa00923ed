"""Right values in an envelope, or spelt in another case: what they are without it. Pure.

An envelope adds nothing to the value: the call of a tool in a text, an object of one member, a list of one item, JSON
in a JSON string. What comes out of one is held against the schema like any other value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import TypeGuard

from aeon.errors import Malformed
from aeon.jsonschemas.meaning import Meaning, has_type, object_of
from aeon.schema.frozen import JsonObject, JsonValue

__all__ = ["respelt", "unwrapped"]

_MOST_LAYERS = 4
_CALL = {"id", "type", "index", "name", "tool", "arguments", "parameters"}
"""The members that the call of a tool can have."""
_FUNCTION = {"id", "type", "index", "function"}
_NAMES = ("name", "tool")
_ARGUMENTS = ("arguments", "parameters")


def unwrapped(value: JsonValue, read: Callable[[str], JsonValue]) -> Iterator[JsonValue]:
    """What lies in the envelope that a value may be, and in that one, if it is one; ``read`` reads JSON text.

    ``read`` raises `Malformed` where a text holds no value.
    """
    for _ in range(_MOST_LAYERS):
        inner = _content(value)
        if inner is value:
            return
        yield inner
        if isinstance(inner, str):
            try:
                inner = read(inner)
            except Malformed:
                return
            yield inner
        value = inner


def _content(value: JsonValue) -> JsonValue:
    """The one thing that an envelope holds; the value itself where it is none."""
    if isinstance(value, list) and len(value) == 1:
        return value[0]
    if not isinstance(value, dict):
        return value
    arguments = _arguments(value["function"] if "function" in value and value.keys() <= _FUNCTION else value)
    if arguments:
        return arguments[0]
    return next(iter(value.values())) if len(value) == 1 else value


def _arguments(value: JsonValue) -> list[JsonValue]:
    """The arguments of what is the call of a tool and nothing else; none where it is not."""
    if not isinstance(value, dict) or not value.keys() <= _CALL or value.keys().isdisjoint(_NAMES):
        return []
    return [value[name] for name in _ARGUMENTS if name in value]


def respelt(value: JsonValue, schema: JsonObject) -> JsonValue:
    """``value`` with each text that differs from one member of its enumeration by its case alone spelt as that member.

    A text that can be any text stays.
    """
    try:
        meaning = Meaning(schema)
        return _spelt(value, meaning.schema, meaning)
    except (ValueError, RecursionError):
        return value


def _spelt(value: JsonValue, schema: JsonValue, meaning: Meaning) -> JsonValue:
    if not isinstance(schema, dict):
        return value
    schema = meaning.of(value, schema)
    if isinstance(value, str):
        return _member(value, _members(schema, meaning))
    if isinstance(value, list):
        return [_spelt(item, schema.get("items"), meaning) for item in value]
    if not isinstance(value, dict):
        return value
    properties = object_of(schema.get("properties"))
    return {key: _spelt(inner, properties.get(key), meaning) for key, inner in value.items()}


def _member(text: str, members: list[str] | None) -> str:
    alike = {member for member in members or () if member.casefold() == text.strip().casefold()}
    return alike.pop() if len(alike) == 1 else text


def _members(schema: JsonObject, meaning: Meaning) -> list[str] | None:
    """The texts that a schema lets through; ``None`` where it may be any."""
    if "enum" in schema or "const" in schema:
        held = schema.get("enum", [schema.get("const")])
        return list(filter(_is_text, held)) if isinstance(held, list) else []
    alternatives = [_members(inner, meaning) for inner in meaning.alternatives(schema)]
    if not alternatives:
        return None if "type" not in schema or has_type(schema, "string") else []
    return None if None in alternatives else [*chain.from_iterable(filter(None, alternatives))]


def _is_text(value: JsonValue) -> TypeGuard[str]:
    return isinstance(value, str)
