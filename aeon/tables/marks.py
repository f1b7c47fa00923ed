"""What a sheet says of its cells beside what they hold: formulas, errors, comments, what is hidden."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple, TypeVar

from aeon.text import one_line

__all__ = ["NOTHING_MARKED", "Comment", "Marks", "Place", "Span", "Spans"]

K = TypeVar("K")

_FEW = 5
"""Places, rows or comments that are named; of more it is told how many there are."""
_LONGEST_COMMENT = 60
_LETTERS = 26


class Place(NamedTuple):
    """Where a cell stands: its row, counted from 1, and its column, counted from 0."""

    row: int
    column: int

    @property
    def name(self) -> str:
        """``B7``."""
        return f"{self.letters}{self.row}"

    @property
    def letters(self) -> str:
        """Its column as spreadsheets name it: ``A`` to ``Z``, then ``AA``."""
        letters, number = "", self.column + 1
        while number:
            number, letter = divmod(number - 1, _LETTERS)
            letters = chr(ord("A") + letter) + letters
        return letters


class Span(NamedTuple):
    """Rows, or columns, from one to another."""

    first: int
    last: int


class Spans(dict[K, list[Span]]):
    """Rows by what they have in common, as spans of those that follow each other."""

    def add(self, key: K, row: int) -> None:
        """Take a row that is behind those before it."""
        spans = self.setdefault(key, [])
        if spans and spans[-1].last == row - 1:
            spans[-1] = Span(spans[-1].first, row)
        else:
            spans.append(Span(row, row))


class Comment(NamedTuple):
    """What somebody wrote beside a cell."""

    place: Place
    text: str

    def is_within(self, rows: Span, columns: Span) -> bool:
        """Whether its cell is in a part of the sheet."""
        row, column = self.place
        return rows.first <= row <= rows.last and columns.first <= column <= columns.last


Cells = Mapping[int, Sequence[Span]]
"""Cells as spans of rows, by their columns."""


@dataclass(frozen=True)
class Marks:
    """What is marked in a sheet, or in a part of it.

    ``unsaved`` are cells with a formula that has no saved value, ``zeros`` those whose saved 0 need not be its value,
    ``errors`` those whose value is an error; ``totals`` the rows that a pivot table says to be sums of others.
    ``plain`` are the columns whose numbers are all stored as numbers.
    """

    unsaved: Cells = field(default_factory=dict)
    zeros: Cells = field(default_factory=dict)
    errors: Cells = field(default_factory=dict)
    hidden_rows: tuple[Span, ...] = ()
    hidden_columns: tuple[Span, ...] = ()
    comments: tuple[Comment, ...] = ()
    totals: tuple[int, ...] = ()
    plain: frozenset[int] = frozenset()

    def within(self, rows: Span, columns: Span) -> Marks:
        """Those of a part of the sheet."""
        return replace(
            self,
            unsaved=_part(self.unsaved, rows, columns),
            zeros=_part(self.zeros, rows, columns),
            errors=_part(self.errors, rows, columns),
            hidden_rows=_clipped(self.hidden_rows, rows),
            hidden_columns=_clipped(self.hidden_columns, columns),
            comments=tuple(one for one in self.comments if one.is_within(rows, columns)),
            totals=tuple(row for row in self.totals if rows.first <= row <= rows.last),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What is told of the whole, each in a few words."""
        rows = _spans("row", [(str(first), str(last)) for first, last in self.hidden_rows])
        columns = _spans(
            "column", [(Place(1, first).letters, Place(1, last).letters) for first, last in self.hidden_columns]
        )
        texts = [f"{place.name}: {one_line(text, _LONGEST_COMMENT)!r}" for place, text in self.comments]
        many = f"{len(texts):,} comment{'s' * (len(texts) > 1)}"
        return (*rows, *columns, *([f"{many} beside its cells ({_listed(texts, len(texts))})"] if texts else []))

    def doubts(self, columns: Container[int]) -> tuple[str, ...]:
        """The same as `doubt` of each column that is not among some."""
        others = sorted({*self.unsaved, *self.zeros, *self.errors})
        return tuple(f"column {Place(1, at).letters}: {self.doubt(at)}" for at in others if at not in columns)

    def doubt(self, column: int) -> str:
        """What is told of a column of which some cells do not hold the value that they should, "" of any other."""
        parts = [
            _cells(column, cells.get(column, ()), *what)
            for cells, what in (
                (self.unsaved, ("holds", "hold", "a formula without a saved value")),
                (self.zeros, ("holds", "hold", "a formula whose saved 0 need not be its value")),
                (self.errors, ("holds", "hold", "an error instead of a value")),
            )
        ]
        return ", ".join(filter(None, parts))


NOTHING_MARKED = Marks()


def _clipped(spans: Iterable[Span], bounds: Span) -> tuple[Span, ...]:
    """What of the spans lies within others."""
    cut = (Span(max(one.first, bounds.first), min(one.last, bounds.last)) for one in spans)
    return tuple(one for one in cut if one.first <= one.last)


def _part(cells: Cells, rows: Span, columns: Span) -> Cells:
    """Those of a part of the sheet."""
    own = (
        (column, _clipped(spans, rows)) for column, spans in cells.items() if columns.first <= column <= columns.last
    )
    return {column: spans for column, spans in own if spans}


def _cells(column: int, spans: Sequence[Span], verb: str, plural: str, what: str) -> str:
    """``3 cells hold … (B2, B7, B9)``."""
    count = sum(last - first + 1 for first, last in spans)
    if not count:
        return ""
    rows = (row for first, last in spans for row in range(first, last + 1))
    names = [Place(row, column).name for row in islice(rows, _FEW)]
    many = f"{count:,} cells {plural}" if count > 1 else f"1 cell {verb}"
    return f"{many} {what} ({_listed(names, count)})"


def _spans(what: str, named: Sequence[tuple[str, str]]) -> list[str]:
    """``rows 5 to 9, 12 are hidden``."""
    if not named:
        return []
    texts = [first if first == last else f"{first} to {last}" for first, last in named]
    is_one = len(named) == 1 and named[0][0] == named[0][1]
    return [f"{what}{'s' * (not is_one)} {_listed(texts, len(texts))} {'is' if is_one else 'are'} hidden"]


def _listed(texts: Sequence[str], count: int) -> str:
    """The first few of so many, and how many more there are."""
    more = [f"and {count - _FEW:,} more"] if count > _FEW else []
    return ", ".join([*texts[:_FEW], *more])
