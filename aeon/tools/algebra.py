"""Equations and fractions, solved exactly."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from aeon.errors import ToolArgumentError, ToolFailed
from aeon.proof.expression import evaluate
from aeon.proof.functions import FUNCTIONS
from aeon.proof.numbers import plain
from aeon.tools.tool import Tool, tool

__all__ = ["Numbers", "algebra", "solutions"]

_NAME = re.compile(r"[A-Za-z_]\w*")
_PROBES = (0, 1, -1, 2, 3)

Numbers = Annotated[list[Annotated[int, Field(ge=1, le=10**12)]], Field(min_length=2, max_length=20)]


def algebra() -> tuple[Tool, ...]:
    """Return ``solve_equation``, ``simplify_fraction``, ``greatest_common_divisor`` and ``least_common_multiple``.

    All are exact wherever the result is rational. The calculator knows the last two as functions; a small model finds
    them more often as tools with a name of their own.
    """
    exact = tool(side_effects=False, parallel_safe=True)

    @exact
    def solve_equation(equation: str) -> int | float | bool | str:
        """Solve an equation in one unknown, up to the second degree.

        Args:
            equation: such as 3*x + 4 = 19; numbers are written out, multiplication with *.
        """
        values = [plain(value) for value in solutions(equation)]
        return values[0] if len(values) == 1 else " or ".join(map(str, values))

    @exact
    def simplify_fraction(fraction: str) -> str:
        """Reduce a fraction to its lowest terms.

        Args:
            fraction: such as 12/18.
        """
        value = evaluate(fraction)
        if not isinstance(value, Fraction):
            raise ToolArgumentError(f"simplify_fraction: {fraction[:40]!r} is no fraction of whole numbers")
        return f"{value.numerator}/{value.denominator}" if value.denominator != 1 else str(value.numerator)

    @exact
    def greatest_common_divisor(numbers: Numbers) -> int:
        """The greatest whole number that divides all the numbers (GCD).

        Args:
            numbers: two or more whole numbers.
        """
        return math.gcd(*numbers)

    @exact
    def least_common_multiple(numbers: Numbers) -> int:
        """The least whole number that all the numbers divide (LCM).

        Args:
            numbers: two or more whole numbers.
        """
        return math.lcm(*numbers)

    return solve_equation, simplify_fraction, greatest_common_divisor, least_common_multiple


def solutions(equation: str) -> list[Fraction | float]:
    """Return the real solutions of an equation in one unknown, in ascending order, exact where they are rational.

    Raises ``ToolArgumentError`` for what is no such equation, ``ToolFailed`` for one without a solution, with any
    number as one, or of a higher degree.
    """
    sides = equation.split("=")
    names = {name for name in _NAME.findall(equation) if name.lower() not in FUNCTIONS}
    if len(sides) != 2 or len(names) != 1:
        raise ToolArgumentError(f"solve_equation: {equation[:60]!r} is no equation in one unknown; write 3*x + 4 = 19")
    unknown = names.pop()
    left, right = (_of(side, unknown) for side in sides)
    at = {x: left(x) - right(x) for x in _PROBES}
    c, a = at[0], (at[1] + at[-1]) / 2 - at[0]
    b = (at[1] - at[-1]) / 2
    if any(a * x * x + b * x + c != at[x] for x in _PROBES):
        raise ToolFailed("solve_equation: only equations of the first and second degree are solved")
    if a == 0:
        return [_linear(b, c)]
    return _quadratic(a, b, c)


def _of(side: str, unknown: str) -> Callable[[int], Fraction]:
    """A side as a function of the unknown; ``3x`` is 3 times x."""
    spaced = re.sub(rf"(?<=[\d)])\s*(?={unknown}\b)", "*", side)
    place = re.compile(rf"\b{unknown}\b")

    def value(x: int) -> Fraction:
        result = evaluate(place.sub(f"({x})", spaced))
        if not isinstance(result, Fraction):
            raise ToolFailed("solve_equation: only equations of the first and second degree are solved")
        return result

    return value


def _linear(b: Fraction, c: Fraction) -> Fraction:
    if b == 0:
        raise ToolFailed("solve_equation: every number solves it" if c == 0 else "solve_equation: no number solves it")
    return -c / b


def _quadratic(a: Fraction, b: Fraction, c: Fraction) -> list[Fraction | float]:
    square = b * b - 4 * a * c
    if square < 0:
        raise ToolFailed("solve_equation: no real number solves it")
    above, below = math.isqrt(square.numerator), math.isqrt(square.denominator)
    exact = above * above == square.numerator and below * below == square.denominator
    root: Fraction | float = Fraction(above, below) if exact else math.sqrt(square)
    return sorted({(-b - root) / (2 * a), (-b + root) / (2 * a)})
