"""Tables from CSV text, as the tool ``python`` hands them to a program."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from aeon.errors import ToolFailed
from aeon.schema.frozen import JsonObject, JsonValue

__all__ = ["Table", "cell_value"]

_PLAIN_NUMBER = re.compile(r"-?(0|[1-9]\d{0,17})(\.\d{1,17})?")
_MAX_CELL = 1_000_000
_MAX_FILLED = 1_000_000
"""Cells up to which missing ones may make a table larger than its text."""


def cell_value(text: str) -> JsonValue:
    """Return a cell as a number if it is written plainly as one, else as its text; ``007`` and ``1,200`` stay texts."""
    if not _PLAIN_NUMBER.fullmatch(text):
        return text
    return float(text) if "." in text else int(text)


@dataclass(frozen=True)
class Table:
    """A header and its rows, each as wide as the header: missing cells are empty, surplus ones are dropped."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def parse(cls, text: str) -> Table:
        """Return the table of a CSV text whose first row is the header; the delimiter is found out.

        Empty rows are left out, a column without name is called ``column_2``, a second one of a name ``name_2``.
        Raises ``ToolFailed`` for a text without a table, and for one that is little but missing cells.
        """
        csv.field_size_limit(_MAX_CELL)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
        try:
            lines = [[cell.strip() for cell in line] for line in reader if any(cell.strip() for cell in line)]
        except csv.Error as error:
            raise ToolFailed(f"line {reader.line_num} is no CSV: {error}") from None
        if not lines:
            raise ToolFailed("the file holds no table: it is empty")
        columns = _unique(lines[0])
        width = len(columns)
        if width * len(lines) > max(len(text), _MAX_FILLED):
            rows = f"its {len(lines) - 1:,} rows"
            raise ToolFailed(f"the file holds no table: most of {rows} lack most of {width:,} columns")
        return cls(columns, tuple(tuple((line + [""] * width)[:width]) for line in lines[1:]))

    def objects(self) -> list[JsonObject]:
        """Return the rows as objects, with plainly written numbers as numbers."""
        return [self.record(row) for row in self.rows]

    def record(self, row: Sequence[str]) -> JsonObject:
        """Return one row as an object."""
        return {column: cell_value(cell) for column, cell in zip(self.columns, row, strict=True)}


def _delimiter(text: str) -> str:
    """Return the delimiter that csv finds, if the header has it; else a comma."""
    header = next((line for line in text.splitlines()[:50] if line.strip()), "")
    try:
        delimiter = csv.Sniffer().sniff(text[:8192], delimiters=",;\t|").delimiter
    except csv.Error:
        delimiter = max(",;\t|", key=header.count)
    return delimiter if delimiter in header else ","


def _unique(names: Sequence[str]) -> tuple[str, ...]:
    columns: dict[str, None] = {}
    numbers: dict[str, int] = {}  # a stem's next number to try; tried anew for each column, a header took minutes
    for place, name in enumerate(names, start=1):
        column = stem = name or f"column_{place}"
        number = numbers.get(stem, 2)
        while column in columns:
            column, number = f"{stem}_{number}", number + 1
        numbers[stem] = number
        columns[column] = None
    return tuple(columns)
