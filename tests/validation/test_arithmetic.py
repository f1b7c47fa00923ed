"""Sums that a text claims, done again."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.validation.arithmetic import wrong_sums


@pytest.mark.requirement("J1")
@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("240 * 0.45 + 75 * 3.20 = 349", "348"),
        ("So 0.1 + 0.2 = 0.31, as said.", "0.3"),
        ("1 + 1 = 3, so three.", "2"),
        ("It is $1,200 + $300 = $1,400.", "1500"),
        ("1,000,000 + 1 = 1,000,002", "1000001"),
        ("12 \u00d7 3.50 = 45", "42"),
        ("100 \u00f7 8 = 12.6", "12.5"),
        ("348 * 19% = 66.21", "66.12"),
        ("10% + 5% = 16%", "0.15"),
        ("7 - -3 = 4", "10"),
        ("a total of 3 * 4 = 13 eggs", "12"),
        ("- 3 + 4 = 8", "7"),
        ("10\n- 3 + 4 = 8", "7"),
        ("123456789 * 1000 = 5", "123456789000"),
        ("(3 + 4) * 2 = 15", "14"),
        ("A = (2 + 1 + 7 * 3) = (2 + 1 + 21) = 25", "24"),
        ("(240 * 0.45) + (75 * 3.20) = 349", "348"),
        ("((2 + 1) * (9 - 4)) / 4 = 3.74", "3.75"),
        ("-(3 + 4) = 7", "-7"),
        ("So 17 = 3 + 4 = 8.", "7"),
        ("it holds (see 3 + 4 = 8)", "7"),
        ("3 + 4 = 8 (see below)", "7"),
        ("3 + 4 = (8)", "7"),
    ],
)
def test_a_wrong_sum_is_found_with_its_exact_value(text: str, exact: str) -> None:
    """Thousands, currencies, percent and signs are read, and rounding is no excuse for an error of a whole unit."""
    (fact,) = wrong_sums(text)
    assert fact.endswith(f" = {exact}")


@pytest.mark.requirement("J1")
@pytest.mark.parametrize(
    "text",
    [
        "240 * 0.45 + 75 * 3.20 = 348.00",
        "0.1 + 0.2 = 0.3",
        "10 / 3 = 3.33, and 2 / 3 = 0.67 or 2 / 3 = 0.66",
        "348 * 0.19 = 66.12000000000001",
        "1/2 + 1/3 = 5/6",
        "There are 12 = 13 of them.",
        "1 / 0 = 4",
        "3 km + 4 km = 8 km",
        "s1 + 2 = 9 and $s1 + 2 = 9",
        "2024-01-02 is a day",
        "(3 + 4) * 2 = 14",
        "((2 + 1) * 3 = 9)",
        "A = (2 + 1 + 7 * 3) = (2 + 1 + 21) = 24",
        "1/3 + 1/3 = 0.33 + 0.33 = 0.66",
        "Step 2 = 3 + 5",
        "3 + 4 = (7)",
        "no sums here",
        "",
    ],
)
def test_what_is_right_or_no_sum_is_left_alone(text: str) -> None:
    """Rounded and truncated results are right; words, references, units in between and fractions are no claims."""
    assert wrong_sums(text) == ()


@pytest.mark.requirement("J1")
@pytest.mark.parametrize(
    "text",
    [
        "2 * (3 + 4 = 8)",
        "sqrt(16) = 5",
        "f (3) = 9",
        "\u221a(9 + 16) = 7",
        "x -3 + 4 = 8",
        "5(3 + 2) = 26",
        "1) 3 + 4 = 8",
        "3 + 4 = 8 - x",
        "(3 + 4) % 5 = 3",
        "2 ^ 3 + 1 = 9",
        "2 x 3 + 1 = 7",
        "240 * 0.45 = 24 * 4.5 = 108",
        "2 + 2 = 2 * (1 + 1)",
        "200 + 10% = 220",
    ],
)
def test_a_part_of_a_longer_formula_is_no_claim(text: str) -> None:
    """Evidence must be true: where the text may mean something else, nothing is said."""
    assert wrong_sums(text) == ()


@pytest.mark.requirement("L1")
@pytest.mark.parametrize(
    "text", ["the average of 3 + 4 = 3.5", "der Mittelwert von 3 + 4 = 3.5", "la moyenne de 3 + 4 = 3.5"]
)
def test_no_word_before_a_formula_is_read(text: str) -> None:
    """In any language: what the formula itself says is told to a judge, who reads the words."""
    assert wrong_sums(text) == ("it says 3 + 4 = 3.5; recomputed, 3 + 4 = 7",)


@pytest.mark.requirement("J1")
def test_each_side_of_a_chain_is_held_against_the_next() -> None:
    """Two formulas of whole numbers are told apart too, each with its value; the sides that agree are passed over."""
    (fact,) = wrong_sums("(4 - -2) * 3 = (4 - 2) * 3 = 2 * 3 = 6")
    assert fact == (
        "it says (4 - -2) * 3 = (4 - 2) * 3; recomputed, (4 - -2) * 3 = 18 and (4 - 2) * 3 = 6"
    )  # fmt: skip


@pytest.mark.requirement("J1")
@given(a=st.integers(-9999, 9999), b=st.integers(0, 9999), off=st.integers(-50, 50))
def test_whole_sums_are_told_apart_exactly(a: int, b: int, off: int) -> None:
    """A claim about whole numbers is reported if and only if it is wrong."""
    assert bool(wrong_sums(f"{a} + {b} = {a + b + off}")) == (off != 0)


@pytest.mark.requirement("J1")
@given(cents=st.integers(1, 10**6), count=st.integers(1, 999))
def test_products_of_prices_are_told_apart_to_the_cent(cents: int, count: int) -> None:
    """The exact product passes, a cent more does not."""
    right = Fraction(cents * count, 100)
    price, total, more = (f"{float(value):.2f}" for value in (Fraction(cents, 100), right, right + Fraction(1, 100)))
    assert wrong_sums(f"{count} * {price} = {total}") == ()
    assert len(wrong_sums(f"{count} * {price} = {more}")) == 1


@pytest.mark.requirement("J1")
@pytest.mark.parametrize(
    "hostile",
    [
        "1," * 40_000, "1+" * 40_000, "1 + " * 20_000, "1 + 1,1,1" * 10_000, "1%+" * 30_000, "1--" * 30_000,
        "1" * 80_000, "1" + " " * 80_000 + "+", "1+1=" * 20_000,
        "(" * 80_000, "(1)" * 30_000, "(1+" * 30_000, "=(" * 40_000, "1 " * 40_000,
        "$1+$" * 20_000, "1+1=1" + " " * 80_000,
    ],
)  # fmt: skip
def test_hostile_texts_take_bounded_time(hostile: str) -> None:
    """Texts made to send a pattern back and forth are read in one go."""
    began = time.process_time()
    wrong_sums(hostile)
    assert time.process_time() - began < 2


@pytest.mark.requirement("J1")
def test_evidence_stays_short() -> None:
    """At most five facts come out of one text, each once, and none about numbers that nobody can read."""
    assert len(wrong_sums("1 + 1 = 3. " * 50)) == 1
    assert len(wrong_sums(" ".join(f"{n} + 1 = 0." for n in range(1, 50)))) == 5
    assert wrong_sums(f"{'9' * 400} * {'9' * 400} = 5") == ()


@given(text=st.text(alphabet="0123456789,.+-*/=%$ €x()\n", max_size=120))
def test_any_text_is_read(text: str) -> None:
    """Whatever a model writes, there is a tuple of single lines and no error."""
    assert all("\n" not in fact for fact in wrong_sums(text))
