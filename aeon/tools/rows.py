"""The rows that a query gives, as a plain JSON value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from aeon.schema.frozen import JsonObject, JsonValue
from aeon.tables.naming import unique

__all__ = ["display", "json_rows", "json_value"]

_DIGITS = 12
_MOST_DIGITS = 15
_WHOLE = 10**15
_LONGEST_DISPLAY = 40


def json_rows(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> JsonValue:
    """Return one cell as its value, one column as a list, one row as an object, and else a list of objects.

    No rows are an empty list. A second column of a name gets a number.
    """
    if not rows:
        return []
    if len(columns) == 1:
        values = [json_value(row[0]) for row in rows]
        return values[0] if len(values) == 1 else values
    names = unique(columns)
    objects: list[JsonValue] = [_object(names, row) for row in rows]
    return objects[0] if len(objects) == 1 else objects


def _object(names: Sequence[str], row: Sequence[object]) -> JsonObject:
    return {name: json_value(value) for name, value in zip(names, row, strict=True)}


def json_value(value: object) -> JsonValue:
    """Return one of DuckDB's values: days as ISO text, whole days between two as a number, infinity as nothing.

    A decimal is exact. A double is rounded to 12 digits, or to two places where that is more, so that a sum of 0.1
    and 0.2 is 0.3.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case Decimal() | float():
            return _number(value)
        case datetime() | date() | time() | timedelta():
            return _moment(value)
        case Mapping():
            return {str(key): json_value(inner) for key, inner in value.items()}
        case list() | tuple():
            return [json_value(inner) for inner in value]
        case bytes():
            return value.decode("utf-8", "replace")
        case _:
            return str(value)


def _number(value: Decimal | float) -> int | float | None:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if not math.isfinite(value):
        return None
    if value.is_integer() and abs(value) < _WHOLE:
        return int(value)
    whole = len(str(int(abs(value)))) if abs(value) < _WHOLE else _MOST_DIGITS
    rounded = float(f"{value:.{min(max(_DIGITS, whole + 2), _MOST_DIGITS)}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < _WHOLE else rounded


def _moment(value: date | time | timedelta) -> JsonValue:
    if isinstance(value, timedelta):
        return value.days if value == timedelta(days=value.days) else str(value)
    if isinstance(value, datetime) and value.time() == time() and value.tzinfo is None:
        return value.date().isoformat()
    return value.isoformat()


def display(value: object) -> str:
    """Return a value as a short text for a prompt, texts in quotes as SQL writes them."""
    plain = json_value(value)
    if plain is None:
        return "NULL"
    text = " ".join(str(plain).split())
    cut = text if len(text) <= _LONGEST_DISPLAY else text[: _LONGEST_DISPLAY - 1] + "…"
    return f"'{cut}'" if isinstance(plain, str) else cut
