"""What a column of a table holds, which aggregates it has by that, and how a value of it is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

__all__ = ["DAY", "Aggregate", "ColumnKind", "aggregate_fault", "condition_fault"]

Aggregate = Literal["sum", "avg", "min", "max", "count"]
ColumnKind = Literal["number", "day", "truth", "text", "other"]
"""``day`` is one with or without a time of day, ``truth`` true or false, ``other`` what no file of texts has."""

DAY = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?)?", re.ASCII)
"""A day, and its hours and minutes, seconds, and parts of a second, if it has any."""
_NUMBER = re.compile(r"-?(?:(?:0|[1-9][0-9]{0,19})(?:\.[0-9]{1,18})?|[1-9][0-9]{0,37})")
_HELD: Mapping[ColumnKind, str] = {
    "number": "numbers", "day": "days", "truth": "true or false", "text": "texts", "other": "values of another kind",
}  # fmt: skip
_NAMES: Mapping[Aggregate, str] = {
    "sum": "sum", "avg": "average", "min": "least", "max": "greatest", "count": "number",
}  # fmt: skip
_HAS: Mapping[ColumnKind, tuple[Aggregate, ...]] = {
    "number": ("sum", "avg", "min", "max", "count"), "day": ("min", "max", "count"), "truth": ("count",),
    "text": ("count",), "other": ("count",),
}  # fmt: skip
"""Texts have no least one, also where they look like numbers: their order is that of letters."""
_WRITTEN: Mapping[ColumnKind, tuple[re.Pattern[str], str]] = {
    "number": (_NUMBER, "a number such as 12 or -1.5"),
    "day": (DAY, "a day such as 2025-03-31"),
    "truth": (re.compile("true|false", re.IGNORECASE), "true or false"),
    "text": (re.compile(r"\S(?:.*\S)?", re.DOTALL), "a text without spaces around it"),
    "other": (re.compile("(?!)"), "nothing by which rows can be chosen"),
}


def aggregate_fault(column: str, kind: ColumnKind, aggregate: Aggregate) -> str:
    """Why a column of this kind has no such aggregate; "" where it has one."""
    lacks = f"{_short(column)} holds {_HELD[kind]}, which have no {_NAMES[aggregate]}"
    return "" if aggregate in _HAS[kind] else f"{lacks}: ask for {' or '.join(_HAS[kind])}"


def condition_fault(column: str, kind: ColumnKind, value: str) -> str:
    """Why no rows can be chosen by this value of a column of this kind; "" where they can, or all are."""
    if column:
        return _value_fault(column, kind, value)
    return f"name the column that is {_short(value)}" if value else ""


def _value_fault(column: str, kind: ColumnKind, value: str) -> str:
    pattern, written = _WRITTEN[kind]
    return "" if pattern.fullmatch(value) else f"what {_short(column)} is must be {written}, not {_short(value)}"


def _short(text: str) -> str:
    return repr(text[:60])
