"""Numbers as people write them: by their shape, with one convention of marks for a column and one unit."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from aeon.tables.conventions import CONVENTIONS, QUOTES, SPACES, Convention
from aeon.tables.locales import currencies
from aeon.tables.shapes import ascii_digits, shape

__all__ = ["Numeral", "fits", "has_marks", "is_currency", "numeral", "pattern", "value_of"]


_MINUS = "\\-\u2212\u2013"
_LONGEST_UNIT = 16
_LONGEST_NUMBER = 60
_PARTS = re.compile(
    rf"(?P<outer>[^\d\s()+{_MINUS}.,]{{1,4}}(?=\())?(?P<open>\()?(?P<sign>[+{_MINUS}])?(?P<before>[^\d\s()+{_MINUS}.,]{{1,4}})?\s?(?P<inner>[{_MINUS}])?"
    rf"(?P<body>9(?:[.,{SPACES}{QUOTES}]?9)*|[.,]9+)(?P<exponent>[eE][-+]?9{{1,3}})?"
    r"(?P<after>\s?[^\d\s()][^\d()]*?)?(?P<close>\))?(?P<foot>[*\u2020\u2021]{1,3}|\s?\[[9a-z]{1,2}\])?"
)
_PHONE_DIGITS = 7
_NO_UNIT = frozenset(':;/?!=<>_"')


@dataclass(frozen=True)
class Numeral:
    """What the shape of a number says: the digits and marks of it, and the unit before or behind."""

    body: str
    unit: str = ""
    exponent: bool = False
    signed: bool = False

    @property
    def marks(self) -> str:
        """What stands between the digits."""
        return self.body.replace("9", "")

    def places(self, convention: Convention) -> tuple[int, int]:
        """How many digits stand before and behind the point."""
        whole, _, fraction = self.body.partition(convention.point)
        return whole.count("9"), len(fraction)


@cache
def numeral(text: str) -> Numeral | None:
    """The number that cells of a shape are, in some convention; ``None`` for what is none."""
    match = _PARTS.fullmatch(text)
    if match is None:
        return None
    parts = match.groupdict(default="")
    before, after = parts["outer"] + parts["before"], parts["after"].strip()
    signs = parts["open"] + parts["sign"] + parts["inner"]
    is_paired = len(parts["open"]) == len(parts["close"]) and len(signs) <= 1
    if not is_paired or not _are_units(before, after) or _is_code(parts):
        return None
    found = Numeral(parts["body"], before or after, bool(parts["exponent"]), bool(signs))
    return found if any(_fits(found.body, convention) for convention in CONVENTIONS) else None


def _are_units(before: str, after: str) -> bool:
    """Whether what stands before a number is money, or what stands behind it short and no more than a unit."""
    if before and (after or not is_currency(before)):
        return False
    return len(after) <= _LONGEST_UNIT and (not _NO_UNIT & set(after) or _is_rate(after))


def _is_code(parts: Mapping[str, str]) -> bool:
    """Whether a number is written as codes (``1e5``) or numbers of telephones (``+4915112345678``) are."""
    body = parts["body"]
    is_phone = parts["sign"] == "+" and body.count("9") >= _PHONE_DIGITS and set(body) == {"9"}
    return is_phone or (parts["exponent"][1:2] == "9" and not {".", ","} & set(body))


def fits(found: Numeral, convention: Convention) -> bool:
    """Whether a number can be read in a convention."""
    return _fits(found.body, convention)


def has_marks(cell: str) -> bool:
    """Whether a cell is a number with marks between its digits."""
    if len(cell) > _LONGEST_NUMBER or not any(map(str.isdigit, cell)):
        return False
    found = numeral(shape(cell.strip()))
    return found is not None and bool(found.marks)


def value_of(cell: str, convention: Convention) -> str:
    """The number that a cell with a number is in a convention, without its sign and its unit, as a plain decimal."""
    kept = (letter for letter in ascii_digits(cell) if letter.isdigit() or letter == convention.point)
    return f"{Decimal(''.join(kept).replace(convention.point, '.').strip('.') or '0').normalize():f}"


def pattern(convention: Convention, units: Iterable[str], *, exponent: bool) -> str:
    """The regular expression of all numbers in a convention, with one of these units or none, as RE2 reads it."""
    group, point = f"[{re.escape(convention.group)}]", re.escape(convention.point)
    marks = "|".join(re.escape(unit) for unit in sorted(units, key=len, reverse=True) if unit)
    unit = rf"(?:\s?(?:{marks})\s?)?" if marks else ""
    power = "(?:[eE][-+]?[0-9]{1,3})?" if exponent else ""
    whole = rf"(?:[0-9]{{1,3}}(?:{group}[0-9]{{2,3}})*{group}[0-9]{{3}}|[0-9]+)"
    foot = r"(?:[*\x{2020}\x{2021}]{1,3}|\s?\[[0-9a-z]{1,2}\])?"
    minus = rf"[+{_MINUS}]?"
    return rf"{unit}\(?{minus}{unit}{minus}(?:{whole}(?:{point}[0-9]+)?|{point}[0-9]+){power}{unit}\)?{foot}"


@cache
def _fits(body: str, convention: Convention) -> bool:
    whole, point, fraction = body.partition(convention.point)
    if point and (not fraction or set(fraction) != {"9"}):
        return False
    return not whole or set(whole) == {"9"} or _is_grouped(whole, convention.group)


def _is_grouped(whole: str, marks: str) -> bool:
    """Whether one mark stands between groups: three digits each, or two before the last three, as in India."""
    used = set(whole) - {"9"}
    if len(used) != 1 or not used <= set(marks):
        return False
    first, *middle, last = map(len, whole.split(used.pop()))
    in_threes = 1 <= first <= 3 and all(size == 3 for size in middle)
    in_twos = 1 <= first <= 2 and bool(middle) and all(size == 2 for size in middle)
    return last == 3 and (in_threes or in_twos)


def is_currency(mark: str) -> bool:
    """Whether a unit is one of money: it has a sign of a currency, or is a code of one."""
    letters = mark.replace("\u00a0", "")
    return any(unicodedata.category(letter) == "Sc" for letter in letters) or letters in currencies()


def _is_rate(unit: str) -> bool:
    """Whether a unit is one in another: ``km/h``."""
    first, _, second = unit.partition("/")
    return bool(first) and second.isalnum() and first.strip().replace("\u00b2", "").isalpha()
