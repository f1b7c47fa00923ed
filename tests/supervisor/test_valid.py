"""Which schemas a value can be held against, and that holding it against one takes no longer than it may."""

from __future__ import annotations

import math

import pytest
from jsonschema import Draft202012Validator

from aeon.errors import ConfigError
from aeon.jsonschemas.references import unresolved
from aeon.schema import JsonObject
from aeon.supervisor.valid import faults, validator

TREE: JsonObject = {
    "$defs": {"node": {"properties": {"below": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}},
    "$ref": "#/$defs/node",
}


def chain(length: int) -> JsonObject:
    """Definitions that each refer to the next."""
    links: JsonObject = {f"a{n}": {"$ref": f"#/$defs/a{n + 1}"} for n in range(length)}
    return {"$defs": {**links, f"a{length}": {"type": "integer"}}, "$ref": "#/$defs/a0"}


UNUSABLE: dict[str, tuple[JsonObject, str]] = {
    "dangling": ({"properties": {"a": {"$ref": "#/$defs/none"}}}, "'#/$defs/none' leads nowhere"),
    "elsewhere": ({"$ref": "https://example.com/a.json"}, "leads nowhere inside it"),
    "no pointer": ({"$ref": "#/a~2"}, "leads nowhere inside it"),
    "to no schema": ({"$ref": "#/x", "x": 3}, "leads to what is no schema"),
    "to a wrong schema": ({"$ref": "#/x", "x": {"type": "nonsense"}}, "leads to what is no schema"),
    "itself": ({"$ref": "#"}, "refers to itself without end"),
    "itself, after a step": ({"allOf": [{"not": {"$ref": "#"}}]}, "refers to itself without end"),
    "a circle": ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"if": {"$ref": "#/$defs/a"}}}}, "without end"),
    "a long chain": (chain(200), "more than 100 references"),
    "schemas of their own": ({"$ref": "b", "$defs": {"b": {"$id": "b"}}}, "$id of their own"),
    "no type": ({"type": "nonsense"}, "nonsense"),
    "another draft's": ({"$schema": "http://json-schema.org/draft-04/schema#", "exclusiveMinimum": True}, "Minimum"),
    "no pattern": ({"pattern": "("}, "regex"),
    "look-around": ({"properties": {"a": {"pattern": "(?=a)"}}}, "look-around"),
    "a pattern of names": ({"patternProperties": {r"(a)\1": {}}}, "backreferences"),
    "too large a pattern": ({"pattern": "(?:a{1000}){1000}"}, "size limit"),
    "patterns by others": ({"patternProperties": {"a": {}}, "unevaluatedProperties": False}, "unevaluatedProperties"),
    "infinity": ({"maximum": math.inf}, "no JSON"),
    "not a number": ({"enum": [math.nan]}, "no JSON"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_schema_that_no_value_can_be_held_against_is_refused(name: str) -> None:
    """The line says what is wrong, before any value is there."""
    schema, words = UNUSABLE[name]
    with pytest.raises(ConfigError, match=r"^schema: ") as refused:
        validator(schema)
    assert words in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "schema",
    [
        TREE,
        {"$id": "https://example.com/a.json", "$ref": "#/$defs/a", "$defs": {"a": {}}},
        {"$ref": "#name", "$defs": {"a": {"$anchor": "name"}}},
        {"properties": {"$ref": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"enum": [{"$ref": "#/nowhere"}]}}},
        chain(50),
    ],
)
def test_references_that_come_to_an_end_are_followed(schema: JsonObject) -> None:
    """A schema may contain itself, and what only looks like a reference is none."""
    assert faults(3, validator(schema)) == []


def test_a_value_is_held_against_what_a_reference_leads_to() -> None:
    """However deep it stands."""
    assert faults({"below": [{"below": 3}]}, validator(TREE)) == ["$.below[0].below: 3 is not of type 'array'"]
    assert faults("a", validator(chain(50))) == ["$: 'a' is not of type 'integer'"]


def test_a_pattern_takes_linear_time() -> None:
    """An engine that tries every way of matching would not come back in a lifetime."""
    against = validator({"type": "string", "pattern": r"^(a+)+$"})
    assert faults("a" * 100_000, against) == []
    assert len(faults("a" * 100 + "!", against)) == 1
    names = validator({"patternProperties": {r"^(a|a)*$": {"type": "integer"}}, "additionalProperties": False})
    assert faults({"a" * 100: 1}, names) == []
    assert len(faults({"a" * 100 + "!": 1, "a" * 50: "b"}, names)) == 2


def test_a_target_is_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many references to one definition do not have it checked again and again."""
    checked: list[object] = []
    monkeypatch.setattr(Draft202012Validator, "check_schema", checked.append)
    several: JsonObject = {f"p{n}": {"$ref": "#/$defs/a"} for n in range(50)}
    assert unresolved({"properties": several, "$defs": {"a": {"type": "integer"}}}) == ""
    assert checked == [{"type": "integer"}]
