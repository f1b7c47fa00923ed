"""The type of a table's column, found from how all of its cells are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import Protocol

from aeon.tables.shortnames import is_name, written_out

__all__ = ["ColumnTypes", "Form", "Text", "convert", "says_missing"]

_MISSING = frozenset({"", "-", "n/a", "na", "null"})
_MISSING_VALUE = _MISSING | {"nan", "none"}
"""In a column of numbers or dates these are no values either; among texts they may be names."""

_LONGEST_MISSING = max(map(len, _MISSING_VALUE))
_LONGEST = 60
"""Characters of the longest cell that can be a number or a date."""

_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_CURRENCY = r"[$€£¥₹]|USD|EUR|GBP|CHF|JPY|INR"
_SPACES = " \u00a0\u202f"
_MARKS = ((",", "."), (".", ","), ("'\u2019", "."), (_SPACES, ","), (_SPACES, "."))
"""The marks between thousands and before the decimals, the usual first: a column that fits two is read as the first."""

_MOST_NAMES = 5_000
_PHONE_DIGITS = 7
_MOST_SCALE = 9


class Form(Protocol):
    """One way of writing cells; ``read`` gives a cell in the form that DuckDB casts, or ``None`` where it does not fit.

    ``read`` notes what ``sql_type`` depends on; that is the column's type, or nothing where the cells seen, taken
    together, are not of this form.
    """

    def read(self, cell: str) -> str | None:
        """The cell as DuckDB casts it, or ``None`` where it does not fit."""
        ...

    @property
    def sql_type(self) -> str:
        """The type of the column, or nothing."""
        ...


@dataclass
class Text:
    """Any text; ``names`` are those that stand for another one, which is written out in other cells."""

    sql_type: str = "VARCHAR"
    names: Mapping[str, str] = field(default_factory=dict)

    def read(self, cell: str) -> str | None:
        """The cell as it is, or the name that it is short for."""
        return self.names.get(cell, cell)


@dataclass
class _Truth:
    """``true`` and ``false``."""

    sql_type: str = "BOOLEAN"

    def read(self, cell: str) -> str | None:
        lower = cell.lower()
        return lower if lower in ("true", "false") else None


@dataclass
class _Day:
    """A day by a pattern with the groups year, month and day; the month may be a word, the year the last two digits."""

    pattern: re.Pattern[str]
    sql_type: str = "DATE"

    def read(self, cell: str) -> str | None:
        match = self.pattern.fullmatch(cell)
        try:
            if match is None:
                return None
            year, month = int(match["year"]), match["month"].casefold().rstrip(".")
            number = int(month) if month.isdecimal() else _MONTHS[month]
            return date(
                year if len(match["year"]) > _SHORT_YEAR else _CENTURY + year, number, int(match["day"])
            ).isoformat()
        except (ValueError, KeyError):
            return None


@dataclass
class _Moment:
    """A day with or without a time of day, as ISO 8601 writes it; an hour is never in another zone than UTC."""

    sql_type: str = "TIMESTAMP"

    def read(self, cell: str) -> str | None:
        if not _ISO_TIME.fullmatch(cell):
            return None
        try:
            return datetime.fromisoformat(cell.removesuffix("Z")).isoformat(" ")
        except ValueError:
            return None


_YEAR, _MONTH, _DAY = "(?P<year>[0-9]{4})", "(?P<month>[0-9]{1,2})", "(?P<day>[0-9]{1,2})"
_ISO = re.compile(rf"{_YEAR}[-/]{_MONTH}[-/]{_DAY}")
_DOTTED = re.compile(rf"{_DAY}\.{_MONTH}\.{_YEAR}")
_DAY_FIRST = re.compile(rf"{_DAY}[-/]{_MONTH}[-/]{_YEAR}")
_MONTH_FIRST = re.compile(rf"{_MONTH}[-/]{_DAY}[-/]{_YEAR}")
_SHORT_DOTTED = re.compile(rf"{_DAY}\.{_MONTH}\.(?P<year>[0-9]{{2}})")
_SHORT_YEAR, _CENTURY = 2, 2000
_WEEKDAY = r"(?:[^\W\d_]{2,10}\.?,? )?"
_WORD = r"(?P<month>[^\W\d_]{3,9}\.?)"
_IN_WORDS = re.compile(rf"{_WEEKDAY}{_DAY}(?:st|nd|rd|th)?\.?[ -]{_WORD},?[ -]{_YEAR}")
_WORD_FIRST = re.compile(rf"{_WEEKDAY}{_WORD} {_DAY}(?:st|nd|rd|th)?,? {_YEAR}")
_NAMES = (
    ("january", "januar"), ("february", "februar"), ("march", "märz"), ("april",), ("may", "mai"), ("june", "juni"),
    ("july", "juli"), ("august",), ("september",), ("october", "oktober"), ("november",), ("december", "dezember"),
)  # fmt: skip
_MONTHS = {form: n for n, names in enumerate(_NAMES, 1) for name in names for form in (name, name[:3], name[:4])}
_ISO_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.(?:\d{3}|\d{6}))?)?Z?)?", re.ASCII)


@dataclass
class _AnyDay:
    """A day in several notations, one beside the other; of ``3/4/2025`` other cells must say which is the month."""

    orders: tuple[re.Pattern[str], ...] = (_DAY_FIRST, _MONTH_FIRST)
    differs: bool = False

    def read(self, cell: str) -> str | None:
        for pattern in (_ISO, _DOTTED, _SHORT_DOTTED, _IN_WORDS, _WORD_FIRST):
            if day := _Day(pattern).read(cell):
                return day
        found = {pattern: day for pattern in self.orders if (day := _Day(pattern).read(cell))}
        if not found:
            return None
        self.orders = tuple(found)
        self.differs = self.differs or len({*found.values()}) > 1
        return next(iter(found.values()))

    @property
    def sql_type(self) -> str:
        return "" if self.differs and len(self.orders) > 1 else "DATE"


@dataclass
class _Number:
    """A number with these marks, a sign, and a currency or a percent sign; ``(12)`` is minus 12, ``12%`` is 0.12."""

    pattern: re.Pattern[str]
    point: str
    whole: int = 0
    scale: int = 0
    exponent: bool = False
    spaced: bool = False
    affixes: set[str] = field(default_factory=set)

    def read(self, cell: str) -> str | None:
        whole, _, fraction = cell.partition(self.point)
        if fraction.isdecimal() and cell.isascii() and _PLAIN.fullmatch(whole):  # nearly all of them
            self._note(whole, fraction, "", "", False)
            return f"{whole}.{fraction}"
        match = self.pattern.fullmatch(cell)
        parts = {name: part or "" for name, part in match.groupdict().items()} if match else {}
        return self._marked(parts) if parts and _is_number(parts) else None

    def _marked(self, parts: Mapping[str, str]) -> str:
        digits = re.sub("[^0-9]", "", parts["whole"]) or "0"
        fraction, affix = parts["fraction"], parts["before"] + parts["after"]
        self._note(digits, fraction, parts["exponent"], affix, " " in parts["whole"])
        negative = (parts["open"] + parts["sign"] + parts["inner"]) not in ("", "+")
        text = f"{'-' * negative}{digits}{'.' * bool(fraction)}{fraction}{parts['exponent']}"
        return format(Decimal(text).scaleb(-2), "f") if affix == "%" else text

    def note_plain(self, digits: int) -> None:
        """Take note of whole numbers without any mark, the longest of them with this many digits."""
        self.whole = max(self.whole, digits)
        self.affixes.add("")

    def _note(self, digits: str, fraction: str, exponent: str, affix: str, spaced: bool) -> None:
        self.whole = max(self.whole, len(digits))
        self.scale = max(self.scale, len(fraction) + (2 if affix == "%" else 0))
        self.exponent = self.exponent or bool(exponent)
        self.spaced = self.spaced or spaced
        self.affixes.add(affix)

    @property
    def sql_type(self) -> str:
        if not self._is_one():
            return ""
        if self.exponent or self.scale > _MOST_SCALE:
            return "DOUBLE"
        if not self.scale:
            return "BIGINT" if self.whole <= 18 else "HUGEINT" if self.whole <= 38 else ""
        # Wide enough for 128 bits, or a product overflows; no wider, or COALESCE and UNION round what has more places.
        wide = self.whole + self.scale
        return f"DECIMAL(28,{self.scale})" if wide <= 20 else f"DECIMAL(38,{self.scale})" if wide <= 34 else "DOUBLE"

    def _is_one(self) -> bool:
        """Whether the cells together are numbers: two currencies have no sum, and 555 123 456 may be a telephone's."""
        affixes = self.affixes - {""}
        mixed = len(affixes) > 1 or {"%", ""} <= self.affixes
        return not mixed and bool(not self.spaced or self.scale or affixes)


