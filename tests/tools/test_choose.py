"""A choice between two values."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.errors import ToolArgumentError
from aeon.schema import JsonValue
from aeon.tools.calculator import calculator
from aeon.tools.choose import CHOOSE, choose
from aeon.tools.registry import ToolRegistry

pytestmark = pytest.mark.requirement("T1")
REGISTRY = ToolRegistry([calculator(), choose()])


def call(**arguments: JsonValue) -> JsonValue:
    """What the tool gives."""
    return asyncio.run(REGISTRY.call(CHOOSE, dict(arguments))).value


@given(
    st.booleans(),
    st.text("aB é$1", max_size=20) | st.integers(),
    st.none() | st.floats(allow_nan=False, allow_infinity=False),
)
def test_one_of_two_values_is_given(condition: bool, yes: JsonValue, no: JsonValue) -> None:
    """The first where the condition holds, else the second, each as it is."""
    assert call(condition=condition, yes=yes, no=no) == (yes if condition else no)


@pytest.mark.parametrize("condition", [1, 0, "true", "", None, [], 0.5])
def test_only_true_and_false_decide(condition: JsonValue) -> None:
    """What may be taken for one of them is refused."""
    with pytest.raises(ToolArgumentError, match="neither true nor false"):
        call(condition=condition, yes="a", no="b")


@pytest.mark.parametrize(
    "arguments", [{}, {"condition": True, "yes": 1}, {"condition": True, "yes": 1, "no": 2, "x": 3}]
)
def test_all_three_arguments_are_needed(arguments: dict[str, JsonValue]) -> None:
    """Fewer or more are refused."""
    with pytest.raises(ToolArgumentError):
        call(**arguments)


@pytest.mark.requirement("G5")
def test_no_prompt_names_it() -> None:
    """It is there for programs, and neither listed nor offered; a wrong name is not answered with it."""
    assert CHOOSE in REGISTRY.names and REGISTRY.offered == ("calculator",)
    assert CHOOSE not in REGISTRY.describe()
