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


@dataclass(frozen=True)
class Sums:
    """The places of rows that are sums of others, and of those that may be: too little speaks for it."""

    sure: tuple[int, ...] = ()
    open: tuple[int, ...] = ()


def totals(columns: Sequence[Values], labels: Sequence[int]) -> Sums:
    """The rows that are totals or subtotals.

    ``columns`` have the numbers of each column that has some, row by row; ``labels`` how many texts each row has.
    """
    count = len(labels)
    rows = [[column[at] for column in columns] for at in range(count)]
    if count <= _ENOUGH or not columns:
        return Sums()
    below = _below(rows, labels)
    has_less = labels[0] < min(labels[1:])
    is_first = not below.sure and _is_sum(rows[0], _added(rows[1:]), count - 1, has_less=has_less)
    return Sums((0,)) if is_first else below


def _below(rows: Sequence[Values], labels: Sequence[int]) -> Sums:
    """The totals that stand below what they sum: of the rows since the last one, or of all."""
    width = len(rows[0])
    since, every, of_totals = _Sum(width), _Sum(width), _Sum(width)
    sure: list[int] = []
    maybe: list[int] = []
    for at, row in enumerate(rows):
        is_last = at == len(rows) - 1
        sums = [one for one in (since, every, of_totals) if one.count >= _ENOUGH]
        agreeing, above = _agreement(row, sums)
        has_less = is_last or _has_less(labels, at)
        if agreeing and _speaks(row, agreeing, above, has_less=has_less):
            sure.append(at)
            of_totals.add(row)
            since = _Sum(width)
            continue
        maybe += [at] * (agreeing > 0 and is_last and above > _ENOUGH)
        since.add(row)
        every.add(row)
    return Sums(tuple(sure), tuple(maybe))


def _agreement(row: Values, sums: Sequence[_Sum]) -> tuple[int, int]:
    """In how many columns a row is one of the sums, and how many rows are summed at most."""
    agreeing = max((_agreeing(row, one.values, one.count) for one in sums), default=0)
    return agreeing, max((one.count for one in sums), default=0)


def _has_less(labels: Sequence[int], at: int) -> bool:
    """Whether a row has fewer texts than one above it, or as few as any where some have more."""
    return labels[at] < max(labels[:at], default=0) or labels[at] == min(labels) < max(labels)


class _Sum:
    """What some rows come to, column by column."""

    def __init__(self, width: int) -> None:
        self.values: list[Decimal | None] = [None] * width
        self.count = 0

    def add(self, row: Values) -> None:
        self.count += 1
        self.values = [
            known if value is None else value + (known or 0) for known, value in zip(self.values, row, strict=True)
        ]


def _added(rows: Sequence[Values]) -> list[Decimal | None]:
    added = _Sum(len(rows[0]))
    for row in rows:
        added.add(row)
    return added.values


def _is_sum(row: Values, sums: Values, rows: int, *, has_less: bool) -> bool:
    agreeing = _agreeing(row, sums, rows)
    return bool(agreeing) and _speaks(row, agreeing, rows, has_less=has_less)


def _agreeing(row: Values, sums: Values, rows: int) -> int:
    """In how many columns a row is the sum, 0 where it is not in most of those in which it has a number."""
    pairs = [(value, added) for value, added in zip(row, sums, strict=True) if value is not None and added is not None]
    exact = sum(value == added != 0 for value, added in pairs)
    near = sum(value != added and _is_rounded(value, added, rows) for value, added in pairs)
    agreeing = exact + (near if exact else 0)
    return agreeing if 2 * agreeing > len(pairs) else 0


def _is_rounded(value: Decimal, added: Decimal, rows: int) -> bool:
    """Whether two sums differ by no more than what was rounded in their parts."""
    exponent = value.as_tuple().exponent
    unit = Decimal(1).scaleb(exponent) if isinstance(exponent, int) else Decimal(0)
    return abs(value - added) <= unit * rows / 2 and abs(added) > unit * rows * _SURE


def _speaks(row: Values, agreeing: int, rows: int, *, has_less: bool) -> bool:
    """Whether enough speaks for a total: columns that agree, a sum that is no chance, texts that it has not."""
    if agreeing > 1:
        return has_less or agreeing > _ENOUGH or _ways(row) >= _BEYOND_CHANCE
    largest = max(abs(value) for value in row if value is not None)
    return has_less and largest >= (_SURE_OF_TWO if rows == _ENOUGH else _SURE)


def _ways(row: Values) -> int:
    """How many other rows of numbers as long as these there are."""
    return math.prod(10 ** len(_digits(value)) for value in row if value)


def _digits(value: Decimal) -> str:
    """The digits of a number, without zeros before it and behind its point."""
    return f"{value.normalize():f}".lstrip("-0.").replace(".", "")
