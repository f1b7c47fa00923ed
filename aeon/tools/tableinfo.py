"""What is known of a table without asking it, and how a prompt is told of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aeon.schema.turns import TableRead
from aeon.tables.naming import literal, quoted
from aeon.tables.reading import PLAIN_READING, SUMS, Reading
from aeon.text import one_line

__all__ = ["Named", "TableInfo", "identifier"]

_KINDS = {"VARCHAR": "text", "BIGINT": "integer", "DOUBLE": "numeric", "DECIMAL": "numeric"}
_MOST_TOLD, _LONGEST_TOLD = 20, 300
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*")


class Named(NamedTuple):
    """A value of a column that stands in a text."""

    column: str
    value: str


@dataclass(frozen=True)
class TableInfo:
    """A table: its name, its file, its columns with their types, the number of rows, and the first two of them.

    ``reading`` says how it was read out of its file. ``days`` are the columns of dates with the first and the last of
    them, as in ``2025-01-02 to 2025-12-30``. ``marks`` are the columns of one text that some rows have and others have
    not, with that text. ``values`` are the columns of few different texts with these, and ``gaps`` the columns of which
    some rows have nothing.
    """

    name: str
    source: str
    columns: tuple[tuple[str, str], ...]
    rows: int
    sample: tuple[tuple[str, ...], ...]
    reading: Reading = PLAIN_READING
    days: tuple[tuple[str, str], ...] = ()
    marks: tuple[tuple[str, str], ...] = ()
    gaps: frozenset[str] = frozenset()
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def is_of_totals(self) -> bool:
        """Whether its rows are sums of those of another table."""
        return SUMS in self.reading.notes

    def read_as(self, columns: Collection[str] | None) -> TableRead:
        """How it was read, for what uses these columns of it, in small letters, or all of them."""
        doubts = (
            f"{one.name}: {one.doubt}"
            for one in self.reading.columns
            if one.doubt and (columns is None or one.name.lower() in columns)
        )
        return TableRead(
            table=self.name, source=self.source, told=_short_list(self.reading.known), open=_short_list([*doubts])
        )

    @property
    def units_told(self) -> dict[str, str]:
        """What is told of the columns with a unit."""
        return {name: f"in {unit}" for name, unit in self.reading.units.items()}

    def created(self, room: int, keywords: frozenset[str]) -> str:
        """The table as the statement that would make it, its values and first rows as comments, in about ``room``.

        Columns that there is no room for are left out, and counted.
        """
        last = len(self.columns) - 1
        columns = [
            f"  {identifier(name, keywords)} {_kind(kind)}{',' * (number < last)}"
            for number, (name, kind) in enumerate(self.columns)
        ]
        told = {name: ", ".join(map(literal, few)) for name, few in self.values}
        told = self.units_told | told
        lines = [
            line + (f"  -- {told[name]}" if name in told else "")
            for line, (name, _) in zip(columns, self.columns, strict=True)
        ]
        rows = [f"-- ({', '.join(row)})" for row in self.sample]
        if sum(map(len, [*lines, *rows])) > room:
            lines, rows = columns, [row for row in rows[:1] if len(row) <= room // 3]
        shown = _first(lines, room - sum(map(len, rows)))
        left = len(lines) - len(shown)
        more = [f"  -- and {left:,} more column{'s' * (left > 1)}"] if left else []
        head = f"CREATE TABLE {self.name} (  -- {self.rows:,} row{'s' * (self.rows != 1)}"
        return "\n".join([head, *shown, *more, ");", *rows])

    def line(self, room: int, keywords: frozenset[str], most: int = 2) -> str:
        """Describe the table in about ``room`` characters: columns, rows, and what fits of at most two first rows."""
        end = "; ".join([f" {self.rows:,} row{'s' * (self.rows != 1)}", *self.reading.left])
        room -= len(self.name) + len(end) + 2
        known = self.units_told
        known |= {name: f"{span}{' or NULL' * (name in self.gaps)}" for name, span in self.days}
        known |= {name: f"'{text}' or NULL" for name, text in self.marks}
        columns = [
            f"{identifier(n, keywords)} {' '.join((_short(kind), known.get(n, ''))).strip()}"
            for n, kind in self.columns
        ]
        listed, count = _fitting(columns, room * 2 // 3 if self.sample else room)
        line = f"{self.name}({listed}){end}"
        room -= len(listed) + 8
        for number, row in enumerate(self.sample[:most]):
            cells = ", ".join(row[:count]) + (", ..." if count < len(row) else "")
            if len(cells) > room:
                break
            line += f"{', ' if number else '; e.g. '}({cells})"
            room -= len(cells) + 4
        return line


def _short_list(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts in one line each, the first of very many."""
    left = len(texts) - _MOST_TOLD
    shown = (one_line(text, _LONGEST_TOLD) for text in texts[:_MOST_TOLD])
    return (*shown, f"and {left:,} more such notes") if left > 0 else tuple(shown)


def _first(lines: Sequence[str], room: int) -> Sequence[str]:
    """As many of the lines as there is room for, at least one."""
    count = 1
    while count < len(lines) and sum(map(len, lines[: count + 1])) <= room:
        count += 1
    return lines[:count]


def _kind(kind: str) -> str:
    """A type as most databases call it."""
    short = kind.split("(")[0]
    return _KINDS.get(short, short.casefold()) + ("[]" if "(" in kind and kind.endswith("[]") else "")


def identifier(name: str, keywords: frozenset[str]) -> str:
    """Return the name as a query has to write it, in quotes only where it needs them."""
    return name if _PLAIN_NAME.fullmatch(name) and name.lower() not in keywords else quoted(name)


def _fitting(parts: Sequence[str], room: int) -> tuple[str, int]:
    """Join as many of the parts as there is room for, at least one, and say how many are left out."""
    used, count = 0, 0
    while count < len(parts) and (not count or used + len(parts[count]) + 2 <= room):
        used, count = used + len(parts[count]) + 2, count + 1
    left = len(parts) - count
    more = [f"... and {left:,} more column{'s' * (left > 1)}"] if left else []
    return ", ".join([*parts[:count], *more]), count


def _short(kind: str) -> str:
    """A type in short: ``DECIMAL`` without its digits, a nested one without what is in it."""
    return kind.split("(")[0] + ("[]" if "(" in kind and kind.endswith("[]") else "")
