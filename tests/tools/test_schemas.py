"""The schema of a tool's parameters: types that a model can be shown, and by which its calls are checked."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import partial
from typing import Annotated, Literal, NamedTuple

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from aeon.errors import ConfigError
from aeon.schema import JsonObject
from aeon.tools import Tool, ToolRegistry, tool
from aeon.tools.toolspecs import specs


class Unit(Enum):
    """How things are counted."""

    KILOGRAM = "kg"
    GRAM = "g"


class Colour(StrEnum):
    """What colour."""

    RED = "red"


class Place(BaseModel):
    """Where something is."""

    shelf: int = Field(description="counted from the door")
    unit: Unit = Unit.GRAM


@dataclass
class Load:
    """What lies there."""

    place: Place
    weight: float


class Span(NamedTuple):
    """From and to."""

    start: int
    unit: Unit


class Tree(BaseModel):
    """Contains itself."""

    below: list[Tree] = []


@tool(side_effects=False)
def stow(
    unit: Unit,
    place: Place,
    load: Load,
    span: Span,
    other: Place | None = None,
    colour: Colour = Colour.RED,
    marks: list[int] = [],  # noqa: B006 - it is never changed
    most: float = math.inf,
    plain: Unit = Unit.GRAM,
) -> str:
    """Stow it."""
    return repr((unit, place, load, span, other, colour, marks, most, plain))


ARGUMENTS: JsonObject = {
    "unit": "kg",
    "place": {"shelf": 1},
    "load": {"place": {"shelf": 2, "unit": "kg"}, "weight": 0.5},
    "span": [1, "g"],
}


@pytest.mark.requirement("S2")
def test_types_of_several_parts_are_checked_in_a_call() -> None:
    """An enum, a model, a dataclass, a named tuple or an optional one is checked, and shown, as its type says."""
    tools = ToolRegistry([stow])
    (spec,) = specs(tools)
    told = Draft202012Validator(dict(spec.parameters)).is_valid

    def fits(arguments: JsonObject) -> bool:
        allowed = not tools.check("stow", arguments)
        assert told(arguments) is allowed
        return allowed

    assert fits(ARGUMENTS)
    assert fits(ARGUMENTS | {"other": {"shelf": 3}, "marks": [1]})
    assert fits(ARGUMENTS | {"other": None})
    assert not fits(ARGUMENTS | {"unit": "lb"})
    assert not fits(ARGUMENTS | {"load": {"weight": 1}})
    assert not fits({"unit": "kg"})


@pytest.mark.requirement("S2")
def test_the_function_gets_what_its_types_say() -> None:
    """The arguments of a call become the members, models and tuples that the function takes."""
    assert stow.prepare is not None
    made = stow.prepare(ARGUMENTS)
    assert made["unit"] is Unit.KILOGRAM and isinstance(made["place"], Place) and isinstance(made["load"], Load)
    assert made["span"] == Span(1, Unit.GRAM)


def test_a_tools_line_says_what_its_parts_are() -> None:
    """A model that sees no schema knows what to write."""
    line = ToolRegistry([stow]).describe().splitlines()[0]
    part = '{shelf: integer, unit?: "kg" | "g"}'
    assert f'stow(unit: "kg" | "g", place: {part}, load: {{place: {part}, weight: number}}' in line
    assert f'span: [integer, "kg" | "g"], other?: {part} | null' in line


def test_defaults_are_plain_json() -> None:
    """A default that is no JSON is left out, and its parameter is optional all the same."""
    entries = stow.parameters["properties"]
    assert isinstance(entries, dict)
    shown = {key: entry for key, entry in entries.items() if isinstance(entry, dict) and "default" in entry}
    assert {key: entry["default"] for key, entry in shown.items()} == {"other": None, "colour": "red", "plain": "g"}
    assert json.loads(json.dumps(stow.parameters, allow_nan=False)) == stow.parameters
    assert stow.parameters["required"] == ["unit", "place", "load", "span"]


@pytest.mark.requirement("S2")
def test_a_tool_whose_arguments_may_all_be_left_out_is_called_without_any() -> None:
    """Nothing is filled in for arguments that were left out: the function has its own defaults."""

    @tool(side_effects=False)
    def now(zone: str = "UTC", places: int = 0, names: list[str] | None = None) -> str:
        """Tell the time."""
        return f"{zone} {places} {names}"

    tools = ToolRegistry([now])
    assert not tools.check("now", {}) and asyncio.run(tools.call("now", {})).value == "UTC 0 None"


def unusable(hint: object) -> Callable[..., object]:
    """A function whose only parameter has this type."""

    def function(value):  # type: ignore[no-untyped-def]
        """Take it."""

    function.__annotations__ = {"value": hint}
    return function


class _Callable:
    """Can be called."""

    def __call__(self, value: int) -> int:
        """Give it back."""
        return value


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (unusable(Tree), "Tree can contain itself"),
        (unusable(dict[str, list[Tree]]), "Tree can contain itself"),
        (unusable("list["), "a type hint cannot be resolved"),
        (unusable("math.nothing"), "a type hint cannot be resolved"),
        (unusable(Annotated[str, Field(pattern="(?=a)")]), "look-around"),
        (unusable(Callable[[int], int]), "no JSON Schema"),
        (partial(math.pow, 2), "takes a function"),
        (_Callable(), "takes a function"),
        (Place, "takes a function"),
        (stow, "takes a function"),
        ("calculator", "takes a function"),
        (max, "parameters cannot be found out"),
    ],
)
def test_what_is_no_tool_is_refused_in_a_line(target: Callable[..., object], words: str) -> None:
    """Where it is decorated, not when a run has begun with it."""
    with pytest.raises(ConfigError, match=words) as refused:
        tool(target)
    assert "\n" not in str(refused.value)


def doubling(times: int) -> JsonObject:
    """Definitions of which each refers to the one before twice."""
    twice: JsonObject = {f"a{n}": {"anyOf": [{"$ref": f"#/$defs/a{n - 1}"}] * 2} for n in range(1, times)}
    return {"a0": {"type": "string"}, **twice}


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"properties": {"a": {"$ref": "#/$defs/none"}}}, "leads to none of its"),
        ({"properties": {"a": {"$ref": "#"}}}, "leads to none of its"),
        ({"properties": {}, "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}}, "can contain itself"),
        ({"properties": {"a": {"$ref": "#/$defs/a59"}}, "$defs": doubling(60)}, "more than 10,000 parts"),
        ({"properties": {"a": {"maximum": math.inf}}}, "not JSON compliant"),
        ({"properties": {"a": {"enum": {1, 2}}}}, "not JSON serializable"),
        ({"properties": {"a": {"pattern": "(?=a)"}}}, "look-around"),
    ],
)
def test_parameters_that_no_schema_is_are_refused(parameters: JsonObject, words: str) -> None:
    """A tool made by hand is refused where it is made, in a line."""
    with pytest.raises(ConfigError, match=words) as refused:
        Tool("t", "d", {"type": "object", **parameters}, print)
    assert "\n" not in str(refused.value)


def test_older_definitions_and_what_stands_beside_a_reference_hold() -> None:
    """Both are written out, and neither takes the place of the other."""
    referring: JsonObject = {"$ref": "#/definitions/few", "maximum": 5, "description": "how many"}
    made = Tool("t", "d", {
        "type": "object", "properties": {"n": referring, "m": {"$ref": "#/definitions/few", "minimum": 3}},
        "definitions": {"few": {"type": "integer", "maximum": 9}},
    }, print)  # fmt: skip
    assert ToolRegistry([made]).check("t", {"n": 7}) and ToolRegistry([made]).check("t", {"n": "a"})
    assert made.parameters["properties"] == {
        "n": {"maximum": 5, "description": "how many", "allOf": [{"type": "integer", "maximum": 9}]},
        "m": {"type": "integer", "maximum": 9, "minimum": 3},
    }


def test_a_pattern_of_a_parameter_takes_linear_time() -> None:
    """The text comes from a model, and the whole run waits while it is checked."""

    @tool(side_effects=False)
    def read(code: Annotated[str, Field(pattern=r"^(a+)+$")], kind: Literal["x"] = "x") -> str:
        """Read a code."""
        return code + kind

    assert ToolRegistry([read]).check("read", {"code": "a" * 200 + "!"})
    assert not ToolRegistry([read]).check("read", {"code": "a" * 200})
