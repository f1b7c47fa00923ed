"""Which results of programs are the same: by the values of their rows, whatever their order and their form."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from aeon.schema.frozen import JsonValue
from aeon.schema.programs import Ran

__all__ = ["equal", "same"]

_DIGITS = 6
_NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d{0,400})(?:\.\d{1,400})?", re.ASCII)
_WRITTEN = re.compile(r"(?<![\w.,:/-])[-\u2212]?\d+(?:[.,]\d+)*(?![\w]|[-:/]\d)")
_ID = re.compile(r"0\d+|\d+e\d+")
_Row: TypeAlias = tuple[str, ...]
"""The values of a row, in the order of the alphabet: columns have none."""


def same(one: Ran, other: Ran) -> bool:
    """Whether two results are the same: equal, or one says just the numbers of the other, "42,50 Euro" and 42.5.

    Of one row one of them may have a value more, such as the name beside its sum. Two texts that were asked for are the
    same, whatever they say.
    """
    if one.writing or other.writing:
        return bool(one.writing and other.writing)
    return _same_values(one, other)


def _same_values(one: Ran, other: Ran) -> bool:
    few, many = sorted((_rows(one.values), _rows(other.values)), key=_size)
    if not _is_something(few) or _is_in_another_order(one.values, other.values):
        return False
    return few == many or (few.total() == many.total() == 1 and (_is_within(*few, *many) or _says(*few, *many)))


def equal(one: Sequence[JsonValue], other: Sequence[JsonValue]) -> bool:
    """Whether two results have the same rows in any order, numbers by value; nothing found is no result."""
    rows = _rows(one)
    return _is_something(rows) and rows == _rows(other)


def _is_something(rows: Counter[_Row]) -> bool:
    return bool(rows.keys() - {_NOTHING})


def _is_in_another_order(one: Sequence[JsonValue], other: Sequence[JsonValue]) -> bool:
    """Whether two results are values that are printed one by one, and no rows, in another order."""
    plain = len(one) == len(other) > 1 and not any(isinstance(value, list | dict) for value in (*one, *other))
    return plain and [*map(_normal, one)] != [*map(_normal, other)]


def _is_within(few: _Row, many: _Row) -> bool:
    return len(many) == len(few) + 1 and Counter(few) <= Counter(many)


def _says(one: _Row, other: _Row) -> bool:
    """Whether one row is nothing but numbers, and the other a text that says just these, such as "42,50 Euro"."""
    for numbers, texts in ((one, other), (other, one)):
        if len(texts) == 1 and all(map(_number, numbers)) and numbers in _figures(*texts):
            return True
    return False


def _figures(text: str) -> list[_Row]:
    """The numbers that a text says, with a point or a comma before decimals; none of one that says a day or an id."""
    found = _WRITTEN.findall(text)
    if _ID.fullmatch(text) or any(map(str.isdigit, _WRITTEN.sub("", text))):
        return []
    return [tuple(sorted(map(_plain, found, [point] * len(found)))) for point in ".,"]


def _plain(written: str, point: str) -> str:
    """A number by the sign before its decimals, without those between thousands."""
    other = "," if point == "." else "."
    bare = written.replace("\u2212", "-").replace(other, "").replace(point, ".")
    return _number(bare) or written


def _size(rows: Counter[_Row]) -> int:
    return sum(map(len, rows.elements()))


_NOTHING: _Row = ()


def _rows(values: Sequence[JsonValue]) -> Counter[_Row]:
    """The rows of a result, each as its values; several plain values are those of one row."""
    if not any(isinstance(one, list | dict) for one in values):
        return Counter([_normal(list(values))]) if values else Counter()
    rows = (row for one in values for row in (one if isinstance(one, list) else [one]))
    return Counter(map(_normal, rows))


def _normal(row: JsonValue) -> _Row:
    """The values of a row in one form and one order."""
    match row:
        case None:
            return _NOTHING
        case dict():
            return _normal(list(row.values()))
        case list():
            return tuple(sorted(value for one in row for value in _normal(one)))
    told = _value(row)
    return (told,) if told else _NOTHING


def _value(value: str | float) -> str:
    """A value in one form: a number as it is rounded, a text whatever its case and its spaces."""
    match value:
        case bool():
            return str(value).casefold()
        case str():
            text = " ".join(value.casefold().split())
            return _number(text) or text
        case int():
            return str(value)
    return _rounded(value) or str(value)


def _number(text: str) -> str:
    """A number as it is rounded; "" for what is none, such as the id 007 or 1E5."""
    if not _NUMBER.fullmatch(text):
        return ""
    return _rounded(float(text)) if "." in text else str(int(text))


def _rounded(number: float) -> str:
    return f"{round(number, _DIGITS) + 0.0:.15g}" if math.isfinite(number) else ""
