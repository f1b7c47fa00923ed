"""Drafting plans with a model that says anything."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Literal

import pytest
from approving import Approving
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from aeon.assembly.build import build
from aeon.errors import CompletionError, EmptyCompletion, Malformed, Refused, Truncated
from aeon.llm.scripted import Reply, Scripted
from aeon.multipass.effects import DraftPlan
from aeon.multipass.plans import draft_problems
from aeon.schema import (
    Capabilities,
    Config,
    LLMResponse,
    Plan,
    Reasoning,
    Task,
    TaskProfile,
    ToolCall,
)
from aeon.testing.obliging import oblige
from aeon.tools import Tool, tool
from aeon.tools.algebra import algebra
from aeon.tools.calculator import calculator
from plan.words import ENFORCING, TASK, TOOLS, lookup, planner, prompt, sums, thought, written


def drafting(expected: int = 3, most: int = 12) -> DraftPlan:
    """The request for a plan."""
    return DraftPlan(task=TASK, profile=TaskProfile(expected_step_count=expected), most_steps=most)


def draft(*replies: Reply, can: Capabilities = ENFORCING, tools: Sequence[Tool] = TOOLS) -> tuple[Plan, Scripted]:
    """The plan that comes out of these replies, and the model with what it was asked."""
    made, model = planner(replies, can, tools)
    return asyncio.run(made.draft(drafting())), model


@pytest.mark.requirement("J4")
def test_a_draft_gives_steps_with_the_hosts_ids() -> None:
    """Ids follow the order; tools, arguments and goals are the model's; nothing has run."""
    plan, model = draft(written(sums("240 * 0.45", "rolls"), sums("$s1 + 240", "all"), thought("name it, from $s2")))
    assert [(s.id, s.description, s.status) for s in plan.steps] == [
        ("s1", "rolls", "pending"), ("s2", "all", "pending"), ("s3", "name it, from $s2", "pending"),
    ]  # fmt: skip
    assert plan.steps[0].action == ToolCall(tool="calculator", arguments={"expression": "240 * 0.45"})
    assert plan.steps[2].action == Reasoning()
    assert draft_problems(plan.numbered(), 12) == () and len(model.requests) == 1


@pytest.mark.requirement("J4")
@pytest.mark.parametrize(
    ("last", "depends"),
    [
        (sums("$s1 * 2"), ("s1",)),
        (sums("$s2 - $s1 + $s2"), ("s2", "s1")),
        (sums("1 + 1"), ()),
        (sums("3 * 3", "the share of $s2"), ("s2",)),
        (thought("compare $s2"), ("s2",)),
        (thought("compare"), ("s1", "s2")),
        ({"goal": "keep it", "tool": "note"}, ("s1", "s2")),
        ({"goal": "keep $s1", "tool": "note"}, ("s1",)),
    ],
)
def test_references_become_dependencies(last: dict[str, object], depends: tuple[str, ...]) -> None:
    """Steps that write as they go and refer to nothing in particular wait for all earlier ones."""
    plan, _ = draft(written(sums("1"), sums("2"), last))
    assert plan.steps[2].dependencies == depends


@pytest.mark.requirement("J4")
def test_late_arguments_are_left_open() -> None:
    """A tool whose arguments are written when the step runs is planned without any."""
    plan, model = draft(written({"goal": "keep it", "tool": "note"}))
    assert plan.steps[0].action == ToolCall(tool="note", arguments=None)
    assert '"text"' not in json.dumps(model.requests[0].json_schema)


@pytest.mark.requirement("J4", "K11", "S1")
@pytest.mark.parametrize("can", [ENFORCING, Capabilities()], ids=["enforcing", "bare"])
@pytest.mark.parametrize(
    "bad",
    [
        {"goal": "find it", "tool": "search", "query": "x"},
        {"goal": "add up", "tool": "calculator", "formula": "1 + 1"},
        {"goal": "add up", "tool": "calculator"},
        {"goal": "add up", "tool": "calculator", "expression": 7},
        {"goal": "look", "tool": "lookup", "place": "x", "limit": "many"},
        {"tool": "none"},
        {"goal": "add up", "tool": "calculator", "expression": "$s2 + 1"},
        {"goal": "add up", "tool": "calculator", "expression": "$s1 + 1"},
        {"goal": "from $s7", "tool": "none"},
    ],
)
def test_a_plan_that_cannot_run_is_told_back(bad: dict[str, object], can: Capabilities) -> None:
    """Unknown tools, wrong arguments and references that lead nowhere are named to the model, which tries again."""
    plan, model = draft(written(bad, thought()), written(sums("1 + 1")), can=can)
    assert len(plan.steps) == 1 and len(model.requests) == 2
    assert "cannot be used" in prompt(model.requests[1]) and model.requests[1].messages[-2].role == "assistant"


