"""What the parts of an .xlsx file say, brought to the cells of its sheets: numbers as shown, and what is marked."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Sequence

from aeon.tables.bookparts import BookParts, SheetParts
from aeon.tables.marks import Cells, Marks, Span, Spans

__all__ = ["Marking"]


class Marking:
    """Marks the sheets of a workbook; one of a kind without such parts has none."""

    def __init__(self, archive: zipfile.ZipFile | None) -> None:
        self._parts: BookParts | None = None
        self._why = ""
        try:
            self._parts = BookParts.of(archive) if archive else None
        except ValueError as error:
            self._why = str(error)

    def marked(self, name: str, rows: list[list[str]]) -> tuple[Marks, str]:
        """What is marked in a sheet, and why that is not seen, "" where it is. Numbers get the text that is shown."""
        if self._parts is None:
            return Marks(), self._why
        try:
            said = self._parts.sheet(name)
        except ValueError as error:
            return Marks(), str(error)
        marks = _marks(rows, said, self._parts.is_uncomputed)
        for column, span, shown in self._parts.shown(said.xml):
            for row in (one for one in _rows(rows, span) if column < len(one) and one[column]):
                row[column] = shown.text(row[column])
        return marks, ""


def _marks(rows: list[list[str]], said: SheetParts, is_uncomputed: bool) -> Marks:
    """What is marked in a sheet with these rows, whose numbers are still as they are stored."""
    width = max(map(len, rows), default=0)
    columns = said.xml.hidden_columns
    hidden = Spans[int]()
    for first, last in said.xml.hidden_rows:
        for number in (at for at in range(max(first, 1), min(last, len(rows)) + 1) if any(rows[at - 1])):
            hidden.add(0, number)
    return Marks(
        unsaved=_holding(rows, said.xml.formulas, ""),
        zeros=_holding(rows, said.xml.formulas, "0") if is_uncomputed else {},
        errors=said.xml.errors,
        hidden_rows=tuple(hidden.get(0, ())),
        hidden_columns=tuple(Span(first, min(last, width - 1)) for first, last in columns if first < width),
        comments=said.comments,
        totals=said.totals,
    )


def _holding(rows: Sequence[Sequence[str]], cells: Cells, text: str) -> Cells:
    """Those of the cells that hold a text."""
    found = Spans[int]()
    for column, spans in cells.items():
        for number in (number for first, last in spans for number in range(first, last + 1)):
            row = rows[number - 1] if number <= len(rows) else ()
            if (row[column] if column < len(row) else "") == text:
                found.add(column, number)
    return found


def _rows(rows: list[list[str]], span: Span) -> Iterable[list[str]]:
    return rows[span.first - 1 : span.last]
