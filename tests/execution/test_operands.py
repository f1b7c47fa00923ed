"""Numbers of a calculation that nobody stated: what comes of them is the model's own."""

from __future__ import annotations

import pytest

from aeon.execution.constants import calculation
from aeon.execution.operands import unstated
from aeon.schema import Clarification, JsonValue, Task

pytestmark = pytest.mark.requirement("G1")


@pytest.mark.parametrize(
    ("task", "expression", "found"),
    [
        ("How far is it twice around the Earth?", "40075 * 2", ["40075"]),
        ("A lamp costs 48 euros before 19% tax. What does it cost?", "48 * 1.19", []),
        ("A lamp costs 48 euros. What does it cost with tax?", "48 * 1.19", ["1.19"]),
        ("A lamp of 48 euros is 25 % off. What is left?", "48 * 0.75 + 48 * (1 - 0.25)", []),
        ("What do thirty-five chairs at 1,250.50 euros cost?", "35 * 1250.5", []),
        ("Was kosten 35 Stühle zu 1.250,50 Euro?", "35 * 1250.50", []),
        ("She was born on 12 May 1961 and died in 2003. How old was she?", "2003 - 1961", []),
        ("She was born in 1961. How old is she?", "2024 - 1961", ["2024"]),
        ("The train leaves at 17:45 and takes 95 minutes.", "17 * 60 + 45 + 95", []),
        ("A town of 20k people, a third of them under 30", "20000 / 3", []),
        ("How many seconds are in 3 days?", "3 * 24 * 3600", []),
        ("How many days are in eight weeks?", "8 * 7", []),
        ("A pen is 2.40 euros. What are five, in cents?", "5 * 240", []),
        ("5 km in 25 minutes: how many metres a second?", "5000 / (25 * 60)", []),
        ("It takes 45 minutes. How long do 6 take, in hours?", "6 * 0.75", []),
        ("Three dozen eggs at 0.35", "36 * 0.35", []),
        ("Two hundred guests at 4.50 each", "200 * 4.50", []),  # words of large numbers are not read
        ("What is the room's area?", "17 * 23 + 17", ["17", "23"]),
        ("What is 2e3 + 450?", "2e3 + 450", []),
        ("What is 5 + 450?", "7.1e3 + 450", ["7.1e3"]),
        ("Round 48 / 7 to two places", "round(48 / 7, 2)", []),
        ("What is .5 of 48?", "48 * .5", []),
    ],
)
def test_numbers_that_the_task_does_not_state_are_found(task: str, expression: str, found: list[str]) -> None:
    """Small ones, and those of the calendar and of units, need nobody to state them."""
    assert unstated(expression, Task(text=task), ()) == found


@pytest.mark.parametrize(
    ("outputs", "found"),
    [([4821], []), (["the bill is 4,821 kr"], []), ([[{"amount": 4821.0}]], []), ([4820], ["4821"]), ([], ["4821"])],
)
def test_what_a_tool_gave_states_a_number(outputs: list[JsonValue], found: list[str]) -> None:
    """In a text, a table or alone."""
    assert unstated("4821 * 2", Task(text="What is it doubled?"), outputs) == found


@pytest.mark.parametrize(
    ("output", "expression"),
    [
        (-488, "(-488) * 2"),
        (-488.25, "-488.25 / 3"),
        ("355/113", "355/113 * 2"),
        (1e21, "1e+21 * 2"),
        (3.3333333333333335, "3.3333333333333335 * 3"),
        ("17:45", "17.75 - 9"),
        ([{"a": 2450, "share": "19 %"}], "2450 * 1.19"),
    ],
)
def test_a_result_is_stated_however_it_is_written_into_the_next_calculation(output: JsonValue, expression: str) -> None:
    """With its sign, as a fraction, in hours."""
    assert unstated(expression, Task(text="What is it?"), [output]) == []
    assert unstated(expression, Task(text="What is it?"), [7]) != []


def test_whoever_spoke_of_the_task_stated_it() -> None:
    """Its context, what was asked about it and answered, and what was answered before in the conversation."""
    plain = Task(text="What is it doubled?")
    said = Clarification(question="How much?", answer="4821")
    assert unstated("4821 * 2", plain, ()) == ["4821"]
    for task in (
        plain.changed(context="It was 4,821."),
        plain.changed(earlier="It was 4,821."),
        plain.changed(clarifications=(said,)),
    ):
        assert unstated("4821 * 2", task, ()) == []
    assumed = plain.changed(clarifications=(said.changed(assumed=True),))
    assert unstated("4821 * 2", assumed, ()) == ["4821"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"expression": "4820 + 1"}, "4820 + 1"),
        ({"query": "SELECT 40075 * 2 AS km"}, "SELECT 40075 * 2 AS km"),
        ({"query": "SELECT SUM(amount) * 1.19 FROM orders"}, ""),
        ({"question": 3}, ""),
        ({}, ""),
    ],
)
def test_a_query_without_a_table_is_a_calculation(arguments: dict[str, JsonValue], text: str) -> None:
    """One of a table looks something up."""
    assert calculation(arguments) == text
