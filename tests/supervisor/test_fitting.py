"""Which values surely fit a JSON Schema: none that does not, and the usual answers of models do."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from aeon.jsonschemas.fitting import MOST_PARTS, surely_fitting
from aeon.schema import JsonObject, JsonValue

STEP: JsonObject = {
    "type": "object",
    "title": "Step",
    "properties": {
        "goal": {"type": "string", "minLength": 1, "maxLength": 5, "description": "what is to be done"},
        "needs": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 9}, "maxItems": 2},
        "score": {"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "null"}], "default": None},
        "kind": {"enum": ["find", "say"], "type": "string"},
        "sure": {"type": "boolean"},
        "more": {},
    },
    "required": ["goal", "needs"],
    "additionalProperties": False,
}
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 10), st.floats(-1, 2), st.sampled_from(["", "find", "say", "longer"])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*"ab", *STEP["properties"]]), inner),  # type: ignore[misc]
    max_leaves=6,
)
TYPES = ["string", "integer", "number", "boolean", "null", "array", "object", ["null", "array"]]
KEYWORDS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(TYPES),
        "enum": st.lists(LEAVES, min_size=1, max_size=3),
        "const": LEAVES,
        "minLength": st.integers(0, 5), "maxLength": st.integers(0, 5),
        "minimum": st.integers(-1, 3), "maximum": st.integers(-1, 3), "exclusiveMinimum": st.integers(-1, 3),
        "minItems": st.integers(0, 2), "maxItems": st.integers(0, 2), "uniqueItems": st.booleans(),
        "required": st.lists(st.sampled_from("ab"), unique=True),
        "additionalProperties": st.booleans(),
    },
)  # fmt: skip
SCHEMAS = st.recursive(
    st.booleans() | KEYWORDS,
    lambda inner: st.builds(
        lambda own, more: {**own, **more},
        KEYWORDS,
        st.fixed_dictionaries(
            {},
            optional={
                "properties": st.dictionaries(st.sampled_from("ab"), inner),
                "items": inner,
                "additionalProperties": inner,
                "anyOf": st.lists(inner, min_size=1, max_size=2),
            },
        ),
    ),
    max_leaves=5,
)


@given(schema=SCHEMAS, value=VALUES)
def test_what_surely_fits_is_valid(schema: JsonValue, value: JsonValue) -> None:
    """Whatever the schema and the value: the full check finds nothing either."""
    if surely_fitting(schema)(value):
        assert Draft202012Validator(schema).is_valid(value), json.dumps([schema, value])  # type: ignore[arg-type]


@given(value=VALUES)
def test_what_is_at_fault_never_surely_fits(value: JsonValue) -> None:
    """Of the shape that answers have."""
    step: JsonObject = {"goal": "find", "needs": [1, 2], "score": 0.5}
    for changed in (value, {**step, "needs": value}, {**step, "score": value}, {**step, "b": value}):
        assert surely_fitting(STEP)(changed) <= Draft202012Validator(STEP).is_valid(changed)


@pytest.mark.parametrize("more", [{}, {"score": None, "kind": "say", "sure": True, "more": {"a": [1]}}, {"score": 1}])
def test_the_usual_answer_surely_fits(more: JsonObject) -> None:
    """With and without what may be left out."""
    assert surely_fitting(STEP)({"goal": "find", "needs": [1], **more})


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, 1.0),
        ({"type": "integer"}, True),
        ({"enum": [1]}, True),
        ({"type": "string", "pattern": "a"}, "a"),
        ({"minLength": 1}, "a"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}, "a"),
        ({"type": "array", "items": {"type": "integer"}}, [1] * (MOST_PARTS + 1)),
    ],
)
def test_nothing_else_is_sure(schema: JsonObject, value: JsonValue) -> None:
    """Another keyword, a number that JSON has two ways to write, many parts: these go through the full check."""
    assert not surely_fitting(schema)(value)
