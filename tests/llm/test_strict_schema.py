"""Schemas as strict mode takes them, and values read back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from hosted_endpoint import lax_part, value_of
from pydantic import AnyUrl, BaseModel, Field

from aeon.errors import Malformed
from aeon.llm.strict_schema import MOST_ENUM_VALUES, MOST_LEVELS, MOST_PROPERTIES, strict_schema, without_nulls
from aeon.schema.frozen import JsonObject
from aeon.schema.turns import Call
from aeon.supervisor.repair import parse
from aeon.supervisor.schema import schema_of

pytestmark = pytest.mark.requirement("P1")

TEXT: dict[str, Any] = {"type": "string"}
NULLABLE = {"anyOf": [TEXT, {"type": "null"}]}


def nested(levels: int) -> JsonObject:
    """Objects within each other."""
    inner: JsonObject = nested(levels - 1) if levels > 1 else {**TEXT}
    return {"type": "object", "properties": {"a": inner}}


class Part(BaseModel):
    """One with keys that may be left out."""

    name: str
    size: int = 3
    note: str | None = None


class Whole(BaseModel):
    """One with parts, some of them in lists or missing."""

    parts: list[Part]
    main: Part | None = None
    rest: Part = Part(name="x")


def test_keys_that_may_be_left_out_may_be_null_instead() -> None:
    """All keys are required and no others allowed; what may be null already stays as it is, defaults are left out."""
    schema: JsonObject = {
        "type": "object",
        "properties": {"a": TEXT, "b": {**TEXT, "default": "x"}, "c": NULLABLE},
        "required": ["a"],
    }
    assert strict_schema(schema) == {
        "type": "object",
        "properties": {"a": TEXT, "b": NULLABLE, "c": NULLABLE},
        "required": ["a", "b", "c"],
        "additionalProperties": False,
    }


class Cat(BaseModel):
    """One of a union that its kind tells apart."""

    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    """The other one."""

    kind: Literal["dog"]
    lives: int = 1


class Odd(BaseModel):
    """One with all that strict mode has something against, and that can be said otherwise."""

    name: str = Field(min_length=1, max_length=30, examples=["x"])
    tags: list[Annotated[str, Field(max_length=9)]] = Field(
        default_factory=list, json_schema_extra={"uniqueItems": True}
    )
    site: AnyUrl | None = None
    pet: Cat | Dog = Field(discriminator="kind", default=Cat(kind="cat"))
    rate: Literal["low", "high", 3] = "low"
    main: Part = Field(default=Part(name="x"), description="the main one")


class Tree(BaseModel):
    """One that contains itself."""

    name: str = "x"
    children: list[Tree] = []
    best: Tree | None = None


@pytest.mark.parametrize("model", [Part, Whole, Odd, Tree])
@pytest.mark.parametrize("schema_of", [schema_of, lambda model: model.model_json_schema()], ids=["short", "its own"])
def test_what_strict_mode_gives_is_read_as_the_model_meant_it(
    model: type[BaseModel], schema_of: Callable[[type[BaseModel]], JsonObject]
) -> None:
    """A value that fits the strict schema, null wherever that is allowed, is valid against the model's own."""
    schema = schema_of(model)
    strict = strict_schema(schema)
    assert strict is not None and lax_part(strict) == "" != lax_part(schema)
    assert strict_schema(strict) == strict
    model.model_validate(parse(json.dumps(value_of(strict)), schema).value)


def test_a_bound_that_strict_mode_does_not_know_is_told_in_words() -> None:
    """It is held by the host all the same."""
    schema: JsonObject = {"type": "object", "properties": {"a": {**TEXT, "description": "A name.", "maxLength": 3}}}
    strict = strict_schema({**schema, "required": ["a"]})
    assert strict is not None
    assert strict["properties"] == {"a": {**TEXT, "description": "A name. (maxLength: 3)"}}
    with pytest.raises(Malformed, match="too long"):
        parse('{"a": "long"}', schema)


def test_nulls_are_left_out_at_every_depth() -> None:
    """Where the key may be missing and may not be null, and only there."""
    schema = schema_of(Whole)
    value: Any = {"parts": [{"name": "a", "size": None, "note": None}], "main": {"name": "b", "size": None}, "x": None}
    assert without_nulls(value, schema) == {"parts": [{"name": "a", "note": None}], "main": {"name": "b"}, "x": None}
    required: JsonObject = {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}
    assert without_nulls({"a": None}, required) == {"a": None}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array"},
        {"anyOf": [{"type": "object"}]},
        {"type": "object"},
        {"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]},
        {"type": "object", "properties": {"a": TEXT}, "additionalProperties": TEXT},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {}}},
        {"type": "object", "properties": {"a": TEXT}, "minProperties": 1},
        {"type": "object", "properties": {"a": {}}},
        {"type": "object", "properties": {"a": {"type": "array"}}},
        {"type": "object", "properties": {"a": {"allOf": [TEXT, {"minLength": 1}]}}},
        nested(MOST_LEVELS + 1),
        {"type": "object", "properties": {f"k{n}": TEXT for n in range(MOST_PROPERTIES + 1)}},
        {"type": "object", "properties": {"a": {**TEXT, "enum": [f"{n}" for n in range(MOST_ENUM_VALUES + 1)]}}},
        {
            "type": "object",
            "properties": {
                "a": {"anyOf": [{"type": "object", "properties": {"b": TEXT, key: TEXT}} for key in ("c", "d")]},
            },
        },
    ],
)
def test_what_has_no_strict_form_of_the_same_meaning_has_none(schema: JsonObject) -> None:
    """Keys that nobody can name, values that can be anything, unions that begin alike, and what is too large."""
    assert strict_schema(schema) is None


def test_a_schema_that_is_strict_already_stays() -> None:
    """Nothing is changed."""
    schema: JsonObject = {
        "type": "object", "properties": {"a": TEXT}, "required": ["a"], "additionalProperties": False
    }  # fmt: skip
    assert strict_schema(schema) == schema


def test_a_null_that_does_not_help_is_a_fault() -> None:
    """Only a value that is valid without its nulls is read without them; the fault named is the first one."""
    schema: JsonObject = {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "required": ["b"]}
    assert parse('{"a": null, "b": "x"}', schema).value == {"b": "x"}
    for text in ('{"a": null, "b": null}', '{"a": null}'):
        with pytest.raises(Malformed, match=r"\$.a: None is not"):
            parse(text, schema)


def test_the_schemas_of_aeon_itself_can_be_asked_for_strictly_or_not() -> None:
    """A map of arguments cannot; that is said, not guessed."""
    assert strict_schema(schema_of(Call)) is None
