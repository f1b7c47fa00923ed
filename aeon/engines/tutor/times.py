"""The time that a line of a log begins with, and what a log says of its clock."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["CLOCK", "Moment", "clock", "moment"]

CLOCK = "clock:"
"""What a line holds that says how fast the clock of its file is: ``clock: +37 s``."""
_TIME = re.compile(
    r"\W{0,3}(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?(Z|[+-]\d\d:?\d\d)?(?![\d:])", re.ASCII
)
_FAST = re.compile(r"\s*([+-])(\d{1,9})(?:\.(\d{1,6}))?\s*s\s*", re.ASCII)
_SECOND = 1_000_000


class Moment(NamedTuple):
    """Microseconds since 1 March of the year 0; of UTC where a zone is written."""

    zoned: bool
    microseconds: int


def moment(line: str) -> Moment | None:
    """The day and time that a line begins with, if it does."""
    match = _TIME.match(line)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second <= 60):
        return None
    seconds = _days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - _zone(match[8])
    return Moment(match[8] is not None, seconds * _SECOND + _fraction(match[7]))


def clock(line: str) -> int | None:
    """How many microseconds a clock is fast, if the line says so."""
    before, _, said = line.partition(CLOCK)
    match = _FAST.fullmatch(said)
    if match is None or re.search(r"\w", before, re.ASCII):
        return None
    fast = int(match[2]) * _SECOND + _fraction(match[3])
    return fast if match[1] == "+" else -fast


def _days(year: int, month: int, day: int) -> int:
    """Days since 1 March of the year 0 in the Gregorian calendar, with the year taken to begin in March."""
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 1


def _zone(text: str | None) -> int:
    """Seconds that a zone is ahead of UTC."""
    if text is None or text == "Z":
        return 0
    seconds = int(text[1:3]) * 3_600 + int(text[-2:]) * 60
    return seconds if text[0] == "+" else -seconds


def _fraction(digits: str | None) -> int:
    """Microseconds of the digits behind a decimal sign."""
    return int((digits or "0").ljust(6, "0"))
