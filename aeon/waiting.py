"""How long a server asks to wait, in whatever header it says so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["MOST_RESET", "asked_wait"]

MOST_RESET = 60.0
"""Seconds that a time of reset is waited for at most: budgets fill up steadily, and nobody needs a full one."""

_RESET_PARTS = {"ratelimit", "reset"}
"""Parts of the names of headers that say when a budget of requests or tokens is full again."""
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+")
_PIECE = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_LEAST_EPOCH = 1e9
_LEAST_EPOCH_MS = 1e12


def asked_wait(headers: Mapping[str, str], limited: bool) -> float | None:
    """Seconds to wait; ``None`` if no header says how long.

    ``retry-after-ms`` comes before ``Retry-After`` (a number or a date, RFC 9110 §10.2.3). Where requests are
    ``limited``, the times at which budgets are full again count after these, at most `MOST_RESET`: the latest of those
    budgets that are used up, else the earliest.
    Dates count from the response's own ``Date``, so that a clock that is wrong does no harm, and else from now.
    """
    then = _date(headers.get("date", "")) or datetime.now(UTC)
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1_000
    wait = _seconds(headers.get("retry-after"), then)
    return wait if wait is not None or not limited else _until_reset(headers, then)


def _until_reset(headers: Mapping[str, str], now: datetime) -> float | None:
    resets = {name.lower(): value for name, value in headers.items() if {*name.lower().split("-")} >= _RESET_PARTS}
    waits = {name: wait for name, value in resets.items() if (wait := _seconds(value, now)) is not None}
    spent = [wait for name, wait in waits.items() if _number(headers.get(name.replace("reset", "remaining"))) == 0]
    wait = max(spent) if spent else min(waits.values(), default=None)
    return None if wait is None else min(wait, MOST_RESET)


def _seconds(value: str | None, now: datetime) -> float | None:
    """A number of seconds, a duration such as ``6m0s``, a time since 1970, or a date, as seconds from now on."""
    text = (value or "").strip()
    number = _number(text)
    if number is not None:
        return _from_epoch(number, now)
    if _DURATION.fullmatch(text):
        return sum(float(count) * _UNITS[unit] for count, unit in _PIECE.findall(text))
    when = _date(text)
    return None if when is None else max(0.0, (when - now).total_seconds())


def _from_epoch(number: float, now: datetime) -> float:
    if number < _LEAST_EPOCH:
        return number
    seconds = number / 1_000 if number >= _LEAST_EPOCH_MS else number
    return max(0.0, seconds - now.timestamp())


def _number(text: str | None) -> float | None:
    """A finite number of at least 0."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return max(0.0, number) if number < float("inf") else None


def _date(text: str) -> datetime | None:
    """The text as a date of HTTP, or of ISO 8601; without a zone it is UTC."""
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            when = read(text)
            return when if when.tzinfo else when.replace(tzinfo=UTC)
        except (ValueError, OverflowError, TypeError, IndexError):
            continue
    return None
