"""Days and times as people write them: by their shape, with one order of day and month for a column."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import cache

from aeon.tables.locales import months
from aeon.tables.shapes import ascii_digits, shape

__all__ = ["ORDERS", "Order", "is_day", "is_moment", "is_short", "orders", "read_day"]

Order = str
"""``ymd``, ``dmy`` or ``mdy``."""
ORDERS: tuple[Order, ...] = ("ymd", "dmy", "mdy")

_YEAR_FIRST = re.compile(r"9{4}(?P<mark>[-/.])9{1,2}(?P=mark)9{1,2}|9{4}年9{1,2}月9{1,2}日|9{4}년 ?9{1,2}월 ?9{1,2}일")
_YEAR_LAST = re.compile(r"9{1,2}([-/.] ?)9{1,2}\1(?:9{4}|99)")
_WORDED = re.compile(
    r"(?:[^\W\d_]{2,12}[.,]{0,2} )?"
    r"(?:9{1,2}[^\W\d_]{0,2}[º°]?\.?[ -](?:[^\W\d_]{1,3} )?"
    r"(?P<word>[^\W\d_]{3,12})\.?,?[ -](?:[^\W\d_]{1,3} )?(?:9{4}|99)"
    r"|(?P<first>[^\W\d_]{3,12})\.? 9{1,2}[^\W\d_]{0,2},? 9{4})"
)
_MOMENT = re.compile(r"9{4}-99-99[T ]99:99(?::99(?:\.9{3}|\.9{6})?)?Z?")
_SHORT, _LAST = 100, 68
"""Years of two digits are those up to 2068, and then those from 1969 on, as POSIX has it."""


@cache
def is_day(text: str) -> bool:
    """Whether cells of this shape may be days."""
    if _YEAR_FIRST.fullmatch(text) or _YEAR_LAST.fullmatch(text):
        return True
    return _month(text) > 0


def is_moment(text: str) -> bool:
    """Whether cells of this shape are days with a time."""
    return _MOMENT.fullmatch(text) is not None


def read_day(cell: str, order: Order) -> date | None:
    """The day that a cell says where numbers stand in this order; a year of two digits is one from 1969 to 2068."""
    numbers = [int(number) for number in re.findall(r"\d+", ascii_digits(cell))]
    text = shape(cell)
    try:
        if _YEAR_FIRST.fullmatch(text):
            return date(*numbers)
        if _YEAR_LAST.fullmatch(text):
            first, second, year = numbers
            day, month = (second, first) if order == "mdy" and "." not in text else (first, second)
            return date(_whole(year), month, day)
        if named := _month(text):
            return date(_whole(numbers[1]), named, numbers[0])
    except ValueError:
        return None
    return None


def is_short(text: str) -> bool:
    """Whether the year of a day of this shape has two digits."""
    return is_day(text) and "9999" not in text


def orders(cells: Iterable[str]) -> frozenset[Order]:
    """The orders in which all of the cells are days; one alone where they do not depend on it."""
    every = [*cells]
    found = [order for order in ("dmy", "mdy") if all(read_day(cell, order) for cell in every)]
    if len(found) > 1 and all(read_day(cell, "dmy") == read_day(cell, "mdy") for cell in every):
        return frozenset({"dmy"})
    return frozenset(found)


def _month(text: str) -> int:
    """The number of the month that a day in words names, 0 where there is none."""
    match = _WORDED.fullmatch(text)
    return months().get((match["word"] or match["first"]).casefold(), 0) if match else 0


def _whole(year: int) -> int:
    return year if year >= _SHORT else year + (2000 if year <= _LAST else 1900)
