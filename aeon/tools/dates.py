"""Calendar dates and times of day: weekdays, distances, days ahead, how often a weekday comes, leap years."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta
from typing import Annotated, Literal

from pydantic import Field

from aeon.errors import ToolArgumentError, ToolFailed
from aeon.language.dates import read_days
from aeon.tools.tool import Tool, tool

__all__ = ["dates", "is_date", "is_day", "read_date"]

Day = Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
Counted = Literal[
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "business days", "weekend days"
]
Year = Annotated[int, Field(ge=1, le=9999)]

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WEEK = {"business days": _DAYS[:5], "weekend days": _DAYS[5:]}
_quick = tool(side_effects=False, parallel_safe=True)
_TIME = re.compile(r"(\d{1,2})(?:[:.h](\d{2}))?\s*(?:([ap])\.?m\.?|h)?", re.IGNORECASE)
_NOON, _HOURS, _HOUR, _DAY = 12, 24, 60, 1440
_LONGEST = 40
_COMMON_YEAR, _LEAP_YEAR = 2023, 2024


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
    years = [found.year for text in (first, last) if (found := _day(text)) is not None]
    counted = {(_of_year(last, year) - _of_year(first, year)).days for year in years or (_COMMON_YEAR, _LEAP_YEAR)}
    if len(counted) > 1 and not years:
        raise ToolArgumentError("a leap year would have another day between these; give the year")
    return counted.pop()


def _of_year(text: str, year: int) -> date:
    """The date of a text, of this year where it names none."""
    return _day(text, year) or read_date(text)


def is_day(value: object) -> bool:
    """Whether a value is a text that names a day, with its year or without."""
    return isinstance(value, str) and len(value) <= _LONGEST and bool(read_days(value, _LEAP_YEAR))


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
    """The date that a text such as ``2024-02-29``, ``February 29th, 2024`` or ``29. Februar 2024`` is.

    Raises ``ToolArgumentError`` for any other text, for a day that the calendar does not have, and for one that may be
    two days, such as 3/4/2024.
    """
    found = _day(text)
    if found is None:
        raise ToolArgumentError(f"{' '.join(text.split())[:40]!r} is no date of the calendar; write it as 2024-02-29")
    return found


def _day(text: str, year: int | None = None) -> date | None:
    """The only day that a text may be; of ``year`` where it names none."""
    found = read_days(" ".join(text[:_LONGEST].split()), year)
    return date.fromisoformat(min(found)) if len(found) == 1 else None


def is_date(value: object) -> bool:
    """Whether a value is a text that `read_date` reads."""
    return isinstance(value, str) and len(value) <= _LONGEST and _day(value) is not None
