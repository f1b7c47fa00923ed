"""Reading a text as a value, rounding, changing units, and doing computations again."""

from __future__ import annotations

import json
import time
from fractions import Fraction

import pytest

from aeon.language.readings import NUMBER_WORDS, exact, factor, read, rounded, spelt
from aeon.proof.again import done_again, evaluate
from aeon.proof.canonical import output_of
from aeon.proof.expression import evaluate as calculate
from aeon.proof.numbers import plain

pytestmark = pytest.mark.requirement("G2", "G6")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("1.2.3", "point"), ("1,2", "point"), ("1.2", "comma"), ("12 34", "point"), ("", "point"), ("5 foo", "point"),
        ("one", "word"), ("3/0", "fraction"), ("30 February 2024", "dmy"), ("2024-13-01", "ymd"), ("2024", "dmy"),
        ("25:00", "time"), ("4 to 1 October", "ddm"), ("4 to 4 October", "ddm"), ("1 to 32 October", "ddm"),
        ("1 October", "ddm"), ("x", "unit"), ("5", "nonsense"), ("5", ""),
    ],
)  # fmt: skip
def test_what_is_not_written_that_way_is_refused(text: str, form: str) -> None:
    """A notation is strict, so that no proof can take one number for another."""
    with pytest.raises(ValueError):
        read(text, form)


def test_numbers_are_exact() -> None:
    """Decimals that end are decimals, others fractions; halves are rounded as the record says."""
    assert [exact(Fraction(n)) for n in ("1/8", "-1/40", "1/3", "7", "-0.10")] == [
        "0.125",
        "-0.025",
        "1/3",
        "7",
        "-0.1",
    ]
    assert [rounded(Fraction("2.5"), 0, one) for one in ("half_up", "half_even")] == [3, 2]
    assert rounded(Fraction("-2.345"), 2) == Fraction("-2.35")
    assert rounded(Fraction(1_250_000), -5) == 1_300_000


@pytest.mark.parametrize(
    ("unit", "other", "times"),
    [
        ("%", "", "1/100"), ("", "%", "100"), ("min", "h", "1/60"), ("cent", "EUR", "1/100"), ("cent", "USD", "1/100"),
        ("km", "m", "1000"), ("g", "kg", "1/1000"), ("EUR", "USD", None), ("month", "day", None), ("", "EUR", None),
    ],
)  # fmt: skip
def test_units_convert_exactly_or_not_at_all(unit: str, other: str, times: str | None) -> None:
    """Within one dimension; a month has no fixed number of days."""
    assert factor(unit, other) == (None if times is None else Fraction(times))


@pytest.mark.parametrize(
    ("expression", "value"),
    [("1/3*3", "1"), ("0.1 + 0.2", "0.3"), ("2^10", "1024"), ("round(2.345, 2)", "2.35"), ("-(2 − 5) × 4", "12")],
)
def test_arithmetic_is_exact(expression: str, value: str) -> None:
    """As the calculator has it."""
    assert evaluate(expression, {}) == Fraction(value)


@pytest.mark.parametrize(
    "expression",
    ["", "1/0", "1 / 0", "9**9**9", "(((9**100)**100)**100)**100", "((((9**100)**100)**100)**100)**100",
     "hello world", "foo(3)", "__import__('os')", "a", "[1]", "(" * 200, "1 if 1 else 2", "9" * 5_000, "1e999999999",
     "factorial(99999)", "$s9 + 1", "1" + " + 1" * 6_000],
)  # fmt: skip
def test_what_the_calculator_never_takes_is_refused_at_once(expression: str) -> None:
    """It has the calculator's own syntax and bounds: no output of such a step can be right."""
    begun = time.process_time()
    assert "the calculator never gave this" in done_again("calculator", {"expression": expression}, "91", {})
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    ("expression", "output"),
    [("5 % 3", 2), ("sqrt(2)", plain(calculate("sqrt(2)"))), ("20% of 50", 10), ("2 < 3", True), ("mean(1, 2)", 1.5),
     ("2**1000", 2**1000), ("1e18 + 1/3", "3000000000000000001/3"), ("$12 * 2", 24)],
)  # fmt: skip
def test_all_that_the_calculator_takes_is_done_again(expression: str, output: object) -> None:
    """Functions, comparisons, amounts of money and large numbers too, to the last digit of what it gave."""
    given = output_of(json.dumps(output))
    assert done_again("calculator", {"expression": expression}, given, {}) == ""
    assert done_again("calculator", {"expression": expression}, output_of("91"), {}) != ""


