"""Units of one column that convert into each other, by the table of units by which proofs are verified, too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from aeon.language.readings import factor, unit_of
from aeon.tables.numerals import is_currency

__all__ = ["Conversion", "conversion", "is_known"]

_MOST_PLACES = 9


@dataclass(frozen=True)
class Conversion:
    """The unit into which all numbers of a column are converted, and what those in each unit are multiplied by."""

    unit: str
    factors: tuple[tuple[str, Decimal], ...]

    @property
    def places(self) -> tuple[int, int]:
        """How many digits the largest factor has before the point, and how many decimals any has at most."""
        decimals = max(_places(number) for _, number in self.factors)
        return max(len(str(int(number))) for _, number in self.factors), decimals


def conversion(cells: Mapping[str, int], stated: str = "") -> Conversion | None:
    """How the numbers of a column come into one unit, exactly; ``cells`` says how many there are in each unit.

    It is the ``stated`` one, else that of most cells, else the first of the others in which all are exact. ``None``
    where some numbers have no unit, or units are money, unknown, or of different kinds: a price changes from day to
    day, and what has no unit may be anything.
    """
    if len(cells) < 2 or not all(cells) or any(map(is_currency, cells)):
        return None
    usual = sorted(cells, key=lambda unit: (-cells[unit], unit))
    found = (_into(target, cells) for target in ([stated] if stated else usual))
    return next(filter(None, found), None)


def is_known(unit: str) -> bool:
    """Whether it is a unit of which it is known what it measures, or money."""
    try:
        return is_currency(unit) or bool(unit_of(unit))
    except ValueError:
        return False


def _into(target: str, units: Mapping[str, int]) -> Conversion | None:
    """The factors into one unit, if all units have an exact one."""
    factors = [(unit, _factor(unit, target)) for unit in sorted(units)]
    exact = tuple((unit, number) for unit, number in factors if number is not None)
    return Conversion(target, exact) if len(exact) == len(units) else None


def _factor(unit: str, target: str) -> Decimal | None:
    try:
        found = factor(unit_of(unit), unit_of(target))
    except ValueError:
        return None
    number = found and Decimal(found.numerator) / Decimal(found.denominator)
    return number if number and Fraction(number) == found and _places(number) <= _MOST_PLACES else None


def _places(number: Decimal) -> int:
    """How many decimals a number has."""
    return max(0, -int(number.normalize().as_tuple().exponent))
