"""Sums that a derivation states, done again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.derivation.sums import done_again, uses_all

pytestmark = pytest.mark.requirement("G4")
TASK = "240 rolls at 0.45 and 75 loaves at 3.20: how much in all, and what is 19% of that?"


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("In all: 348\nVAT: 348 * 19 / 100 = 65.32\nAnswer: 348 and 65.32", "66.12\nAnswer: 348 and 66.12"),
        ("VAT: 348 * 19% = 65.32.\nAnswer: 65.32 euros", "66.12.\nAnswer: 66.12 euros"),
        ("348 \\times 0.19 = 65.32, so 65.320 is not it", "66.12, so 65.320 is not it"),
        ("$1,200 / 7 = 170", "171.4286"),
        ("(240 + 75) * 2 = 600\nThen 600 - 30 = 570\nAnswer: 570", "630\nThen 630 - 30 = 600\nAnswer: 600"),
        ("10 \u00d7 4 = 30\nAnswer: 30", "40\nAnswer: 40"),
        ("7 - 9 = 2\nAnswer: 2", "-2\nAnswer: -2"),
    ],
)
def test_a_wrong_sum_is_put_right_and_so_is_what_follows_from_it(text: str, right: str) -> None:
    """Wherever the wrong result stands later."""
    assert done_again(text, TASK).endswith(right)


@pytest.mark.parametrize(
    "text",
    [
        "240 * 0.45 + 75 * 3.2 = 108 + 240 = 348",
        "348 * 0.19 = 66.1\nAnswer: 66.1",
        "100 / 3 = 33.33",
        "100 / 3 = 33",
        "240 * 0.45 = 108",
        "10 / 4 = 3",
        "half of 8 is 5",
        "1 / 0 = 3",
        "x * 3 = 7",
        "2026-05-14 = 3",
        "",
    ],
)
def test_what_is_right_or_no_sum_stays(text: str) -> None:
    """Rounded results and sums that go on are no faults."""
    assert done_again(text, TASK) == text or text.startswith("2026")


def test_a_number_of_the_task_is_not_replaced() -> None:
    """It only looks like the wrong result."""
    assert done_again("Half: 300 / 2 = 75\nOf 75 loaves it is 75", TASK) == "Half: 300 / 2 = 150\nOf 75 loaves it is 75"


@given(st.text(alphabet="0123456789+-*/=(). %\n", max_size=60))
def test_any_text_is_taken(text: str) -> None:
    """It comes to an end, and nothing raises."""
    assert isinstance(done_again(text, ""), str)


@pytest.mark.parametrize(
    ("text", "task", "whole"),
    [
        ("7 * 29 = 203", "7 persons pay 29", True),
        ("9 + 20 = 29", "7 persons pay 9 and 20", False),
        ("for 7 persons: 9 + 20 = 29", "7 persons pay 9 and 20", False),
        ("640 * 0.85 = 544", "640 less 15 percent", True),
        ("640 * 15% = 96", "640 less 15%", True),
        ("1,200 / 3 = 400", "1200 in 3 parts", True),
        ("48 * 1.5 = 72", "It leaves at 7:48 on 2024-05-01 and costs 48 times 1.5", True),
        ("", "no number", True),
    ],
)
def test_whether_the_sums_use_every_number(text: str, task: str, whole: bool) -> None:
    """In figures, as a share or a percentage; numbers of dates and times need not be."""
    assert uses_all(text, task) == whole
