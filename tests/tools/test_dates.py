"""Calendar dates."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.errors import ToolArgumentError, ToolFailed
from aeon.schema import JsonObject, JsonValue
from aeon.tools.dates import dates, read_date
from aeon.tools.registry import ToolRegistry

pytestmark = pytest.mark.requirement("K11")
REGISTRY = ToolRegistry(dates())


def call(name: str, **arguments: JsonValue) -> JsonValue:
    """What the tool of that name gives."""
    given: JsonObject = dict(arguments)
    return asyncio.run(REGISTRY.call(name, given)).value


@pytest.mark.parametrize(
    "text", ["2022-10-28", "October 28, 2022", "Oct 28, 2022", "28 October 2022", " October  28 2022 "]
)
def test_a_date_is_read_in_its_usual_forms(text: str) -> None:
    """Names of months are English."""
    assert read_date(text) == date(2022, 10, 28) and call("weekday", day=text) == "Friday"


@given(st.dates(), st.integers(-100_000, 100_000))
def test_days_ahead_and_days_between_fit_together(day: date, days: int) -> None:
    """Going so many days on and measuring the way gives the number again; beyond the calendar the call fails."""
    try:
        there = day + timedelta(days=days)
    except OverflowError:
        with pytest.raises(ToolFailed, match="years 1 to 9999"):
            call("add_days", day=day.isoformat(), days=days)
        return
    assert call("add_days", day=day.isoformat(), days=days) == there.isoformat()
    assert call("days_between", first=day.isoformat(), last=there.isoformat()) == days


@pytest.mark.parametrize("text", ["2023-02-29", "yesterday", "", "28.10.2022", "October 2022"])
def test_what_is_no_date_is_refused(text: str) -> None:
    """One line says how to write it."""
    with pytest.raises(ToolArgumentError, match="2024-02-29"):
        call("weekday", day=text)
