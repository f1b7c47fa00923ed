"""Schemas as strict mode takes them, and values read back."""

from __future__ import annotations

from typing import Any

import pytest
from hosted_endpoint import lax_part, value_of
from pydantic import BaseModel

from aeon.errors import Malformed
from aeon.llm.strict_schema import strict_schema, without_nulls
from aeon.schema.frozen import JsonObject
from aeon.schema.turns import Call
from aeon.supervisor.repair import parse
from aeon.supervisor.schema import schema_of

pytestmark = pytest.mark.requirement("P1")

TEXT: dict[str, Any] = {"type": "string"}
NULLABLE = {"anyOf": [TEXT, {"type": "null"}]}


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


@pytest.mark.parametrize("model", [Part, Whole])
def test_what_strict_mode_gives_is_read_as_the_model_meant_it(model: type[BaseModel]) -> None:
    """A value that fits the strict schema, null wherever that is allowed, is valid against the model's own."""
    schema = schema_of(model)
    strict = strict_schema(schema)
    assert strict is not None and lax_part(strict) == "" != lax_part(schema)
    assert strict_schema(strict) == strict
    value = value_of(strict)
    model.model_validate(without_nulls(value, schema))


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
        {
            "type": "object",
            "properties": {
                "a": {"anyOf": [{"type": "object", "properties": {key: TEXT}} for key in ("b", "c")]},
            },
        },
    ],
)
def test_what_has_no_strict_form_of_the_same_meaning_has_none(schema: JsonObject) -> None:
    """Keys that nobody can name, and unions of which nobody knows what a null was left out of."""
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
