"""Differences that have no sign."""

from __future__ import annotations

import pytest

from aeon.plan.differences import without_sign
from aeon.schema import Plan, Step, ToolCall

pytestmark = pytest.mark.requirement("T1b")


@pytest.mark.parametrize(
    ("question", "expression", "meant"),
    [
        ("What is the price difference between A and B?", "78 - 81", "abs(78 - 81)"),
        ("How many days apart are they?", "$s1 - $s2", "abs($s1 - $s2)"),
        ("How many days lie between them?", "(3 - 5)", "abs((3 - 5))"),
        ("What is the difference in per cent?", "(3 - 5) / 5", "(3 - 5) / 5"),
        ("March revenue minus June revenue?", "78 - 81", "78 - 81"),
        ("What is left?", "78 - 81", "78 - 81"),
    ],
)
def test_how_far_apart_two_values_are_has_no_sign(question: str, expression: str, meant: str) -> None:
    """What is asked decides; only the difference itself is changed, and only where it is the answer."""
    action = ToolCall(tool="calculator", arguments={"expression": expression})
    steps = tuple(Step(id=name, description="a", action=action) for name in ("s1", "s2"))
    made = without_sign(Plan(steps=steps, answer=("s2",)), question)
    assert [step.action.arguments for step in made.steps if isinstance(step.action, ToolCall)] == [
        {"expression": expression},
        {"expression": meant},
    ]
