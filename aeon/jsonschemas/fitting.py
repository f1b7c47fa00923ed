"""Values that surely fit a JSON Schema, found out without an error for anything: most answers of a model do.

Few keywords are known. Where a schema has another one, or where a value has many parts, nothing is sure: then the value
is held against the schema keyword by keyword, and what does not fit has a path. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sized
from typing import TypeAlias

from aeon.schema.frozen import JsonObject, JsonValue

__all__ = ["MOST_PARTS", "surely_fitting"]

MOST_PARTS = 1_000
"""Parts of a value beyond which nothing is sure."""

_Test: TypeAlias = Callable[[JsonValue, list[int]], bool]
"""Whether a value surely fits; the list holds how many parts may still be looked at."""

_SILENT = {"title", "description", "default", "examples"}
"""Keywords that no value is held against."""


def surely_fitting(schema: JsonValue) -> Callable[[JsonValue], bool]:
    """What tells whether a value surely fits a valid schema (Draft 2020-12); where it is false, it may all the same."""
    test = _test(schema)
    return lambda value: test(value, [MOST_PARTS])


def _test(schema: JsonValue) -> _Test:
    if not isinstance(schema, dict):
        return _always if schema is True else _never
    rest = {name: argument for name, argument in schema.items() if name not in _SILENT}
    tests = [made(rest.pop(name)) for name, made in _ANY_TYPE.items() if name in rest]
    if rest:
        tests.append(_of_type(rest.pop("type", None), rest))
    return tests[0] if len(tests) == 1 else lambda value, room: all([test(value, room) for test in tests])


def _of_type(kind: JsonValue, bounds: JsonObject) -> _Test:
    """The test of a type, with the keywords that belong to it and no others."""
    made, known = _OF_TYPE.get(kind if isinstance(kind, str) else "", (None, frozenset()))
    return made(bounds) if made is not None and bounds.keys() <= known else _never


def _string(schema: JsonObject) -> _Test:
    least, most = _bounds(schema, "minLength", "maxLength")
    return lambda value, _: type(value) is str and least <= len(value) <= most


def _number(schema: JsonObject, *exact: type) -> _Test:
    least, most = _bounds(schema, "minimum", "maximum")
    return lambda value, _: type(value) in exact and least <= value <= most  # type: ignore[operator]


def _array(schema: JsonObject) -> _Test:
    item = _test(schema.get("items", True))
    least, most = _bounds(schema, "minItems", "maxItems")

    def test(value: JsonValue, room: list[int]) -> bool:
        if type(value) is not list or not least <= len(value) <= most or not _has_room(room, value):
            return False
        return all([item(one, room) for one in value])

    return test


def _object(schema: JsonObject) -> _Test:
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        return _never
    tests = {name: _test(inner) for name, inner in properties.items()}
    others = _test(schema.get("additionalProperties", True))
    names = frozenset(map(str, required))

    def test(value: JsonValue, room: list[int]) -> bool:
        if type(value) is not dict or not names <= value.keys() or not _has_room(room, value):
            return False
        return all([tests.get(name, others)(inner, room) for name, inner in value.items()])

    return test


def _any_of(alternatives: JsonValue) -> _Test:
    tests = [_test(one) for one in alternatives] if isinstance(alternatives, list) else []
    return lambda value, room: any(test(value, room) for test in tests)


def _among(values: JsonValue) -> _Test:
    """The test of an enumeration: sure of texts alone, since 1, 1.0 and true are the same in Python."""
    texts = frozenset(value for value in values if isinstance(value, str)) if isinstance(values, list) else frozenset()
    return lambda value, _: type(value) is str and value in texts


def _bounds(schema: JsonObject, least: str, most: str) -> tuple[float, float]:
    """The two bounds; a missing one keeps nothing out."""
    low, high = schema.get(least, -math.inf), schema.get(most, math.inf)
    plain = all(isinstance(bound, int | float) for bound in (low, high))
    return (low, high) if plain else (math.inf, -math.inf)  # type: ignore[return-value]


def _has_room(room: list[int], parts: Sized) -> bool:
    """Whether as many parts may still be looked at as a value has."""
    room[0] -= len(parts)
    return room[0] >= 0


def _always(_: JsonValue, __: list[int]) -> bool:
    return True


def _never(_: JsonValue, __: list[int]) -> bool:
    return False


_ANY_TYPE: dict[str, Callable[[JsonValue], _Test]] = {"enum": _among, "anyOf": _any_of}
"""Keywords that are known of any schema."""
_LIMITS = frozenset({"minimum", "maximum"})
_OF_TYPE: dict[str, tuple[Callable[[JsonObject], _Test], frozenset[str]]] = {
    "string": (_string, frozenset({"minLength", "maxLength"})),
    "integer": (lambda schema: _number(schema, int), _LIMITS),
    "number": (lambda schema: _number(schema, int, float), _LIMITS),
    "boolean": (lambda _: lambda value, __: type(value) is bool, frozenset()),
    "null": (lambda _: lambda value, __: value is None, frozenset()),
    "array": (_array, frozenset({"items", "minItems", "maxItems"})),
    "object": (_object, frozenset({"properties", "required", "additionalProperties"})),
}
"""How a value of each type is tested, and the keywords that are known of its schema."""
