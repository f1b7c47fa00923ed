# ruff: noqa: RUF001 - digits and signs of other scripts
"""Texts as operands of a formula."""

from __future__ import annotations

import re

import pytest

from aeon.errors import ToolArgumentError
from aeon.schema import JsonValue
from aeon.tools.calculator import evaluate
from aeon.tools.operands import operands
from aeon.tools.references import substitute

pytestmark = pytest.mark.requirement("T6a")


def calculated(formula: str, **outputs: JsonValue) -> object:
    """What a formula gives with these outputs of earlier steps."""
    arguments: dict[str, JsonValue] = {"expression": formula}
    return evaluate(str(substitute(arguments, operands(arguments, outputs))["expression"]))


@pytest.mark.parametrize(
    ("text", "twice"),
    [
        ("12", 24), ("-4", -8), ("−4", -8), ("12.5", 25), ("1/3", "2/3"), ("12 kg", 24), ("€ 1.234,50", 2469),
        ("$1,234.50", 2469), ("1 234,5", 2469), ("١٢", 24), ("18 %", 0.36), ("12345678901234567.5", 24691357802469135),
    ],
)  # fmt: skip
def test_a_text_that_is_a_number_is_one(text: str, twice: object) -> None:
    """With a sign, groups, a unit, a percent sign, a currency, in digits of any script."""
    given = calculated("$s1 * 2", s1=text)
    assert str(given) == twice if isinstance(twice, str) else given == pytest.approx(twice)


@pytest.mark.parametrize(
    "text",
    [
        "C-1042", "E-5", "pi", "v2.1", "2026-03-01", "3-5", "5:36", "+4915112345678", "030 1234567", "555-1234", "007",
        "1e5", "2x3", "192.168.0.1", "12 kg net, 3 boxes", "2 or 3", "North", "", "(4)",
    ],
)  # fmt: skip
def test_any_other_text_is_no_operand(text: str) -> None:
    """An id, a constant's name, a version, a day, a range, a time, a telephone number: the line names step and text."""
    with pytest.raises(ToolArgumentError, match=rf"^\$s1 is {re.escape(repr(text))}, which is no number"):
        calculated("$s1 * 2", s1=text)


def test_a_text_that_may_be_two_numbers_is_none() -> None:
    """A thousand or one with decimals: nobody guesses."""
    with pytest.raises(ToolArgumentError, match=r"\$s2 is '1\.234', which may be one of two numbers"):
        calculated("$s1 + $s2", s1=1, s2="1.234")


def test_units_that_convert_are_not_mixed() -> None:
    """Kilograms and grams are no sum; kilograms times euros may be meant."""
    with pytest.raises(ToolArgumentError, match="'12 kg' and '500 g' are in two units"):
        calculated("$s1 + $s2", s1="12 kg", s2="500 g")
    assert calculated("$s1 * $s2", s1="12 kg", s2="3 €") == 36


def test_numbers_stay_as_they_are() -> None:
    """Only texts are read; what is not referred to does not matter."""
    assert operands({"expression": "$s1 + 1"}, {"s1": 2.5, "s2": "C-1042"}) == {"s1": 2.5}
