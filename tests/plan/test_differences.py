"""Differences that have no sign."""

from __future__ import annotations

import pytest

from aeon.plan.differences import without_sign
from aeon.schema import Plan, Step, ToolCall
from aeon.tools.quote import QUOTE

pytestmark = pytest.mark.requirement("T1b")


@pytest.mark.parametrize(
    ("question", "expression", "meant"),
    [
        ("What is the price difference between A and B?", "78 - 81", "abs(78 - 81)"),
        ("How many days apart are they?", "$s1 - $s2", "abs($s1 - $s2)"),
        ("How many days lie between them?", "(3 - 5)", "abs((3 - 5))"),
        ("What is the difference in per cent?", "(3 - 5) / 5", "(3 - 5) / 5"),
        ("March revenue minus June revenue?", "78 - 81", "78 - 81"),
        ("Which is higher, and by how much?", "78 - 81", "abs(78 - 81)"),
        ("How many euros cheaper is A than B?", "78 - 81", "abs(78 - 81)"),
        ("How much more did A take than B?", "78 - 81", "78 - 81"),
        ("17 metres: how many euros cheaper is A than B?", "17 * ($s1 - $s2)", "abs(17 * ($s1 - $s2))"),
        ("17 metres: how many euros cheaper is A than B?", "17 * 82 + 3", "17 * 82 + 3"),
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


@pytest.mark.parametrize(
    ("first", "last", "counted"),
    [
        ("2026-05-14", "2026-04-28", ("2026-04-28", "2026-05-14")),
        ("2026-04-28", "2026-05-14", ("2026-04-28", "2026-05-14")),
        ("$s1", "2026-04-28", ("2026-04-28", "$s1")),
        ("2026-04-28", "$s1", ("2026-04-28", "$s1")),
        ("$s2", "2026-04-28", ("$s2", "2026-04-28")),
        ("14 May", "28 April", ("14 May", "28 April")),
        ("14 May 2026", "April 28, 2026", ("April 28, 2026", "14 May 2026")),
        ("14 May 2026", "2026-05-30", ("14 May 2026", "2026-05-30")),
    ],
)
def test_days_are_counted_forwards(first: str, last: str, counted: tuple[str, str]) -> None:
    """Where both days are known before the run; a result of another step is not."""
    quoted = ToolCall(tool=QUOTE, arguments={"value": "2026-05-14", "source": "a", "start": 0, "end": 9})
    days = ToolCall(tool="days_between", arguments={"first": first, "last": last})
    steps = tuple(Step(id=f"s{n}", description="a", action=call) for n, call in enumerate((quoted, days, days), 1))
    made = without_sign(Plan(steps=steps, answer=("s3",)), "How many days lie between them?").steps
    assert made[:2] == steps[:2] and isinstance(made[2].action, ToolCall)
    assert made[2].action.arguments == {"first": counted[0], "last": counted[1]}
    assert without_sign(Plan(steps=steps, answer=("s3",)), "Which is it?").steps == steps
