"""Rows that are sums of others: what makes a row a total is the arithmetic, whatever it is called."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

__all__ = ["Sums", "totals"]

Values = Sequence[Decimal | None]

_ENOUGH = 2
"""Rows that a total has above it at least."""
_SURE = 10
"""A sum below which one column alone may agree by chance."""
_SURE_OF_TWO = 50
"""The same where only two rows are summed."""
_BEYOND_CHANCE = 10**6
"""In how many ways the numbers of two columns that agree could have been others, where nothing else says so."""
_UNLIKELY = 10
"""How many times rarer than the rows that are tried the numbers of a total must be."""


@dataclass(frozen=True)
class Sums:
    """The places of rows that are sums of others, and of those that may be: too little speaks for it."""

    sure: tuple[int, ...] = ()
    open: tuple[int, ...] = ()


def totals(columns: Sequence[Values], labels: Sequence[int]) -> Sums:
    """The rows that are totals or subtotals.

    ``columns`` have the numbers of each column that has some, row by row; ``labels`` how many texts each row has.
    """
    if len(labels) <= _ENOUGH or not columns:
        return Sums()
    search = _Search(columns, labels)
    below = search.below()
    return Sums((0,)) if not below.sure and search.is_first() else below


class _Search:
    """Looks for the totals among some rows."""

    def __init__(self, columns: Sequence[Values], labels: Sequence[int]) -> None:
        self._rows: list[Values] = [[column[at] for column in columns] for at in range(len(labels))]
        self._labels = labels
        self._spreads = [*map(_spread, columns)]

    def is_first(self) -> bool:
        """Whether the first row is the sum of all others."""
        added = _Sum(len(self._spreads))
        for row in self._rows[1:]:
            added.add(row)
        found = _Found(_agreeing(self._rows[0], added), added.count, self._labels[0] < min(self._labels[1:]), 1)
        return self._speaks(self._rows[0], found)

    def below(self) -> Sums:
        """The totals that stand below what they sum: of the rows since the last one, or of all."""
        since, every, of_totals = (_Sum(len(self._spreads)) for _ in range(3))
        sure: list[int] = []
        last = _Found()
        for at, row in enumerate(self._rows):
            last = self._found(at, [one for one in (since, every, of_totals) if one.count >= _ENOUGH])
            if self._speaks(row, last):
                sure.append(at)
                of_totals.add(row)
                since = _Sum(len(self._spreads))
            else:
                since.add(row)
                every.add(row)
        end = len(self._rows) - 1
        is_open = bool(last.columns) and last.rows > _ENOUGH and end not in sure
        return Sums(tuple(sure), (end,) if is_open else ())

    def _found(self, at: int, sums: Sequence[_Sum]) -> _Found:
        """What speaks for a row as one of these sums."""
        agreeing = max((_agreeing(self._rows[at], one) for one in sums), key=len, default=())
        is_last = at == len(self._rows) - 1
        above = max((one.count for one in sums), default=0)
        return _Found(agreeing, above, is_last or self._has_less(at), 1 if is_last else len(self._rows))

    def _has_less(self, at: int) -> bool:
        """Whether a row has fewer texts than one above it, or as few as any where some have more."""
        labels = self._labels
        return labels[at] < max(labels[:at], default=0) or labels[at] == min(labels) < max(labels)

    def _speaks(self, row: Values, found: _Found) -> bool:
        """Whether enough speaks for a total: columns that agree, a sum that is no chance, texts that it has not."""
        ways = math.prod(self._spreads[at] for at in found.columns)
        return bool(found.columns) and ways >= _UNLIKELY * found.tries and found.is_sure(row)


@dataclass(frozen=True)
class _Found:
    """What speaks for a total: the columns in which it is the sum, of how many rows, and whether it has fewer texts.

    ``tries`` are the rows that are looked at in this way.
    """

    columns: tuple[int, ...] = ()
    rows: int = 0
    has_less: bool = False
    tries: int = 1

    def is_sure(self, row: Values) -> bool:
        """Whether the numbers of the row are enough, given what else speaks for it."""
        if len(self.columns) > 1:
            return self.has_less or len(self.columns) > _ENOUGH or _ways(row) >= _BEYOND_CHANCE
        largest = max(abs(value) for value in row if value is not None)
        return self.has_less and largest >= (_SURE_OF_TWO if self.rows == _ENOUGH else _SURE)


class _Sum:
    """What some rows come to, column by column, and how many numbers each has there."""

    def __init__(self, width: int) -> None:
        self.values: list[Decimal | None] = [None] * width
        self.parts = [0] * width
        self.count = 0

    def add(self, row: Values) -> None:
        self.count += 1
        self.parts = [parts + (value is not None) for parts, value in zip(self.parts, row, strict=True)]
        self.values = [
            known if value is None else value + (known or 0) for known, value in zip(self.values, row, strict=True)
        ]


def _agreeing(row: Values, sums: _Sum) -> tuple[int, ...]:
    """The columns in which a row is the sum, none where it is not in most of those in which it has a number.

    Where a column has one number alone to be summed, that this one comes again says nothing.
    """
    exact: list[int] = []
    near: list[int] = []
    other = 0
    for at, (value, added, parts) in enumerate(zip(row, sums.values, sums.parts, strict=True)):
        if value is None or added is None:
            continue
        if value == added != 0:
            exact += [at] * (parts > 1)
        elif _is_rounded(value, added, parts):
            near.append(at)
        else:
            other += 1
    agreeing = (*exact, *near) if exact else ()
    return agreeing if len(agreeing) > other else ()


def _is_rounded(value: Decimal, added: Decimal, rows: int) -> bool:
    """Whether two sums differ by no more than what was rounded in their parts."""
    unit = _unit(value)
    return abs(value - added) <= unit * rows / 2 and abs(added) > unit * rows * _SURE


def _spread(column: Values) -> int:
    """Among how many values one of a column is, as far as those that it has tell."""
    values = {value for value in column if value is not None}
    if not values:
        return 1
    return min(int((max(values) - min(values)) / min(map(_unit, values))) + 1, len(values) ** 3)


def _unit(value: Decimal) -> Decimal:
    """What a number of so many places is counted in."""
    exponent = value.as_tuple().exponent
    return Decimal(1).scaleb(exponent) if isinstance(exponent, int) else Decimal(1)


def _ways(row: Values) -> int:
    """How many other rows of numbers as long as these there are."""
    return math.prod(10 ** len(_digits(value)) for value in row if value)


def _digits(value: Decimal) -> str:
    """The digits of a number, without zeros before it and behind its point."""
    return f"{value.normalize():f}".lstrip("-0.").replace(".", "")
