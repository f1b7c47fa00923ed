"""One query over a folder's tables, run exactly as it is written, and what it gives as JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING

from aeon.errors import ToolFailed
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.text import one_line, printable
from aeon.tools.queryerrors import PLAIN
from aeon.tools.queryunits import units_of
from aeon.tools.sqlcheck import check_query
from aeon.tools.tablefile import TableFile

if TYPE_CHECKING:
    import duckdb

__all__ = ["MOST_ROWS", "SETUP", "PlainForm"]

SETUP = (
    "SET SESSION default_collation=''",
    "SET SESSION ieee_floating_point_ops=true",
    "SET SESSION error_on_division_by_zero=true",
)
"""What undoes, for one connection, the settings that make comparisons and divisions other than DuckDB's own."""

MOST_ROWS = 100
"""Rows that are shown."""
_COUNTED = 20_000
"""Rows that are fetched to be counted; of more, DuckDB counts them itself, which is a hundred times as fast."""
_CELL_LENGTHS = (2_000, 300, 40)
"""Characters of a cell that are shown; fewer where not even one row fits."""
_LONGEST_NAME = 200
_LONGEST_MESSAGE = 400
_DIGITS = 15
"""Digits that a DOUBLE has for certain."""
_NO_TABLE = "Catalog Error: Table with name "
_LINE = re.compile(r"\n+LINE (?P<line>\d+): (?P<text>[^\n]*)\n(?P<marks> *\^+)[^\n]*")


@dataclass(frozen=True)
class PlainForm:
    """Queries in one session over a file of tables."""

    file: TableFile
    cursor: duckdb.DuckDBPyConnection
    seconds: float

    def table(self, query: str, most_bytes: int) -> JsonObject:
        """What a query gives, as ``{"columns": [...], "rows": [[...]], "total": n}``.

        Raises ``ToolArgumentError`` and ``ToolFailed``.
        """
        with PLAIN.translated(self.file.module, self.seconds, self._explained):
            is_written = check_query(self.file.module, self.cursor, query)
            self.cursor.execute(query)
            columns = [printable(str(column[0])[:_LONGEST_NAME]) for column in self.cursor.description or ()]
            rows = self.cursor.fetchmany(MOST_ROWS)
            total = len(rows)
            while total < _COUNTED and (more := self.cursor.fetchmany(MOST_ROWS * 10)):
                total += len(more)
            exact = True
            if total >= _COUNTED and self.cursor.fetchone() is not None:
                total, exact = self._counted(query, total + 1)
            marks: JsonObject = {"written": True} if is_written else {}
            result = _fitting(columns, rows, most_bytes)
            if units := self._units(query, columns):
                marks["units"] = {**units}
        return {**result, **marks, "total": total, **({} if exact else {"more": True})}

    def _units(self, query: str, columns: Sequence[str]) -> dict[str, str]:
        """The units of the columns of the result, as far as they follow from those of the tables."""
        if not any(table.reading.units for table in self.file.tables):
            return {}
        row = self.cursor.execute("SELECT json_serialize_sql(?::VARCHAR)", [query]).fetchone()
        try:
            statements = json.loads(row[0]).get("statements") if row else None
            return units_of(statements[0], columns, self.file.tables) if statements else {}
        except RecursionError:
            return {}

    def _counted(self, query: str, least: int) -> tuple[int, bool]:
        """How many rows the query gives, and whether that is all of them: it may take too long to say."""
        with suppress(self.file.module.Error):
            row = self.cursor.execute(f"SELECT count(*) FROM (\n{query.strip().rstrip(';')}\n)").fetchone()
            if row and int(row[0]) >= least:
                return int(row[0]), True
        return least, False

    def _explained(self, error: str) -> str:
        names = ", ".join(table.name for table in self.file.tables)
        hint = one_line(f"; the tables are: {names}", 150) if error.startswith(_NO_TABLE) else ""
        return _message(error, _LONGEST_MESSAGE - len(hint)) + hint


def _message(text: str, most: int) -> str:
    """DuckDB's message on one line; its picture of where the error is, as the text that stands there."""
    found = _LINE.search(text)
    if found is None:
        return one_line(text, most)
    first = found["marks"].index("^") - len(f"LINE {found['line']}: ")
    place = one_line(found["text"][max(0, first) : first + max(found["marks"].count("^"), 40)], 60)
    where = f" (line {found['line']}, at: {place})"
    return one_line(text[: found.start()], most - len(where)) + where


def _fitting(columns: Sequence[str], rows: Sequence[Sequence[object]], most_bytes: int) -> JsonObject:
    """As many of the first rows as fit, with shorter cells where not one does."""
    for longest in _CELL_LENGTHS:
        table = _Table(longest)
        room = most_bytes - _size(list(columns)) - 120
        for row in rows:
            cells = table.row(row)
            room -= _size(cells) + 2
            if room < 0:
                break
            table.keep(cells)
        if table.rows or not rows:
            break
    if room < 0 and not table.rows:
        raise ToolFailed(f"a row of {len(columns):,} columns is too long to be shown; select fewer columns")
    return {"columns": [*columns], **table.fields()}


class _Table:
    """Rows as they are made into JSON."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._is_cut = False
        self._special: list[tuple[int, str]] = []
        self.rows: list[JsonValue] = []
        self._not_finite: list[JsonValue] = []

    def row(self, cells: Sequence[object]) -> list[JsonValue]:
        """The cells of the next row; `keep` takes it."""
        self._special = [(at, str(cell)) for at, cell in enumerate(cells) if _is_special(cell)]
        return [self._short(_cell(cell)) for cell in cells]

    def keep(self, cells: list[JsonValue]) -> None:
        """Take the row that was made last."""
        self._not_finite += [[len(self.rows), at, text] for at, text in self._special]
        self.rows.append(cells)

    def fields(self) -> JsonObject:
        """The table as it is told."""
        marks: JsonObject = {"not_finite": self._not_finite} if self._not_finite else {}
        return {"rows": self.rows, **marks, **({"cut": True} if self._is_cut else {})}

    def _short(self, value: JsonValue) -> JsonValue:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if len(text) <= self._longest:
            return value
        self._is_cut = True
        return f"{text[: self._longest]}… [cut: {len(text):,} characters]"


def _size(value: JsonValue) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _is_special(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def _cell(value: object) -> JsonValue:
    """One of DuckDB's values as JSON."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, Mapping):
        return {printable(str(key)): _cell(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_cell(inner) for inner in value]
    return printable(_text(value))


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return "".join(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02X}" for byte in value)
    return str(value)


def _decimal(value: Decimal) -> JsonValue:
    """A number where that is exact, else the digits as a text."""
    if value == value.to_integral_value():
        return int(value)
    number = float(value)
    return number if Decimal(repr(number)) == value else format(value, "f")
