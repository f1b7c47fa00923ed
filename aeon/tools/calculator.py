"""The calculator: exact arithmetic in bounded time."""

from __future__ import annotations

from aeon.proof.expression import Value, evaluate
from aeon.proof.numbers import plain
from aeon.tools.tool import Tool, tool

__all__ = ["Value", "calculator", "evaluate"]


def calculator() -> Tool:
    """Return the tool ``calculator``, whose value is one number or a truth value.

    A whole number is an integer of any size up to 4,000 digits, any other the nearest double; handed to a later
    calculation it is exact again in the cases that ``aeon.proof.numbers.plain`` tells.
    """

    @tool(name="calculator", side_effects=False, parallel_safe=True, timeout=20.0)
    def calculate(expression: str) -> int | float | bool | str:
        """Calculate one arithmetic expression exactly.

        Args:
            expression: numbers, + - * / // % ^, comparisons, 20% of 50, round(x, 2), sqrt, min, max, sum, mean, median,
                factorial, gcd, lcm, comb, log; no units or words
        """
        return plain(evaluate(expression))

    return calculate
