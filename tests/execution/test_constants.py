"""Numbers that the model wrote into a call, and that the call gives back, are its own words."""

from __future__ import annotations

import pytest

from aeon.execution.constants import is_constant

pytestmark = pytest.mark.requirement("G1")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT 4821 AS amount", True),
        ("select '4821' as amount, 7", True),
        ("SELECT 4821 AS amount FROM orders LIMIT 1", True),
        ("SELECT (4821) AS amount;", True),
        ("SELECT CAST(4821 AS INT) AS amount FROM orders LIMIT 1", True),
        ("SELECT ROUND(4821, 2)", True),
        ("SELECT CAST(price AS INT) AS amount FROM orders LIMIT 1", False),
        ("SELECT COUNT(1) FROM orders", False),
        ("SELECT -3", True),
        ("4821", True),
        ("SELECT 17 * 2.40", False),
        ("SELECT 1 FROM orders WHERE customer = 'Meyer' LIMIT 1", False),
        ("SELECT city, 2024 AS year FROM shops ORDER BY sales DESC LIMIT 1", False),
        ("SELECT COUNT(*) AS n, 3 AS threshold FROM orders", False),
        ("SELECT 1 AS rank, MIN(stock) FROM shelves", False),
        ("SELECT ROUND(AVG(amount), 2) FROM orders", False),
        ("SELECT 'none' AS word", False),
        ("4820 + 1", False),
        ("$s1", False),
        ("SELECT true", False),
    ],
)
def test_a_call_that_gives_back_its_constants_is_told(query: str, expected: bool) -> None:
    """Not one that reckons, or finds anything: a name beside a constant, or whether there is a row."""
    assert is_constant({"query": query}) is expected


def test_a_call_without_words_gives_nothing_back() -> None:
    """Nor one whose arguments are no text."""
    assert not is_constant({}) and not is_constant({"expression": 3})
