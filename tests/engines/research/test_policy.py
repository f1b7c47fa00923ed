"""What becomes of failed searches: pure functions of what came back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.engines.research.config import Retries
from aeon.engines.research.policy import Breaker, delay
from aeon.schema import SearchProblem

pytestmark = pytest.mark.requirement("R5")

USUAL = Retries()


def problem(**changes: Any) -> SearchProblem:
    """A failure that may pass."""
    fields: dict[str, Any] = {"kind": "server", "message": "no", "retryable": True}
    return SearchProblem(**fields | changes)


@given(st.integers(1, 2), st.text())
def test_the_wait_doubles_with_up_to_a_second_of_jitter(attempt: int, seed: str) -> None:
    """It is the same for the same seed."""
    seconds = delay(USUAL, problem(), attempt, seed)
    assert seconds is not None and 2 ** (attempt - 1) <= seconds <= 2 ** (attempt - 1) + 1
    assert seconds == delay(USUAL, problem(), attempt, seed)


def test_seeds_spread_the_waits() -> None:
    """Many queries that fail at once do not come back at once."""
    assert len({delay(USUAL, problem(), 1, str(seed)) for seed in range(50)}) > 45


@pytest.mark.parametrize(
    ("changes", "attempt", "seconds"),
    [
        ({}, 3, None),
        ({"retryable": False}, 1, None),
        ({"retryable": False, "retry_after": 1.0}, 1, None),
        ({"retry_after": 0.0}, 1, 0.0),
        ({"retry_after": 10.0}, 2, 10.0),
        ({"retry_after": 10.1}, 1, None),
        ({"retry_after": 1.0}, 3, None),
    ],
)
def test_who_waits_how_long(changes: dict[str, Any], attempt: int, seconds: float | None) -> None:
    """The last attempt is not followed by another, and a provider's own wish counts, unless it is too long."""
    assert delay(USUAL, problem(**changes), attempt, "s") == seconds


def test_a_wait_is_never_longer_than_the_longest() -> None:
    """However many attempts there are."""
    patient = Retries(attempts=10, longest=5.0)
    assert [delay(patient, problem(), attempt, "s") for attempt in range(4, 10)] == [5.0] * 6


@pytest.mark.parametrize(
    ("course", "opens"),
    [
        ("F", False), ("FF", False), ("FFF", True), ("FFSF", True), ("FSFS", True), ("FSSF", True), ("FSSS", False),
        ("SSSFFF", True), ("FSSFSSSF", False), ("FSF", False), ("SFSSF", False), ("SSSSSFF", False), ("SSSSSFFF", True),
    ],
)  # fmt: skip
def test_a_breaker_opens_at_three_in_a_row_or_half_of_four(course: str, opens: bool) -> None:
    """Each letter is a query that failed (F) or succeeded (S)."""
    breaker = Breaker(USUAL)
    for letter in course:
        breaker.note(failed=letter == "F")
    assert breaker.open == opens


def test_a_wrong_setting_opens_a_breaker_at_once_and_counts_as_no_failure() -> None:
    """Until the provider answers; from then on it is a failure like others, since the setting cannot be wrong."""
    breaker, wrong = Breaker(USUAL), problem(kind="configuration", retryable=False)
    breaker.settle(wrong)
    assert breaker.open and breaker.misconfigured and breaker.failed == 0
    breaker.note(failed=False)
    assert not breaker.open and not breaker.misconfigured
    breaker.settle(wrong)
    assert not breaker.open and breaker.failed == 1
