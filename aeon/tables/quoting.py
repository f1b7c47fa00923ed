"""The rows of delimited text whose quotes do not all close, so that none of them swallows the lines after it.

Where a quote is not closed, the next one anywhere closes it, and all lines between become one cell. That shows: behind
the closing quote stands what cannot stand there, or the row has another width than the header. Such a line is read by
itself, its quotes as characters; every other row is read as it is quoted.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

__all__ = ["is_sound", "records", "unclosed_lines"]

_Record = tuple[Sequence[str], int]
"""A row, and the number of the line where it begins if a quote in it is not closed, else 0."""


def is_sound(text: str, delimiter: str, longest: int) -> bool:
    """Whether all quotes close where they should; cells above ``longest`` characters are left to who reads the rows."""
    csv.field_size_limit(longest)
    width = 0
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
            width = width or len(row) * any(row)
            if len(row) != width and _is_broken(row):
                return False
    except csv.Error:
        return False
    return True


def unclosed_lines(lines: Sequence[str], delimiter: str) -> list[int]:
    """The numbers of the lines with a quote that is not closed."""
    return [number for _, number in records(lines, delimiter) if number]


def records(lines: Sequence[str], delimiter: str) -> Iterator[_Record]:
    """Give the rows of the lines, which keep their ends.

    No line is looked at more than about twice: between a quote that opens and the next one that closes, no line has an
    odd number of quotes.
    """
    at = width = 0
    while at < len(lines):
        row, used = _quoted(lines, at, delimiter)
        if used > 1 and width and len(row) != width and _is_broken(row) and len(_plain(lines[at], delimiter)) == width:
            used = 0
        if used:
            yield row, 0
        else:
            row, used = _plain(lines[at], delimiter), 1
            yield row, at + 1
        width = width or len(row) * any(row)
        at += used


def _quoted(lines: Sequence[str], at: int, delimiter: str) -> tuple[Sequence[str], int]:
    """The row that begins at a line and how many lines it takes; none where a quote is not closed."""
    reader = csv.reader((lines[number] for number in range(at, len(lines))), delimiter=delimiter, strict=True)
    try:
        return next(reader), reader.line_num
    except csv.Error:
        if reader.line_num > 1 or _is_open(lines[at], delimiter):
            return (), 0
        return next(csv.reader([lines[at]], delimiter=delimiter)), 1


def _is_open(line: str, delimiter: str) -> bool:
    """Whether a quote is still open at the end of a line."""
    try:
        list(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False


def _plain(line: str, delimiter: str) -> Sequence[str]:
    return next(csv.reader([line], delimiter=delimiter, quoting=csv.QUOTE_NONE), ())


def _is_broken(row: Sequence[str]) -> bool:
    return any("\n" in cell or "\r" in cell for cell in row)
