"""The calculator: exact, bounded, typed in failure."""

from __future__ import annotations

import asyncio
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.errors import ToolArgumentError, ToolError, ToolFailed
from aeon.proof.numbers import plain, restored
from aeon.tools import ToolRegistry
from aeon.tools.calculator import calculator, evaluate


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", 7),
        ("0.1 + 0.2", Fraction(3, 10)),
        ("10 / 3", Fraction(10, 3)),
        ("-7 // 2", -4),
        ("-7 % 3", 2),
        ("-2 ** 2", -4),
        ("2 ^ 3 ^ 2", 512),
        ("2 ^ -1", Fraction(1, 2)),
        ("0 ^ 0", 1),
        ("(-1) ^ 1000000001", -1),
        ("20%", Fraction(1, 5)),
        ("20% of 50", 10),
        ("50% - 3", Fraction(-5, 2)),
        ("10 % 4", 2),
        ("15 percent of 200", 30),
        ("1,200 + 1", 1201),
        ("12,345,678.5 * 2", 24691357),
        ("max(1,200)", 200),
        ("max(1, 200) + max(1000,200)", 1200),
        ("sum(1.5,200, 3)", Fraction(409, 2)),
        ("0 x 10 + 10x10", 100),
        ("max((1,200), 3)", 1200),
        ("sum([1, 2, 3], 4)", 10),
        ("3 \u00d7 4 \u00f7 2 \u2212 1", 5),
        ("3 x 4", 12),
        ("3x4", 12),
        ("$5 + \u20ac6 + \u00a37", 18),
        ("12 * 3 =", 36),
        ("1e3", 1000),
        ("sqrt(16/9)", Fraction(4, 3)),
        ("4 ^ 0.5", 2),
        ("round(2.5)", 3),
        ("round(-2.675, 2)", Fraction(-268, 100)),
        ("floor(-7/2) + ceil(7/2)", 0),
        ("mean(1, 2, 3, 4) + median(3, 1, 2, 10)", 5),
        ("gcd(12, 18) + lcm(4, 6)", 18),
        ("factorial(5) + comb(5, 2) + perm(5, 2)", 150),
        ("abs(-3) + min(1, 2) + pow(2, 10)", 1028),
    ],
)
def test_exact_values(expression, value) -> None:  # type: ignore[no-untyped-def]
    """What is rational is calculated without rounding."""
    result = evaluate(expression)
    assert isinstance(result, Fraction)
    assert result == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("0.1 + 0.2 == 0.3", True),
        ("1 < 2 < 3", True),
        ("3 > 2 > 2", False),
        ("2 + 2 = 5", False),
        ("1 != 2", True),
        ("sqrt(2) ^ 2 == 2", True),
        ("sqrt(2) ^ 2 <= 2", True),
    ],
)
def test_comparisons(expression, value) -> None:  # type: ignore[no-untyped-def]
    """A comparison gives a truth value, and chains."""
    assert evaluate(expression) is value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("sqrt(2)", math.sqrt(2)),
        ("ln(e)", 1.0),
        ("log(1000, 10)", 3.0),
        ("log10(1000) + log2(8)", 6.0),
        ("2 ^ 0.3", 2**0.3),
        ("sin(0) + cos(0) + tan(0) + exp(0)", 2.0),
        ("pi * 2", math.tau),
    ],
)
def test_approximations_are_floats(expression, value) -> None:  # type: ignore[no-untyped-def]
    """What has no exact value is a float."""
    result = evaluate(expression)
    assert isinstance(result, float)
    assert result == pytest.approx(value)


@pytest.mark.parametrize(
    "expression",
    [
        "1 / 0",
        "0 ^ -1",
        "5 % 0",
        "9**9**9",
        "9^9999",
        "1e999999999",
        "9" * 5000,
        "factorial(1001)",
        "comb(10^9, 5*10^8)",
        "perm(10^9, 10^8)",
        "exp(1000)",
        "sin(10^400)",
        "sqrt(-1)",
        "(-8) ^ (1/3)",
        "ln(0)",
        "round(1, 99999)",
        "gcd(1.5, 2)",
    ],
)
def test_no_value_is_tool_failed(expression) -> None:  # type: ignore[no-untyped-def]
    """An expression without value, or with one beyond the bounds, is a typed failure on one line."""
    with pytest.raises(ToolFailed) as caught:
        evaluate(expression)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "(",
        "1 +",
        "2 apples",
        "x",
        "2(3)",
        "1..2",
        "1,20",
        "$s1 + 1",
        "sum()",
        "sum(1,000,2,000)",
        "sum(1,000)",
        "sum([1,000, 2])",
        "min(1,000,000)",
        "sum(1,200, 3)",
        "sum(3, 1,200)",
        "round(1,234.567, 2)",
        "0x10",
        "1 + 0XfF",
        "abs(1, 2)",
        "[1]",
        "(1 < 2) + 1",
        '__import__("os")',
        "()" * 9000,
        "(" * 9000,
        "-" * 9000 + "1",
        "2^" * 9000 + "1",
        "abs(" * 3000 + "1",
        "sum(" + "[" * 3000,
        "1" * 20_001,
    ],
)
def test_no_expression_is_an_argument_error(expression) -> None:  # type: ignore[no-untyped-def]
    """A text that is no expression is refused on one line; deep nesting never overflows the stack."""
    with pytest.raises(ToolArgumentError) as caught:
        evaluate(expression)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("sum(1,000,2,000)", "1,000 between a function's parentheses may be one number or two: write 1000"),
        ("sum(1,200, 3)", "1,200 between a function's parentheses may be one number or two: write 1200"),
        ("0x10", "0x10 is hexadecimal; write it as a decimal number"),
    ],
)
def test_what_could_be_read_in_two_ways_is_not_read_in_one(expression: str, words: str) -> None:
    """The line says how to write what is meant."""
    with pytest.raises(ToolArgumentError, match=words):
        evaluate(expression)


