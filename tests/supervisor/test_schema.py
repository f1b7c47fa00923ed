"""Schemas that are shown to a model are short and say the same as the long ones."""

from __future__ import annotations

import json
from typing import Literal

from jsonschema import Draft202012Validator
from pydantic import Field

from aeon.llm.asking import described
from aeon.schema.frozen import Frozen, JsonObject
from aeon.schema.judgment import Refinement
from aeon.supervisor.schema import schema_of


class Inner(Frozen):
    """A docstring for programmers."""

    title: str = Field(description="what it is called")
    kind: Literal["a", "b"]


class Outer(Frozen):
    """A docstring for programmers."""

    properties: tuple[Inner, ...] = Field(min_length=1)
    best: Inner = Field(description="the one to take")


class Tree(Frozen):
    """A model that contains itself."""

    name: str
    children: tuple[Tree, ...] = ()


def test_references_titles_and_docstrings_are_gone() -> None:
    """What is left is what a model needs: no ``$ref``, no generated titles, field descriptions kept."""
    text = json.dumps(schema_of(Outer))
    assert "$ref" not in text and "$defs" not in text and "for programmers" not in text
    assert "what it is called" in text and "the one to take" in text


def test_fields_named_like_keywords_survive() -> None:
    """A field called ``title`` or ``properties`` is a field."""
    schema = schema_of(Outer)
    validator = Draft202012Validator(schema)
    inner = {"title": "t", "kind": "a"}
    assert validator.is_valid({"properties": [inner], "best": inner})
    assert not validator.is_valid({"properties": [{"kind": "a"}], "best": inner})
    assert not validator.is_valid({"properties": [], "best": inner})


def test_a_model_that_contains_itself_keeps_its_references() -> None:
    """Recursion cannot be written out, so the reference stays and still holds."""
    validator = Draft202012Validator(schema_of(Tree))
    assert validator.is_valid({"name": "a", "children": [{"name": "b", "children": []}]})
    assert not validator.is_valid({"name": "a", "children": [{"nom": "b"}]})


def test_the_short_schema_accepts_what_the_long_one_accepts() -> None:
    """For a nested model with a tagged union both schemas agree."""
    tool: JsonObject = {"id": "s1", "description": "d", "action": {"type": "tool", "tool": "t"}}
    no_tool: JsonObject = {"id": "s1", "description": "d", "action": {"type": "tool"}}
    values: list[JsonObject] = [
        {"actions": []},
        {"actions": [{"type": "NO SUCH"}]},
        {"actions": [{"type": "REMOVE", "target": "s1"}]},
        {"actions": [{"type": "ADD", "steps": [tool]}]},
        {"actions": [{"type": "ADD", "steps": [no_tool]}]},
    ]
    short, long = Draft202012Validator(schema_of(Refinement)), Draft202012Validator(Refinement.model_json_schema())
    assert [short.is_valid(value) for value in values] == [long.is_valid(value) for value in values]


def test_each_caller_gets_its_own_schema() -> None:
    """Changing a returned schema changes nobody else's."""
    schema_of(Outer)["type"] = "changed"
    assert schema_of(Outer)["type"] == "object"


def test_the_description_holds_the_schema() -> None:
    """Where an endpoint enforces nothing, the words carry the whole schema."""
    assert json.loads(described({"type": "object"}).splitlines()[-1]) == {"type": "object"}
