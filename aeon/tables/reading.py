"""How a table is read: where it stands in its file, what its columns are, and what was left out, guessed or is open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from aeon.tables.conventions import CONVENTIONS, Convention
from aeon.tables.days import ORDERS
from aeon.tables.shapes import is_nothing

__all__ = ["PLAIN_READING", "SUMS", "Column", "Kind", "LeftOut", "Reading", "Ways"]

Kind = Literal["text", "number", "day", "moment", "truth"]


@dataclass(frozen=True)
class Ways:
    """The ways in which a column may be read, where that is open: what one ``cell`` of it is in each.

    ``values`` are such values by what a stated reading would say: how numbers are written, or the order of a day.
    """

    cell: str
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Column:
    """A column: its name, what its cells are, and DuckDB's type for it.

    ``unit`` is that of its numbers, ``convention`` how they are written, ``order`` in which day and month stand.
    ``nothing`` are the cells that hold no value, with how many there are of each. ``note`` says what else is worth
    knowing; ``doubt`` what could also be read in another way, and how. ``units_of`` is the column whose units it has,
    where that has several, or whose cells it has as they are written. ``ways`` are those in which it may be read,
    as far as they can be told.
    """

    name: str
    kind: Kind = "text"
    sql_type: str = "VARCHAR"
    unit: str = ""
    convention: Convention | None = None
    order: str = ""
    nothing: tuple[tuple[str, int], ...] = ()
    note: str = ""
    doubt: str = ""
    units_of: str = ""
    ways: Ways | None = None

    @property
    def is_plain(self) -> bool:
        """Whether its cells are texts, or values without a unit, a doubt, or a word that stands for nothing."""
        if self.kind == "text":
            return not self.doubt
        is_bare = not (self.unit or self.note or self.doubt)
        return is_bare and all(is_nothing(text) for text, _ in self.nothing)

    @property
    def told(self) -> str:
        """How it is read where that is not plain, "" where it is."""
        parts = [f"numbers like {self.convention.example}"] if self.convention and self.convention.point != "." else []
        if self.nothing:
            count = sum(number for _, number in self.nothing)
            texts = ", ".join(f"{text!r}" for text, _ in self.nothing)
            parts.append(f"{count:,} cell{'s' * (count > 1)} without a value ({texts})")
        parts += [self.note] if self.note else []
        return f"{self.name}: {', '.join(parts)}" if parts else ""


@dataclass(frozen=True)
class LeftOut:
    """Rows of the file that are not in the table: from one to another, both counted from 1, why, and what they say."""

    first: int
    last: int
    why: str
    text: str = ""

    @property
    def told(self) -> str:
        """``row 3 left out (a title above it: 'Sales')``."""
        return f"{self.place} left out ({self.why}{f': {self.text!r}' if self.text else ''})"

    @property
    def place(self) -> str:
        """``row 3`` or ``rows 1 to 3``."""
        return f"row {self.first}" if self.first == self.last else f"rows {self.first} to {self.last}"


@dataclass(frozen=True)
class Reading:
    """One table of a file. Rows are counted from 1, as an editor or a spreadsheet does; ``header`` are those of names.

    ``left_out`` has every row that is not in the table, ``totals`` those among it that are sums of others; ``surplus``
    counts cells beyond the last column. ``notes`` say what else is worth knowing.
    """

    header: tuple[int, ...]
    columns: tuple[Column, ...]
    rows: int
    left_out: tuple[LeftOut, ...] = ()
    totals: tuple[int, ...] = ()
    surplus: int = 0
    notes: tuple[str, ...] = ()

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column of numbers that has one."""
        return {column.name: column.unit for column in self.columns if column.unit}

    def settled(self, said: Mapping[str, str]) -> Reading:
        """The same with these ways of columns, by their names, as what is stated of them."""
        return replace(self, columns=tuple(_settled(one, said.get(one.name, "")) for one in self.columns))

    @property
    def doubts(self) -> tuple[str, ...]:
        """What could be read in another way, by the column."""
        return tuple(f"{column.name}: {column.doubt}" for column in self.columns if column.doubt)

    @property
    def left(self) -> tuple[str, ...]:
        """What of the file is not in the table."""
        beyond = f"{self.surplus:,} cell{'s' * (self.surplus > 1)} beyond the last column left out"
        surplus = (beyond,) if self.surplus else ()
        return (*(one.told for one in self.left_out), *surplus)

    @property
    def told(self) -> tuple[str, ...]:
        """What was read otherwise than a plain table, each in a few words; nothing for a plain one."""
        return (*self.known, *(f"open: {doubt}" for doubt in self.doubts))

    @property
    def known(self) -> tuple[str, ...]:
        """The same without what could be read in another way."""
        return (*self.around, *(text for column in self.columns if (text := column.told)))

    @property
    def around(self) -> tuple[str, ...]:
        """What is told of the table that is of none of its columns alone."""
        parts = [] if self.header in ((), (0,), (1,)) else [f"names in {_places(self.header)}"]
        return (*parts, *self.left, *self.notes)


SUMS = "its rows are sums of rows of the table before it"
"""What is told of a table of totals."""
PLAIN_READING = Reading((), (), 0)
"""That of a table of which nothing is known but what it holds."""


def _settled(column: Column, said: str) -> Column:
    if not said:
        return column
    if said in ORDERS:
        return replace(column, kind="day", order=said, doubt="", ways=None)
    convention = next(one for one in CONVENTIONS if one.example == said)
    return replace(column, convention=convention, doubt="", ways=None)


def _places(rows: tuple[int, ...]) -> str:
    return f"row {rows[0]}" if len(rows) == 1 else f"rows {rows[0]} to {rows[-1]}"
