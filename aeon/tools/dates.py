"""Calendar dates and times of day: weekdays, distances, days ahead, how often a weekday comes, leap years."""

from __future__ import annotations

import calendar
import re
from datetime import date, datetime, timedelta
from typing import Annotated, Literal

from pydantic import Field

from aeon.errors import ToolArgumentError, ToolFailed
from aeon.tools.tool import Tool, tool

__all__ = ["dates", "is_date", "names_day", "read_date"]

Day = Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
Counted = Literal[
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "business days", "weekend days"
]
Year = Annotated[int, Field(ge=1, le=9999)]

_FORMS = ("%Y-%m-%d", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WEEK = {"business days": _DAYS[:5], "weekend days": _DAYS[5:]}
_DAY_FIRST = re.compile(rf"({'|'.join(_DAYS)}),? (?=\w)")
_quick = tool(side_effects=False, parallel_safe=True)
_TIME = re.compile(r"(\d{1,2})(?:[:.h](\d{2}))?\s*(?:(?:([ap])\.?m\.?|o'clock|h|uhr))?", re.IGNORECASE)
_NOON, _HOURS, _HOUR, _DAY = 12, 24, 60, 1440
_LONGEST = 40
_NO_YEAR = re.compile(r"\d{1,2}(?:st|nd|rd|th)? [A-Za-z]{3,9}|[A-Za-z]{3,9} \d{1,2}(?:st|nd|rd|th)?")
_COMMON_YEAR, _LEAP_YEAR = 2023, 2024
_ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b")


def dates() -> tuple[Tool, ...]:
    """Return the tools for dates of the Gregorian calendar, years 1 to 9999.

    They are ``weekday``, ``days_between``, ``add_days``, ``count_days``, ``nth_weekday`` and ``is_leap_year``, and for
    times of day ``hours_between``.
    """
    return *_single_days(), *_weeks_and_years(), _hours()


def _single_days() -> tuple[Tool, ...]:
    @_quick
    def weekday(day: str) -> str:
        """The day of the week of a date.

        Args:
            day: such as 2024-02-29 or February 29, 2024.
        """
        return _DAYS[read_date(day).weekday()]

    @_quick
    def days_between(first: str, last: str) -> int:
        """How many days lie from the first date to the last; the last one counts, the first does not.

        A date without a year is of the other one's; where both lack it, they are of the same one.

        Args:
            first: such as 2024-02-29.
            last: such as 2024-03-31.
        """
        return _days(first, last)

    @_quick
    def add_days(day: str, days: int) -> str:
        """The date so many days after a date; before it, if negative.

        Args:
            day: such as 2024-02-29.
            days: a whole number.
        """
        try:
            return (read_date(day) + timedelta(days=days)).isoformat()
        except OverflowError:
            raise ToolFailed("add_days: that day lies outside of the years 1 to 9999") from None

    return weekday, days_between, add_days


def _days(first: str, last: str) -> int:
    """The days from one date to another, of which one may lack its year, or both."""
    years = [read_date(text).year for text in (first, last) if not _NO_YEAR.fullmatch(text.strip())]
    counted = {(_of_year(last, year) - _of_year(first, year)).days for year in years or (_COMMON_YEAR, _LEAP_YEAR)}
    if len(counted) > 1 and not years:
        raise ToolArgumentError("a leap year would have another day between these; give the year")
    return counted.pop()


def _of_year(text: str, year: int) -> date:
    """The date of a text, of this year where it names none."""
    return read_date(f"{text.strip()} {year}" if _NO_YEAR.fullmatch(text.strip()) else text)


def names_day(value: object) -> bool:
    """Whether a value is a text that names a day, with its year or without."""
    return is_date(value) or (isinstance(value, str) and bool(_NO_YEAR.fullmatch(value)) and is_date(f"{value} 2024"))


def _hours() -> Tool:
    @_quick
    def hours_between(first: str, last: str) -> int | float:
        """How many hours lie from a time of day to the next such last one: from 22:00 to 6:30 it is 8.5.

        Args:
            first: such as 8:30 or 8.30 pm.
            last: such as 17:00.
        """
        minutes = (_minutes(last) - _minutes(first)) % _DAY
        return minutes // 60 if minutes % 60 == 0 else round(minutes / 60, 4)

    return hours_between


def _minutes(text: str) -> int:
    """The minutes since midnight of a time of day. Raises ``ToolArgumentError`` for any other text."""
    found = _TIME.fullmatch(text.strip())
    hour = _hour(int(found[1]), found[3] or "") if found else None
    minute = int(found[2] or 0) if found else 0
    if hour is None or minute >= _HOUR or (hour == _HOURS and minute):
        raise ToolArgumentError(f"{text[:40]!r} is no time of day; write it as 17:30")
    return hour * _HOUR + minute


def _hour(hour: int, half: str) -> int | None:
    """The hour of the day (0-24), ``a`` or ``p`` naming its half; ``None`` where there is none such."""
    if not half:
        return hour if hour <= _HOURS else None
    return hour % _NOON + (_NOON if half.lower() == "p" else 0) if 1 <= hour <= _NOON else None


def _weeks_and_years() -> tuple[Tool, ...]:
    @_quick
    def count_days(first: str, last: str, which: Counted) -> int:
        """How many days of a sort there are from the first date to the last; both count.

        Args:
            first: such as 2024-02-29.
            last: such as 2024-03-31.
            which: a day of the week, business days (Monday to Friday), or weekend days.
        """
        start, days = read_date(first), (read_date(last) - read_date(first)).days + 1
        if days < 1:
            raise ToolArgumentError("count_days: the last date lies before the first")
        weekdays = [_DAYS.index(day) for day in _WEEK.get(which, (which,))]
        weeks, rest = divmod(days, 7)
        return weeks * len(weekdays) + sum((start.weekday() + n) % 7 in weekdays for n in range(rest))

    @_quick
    def nth_weekday(year: Year, month: Annotated[int, Field(ge=1, le=12)], day: Day, n: int) -> str:
        """The date of the n-th such day of the week in a month, "none" where the month has not so many.

        Args:
            year: such as 2024.
            month: 1 to 12.
            day: a day of the week.
            n: 1 for the first, 2 for the second, and so on; -1 for the last.
        """
        first, days = calendar.monthrange(year, month)
        matches = range(1 + (_DAYS.index(day) - first) % 7, days + 1, 7)
        place = n - 1 if n > 0 else len(matches) + n
        return date(year, month, matches[place]).isoformat() if n and 0 <= place < len(matches) else "none"

    @_quick
    def is_leap_year(year: Year) -> bool:
        """Whether a year has a February 29.

        Args:
            year: such as 2024.
        """
        return calendar.isleap(year)

    return count_days, nth_weekday, is_leap_year


def read_date(text: str) -> date:
    """The date that a text such as ``2024-02-29``, ``February 29, 2024`` or ``Thursday, February 29th, 2024`` names.

    Raises ``ToolArgumentError`` for any other text, for a day that the calendar does not have, and for one that is
    another day of the week than the text says.
    """
    plain = " ".join(text.split())
    weekday = _DAY_FIRST.match(plain)
    bare = _ORDINAL.sub(r"\1", plain[weekday.end() :] if weekday else plain)
    for form in _FORMS:
        try:
            day = datetime.strptime(bare, form).date()
        except ValueError:
            continue
        if weekday and _DAYS[day.weekday()] != weekday[1]:
            raise ToolArgumentError(f"{plain[:40]!r}: {day.isoformat()} is a {_DAYS[day.weekday()]}")
        return day
    raise ToolArgumentError(f"{plain[:40]!r} is no date of the calendar; write it as 2024-02-29")


def is_date(value: object) -> bool:
    """Whether a value is a text that `read_date` reads."""
    if not isinstance(value, str) or len(value) > _LONGEST:
        return False
    try:
        read_date(value)
    except ToolArgumentError:
        return False
    return True
