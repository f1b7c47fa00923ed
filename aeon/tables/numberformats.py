"""What the number format of a cell adds to its number, as far as that decides: percent, unit, leading zeros, the year.

A format is the code that a workbook stores (ECMA-376, part 1, 18.8.31). Its first section counts: the others are for
negative numbers, zero and texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation

from aeon.tables.numerals import is_currency, numeral

__all__ = ["Shown", "shown_by"]

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[(?P<inner>[^\]]*)\]|(?P<end>;)|(?P<bare>.)', re.DOTALL
)
_PLACEHOLDERS = frozenset("0#?.,")
_DAYS = frozenset("ymdhsYMDHS")
_LITERALS = frozenset(" $-+()!^&'~{}<>=:") | {"\u00a0", "\u202f"}
_MARKS = frozenset("°‰")


@dataclass(frozen=True)
class Shown:
    """How a cell is shown: in percent, with a unit before or behind it, as digits in a pattern, as the year of a day.

    ``pattern`` has a 0 for each digit, as in ``000-00``.
    """

    percent: bool = False
    before: str = ""
    behind: str = ""
    pattern: str = ""
    year: bool = False

    def text(self, cell: str) -> str:
        """The text of a cell that holds this number or day: ``0.12`` is ``12%``. Anything else stays as it is."""
        if self.year:
            return _year(cell)
        try:
            number = Decimal(cell)
        except InvalidOperation:
            return cell
        if self.pattern:
            return _filled(self.pattern, cell) if cell.isdecimal() else cell
        if self.percent:
            return f"{_plain(number * 100)}%"
        sign, digits = ("-" if number < 0 else ""), _plain(abs(number))
        return f"{sign}{self.before}{digits}{' ' * bool(self.behind)}{self.behind}"


@dataclass
class _Section:
    """The first section of a format, part by part."""

    before: str = ""
    digits: str = ""
    between: str = ""
    behind: str = ""
    currency: str = ""
    days: str = ""
    percent: bool = False
    is_other: bool = False

    def add(self, text: str) -> None:
        """Take a text that is shown as it stands."""
        if not self.digits:
            self.before += text
        else:
            self.behind += text

    def place(self, mark: str) -> None:
        """Take a mark that stands for a digit, or between digits."""
        self.between += self.behind + mark
        self.digits += mark
        self.behind = ""


def shown_by(code: str) -> Shown | None:
    """How a format shows a cell; ``None`` where that adds nothing to what the cell holds."""
    section = _section(code)
    if section.is_other:
        return None
    if section.days:
        return Shown(year=True) if set(section.days.lower()) == {"y"} and not section.digits else None
    if section.percent:
        return Shown(percent=True)
    if len(section.digits) > 1 and set(section.digits) == {"0"} and not section.currency:
        return Shown(pattern=section.before + section.between + section.behind)
    is_plain = section.between == section.digits != ""
    return _with_unit(section) if is_plain else None


def _section(code: str) -> _Section:
    found = _Section()
    for match in _TOKEN.finditer(code):
        if match["end"]:
            break
        if match["inner"] is not None:
            _bracket(found, match["inner"])
        elif match["bare"]:
            _bare(found, match["bare"])
        else:
            found.add(match["quoted"] or match["escaped"] or "")
    return found


def _bracket(section: _Section, inner: str) -> None:
    """Take what stands in brackets: a currency, a condition, a time that goes on above its hours, a color."""
    if inner.startswith("$"):
        currency = inner[1:].partition("-")[0]
        section.currency = currency.strip()
        section.add(currency)
    elif inner[:1] in "<>=" or set(inner) <= _DAYS:
        section.is_other = True


def _bare(section: _Section, letter: str) -> None:
    """Take a letter that stands for something, or for itself."""
    if letter in _PLACEHOLDERS:
        section.place(letter)
    elif letter == "%":
        section.percent = True
    elif letter in _DAYS:
        section.days += letter
    elif letter in _LITERALS or is_currency(letter):
        section.add(letter)
    else:
        section.is_other = True  # texts, fractions, powers of ten, "General"


def _with_unit(section: _Section) -> Shown | None:
    """A number with its unit: money before it, or what stands behind it."""
    before, behind = section.before.strip(), section.behind.strip()
    if before and before == section.currency and not is_currency(before):
        before, behind = "", before
    is_scaled = section.digits.endswith(",")
    if before:
        is_one = is_currency(before) and _is_unit(f"{before}9", before) and (not behind or is_scaled)
        return Shown(before=before) if is_one else None
    return Shown(behind=behind) if _is_behind(behind, is_scaled=is_scaled) else None


def _is_behind(unit: str, *, is_scaled: bool) -> bool:
    """Whether a unit stands behind a number. Where commas behind the digits scale the number, only money is one."""
    is_word = not is_scaled and (any(map(str.isalpha, unit)) or unit in _MARKS)
    return (is_word or is_currency(unit)) and _is_unit(f"9 {unit}", unit)


def _is_unit(text: str, unit: str) -> bool:
    """Whether a number that is written so has that unit."""
    found = numeral(text)
    return found is not None and found.unit == unit


def _filled(pattern: str, digits: str) -> str:
    """A pattern with its digits; those that it has no place for stand before the others."""
    count = pattern.count("0")
    padded = digits.zfill(count)
    extra, rest = padded[: len(padded) - count], iter(padded[len(padded) - count :])
    at = pattern.index("0")
    return pattern[:at] + extra + "".join(next(rest) if mark == "0" else mark for mark in pattern[at:])


def _year(cell: str) -> str:
    """The year of a day, with a time or without; anything else as it is."""
    try:
        return f"{datetime.fromisoformat(cell).year:04}"
    except ValueError:
        return cell


def _plain(number: Decimal) -> str:
    """A number without a power of ten and without zeros at its end."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
