"""The function ``csv_rows`` of the tool ``python``: this file runs in the sandbox, within the sandbox's limits.

So it is written in what the sandbox knows of Python, and nothing of Aeon is used.
"""

from __future__ import annotations

import csv
import re

__all__ = ["csv_rows"]

_MOST_FILLED = 1_000_000
_SAMPLE_LINES = 50


def csv_rows(text: str) -> list[dict[str, object]]:
    """Return the rows of a CSV text as dicts, with plainly written numbers as numbers; the delimiter is found out.

    Empty rows are left out, missing cells are empty, surplus ones are dropped; a column without name is called
    ``column_2``, a second one of a name ``name_2``. Raises ``ValueError`` for a text without a table, with a quote that
    is never closed, or of so wide a header and so short rows that it is no table.
    """
    lines = [line + "\n" for line in text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    rows = _sound_rows(lines, _delimiter(lines[:_SAMPLE_LINES]))
    if not rows:
        raise ValueError("it holds no table: it is empty")
    width = len(rows[0])
    if width * len(rows) > max(len(text), _MOST_FILLED):
        raise ValueError(f"it holds no table: most of its {len(rows) - 1} rows lack most of {width} columns")
    places = _places(rows[0])
    return [{name: _value(row[at]) if at < len(row) else "" for name, at in places.items()} for row in rows[1:]]


def _sound_rows(lines: list[str], delimiter: str) -> list[list[str]]:
    """The rows; where quotes are not as they should be, only as long as none of them can have swallowed a line."""
    try:
        rows, sound = _rows(lines, delimiter, True), True
    except csv.Error as error:
        if "field larger" in str(error):
            raise ValueError(f"it is no CSV: {error}") from None
        rows, sound = _rows(lines, delimiter, False), False
    for row in rows:
        if (not sound or len(row) != len(rows[0])) and any("\n" in cell for cell in row):
            raise ValueError(f"it is no CSV: a quote is opened and not closed in the row {str(row)[:60]}")
    return rows


def _rows(lines: list[str], delimiter: str, strict: bool) -> list[list[str]]:
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter, strict=strict)]
    return [row for row in rows if any(row)]


def _delimiter(sample: list[str]) -> str:
    """The delimiter that splits the header, and the most of the rows after it into as many cells; else a comma."""
    fits = {mark: _fit(sample, mark) for mark in "\t;|,"}
    best = max(fits, key=lambda mark: fits[mark])
    return best if fits[best][1] else ","


def _fit(sample: list[str], mark: str) -> tuple[float, int]:
    try:
        widths = [len(row) for row in _rows(sample, mark, False)]
    except csv.Error:  # a line of which it makes one cell is too long for one
        return 0.0, 0
    if not widths or widths[0] < 2:
        return 0.0, 0
    return round(widths.count(widths[0]) / len(widths), 1), widths[0]


def _places(header: list[str]) -> dict[str, int]:
    """The place of each column by a name of its own."""
    places: dict[str, int] = {}
    numbers: dict[str, int] = {}  # the next number to try for a stem
    for place, name in enumerate(header):
        stem = name or f"column_{place + 1}"
        column, number = stem, numbers.get(stem, 2)
        while column in places:
            column, number = f"{stem}_{number}", number + 1
        numbers[stem] = number
        places[column] = place
    return places


def _value(cell: str) -> object:
    """A number if the cell is written plainly as one, else its text; ``007`` and ``1,200`` stay texts."""
    if not re.fullmatch(r"-?(0|[1-9]\d{0,17})(\.\d{1,17})?", cell):
        return cell
    return float(cell) if "." in cell else int(cell)
