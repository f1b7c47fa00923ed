"""What a model's words about a change mean as a delta."""

from __future__ import annotations

import pytest

from aeon.multipass.effects import RefinePlan
from aeon.multipass.refine import Attempts, apply
from aeon.plan.deltas import refinement_faults, refinement_schema, targets, to_action
from aeon.schema import Config, Plan, Step, Task, ToolCall, Trigger
from aeon.tools.calculator import calculator
from aeon.tools.registry import ToolRegistry

TOOLS = ToolRegistry([calculator()])


def total(expression: str) -> dict[str, object]:
    """A calculator step in a model's words."""
    return {"goal": "the total", "tool": "calculator", "expression": expression}


PLAN = Plan(
    steps=(
        Step(id="s1", description="first", status="complete", output=4),
        Step(id="s2", description="second", dependencies=("s1",)),
    )
).numbered()


@pytest.mark.requirement("J4", "K7")
def test_one_new_step_for_a_waiting_one_modifies_it() -> None:
    """The step keeps its id."""
    action = to_action(PLAN, {"problem": "p", "change": "s2", "n1": total("$s1 * 2")}, TOOLS)
    assert (action.type, action.target, action.steps[0].id) == ("MODIFY", "s2", "s2")
    assert action.steps[0].dependencies == ("s1",)


@pytest.mark.requirement("J4", "K7")
def test_a_new_step_for_one_that_has_run_replaces_it() -> None:
    """The new step is a version of the old one's fragment."""
    action = to_action(PLAN, {"problem": "p", "change": "s1", "n1": total("2 + 2")}, TOOLS)
    assert (action.type, action.target, action.steps[0].id) == ("REPLACE", "s1", "s1_r1")


@pytest.mark.requirement("J4")
def test_several_new_steps_are_a_subplan() -> None:
    """They lie one level deeper, get ids of the fragment, and refer to each other by those ids."""
    action = to_action(PLAN, {"problem": "p", "change": "s2", "n1": total("$s1 + 1"), "n2": total("$n1 * 3")}, TOOLS)
    assert [step.id for step in action.steps] == ["s2_r1", "s2_r2"]
    assert [step.depth for step in action.steps] == [1, 1]
    assert action.steps[1].action == ToolCall(tool="calculator", arguments={"expression": "$s2_r1 * 3"})
    assert action.steps[1].dependencies == ("s2_r1",)
    changed, _, rejected = apply(PLAN, [action], Attempts(Config().limits))
    assert rejected == ()
    assert [step.id for step in changed.steps] == ["s1", "s2_r1", "s2_r2"]


@pytest.mark.requirement("J4")
def test_a_new_step_gets_a_fragment_of_its_own() -> None:
    """Where nothing is to be replaced, the step is added behind the others, which it may refer to."""
    action = to_action(PLAN, {"problem": "p", "change": "new", "n1": total("$s2 / 2")}, TOOLS)
    assert (action.type, action.target, action.steps[0].id) == ("ADD", None, "s3")
    assert refinement_faults(PLAN, {"problem": "p", "change": "new", "n1": total("$s2 / 2")}, TOOLS) == []


@pytest.mark.requirement("J4", "K11")
@pytest.mark.parametrize(
    ("step", "said"),
    [
        (total("$s2 + 1"), "no earlier step"),
        ({"goal": "look up", "tool": "search", "text": "x"}, "does not exist"),
        ({"goal": "sum", "tool": "calculator", "formula": "1"}, "formula"),
    ],
)
def test_a_step_that_cannot_run_is_told_back(step: dict[str, object], said: str) -> None:
    """References that lead nowhere, unknown tools and wrong arguments are found before the change is accepted."""
    found = refinement_faults(PLAN, {"problem": "p", "change": "s2", "n1": step}, TOOLS)
    assert said in " ".join(found)


@pytest.mark.requirement("J4")
def test_triggers_say_which_steps_may_be_changed() -> None:
    """A named step alone; without one those that wait, or a new one; never one that has run well and is not named."""
    effect = RefinePlan(task=Task(text="t"), plan=PLAN, most_steps=3, triggers=())
    named = Trigger(kind="issue", location="s2", detail="d")
    assert targets(effect.changed(triggers=(named,))) == ["s2"]
    assert targets(effect) == ["s2", "new"]
    change = refinement_schema(TOOLS, ["s2"], 2)["properties"]
    assert isinstance(change, dict) and change["change"] == {"enum": ["s2"]} and "n3" not in change
