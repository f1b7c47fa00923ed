"""The decorator and what it makes of a function."""

from __future__ import annotations

from datetime import date
from threading import Event
from typing import Literal

import pytest

from aeon.errors import ConfigError, UsageError
from aeon.tools.tool import Tool, tool


@tool
def weather(city: str, days: int = 1) -> str:
    """Tell the weather of a city.

    More words that the planner does not need.

    Args:
        city: The city's name,
            in English.
        days (int): How many days.

    Returns:
        other: not a parameter.
    """
    return f"{city} {days}"


def test_bare_decorator_gives_name_description_and_schema() -> None:
    """A typed function with a docstring needs nothing more to become a tool."""
    assert weather.name == "weather"
    assert weather.description == "Tell the weather of a city."
    assert weather.parameters == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "The city's name, in English."},
            "days": {"type": "integer", "description": "How many days.", "default": 1},
        },
        "required": ["city"],
        "additionalProperties": False,
    }
    assert (weather.side_effects, weather.parallel_safe) == (True, False)


def test_options_are_kept() -> None:
    """The decorator with options sets them on the tool and keeps the function callable."""

    @tool(name="pick", side_effects=False, parallel_safe=True, timeout=2, hint="a\nb")
    def choose(colour: Literal["red", "blue"]) -> str:
        """Choose a colour."""
        return colour

    assert (choose.name, choose.timeout, choose.hint) == ("pick", 2, "a\nb")
    assert (choose.side_effects, choose.parallel_safe) == (False, True)
    assert choose.call(colour="red") == "red"
    assert choose.parameters["properties"] == {"colour": {"type": "string", "enum": ["red", "blue"]}}


def test_host_filled_parameters_are_not_in_the_schema() -> None:
    """What the host fills is never shown to the model."""

    @tool
    def pay(amount: float, idempotency_key: str) -> str:
        """Pay."""
        return f"{amount} {idempotency_key}"

    assert list(pay.parameters["properties"]) == ["amount"]  # type: ignore[arg-type]
    assert pay.takes_key


def test_arguments_are_turned_into_the_hinted_types() -> None:
    """A date in the signature is a date in the function, though JSON has only text."""

    @tool
    def weekday(day: date) -> int:
        """Tell the weekday."""
        return day.weekday()

    assert weekday.prepare is not None
    assert weekday.prepare({"day": "2024-02-29"}) == {"day": date(2024, 2, 29)}


def _no_docstring(text: str) -> str:
    return text


def _no_types(text):  # type: ignore[no-untyped-def]
    """Have no types."""
    return text


def _star(*texts: str) -> str:
    """Take many."""
    return "".join(texts)


def _double_star(**texts: str) -> str:
    """Take any."""
    return "".join(texts)


def _positional(text: str, /) -> str:
    """Take it by position."""
    return text


def _no_json(value: Event) -> str:
    """Take a class."""
    return str(value)


def _taken_name(idempotency_key: list[str]) -> str:
    """Use a name that the host fills."""
    return "".join(idempotency_key)


def _unknown_type(value: Missing) -> str:  # type: ignore[name-defined]  # noqa: F821
    """Name a type that is nowhere."""
    return str(value)


@pytest.mark.parametrize(
    ("function", "word"),
    [
        (_no_docstring, "docstring"),
        (_no_types, "no type"),
        (_star, "keyword"),
        (_double_star, "keyword"),
        (_positional, "keyword"),
        (_no_json, "value"),
        (_taken_name, "idempotency_key"),
        (_unknown_type, "Missing"),
    ],
)
def test_unusable_signature_is_a_usage_error_of_one_line(function, word) -> None:  # type: ignore[no-untyped-def]
    """A function that cannot be a tool is refused where it is decorated, with the reason."""
    with pytest.raises(ConfigError, match=word) as caught:
        tool(function)
    assert isinstance(caught.value, UsageError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "no spaces"},
        {"timeout": 0.0},
        {"parameters": {"type": "string"}},
        {"parameters": {"type": "object", "required": 3}},
    ],
)
def test_tool_checks_its_own_fields(changes) -> None:  # type: ignore[no-untyped-def]
    """A tool made by hand is checked like a decorated one."""
    fields = {"name": "t", "description": "d", "parameters": {"type": "object"}, "call": lambda: 1} | changes
    with pytest.raises(ConfigError):
        Tool(**fields)


def test_a_tool_can_be_hashed() -> None:
    """Tools can be put into sets."""
    assert len({weather, weather}) == 1