@pytest.mark.requirement("J4")
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"goal": "add up", "tool": "calculator", "expression": "$s9 + 1"}, "refers to $s9, which is no earlier step"),
        (thought("from $s2"), "refers to $s2, which is no earlier step (they are: none)"),
    ],
)
def test_a_wrong_reference_is_explained(bad: dict[str, object], said: str) -> None:
    """Where no schema keeps it out, the correction says which reference is wrong and what may be referred to."""
    _, model = draft(written(bad), written(sums("1")), can=Capabilities())
    assert said in prompt(model.requests[1])


@pytest.mark.requirement("J4", "S1")
@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (written({"goal": "find it", "tool": "search"}), Malformed),
        ("{}", Malformed),
        ("I cannot plan that.", Malformed),
        ("", EmptyCompletion),
        (LLMResponse(text=written(sums("1"))[:20], finish_reason="length"), Truncated),
        (LLMResponse(text="", finish_reason="refusal"), Refused),
    ],
)
def test_without_a_sound_plan_there_is_a_typed_failure(bad: Reply, error: type[CompletionError]) -> None:
    """At most two repairs are asked for."""
    made, model = planner([bad] * 9)
    with pytest.raises(error):
        asyncio.run(made.draft(drafting()))
    assert len(model.requests) <= 3


@pytest.mark.requirement("J4", "S1")
def test_a_plan_in_a_fence_is_used() -> None:
    """Talk around it costs no second call."""
    plan, model = draft(f"Here you are:\n```json\n{written(sums('1 + 1'))}\n```")
    assert len(plan.steps) == 1 and len(model.requests) == 1


@pytest.mark.requirement("J4")
def test_steps_that_say_the_same_again_are_cut() -> None:
    """From the first repetition on, the rest of the plan says nothing new."""
    plan, _ = draft(written(sums("1"), sums("2"), sums("2"), sums("3")))
    assert [s.action for s in plan.steps] == [ToolCall(tool="calculator", arguments={"expression": x}) for x in "12"]


@pytest.mark.requirement("J2", "J4")
@pytest.mark.parametrize(("expected", "most", "allowed"), [(3, 12, 6), (50, 12, 12), (12, 2, 2), (1, 1, 1)])
def test_a_plan_has_room_for_what_was_expected_and_no_more_than_allowed(expected: int, most: int, allowed: int) -> None:
    """The number stands in the prompt and in the schema, and more tokens go to longer plans."""
    made, model = planner([written(sums("1"))])
    asyncio.run(made.draft(drafting(expected, most)))
    (request,) = model.requests
    assert f"at most {allowed}." in prompt(request) and 50 * allowed <= request.max_tokens <= 100 * allowed
    schema = request.json_schema
    assert schema is not None and isinstance(schema["properties"], dict)
    assert list(schema["properties"]) == [f"s{n}" for n in range(1, allowed + 1)]


@pytest.mark.requirement("J4")
@pytest.mark.parametrize(
    ("goal", "first", "second"),
    [("a total", True, True), ("after $s1", False, True), ("after $s2", False, False), ("after $s12", False, False)],
)
def test_an_endpoint_that_enforces_schemas_cannot_refer_forward(goal: str, first: bool, second: bool) -> None:
    """In the schema that is sent, a step's texts can name earlier steps only, so that no repair is needed."""
    _, model = draft(written(sums("1")), tools=[calculator()])
    schema = model.requests[0].json_schema
    assert schema is not None
    checker = Draft202012Validator(schema)
    assert checker.is_valid(json.loads(written(sums("1", goal)))) is first
    assert checker.is_valid(json.loads(written(sums("1"), sums("$s1", goal)))) is second


