"""Deriving a computed answer a second and a third time, and counting what two derivations give."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from aeon.derivation.deriver import Deriver
from aeon.llm.scripted import Reply, Scripted
from aeon.multipass.effects import DeriveAgain
from aeon.proof.alike import alike, numbers_of
from aeon.runtime.ledger import Ledger
from aeon.schema import Agreement, Allowance, Clarification, JsonValue, Plan, Step, Task, ToolCall
from aeon.supervisor.supervisor import Supervisor

pytestmark = pytest.mark.requirement("G4")
TASK = Task(text="6 people share 5700 euros equally after a fifth has been given away. What does each receive?")
RIGHT = "Given away: 5700 / 5 = 1140\nLeft: 5700 - 1140 = 4560\nEach: 4560 / 6 = 760\nAnswer: 760 euros"
THOUGHT = "Let us think.\nTherefore, each receives \\(\\boxed{760}\\) euros."
WRONG = "Each: 5700 / 6 = 950\nAnswer: 950"


def plan(*outputs: JsonValue, tool: str = "calculator") -> Plan:
    """A plan whose steps, done by this tool, gave these outputs as the answer."""
    steps = tuple(
        Step(
            id=f"s{n}", description=f"find {n}", action=ToolCall(tool=tool, arguments={"expression": "5700 / 6"}),
            status="complete", mode="tool", output=output,
        )
        for n, output in enumerate(outputs, 1)
    )  # fmt: skip
    return Plan(steps=steps, answer=tuple(step.id for step in steps))


def derive(replies: Sequence[Reply], made: Plan, most: int = 2, task: Task = TASK) -> tuple[Agreement, Scripted]:
    """What comes of these replies, and the model with what it was asked."""
    model = Scripted(replies)
    return asyncio.run(Deriver(Supervisor(model)).derive(DeriveAgain(task=task, plan=made, most=most))), model


def told(agreement: Agreement) -> list[tuple[str, bool, bool]]:
    """Each derivation with whether it agrees and is taken."""
    return [(one.method, one.agrees, one.taken) for one in agreement.derivations]


def test_a_second_derivation_that_gives_the_same_settles_it() -> None:
    """No third one is made; the plan's answer stays."""
    agreement, model = derive([RIGHT], plan(760))
    assert told(agreement) == [("worked", True, False)] and len(model.requests) == 1
    assert (agreement.votes, agreement.disagrees, agreement.taken) == (2, False, None)
    assert agreement.derivations[0].answer == "760 euros"


def test_where_two_differ_a_third_is_made_and_two_against_one_are_taken() -> None:
    """What the plan gave is set aside, and stays on record."""
    agreement, model = derive([RIGHT, THOUGHT], plan(902.5))
    assert told(agreement) == [("worked", True, True), ("thought", True, False)] and len(model.requests) == 2
    assert agreement.taken is not None and agreement.taken.answer == "760 euros" and agreement.votes == 2


def test_a_third_that_agrees_with_the_plan_lets_it_stand() -> None:
    """The second one is the odd one out."""
    agreement, _ = derive([WRONG, THOUGHT], plan(760))
    assert told(agreement) == [("worked", False, False), ("thought", True, False)] and not agreement.disagrees


def test_three_answers_that_all_differ_disagree() -> None:
    """None is taken in the plan's place."""
    agreement, _ = derive([WRONG, THOUGHT], plan(902.5))
    assert told(agreement) == [("worked", False, False), ("thought", False, False)]
    assert agreement.disagrees and agreement.taken is None and agreement.votes == 1


def test_one_derivation_beside_the_plans_is_all_that_is_made_where_no_more_are_allowed() -> None:
    """Then two that differ disagree."""
    agreement, model = derive([WRONG], plan(760), most=1)
    assert agreement.disagrees and len(model.requests) == 1


@pytest.mark.parametrize(
    "made",
    [
        plan("2026-05-14"), plan("Yes"), plan(True), plan(), plan(760, tool="sql"),
        plan(760).changed(steps=(plan(760).steps[0].changed(output=None),)),
    ],
)  # fmt: skip
def test_only_calculated_numbers_are_derived_again(made: Plan) -> None:
    """A date, a word, a query's result: nobody is asked."""
    agreement, model = derive([], made)
    assert agreement == Agreement() and not model.requests and not agreement.disagrees


def test_a_derivation_without_a_number_counts_for_nothing() -> None:
    """Nor does one that is empty."""
    agreement, model = derive(["I do not know.\nAnswer: unknown", "", ""], plan(760))
    assert agreement == Agreement() and len(model.requests) > 1


def test_a_task_too_long_for_it_is_not_derived_again() -> None:
    """Each token is time."""
    assert derive([], plan(760), task=TASK.changed(context="x" * 4_000))[0] == Agreement()


def test_what_was_said_later_and_the_context_are_told() -> None:
    """The problem is put whole."""
    told_later = TASK.changed(
        context="A fifth is 20 percent.", clarifications=(Clarification(question="Of what?", answer="Of all."),)
    )
    _, model = derive([RIGHT], plan(760), task=told_later)
    said = model.requests[0].messages[-1].content
    assert "A fifth is 20 percent." in said and said.endswith("What does each receive?\nOf what? Of all.")


def test_without_calls_left_nothing_is_derived() -> None:
    """The run goes on with what the plan gave."""
    model = Scripted([])

    async def go() -> Agreement:
        with Ledger(Allowance(calls=0)):
            return await Deriver(Supervisor(model)).derive(DeriveAgain(task=TASK, plan=plan(760), most=2))

    assert asyncio.run(go()) == Agreement() and not model.requests


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("17 full stacks, 5 tiles left over", "17, 5", True),
        ("5 and 17", "17 and 5", True),
        ("73.33", "73.3333", True),
        ("27.50 €", "27,5", True),
        ("1,234.5", "1234.5", True),
        ("12", "12.18", False),
        ("700", "800", False),
        ("902.5", "903", True),
        ("17", "17, 5", False),
        ("17, 5", "17", False),
        ("-3", "3", False),
        ("10 -3", "10, 3", True),
        ("1.2.3", "1.2.3", True),
        ("1.2.3", "1.2", False),
        ("", "", True),
    ],
)
def test_answers_are_alike_in_any_notation(one: str, other: str, same: bool) -> None:
    """The same numbers in whatever order; rounded, where one has fewer places."""
    assert alike(numbers_of(one), numbers_of(other)) is same
