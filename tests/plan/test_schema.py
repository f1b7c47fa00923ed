"""What a step in a model's words means: its references, and what is only text."""

from __future__ import annotations

import asyncio
from typing import Literal

import pytest

from aeon.multipass.effects import DraftPlan
from aeon.plan.deltas import to_action
from aeon.schema import JsonObject, Plan, TaskProfile, ToolCall
from aeon.tools import ToolRegistry, tool
from aeon.tools.algebra import algebra
from aeon.tools.calculator import calculator
from plan.words import TASK, planner, sums, thought, written


@tool(side_effects=False)
def search(text: str, note: str | None, column: Literal["s1", "price"] = "price") -> str:
    """Find a text."""
    return f"{text} {note} {column}"


TOOLS = (calculator(), search, *algebra())
REGISTRY = ToolRegistry(TOOLS)


def drafted(*steps: dict[str, object]) -> Plan:
    """The plan that these steps mean."""
    made, _ = planner([written(*steps)], tools=TOOLS)
    effect = DraftPlan(task=TASK, profile=TaskProfile(expected_step_count=9), most_steps=12)
    return asyncio.run(made.draft(effect)).numbered()


@pytest.mark.requirement("J4", "S2")
@pytest.mark.parametrize(
    ("slots", "depends"),
    [
        ({"text": "audi s1 sport"}, ()),
        ({"text": "s1/s2"}, ()),
        ({"text": "s1."}, ()),
        ({"text": "s3"}, ()),
        ({"text": "Rome", "column": "s1"}, ()),
        ({"text": "$s1 sport"}, ("s1",)),
        ({"text": "a total", "note": "over s2"}, ()),
    ],
)
def test_a_text_is_left_as_the_model_wrote_it(slots: JsonObject, depends: tuple[str, ...]) -> None:
    """The letters of a step's id within a text, or in a slot of fixed values, are no reference; ``$s1`` is one."""
    slots = {"note": None, **slots}
    step = drafted(sums("1"), sums("2"), {"goal": "find the s1 sport", "tool": "search", **slots}).steps[2]
    assert step.action == ToolCall(tool="search", arguments=slots)
    assert (step.description, step.dependencies) == ("find the s1 sport", depends)


@pytest.mark.requirement("J4")
@pytest.mark.parametrize(
    ("slots", "meant"),
    [
        ({"text": "s1"}, {"text": "$s1"}),
        ({"text": " s1 "}, {"text": "$s1"}),
        ({"text": "Rome", "note": "s1"}, {"text": "Rome", "note": "$s1"}),
    ],
)
def test_an_id_that_fills_a_slot_is_a_reference(slots: JsonObject, meant: JsonObject) -> None:
    """A slot that takes any text, filled with the id of an earlier step and nothing else, is given its result."""
    slots, meant = {"note": None, **slots}, {"note": None, **meant}
    step = drafted(sums("1"), {"goal": "find it", "tool": "search", **slots}).steps[1]
    assert step.action == ToolCall(tool="search", arguments=meant)
    assert step.dependencies == ("s1",)


@pytest.mark.requirement("J4")
@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (sums("s1 / 2 + max(s2, 3)"), {"expression": "$s1 / 2 + max($s2, 3)"}),
        (sums("$s1 / s2"), {"expression": "$s1 / $s2"}),
        ({"goal": "reduce it", "tool": "simplify_fraction", "fraction": "s1/s2"}, {"fraction": "$s1/$s2"}),
    ],
)
def test_an_id_in_a_formula_is_a_reference(call: dict[str, object], meant: dict[str, object]) -> None:
    """A formula has no names but those of functions, so that an earlier step's id can mean nothing but its result."""
    step = drafted(sums("1"), sums("2"), call).steps[2]
    assert isinstance(step.action, ToolCall) and step.action.arguments == meant
    assert step.dependencies == ("s1", "s2")


@pytest.mark.requirement("J4")
def test_an_id_in_the_goal_of_a_reasoning_step_is_text() -> None:
    """The step sees all earlier results all the same."""
    step = drafted(sums("1"), sums("2"), thought("judge the audi s1")).steps[2]
    assert (step.description, step.dependencies) == ("judge the audi s1", ("s1", "s2"))


@pytest.mark.requirement("J4")
def test_a_new_step_of_a_change_is_read_in_the_same_way() -> None:
    """Free text stays text there too, and a formula's ids are references."""
    plan = drafted(sums("1"), thought("the car"))
    find = {"goal": "find it", "tool": "search", "text": "audi s1 sport", "note": None}
    steps = to_action(plan, {"problem": "p", "change": "s2", "n1": find, "n2": sums("s1 * 2")}, REGISTRY).steps
    assert [step.action.arguments for step in steps if isinstance(step.action, ToolCall)] == [
        {"text": "audi s1 sport", "note": None}, {"expression": "$s1 * 2"},
    ]  # fmt: skip