def _number_pattern(group: str, point: str) -> re.Pattern[str]:
    """Return the pattern of a number; one with a leading zero, such as ``007``, is none, and neither is ``1e5``."""
    return re.compile(
        rf"(?P<open>\()?(?P<sign>[-+\u2212])?(?P<before>{_CURRENCY})?[ \u00a0]?(?P<inner>[-\u2212])?"
        rf"(?P<whole>0|[1-9][0-9]*|[1-9][0-9]{{0,2}}(?:[{group}][0-9]{{3}})+|(?={re.escape(point)}))"
        rf"(?:{re.escape(point)}(?P<fraction>[0-9]+))?(?P<exponent>[eE][-+]?[0-9]{{1,2}})?"
        rf"[ \u00a0]?(?P<after>{_CURRENCY}|%)?(?P<close>\))?"
    )


def _is_number(parts: Mapping[str, str]) -> bool:
    """Whether the parts go together; ``+15551234567`` is a telephone number and ``1e5`` a code."""
    signs = parts["open"] + parts["sign"] + parts["inner"]
    if len(parts["open"]) != len(parts["close"]) or len(signs) > 1 or (parts["before"] and parts["after"]):
        return False
    phone = parts["sign"] == "+" and len(parts["whole"]) >= _PHONE_DIGITS
    code = parts["exponent"][1:2].isdigit()
    return bool(parts["fraction"]) or not (phone or code)


