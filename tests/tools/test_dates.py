"""Calendar dates."""

from __future__ import annotations

import asyncio
from calendar import monthrange
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
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def call(name: str, **arguments: JsonValue) -> JsonValue:
    """What the tool of that name gives."""
    given: JsonObject = dict(arguments)
    return asyncio.run(REGISTRY.call(name, given)).value


@pytest.mark.parametrize(
    "text",
    [
        "2022-10-28",
        "October 28, 2022",
        "Oct 28, 2022",
        "28 October 2022",
        " October  28 2022 ",
        "October 28th, 2022",
        "28.10.2022",
        "28. Oktober 2022",
        "28 octobre 2022",
        "28 de octubre de 2022",
        "2022年10月28日",
    ],
)
def test_a_date_is_read_in_its_usual_forms(text: str) -> None:
    """In any of the languages whose months are known."""
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


@pytest.mark.parametrize(
    ("first", "last", "days"),
    [
        ("3 November", "21 November", 18),
        ("3 November", "21 November 2025", 18),
        ("2025-11-03", "Nov 21st", 18),
        ("February 3", "March 4, 2024", 30),
        ("21 November", "3 November", -18),
    ],
)
def test_a_date_without_its_year_is_of_the_other_ones(first: str, last: str, days: int) -> None:
    """Two without a year are of the same one, which need not be known."""
    assert call("days_between", first=first, last=last) == days


def test_a_leap_year_has_to_be_named() -> None:
    """Where it makes a difference."""
    with pytest.raises(ToolArgumentError, match="give the year"):
        call("days_between", first="3 February", last="4 March")


@pytest.mark.parametrize(
    "text", ["2023-02-29", "yesterday", "", "3/4/2022", "Friday, October 28, 2022", "October 2022", "Friday"]
)
def test_what_is_no_date_is_refused(text: str) -> None:
    """One line says how to write it."""
    with pytest.raises(ToolArgumentError, match="2024-02-29"):
        call("weekday", day=text)


@pytest.mark.parametrize(
    ("first", "last", "hours"),
    [
        ("9:00", "16:00", 7),
        ("8:30", "17:00", 8.5),
        ("22:00", "6:30", 8.5),
        ("8.30 pm", "9 p.m.", 0.5),
        ("12 am", "12 pm", 12),
        ("9", "9:20", 0.3333),
        ("7h", "24:00", 17),
        ("10 h", "10:00", 0),
    ],
)
def test_hours_from_one_time_of_day_to_the_next(first: str, last: str, hours: float) -> None:
    """Over midnight too; in the usual forms."""
    assert call("hours_between", first=first, last=last) == hours


@pytest.mark.parametrize("text", ["25:00", "9:75", "13 pm", "0 am", "noon", "", "2024-02-29", "24:30"])
def test_what_is_no_time_of_day_is_refused(text: str) -> None:
    """One line says how to write it."""
    with pytest.raises(ToolArgumentError, match="17:30"):
        call("hours_between", first="9:00", last=text)


@given(st.dates(), st.integers(0, 800), st.data())
def test_days_of_a_sort_are_counted_with_both_ends(first: date, length: int, data: st.DataObject) -> None:
    """The count is that of going through the days one by one; a last date before the first is refused."""
    try:
        last = first + timedelta(days=length)
    except OverflowError:
        return
    sorts = {**{day: {n} for n, day in enumerate(_DAYS)}, "business days": set(range(5)), "weekend days": {5, 6}}
    which = data.draw(st.sampled_from(sorted(sorts)))
    days = [first + timedelta(days=n) for n in range(length + 1)]
    counted = call("count_days", first=first.isoformat(), last=last.isoformat(), which=which)
    assert counted == sum(day.weekday() in sorts[which] for day in days)
    if length > 0:
        with pytest.raises(ToolArgumentError, match="before the first"):
            call("count_days", first=last.isoformat(), last=first.isoformat(), which=which)


@given(st.integers(1, 9999), st.integers(1, 12), st.sampled_from(range(7)))
def test_the_nth_weekday_is_found_from_either_end(year: int, month: int, weekday: int) -> None:
    """Every such day of the month has its number, counted from the start and from the end; there are no others."""
    days = [date(year, month, n) for n in range(1, monthrange(year, month)[1] + 1)]
    there = [day.isoformat() for day in days if day.weekday() == weekday]
    ask = {"year": year, "month": month, "day": _DAYS[weekday]}
    assert [call("nth_weekday", n=n, **ask) for n in range(1, 7)] == [*there, "none", "none"][:6]
    assert [call("nth_weekday", n=-n, **ask) for n in range(1, 7)] == [*reversed(there), "none", "none"][:6]
    assert call("nth_weekday", n=0, **ask) == "none"


@pytest.mark.parametrize(("year", "leap"), [(1900, False), (1974, False), (2000, True), (2060, True)])
def test_a_leap_year_has_a_29th_of_february(year: int, leap: bool) -> None:
    """Centuries are leap years only every 400 years."""
    assert call("is_leap_year", year=year) is leap