@pytest.mark.parametrize("power", ["a ** b", "((a ** b) ** b) ** b", "((((a^b)^b)^b)^b)^b"])
def test_no_computation_grows_beyond_the_calculators_bounds(power: str) -> None:
    """However often it takes powers of powers, it is refused before it is large."""
    begun = time.process_time()
    if power == "a ** b":
        assert evaluate(power, {"a": Fraction(9), "b": Fraction(100)}) == 9**100
    else:
        with pytest.raises(ValueError, match="too large"):
            evaluate(power, {"a": Fraction(9), "b": Fraction(100)})
    for expression in ("1e999999999", "", "1/0", "9" * 20, "a", "[1]", "5 % 3"):
        with pytest.raises(ValueError):
            evaluate(expression, {})
    assert time.process_time() - begun < 1


def test_a_quoted_number_stands_in_its_sentence() -> None:
    """In digits or in words; one that its sentence does not state is refused, and so is a place that is none."""
    texts = {"shop.txt": "The shop has 12 employees, three of them new. A dozen is less."}
    place = {"source": "shop.txt", "start": 0, "end": 45}
    for value in ("12", "3"):
        number = output_of(value)
        assert done_again("quote", {**place, "value": number}, number, texts) == ""
    number = output_of("84")
    assert "does not state 84" in done_again("quote", {**place, "value": number}, number, texts)
    assert "no such characters" in done_again("quote", {**place, "end": 900, "value": number}, number, texts)
    with pytest.raises(ValueError, match="not written in its sentence"):
        done_again("quote", {**place, "value": "a few"}, "a few", texts)


def test_every_number_word_is_read_as_it_is_written() -> None:
    """Each is found as a whole, with a capital too, and read by the verifier; of two beside each other none is."""
    for word, number in NUMBER_WORDS.items():
        for written in (word, word.capitalize()):
            assert [found for _, found in spelt(f"It is {written}.")] == [number]
            assert read(written, "word").number == number
    assert {*NUMBER_WORDS.values()} == {*range(100)} and "one" not in NUMBER_WORDS
    assert not [*spelt("seven thirty, nineteen eighty-four, thirty-first, forty-niners, twenty one, hundreds, hundred")]


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("two hundred", 200),
        ("A hundred", 100),
        ("one hundred and two", 102),
        ("three hundred sixty-five", 365),
        ("eleven hundred and fifty", 1_150),
        ("nineteen hundred and twelve", 1_912),
        ("four thousand", 4_000),
        ("a thousand and one", 1_001),
        ("twelve thousand four hundred", 12_400),
        ("three hundred and ninety thousand", 390_000),
        ("two hundred and forty-one thousand, six hundred and seven", 241_607),
        ("ninety nine thousand nine hundred and ninety nine", 99_999),
    ],
)
def test_a_large_number_in_words_is_read_whole(words: str, number: int) -> None:
    """Never a part of it, with whatever stands around it."""
    for text in (words, f"It cost {words} pounds.", f"({words})", f"of these, {words}; two-hundred-year oaks"):
        assert [found for _, found in spelt(text)] == [number]
    assert read(words, "word").number == number
    assert read(f"{words} pounds", "word")[1:3] == (number, "GBP")
    assert read(f"{words} million pounds", "word").number == number * 10**6


def test_what_only_looks_like_a_large_number_is_none() -> None:
    """Or it is two of them."""
    for text in ("hundred", "thousands of pounds", "a hundred-year flood", "many hundred", "and thousand"):
        assert not [*spelt(text)]
    assert [number for _, number in spelt("two hundred, and fifty of them")] == [200, 50]
    assert [number for _, number in spelt("two hundred ten-pound notes")] == [200]
