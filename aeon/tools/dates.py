"""Calendar dates: weekdays, distances, days ahead."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from aeon.errors import ToolArgumentError, ToolFailed
from aeon.tools.tool import Tool, tool

__all__ = ["dates", "read_date"]

_FORMS = ("%Y-%m-%d", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%B %d %Y")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def dates() -> tuple[Tool, ...]:
    """Return the tools ``weekday``, ``days_between`` and ``add_days``, in the Gregorian calendar, years 1 to 9999."""
    quick = tool(side_effects=False, parallel_safe=True)

    @quick
    def weekday(day: str) -> str:
        """The day of the week of a date.

        Args:
            day: such as 2024-02-29 or February 29, 2024.
        """
        return _DAYS[read_date(day).weekday()]

    @quick
    def days_between(first: str, last: str) -> int:
        """How many days lie from the first date to the last; the last one counts, the first does not.

        Args:
            first: such as 2024-02-29.
            last: such as 2024-03-31.
        """
        return (read_date(last) - read_date(first)).days

    @quick
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


def read_date(text: str) -> date:
    """The date that a text such as ``2024-02-29`` or ``February 29, 2024`` names.

    Raises ``ToolArgumentError`` for any other text and for a day that the calendar does not have.
    """
    plain = " ".join(text.split())
    for form in _FORMS:
        try:
            return datetime.strptime(plain, form).date()
        except ValueError:
            continue
    raise ToolArgumentError(f"{plain[:40]!r} is no date of the calendar; write it as 2024-02-29")
