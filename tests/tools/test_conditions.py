"""Conditions on the rows of a table, written as one text."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.errors import ToolArgumentError
from aeon.tools.tables import conditions


@pytest.mark.parametrize("sign", ["=", "!=", "<", "<=", ">", ">="])
@pytest.mark.parametrize("space", ["", " ", "   "])
def test_each_comparison(sign: str, space: str) -> None:
    """Each sign is read, with and without spaces around it."""
    assert conditions(f"weight{space}{sign}{space}10") == [("weight", sign, "10")]


def test_other_ways_to_write_a_comparison() -> None:
    """Signs of programming languages mean the same, and ``contains`` may be in capitals."""
    assert conditions("a == 1") == [("a", "=", "1")]
    assert conditions("a <> 1") == [("a", "!=", "1")]
    assert conditions("a CONTAINS b") == [("a", "contains", "b")]


@pytest.mark.parametrize("joint", [" and ", " AND ", "  and\n", " && ", "&&", " & ", ";", " ; "])
def test_several_conditions(joint: str) -> None:
    """Conditions are joined by *and*, by ampersands or by semicolons."""
    text = joint.join(["city = New York", "weight >= 10", "note contains fragile"])
    assert conditions(text) == [("city", "=", "New York"), ("weight", ">=", "10"), ("note", "contains", "fragile")]


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_no_conditions(text: str) -> None:
    """An empty text asks for nothing."""
    assert conditions(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\"Unit price\" > '3'", ("Unit price", ">", "3")),
        ("`a` contains `b`", ("a", "contains", "b")),
        ('a = "x and y = z; w & v"', ("a", "=", "x and y = z; w & v")),
        ('"profit and loss" = 3', ("profit and loss", "=", "3")),
        ('"a<b" = 3', ("a<b", "=", "3")),
        ('a = ""', ("a", "=", "")),
        ("a = O'Brien", ("a", "=", "O'Brien")),
        ("a = 'O'Brien'", ("a", "=", "O'Brien")),
        ("a = 'O''Brien'", ("a", "=", "O'Brien")),
        ('a = 5" pipe', ("a", "=", '5" pipe')),
        ("a = '", ("a", "=", "'")),
        ("contains gluten = yes", ("contains gluten", "=", "yes")),
        ("note = it contains nuts", ("note", "=", "it contains nuts")),
    ],
)
def test_quotes_and_words(text: str, expected: tuple[str, str, str]) -> None:
    """Within quotes nothing has a meaning; an apostrophe opens none, and words are words where they must be."""
    assert conditions(text) == [expected]


def test_quoted_conditions_are_joined() -> None:
    """Quotes of one condition do not reach into the next."""
    assert conditions("a = 'x' and 'b' != 'y' and c = \"z\"") == [("a", "=", "x"), ("b", "!=", "y"), ("c", "=", "z")]


def test_what_follows_and_but_is_no_condition_belongs_to_the_value() -> None:
    """``salt and pepper`` is one value, before and behind other conditions."""
    assert conditions("p = salt and pepper and chili") == [("p", "=", "salt and pepper and chili")]
    assert conditions("p = salt and pepper and n > 3") == [("p", "=", "salt and pepper"), ("n", ">", "3")]
    assert conditions("n > 3; p = R&D") == [("n", ">", "3"), ("p", "=", "R&D")]


@pytest.mark.parametrize(
    "text",
    [
        "big ones",
        "big ones and a = 1",
        "= 3",
        "a =",
        "a contains",
        "contains x",
        "a => 3",
        "1 < a < 3",
        "a > 1 or a < 3",
        "a != 'Rome' or a != 'Paris'",
        "a != 'Rome' or 'Paris'",
        "a != Rome and Paris",
        "a >= 10 and more",
        'a = "x" and y',
        "and",
        ";",
    ],
)
def test_what_can_be_misread_is_refused(text: str) -> None:
    """A part that is no condition is refused, and so is one that would silently select the wrong rows."""
    with pytest.raises(ToolArgumentError, match="is no condition; write: city = Rome and weight >= 10, with quotes"):
        conditions(text)


def test_a_refusal_shows_the_part_in_short() -> None:
    """A refusal stays short."""
    with pytest.raises(ToolArgumentError) as caught:
        conditions("x" * 3_000)
    assert len(str(caught.value)) < 250


def test_a_longer_text_is_refused() -> None:
    """No conditions need more than four thousand characters."""
    with pytest.raises(ToolArgumentError, match="5,004 characters are too long"):
        conditions("a = " + "x" * 5_000)


PIECES = [*" a'\"`=<>!&;\n", "!=", " and ", "and", " contains ", "= '", "' and "]


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.integers(1, 4_000), st.text(max_size=5))
def test_hostile_text_is_read_in_bounded_time(unit: str, times: int, end: str) -> None:
    """Whatever is written gives conditions with a column each, or an argument error, and soon."""
    text = (unit * times)[: 4_000 - len(end)] + end
    began = time.process_time()
    with suppress(ToolArgumentError):
        assert all(column for column, _, _ in conditions(text))
    assert time.process_time() - began < 1


@given(st.text().map(str.strip).filter(lambda value: "'" not in value), st.sampled_from(["=", "!=", "<", "contains"]))
def test_any_text_can_be_quoted(value: str, comparison: str) -> None:
    """A value in quotes comes back as it is, whatever it says."""
    assert conditions(f"a {comparison} '{value}' and b = 1") == [("a", comparison, value), ("b", "=", "1")]