@pytest.mark.requirement("J4", "K11")
@pytest.mark.parametrize(("size", "times", "fits"), [(2, 3, True), (2, "$s1", True), ("$s1", 3, False), (5, 3, False)])
def test_slots_take_references_unless_their_values_are_fixed(size: object, times: object, fits: bool) -> None:
    """A number may come from an earlier step; a choice among given values is made when planning."""

    @tool(side_effects=False)
    def pack(size: Literal[1, 2], times: int) -> int:
        """Pack boxes."""
        return size * times

    _, model = draft(written(thought()), tools=[pack])
    schema = model.requests[0].json_schema
    step = {"goal": "pack it", "tool": "pack", "size": size, "times": times}
    assert schema is not None and Draft202012Validator(schema).is_valid(json.loads(written(thought(), step))) is fits


@pytest.mark.requirement("J4", "S1")
def test_an_endpoint_without_schemas_is_shown_a_short_one() -> None:
    """The step is described once, not once for each place in the plan, and nothing is sent to be enforced."""
    _, model = draft(written(sums("1")), can=Capabilities())
    (request,) = model.requests
    assert request.json_schema is None
    shown = prompt(request).partition("Now plan this task")[2]
    assert '"lookup"' in shown and shown.count('"calculator"') <= 2 and len(shown) < 6_000


@pytest.mark.requirement("J4")
@pytest.mark.parametrize(
    ("tools", "shown"),
    [
        ((), set()),
        ((lookup,), set()),
        ((calculator(),), set()),
        ((calculator(), *algebra()), {"calculator", "solve_equation", "simplify_fraction"}),
    ],
)
def test_examples_use_only_tools_that_exist(tools: tuple[Tool, ...], shown: set[str]) -> None:
    """A worked plan never teaches a tool that the run does not have; a mere sum is not shown where nothing is given."""
    _, model = draft(written(thought()), tools=tools)
    examples = prompt(model.requests[0]).partition("Plans for other tasks:")[2].partition("Now plan")[0]
    plans = [json.loads(line.removeprefix("Plan: ")) for line in examples.splitlines() if line.startswith("Plan: ")]
    assert plans and {step["tool"] for plan in plans for step in plan.values()} == {"none"} | shown


@pytest.mark.requirement("J4")
def test_all_prompts_of_a_run_begin_alike() -> None:
    """System message, task and context are the same for every module, so that a prefix cache serves them all.

    Those of the profile and of the reviews are short, and share them with none.
    """
    model = Approving(oblige)
    task = Task(text="How much is it?", context="A table.", criteria=("It is in euros.",))
    build(llm=model, config=Config(thorough=True)).execute(task)
    requests = model.requests
    assert len(requests) >= 2 and len(model.judged) >= 2
    assert len({request.messages[0].content for request in requests}) == 1
    same = "TASK: How much is it?\n\n<data context>\nA table.\n</data>\n\nThe answer must meet:\n1. It is in euros.\n\n"
    assert all(request.messages[1].content.startswith(same) for request in requests)
    assert all("A table." not in request.messages[0].content for request in model.requests)


@pytest.mark.requirement("J4", "S1")
@given(
    raw=st.dictionaries(
        st.sampled_from(["s1", "s2", "s3", "x"]),
        st.fixed_dictionaries(
            {
                "goal": st.sampled_from(["total", "from $s1", "$s4"]),
                "tool": st.sampled_from(["calculator", "none", "no"]),
            },
            optional={"expression": st.sampled_from(["1", "$s1", "$s2 + 1", "$x"])},
        ),
        max_size=4,
    )
)
def test_any_plan_is_sound_or_a_typed_failure(raw: dict[str, dict[str, str]]) -> None:
    """Whatever a model writes, what comes out has no dangling or circular dependency and no unknown tool."""
    try:
        plan, _ = draft(*[json.dumps(raw)] * 3, can=Capabilities())
    except CompletionError:
        return
    assert draft_problems(plan, 12) == ()
    assert all(step.action.type == "reasoning" or step.action.tool == "calculator" for step in plan.steps)
