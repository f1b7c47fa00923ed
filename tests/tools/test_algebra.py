"""Equations and fractions: exact, and a clear word where there is no answer."""

from __future__ import annotations

import asyncio
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.errors import ToolArgumentError, ToolFailed
from aeon.schema import JsonValue
from aeon.tools.algebra import algebra, solutions
from aeon.tools.registry import ToolRegistry

pytestmark = pytest.mark.requirement("K11")
REGISTRY = ToolRegistry(algebra())
RATIONALS = st.fractions(min_value=-1000, max_value=1000, max_denominator=50)


def call(name: str, argument: str) -> JsonValue:
    """What the tool of that name gives for its one argument."""
    key = "equation" if name == "solve_equation" else "fraction"
    return asyncio.run(REGISTRY.call(name, {key: argument})).value


@pytest.mark.parametrize(
    ("equation", "value"),
    [
        ("3*x + 4 = 19", 5), ("56 - 98*e = -1218", 13), ("4465*b = 178600", 40), ("19 = 4 + 3x", 5),
        ("2*(y - 1) = y", 2), ("pi = 3", 3), ("x*x = 9", "-3 or 3"), ("x^2 - 2*x + 1 = 0", 1),
        ("x/3 = 1/9", 1 / 3), ("10% * x = 5", 50),
    ],
)  # fmt: skip
def test_an_equation_is_solved(equation: str, value: JsonValue) -> None:
    """Any name is the unknown, on either side; several solutions are given in order."""
    assert call("solve_equation", equation) == value


@given(RATIONALS.filter(bool), RATIONALS, RATIONALS)
def test_the_solution_of_a_linear_equation_is_exact(a: Fraction, b: Fraction, c: Fraction) -> None:
    """Whatever the coefficients are, the solution solves it."""
    assert solutions(f"({a}) * x + ({b}) = ({c})") == [(c - b) / a]


@given(RATIONALS, RATIONALS)
def test_rational_roots_of_a_quadratic_equation_are_exact(one: Fraction, other: Fraction) -> None:
    """They come in ascending order, a double one once."""
    assert solutions(f"(x - ({one})) * (x - ({other})) = 0") == sorted({one, other})


@pytest.mark.parametrize(
    ("equation", "words"),
    [
        ("x + 1 = x", "no number"), ("x = x", "every number"), ("x*x = -1", "no real number"),
        ("x^3 = 8", "second degree"), ("sqrt(x + 4) = 2", "second degree"),
    ],
)  # fmt: skip
def test_an_equation_without_an_answer_says_why(equation: str, words: str) -> None:
    """The call fails, and a plan can take another way."""
    with pytest.raises(ToolFailed, match=words):
        call("solve_equation", equation)


@pytest.mark.parametrize("text", ["3 + 4", "3 = 4", "x = y", "x = 1 = 2", "", "x + = 3", "=" * 50])
def test_what_is_no_equation_is_refused_before_anything_is_solved(text: str) -> None:
    """So that the arguments are written anew."""
    with pytest.raises(ToolArgumentError):
        call("solve_equation", text)


@pytest.mark.parametrize(
    ("fraction", "reduced"), [("13524/57134", "138/583"), ("-4/8", "-1/2"), ("6/3", "2"), ("0.25", "1/4")]
)
def test_a_fraction_is_given_in_lowest_terms(fraction: str, reduced: str) -> None:
    """As text, whole numbers without a bar."""
    assert call("simplify_fraction", fraction) == reduced


@pytest.mark.parametrize("text", ["one half", "sqrt(2)", "1/2 < 2/3"])
def test_what_is_no_fraction_is_refused(text: str) -> None:
    """An approximation has no lowest terms."""
    with pytest.raises(ToolArgumentError):
        call("simplify_fraction", text)


@pytest.mark.parametrize(
    ("name", "numbers", "value"),
    [
        ("greatest_common_divisor", [780, 461], 1), ("greatest_common_divisor", [84, 126, 210], 42),
        ("least_common_multiple", [33, 78], 858), ("least_common_multiple", [4, 6, 10], 60),
    ],
)  # fmt: skip
def test_divisors_and_multiples(name: str, numbers: list[int], value: int) -> None:
    """Of two numbers or more."""
    assert asyncio.run(REGISTRY.call(name, {"numbers": list(numbers)})).value == value


@pytest.mark.parametrize("numbers", [[7], [0, 3], [1.5, 3], "84, 126"])
def test_divisors_of_anything_but_whole_numbers_are_refused(numbers: JsonValue) -> None:
    """The schema says so before anything is computed."""
    with pytest.raises(ToolArgumentError):
        asyncio.run(REGISTRY.call("greatest_common_divisor", {"numbers": numbers}))
