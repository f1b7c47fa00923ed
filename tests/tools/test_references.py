"""References in arguments."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.errors import ToolArgumentError
from aeon.tools.calculator import evaluate
from aeon.tools.references import references, substitute

ids = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)
plain = st.text().filter(lambda text: "$" not in text)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


def test_references_are_found_in_order_and_once() -> None:
    """Every id is named once, in order of appearance, at any depth, and amounts of money are none."""
    value = {"b": "$s2 and $s1", "a": ["$s12r2", {"$key": "$s1"}], "c": "$5 and $S1"}
    assert references(value) == ("s2", "s1", "s12r2")


def test_a_whole_reference_keeps_its_type() -> None:
    """A text that is one reference becomes the output itself."""
    assert substitute({"a": "$s1", "b": [" $s2 "]}, {"s1": [1], "s2": None}) == {"a": [1], "b": [None]}


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (3, "3 * 2"),
        (-3, "(-3) * 2"),
        (2.5, "2.5 * 2"),
        (-2.5, "(-2.5) * 2"),
        ("1/3", "(1/3) * 2"),
        ("-7", "(-7) * 2"),
        (True, "true * 2"),
        ("North", "North * 2"),
        ("-rf", "-rf * 2"),
        ("$s2", "$s2 * 2"),
    ],
)
def test_scalars_inside_a_text(output, text) -> None:  # type: ignore[no-untyped-def]
    """Scalars are written out; negative numbers and fractions are safe to calculate with; nothing is filled twice."""
    assert substitute({"e": "$s1 * 2"}, {"s1": output, "s2": 9}) == {"e": text}


@pytest.mark.parametrize("output", [[1], {"a": 1}, None, "two\nlines", "x" * 201, 10**300])
def test_what_is_no_short_scalar_does_not_fit_inside_a_text(output) -> None:  # type: ignore[no-untyped-def]
    """Lists, objects, null and long texts inside a longer text are an error, so that arguments are written anew."""
    with pytest.raises(ToolArgumentError, match=r"\$s1"):
        substitute({"e": "use $s1"}, {"s1": output})


def test_what_names_no_output_stays() -> None:
    """A dollar sign may just stand in a text, alone and beside a reference."""
    assert substitute({"a": "$s9", "b": "$s9 and $s1"}, {"s1": 1}) == {"a": "$s9", "b": "$s9 and 1"}


def test_too_deep_arguments_are_a_tool_error() -> None:
    """Nesting beyond reason is a typed error."""
    deep: list[object] = []
    for _ in range(500):
        deep = [deep]
    with pytest.raises(ToolArgumentError, match="nested"):
        substitute({"a": deep}, {})  # type: ignore[dict-item]


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_substitution_without_references_changes_nothing(arguments) -> None:  # type: ignore[no-untyped-def]
    """Arguments that refer to nothing come back as they are."""
    if not references(arguments):
        assert substitute(arguments, {}) == arguments


@given(st.lists(ids, min_size=1, max_size=4), plain)
def test_every_reference_is_found_and_filled(names, between) -> None:  # type: ignore[no-untyped-def]
    """What references finds is just what substitute needs."""
    separator = f" {between} "
    text = separator.join(f"${name}" for name in names)
    assert references([text]) == tuple(dict.fromkeys(names))
    filled = substitute({"a": text + " ."}, dict.fromkeys(names, 7))
    assert filled["a"] == separator.join("7" for _ in names) + " ."


@given(
    st.integers(-1000, 1000) | st.floats(-1000, 1000).map(lambda f: round(f, 3)),
    st.sampled_from(["$s1 * 2", "2 - $s1", "$s1 ^ 2"]),
)
def test_substituted_numbers_calculate_right(number, expression) -> None:  # type: ignore[no-untyped-def]
    """An expression with a number put in has the value it would have with a variable."""
    text = str(substitute({"e": expression}, {"s1": number})["e"])
    exact = Fraction(re.sub(r"[()]", "", str(number)))
    assert evaluate(text) == {"$s1 * 2": exact * 2, "2 - $s1": 2 - exact, "$s1 ^ 2": exact**2}[expression]