@cache
def _numbers() -> tuple[tuple[re.Pattern[str], str], ...]:
    """How numbers are written, with the point that each way has; compiled when the first table is read."""
    return tuple((_number_pattern(group, point), point) for group, point in _MARKS)


def _forms() -> list[Form]:
    """Return every typed form, those first that win where two fit."""
    patterns = (_ISO, _DOTTED, _DAY_FIRST, _MONTH_FIRST, _SHORT_DOTTED, _IN_WORDS, _WORD_FIRST)
    days = [_Day(pattern) for pattern in patterns]
    return [_Truth(), *days, _AnyDay(), _Moment(), *(_Number(pattern, point) for pattern, point in _numbers())]


class ColumnTypes:
    """Finds the type of one column: tell it the cells in as many parts as there are, then ask for the form."""

    def __init__(self) -> None:
        self._left = _forms()
        self._names: set[str] | None = set()
        self.has_values = False

    def see(self, cells: Iterable[str]) -> None:
        """Rule out the forms that one of these cells does not have."""
        cells = [*cells]
        self._note_names(cells)
        if not self._left:
            return
        values = [cell for cell in cells if not _is_missing(cell, _MISSING_VALUE)]
        self.has_values = self.has_values or bool(values)
        marked = [cell for cell in values if not _PLAIN.fullmatch(cell)]
        if len(marked) < len(values):
            self._see_plain(max(map(len, set(values).difference(marked))))
        self._left = [form for form in self._left if _reads(form, marked)]

    def _note_names(self, cells: Iterable[str]) -> None:
        """Keep what may be names; of many of them none is taken to stand for another."""
        if self._names is not None:
            self._names.update(filter(is_name, cells))
            self._names = self._names if len(self._names) <= _MOST_NAMES else None

    def _see_plain(self, digits: int) -> None:
        numbers = [form for form in self._left if isinstance(form, _Number)]
        for form in numbers:
            form.note_plain(digits)
        self._left = [*numbers]

    def form(self) -> Form:
        """The first form that fits; text for no values, and for days of which month and day cannot be told apart."""
        text = Text(names=written_out(self._names or ()))
        if not self.has_values:
            return text
        orders = list(filter(_is_by_order, self._left))
        left = [form for form in self._left if form not in orders or len(orders) == 1]
        return next((form for form in left if form.sql_type), text)


def _is_by_order(form: Form) -> bool:
    """Whether a form of days is told from another one by whether the month or the day comes first."""
    return isinstance(form, _Day) and form.pattern in (_DAY_FIRST, _MONTH_FIRST)


def convert(form: Form, cell: str) -> str | None:
    """Return what the cell becomes in a column of this form, ``None`` where it holds no value."""
    if _is_missing(cell, _MISSING if isinstance(form, Text) else _MISSING_VALUE):
        return None
    return cell if _PLAIN.fullmatch(cell) else form.read(cell)


def says_missing(cell: str) -> bool:
    """Whether a cell says that there is no value, in a column of any kind."""
    return _is_missing(cell, _MISSING)


def _reads(form: Form, cells: Iterable[str]) -> bool:
    return all(len(cell) <= _LONGEST and form.read(cell) is not None for cell in cells)


def _is_missing(cell: str, marks: frozenset[str]) -> bool:
    return len(cell) <= _LONGEST_MISSING and cell.casefold() in marks
