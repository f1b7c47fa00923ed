"""Numbers that the model wrote into a call, and that the call gives back, are its own words."""

from __future__ import annotations

import pytest

from aeon.execution.constants import is_given_back
from aeon.schema import JsonValue

pytestmark = pytest.mark.requirement("G1")


@pytest.mark.parametrize(
    ("query", "output", "expected"),
    [
        ("SELECT 4821 AS amount", 4821, True),
        ("SELECT 4821", [{"4821": 4821}], True),
        ("select '4821' as amount, 7", [{"amount": 4821, "7": 7}], True),
        ("SELECT 4821 AS amount FROM orders LIMIT 1", 4821, True),
        ("SELECT (4821) AS amount;", 4821.0, True),
        ("SELECT -3", -3, True),
        ("SELECT 17 * 2.40", 40.8, False),
        ("SELECT amount FROM orders WHERE amount = 4821", 4821, False),
        ("SELECT SUM(amount), 12 AS months FROM orders", [{"sum": 4821, "months": 12}], False),
        ("SELECT ROUND(AVG(amount), 2) FROM orders", 2.0, False),
        ("SELECT COUNT(*) FROM orders", 3, False),
        ("SELECT 'none' AS word", "none", False),
        ("4821", 4821, True),
        ("4821 / 1", 4821, False),
        ("$s1", 4821, False),
        ("SELECT true", True, False),
        ("", [], False),
    ],
)
def test_a_constant_that_is_given_back_is_told(query: str, output: JsonValue, expected: bool) -> None:
    """Not one that is compared, rounded or reckoned with, nor where anything else was found beside it."""
    assert is_given_back({"query": query}, output) is expected