def test_error_says_what_is_accepted() -> None:
    """A wrong name gets the list of the right ones."""
    with pytest.raises(ToolArgumentError, match=r"unknown name 'apples'.*sqrt"):
        evaluate("apples + 2")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Fraction(4), 4),
        (Fraction(1, 4), 0.25),
        (Fraction(10, 3), 10 / 3),
        (Fraction("12345678901234567.89"), "12345678901234567.89"),
        (Fraction("-12345678901234567.05"), "-12345678901234567.05"),
        (Fraction(10**20, 3), "100000000000000000000/3"),
        (Fraction(1, 3**1000), f"1/{3**1000}"),
        (math.sqrt(2), 1.4142135623731),
        (0.1 + 0.2, 0.3),
        (1e300, 1e300),
        (True, True),
    ],
)
def test_json_form(value, expected) -> None:  # type: ignore[no-untyped-def]
    """Numbers stay JSON numbers wherever a double holds what counts."""
    result = plain(value)
    assert result == expected
    assert type(result) is type(expected)


def test_chained_steps_stay_exact() -> None:
    """A third handed from one step to the next as a JSON number is a third again."""

    async def chain() -> object:
        registry = ToolRegistry([calculator()])
        third = (await registry.call("calculator", {"expression": "10 / 3"})).value
        return (await registry.call("calculator", {"expression": f"{third} * 3"})).value

    assert asyncio.run(chain()) == 10


@given(st.fractions(-(10**6), 10**6, max_denominator=1000))
def test_simple_fractions_survive_json(fraction) -> None:  # type: ignore[no-untyped-def]
    """A fraction with a small denominator comes back exactly from its JSON number."""
    assert restored(str(plain(fraction))) == fraction


def _expressions() -> st.SearchStrategy[tuple[str, Fraction | None]]:
    """Random expressions with the value that Fraction arithmetic gives them, ``None`` for a division by zero."""

    def join(parts):  # type: ignore[no-untyped-def]
        (left, a), sign, (right, b) = parts
        value: Fraction | None
        if a is None or b is None or (sign in "//%" and b == 0):
            value = None
        elif sign in "+-*/":
            value = {"+": Fraction.__add__, "-": Fraction.__sub__, "*": Fraction.__mul__, "/": Fraction.__truediv__}[
                sign
            ](a, b)
        else:
            value = Fraction(a // b) if sign == "//" else a % b
        return f"({left}) {sign} ({right})", value

    numbers = st.decimals(-1000, 1000, places=2).map(lambda d: (str(d), Fraction(d)))
    return st.recursive(
        numbers,
        lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner).map(join),
        max_leaves=12,
    )


@given(_expressions())
def test_agrees_with_fraction_arithmetic(case) -> None:  # type: ignore[no-untyped-def]
    """Random expressions have the value that exact arithmetic gives them."""
    expression, value = case
    if value is None:
        with pytest.raises(ToolFailed):
            evaluate(expression)
    else:
        assert evaluate(expression) == value


@given(
    st.text()
    | st.text(alphabet="0123456789.,+-*/%^()[]<>=!$ xeE")
    | st.lists(
        st.sampled_from(
            [
                "9",
                "1,000",
                "**",
                "^",
                "(",
                ")",
                "max(",
                "sqrt(",
                "comb(",
                "factorial(",
                "round(",
                ",",
                "/",
                "-",
                "%",
                " of ",
                "e",
                "pi",
                "<",
                "1e400",
                "0.5",
            ]
        )
    ).map("".join)
)
@settings(max_examples=400, deadline=None)
def test_never_raises_outside_the_tree(expression) -> None:  # type: ignore[no-untyped-def]
    """Any text gives a JSON value or a tool error."""
    try:
        value = plain(evaluate(expression))
    except ToolError:
        return
    assert isinstance(value, int | float | bool | str)


def test_a_long_flat_expression_is_not_nested() -> None:
    """Length alone is no nesting: a column of numbers can be added up."""
    assert evaluate(" + ".join(["(1)"] * 1000)) == 1000
    assert evaluate("sum(" + ", ".join(["1"] * 1000) + ")") == 1000
