"""Tables from CSV text, and the questions that can be asked of one column."""

from __future__ import annotations

import csv
import difflib
import functools
import io
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, cast

from aeon.errors import ToolArgumentError, ToolFailed
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.text import one_line
from aeon.tools.numbers import parse_cell, plain

__all__ = ["Comparison", "Operation", "Table", "answer", "cell_value", "conditions"]

Operation = Literal["sum", "mean", "min", "max", "count", "list", "distinct", "rows"]
Comparison = Literal["=", "!=", "<", "<=", ">", ">=", "contains"]

_PLAIN_NUMBER = re.compile(r"-?(0|[1-9]\d{0,17})(\.\d{1,17})?")
_MISSING = frozenset({"", "-", "na", "n/a", "nan", "null", "none"})
_MAX_CELL = 1_000_000
_MAX_FILLED = 1_000_000
"""Cells up to which missing ones may make a table larger than its text."""

_ORDER: dict[str, Callable[[Fraction | str, Fraction | str], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


_MAX_CONDITIONS = 4_000
_QUOTED = re.compile(r"""(?P<quote>["'`])(?P<inner>.*?)(?P=quote)(?=[\s&;=<>!]|$)""", re.DOTALL)
_QUOTED_OPERAND = re.compile(
    rf"(?P<before>(?:^|[&;=<>]|(?<=\s)(?:and|contains)(?=\s))\s*)(?P<operand>{_QUOTED.pattern})",
    re.DOTALL | re.IGNORECASE,
)
_SIGN = re.compile(r"==|!=|<>|<=|>=|<|>|=")
_COMPARISON = re.compile(rf"{_SIGN.pattern}|(?<=\s)contains(?=\s)", re.IGNORECASE)
_AND = re.compile(r"(?<=\s)and(?=\s)|&&?|;", re.IGNORECASE)
_SAME: dict[str, Comparison] = {"==": "=", "<>": "!="}


def conditions(text: str) -> list[tuple[str, Comparison, str]]:
    """Return the conditions of a text such as ``city = Rome and weight >= 10``: column, comparison, value.

    Columns and values may stand in quotes, within which nothing has a meaning. What follows *and* but is no condition
    belongs to the value before it, if that is compared by ``=``: ``product = salt and pepper``. Raises
    ``ToolArgumentError`` for a part that is no condition, and for one that could be read in two ways.
    """
    text = text.strip()
    if len(text) > _MAX_CONDITIONS:
        raise ToolArgumentError(f"conditions of {len(text):,} characters are too long; {_MAX_CONDITIONS:,} are allowed")
    mask = _QUOTED_OPERAND.sub(lambda match: match["before"] + "q" * len(match["operand"]), text)
    return [_condition(text[start:end], mask[start:end]) for start, end in _parts(mask)]


def _parts(mask: str) -> list[tuple[int, int]]:
    """Return where each condition begins and ends."""
    joints = list(_AND.finditer(mask))
    parts: list[tuple[int, int]] = []
    start = 0
    for number, joint in enumerate(joints):
        following = joints[number + 1].start() if number + 1 < len(joints) else len(mask)
        if _COMPARISON.search(mask[joint.end() : following].strip()):
            parts.append((start, joint.start()))
            start = joint.end()
    return [*parts, (start, len(mask))] if mask else []


def _condition(text: str, mask: str) -> tuple[str, Comparison, str]:
    """Return one condition; ``mask`` is its text with letters in the place of quoted parts."""
    indent = len(text) - len(text.lstrip())
    sign = _COMPARISON.search(mask[indent:])
    if sign is None:
        raise _unreadable(text)
    start, end = indent + sign.start(), indent + sign.end()
    column, value = _unquote(text[:start]), _unquote(text[end:])
    comparison = cast("Comparison", _SAME.get(sign[0], sign[0].lower()))
    joined = _AND.search(mask, end) is not None and comparison != "="
    if not column or value is None or joined or _AND.search(mask, 0, start) or _SIGN.search(mask, end):
        raise _unreadable(text)
    return column, comparison, value


def _unquote(text: str) -> str | None:
    """Return what a column or value says, ``None`` where nothing stands or where more follows what is quoted."""
    text = text.strip()
    quoted = _QUOTED.match(text)
    if quoted is None:
        return text or None
    if quoted.end() < len(text):
        return None
    return quoted["inner"].replace(quoted["quote"] * 2, quoted["quote"])


def _unreadable(text: str) -> ToolArgumentError:
    part = one_line(text, 80)
    form = "write: city = Rome and weight >= 10, with quotes around names and values that hold 'and' or a sign"
    return ToolArgumentError(f"{part!r} is no condition; {form}")


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

    def column(self, name: str) -> int:
        """Return the column's position; case and outer spaces do not matter. Raises ``ToolFailed`` with the columns."""
        key = name.strip().casefold()
        folded = [column.casefold() for column in self.columns]
        if name in self.columns:
            return self.columns.index(name)
        if key in folded:
            return folded.index(key)
        close = difflib.get_close_matches(key[:100], folded, n=1)
        guess = f"; did you mean {self.columns[folded.index(close[0])]}?" if close else ""
        listed = one_line(", ".join(self.columns), 300)
        raise ToolFailed(f"there is no column {one_line(name, 60)!r}; the columns are: {listed}{guess}")

    def objects(self) -> list[JsonObject]:
        """Return the rows as objects, with plainly written numbers as numbers."""
        return [self.record(row) for row in self.rows]

    def record(self, row: Sequence[str]) -> JsonObject:
        """Return one row as an object."""
        return {column: cell_value(cell) for column, cell in zip(self.columns, row, strict=True)}

    def where(self, column: str, comparison: Comparison, value: str) -> Table:
        """Return the table of the rows that match: as numbers if both sides are numbers, else as texts without case.

        With an order (``<``, ``>=``, …) a number and a text never match; two texts are ordered by their characters,
        which is right for dates such as 2024-02-29.
        """
        at = self.column(column)
        return Table(self.columns, tuple(row for row in self.rows if _matches(row[at], comparison, value)))


def answer(table: Table, column: str, operation: Operation) -> JsonValue:
    """Return what the operation gives for the column; sums and means are exact.

    ``count`` counts rows, ``rows`` gives them whole, ``list`` gives the values in order, ``distinct`` each once;
    ``min`` and ``max`` give the value, the first row that has it, and how many have it if more than one. Empty cells
    and ``n/a`` are no values.
    Raises ``ToolFailed`` for an unknown column, for no values, and for a text where numbers are needed.
    """
    if operation == "count":
        return len(table.rows)
    if operation == "rows":
        return list(table.objects())
    at = table.column(column)
    present = [row for row in table.rows if row[at].casefold() not in _MISSING]
    if operation == "list":
        return [cell_value(row[at]) for row in present]
    if operation == "distinct":
        return list(map(cell_value, dict.fromkeys(row[at] for row in present)))
    if not present:
        raise ToolFailed(f"no row has a value in column {table.columns[at]!r}, so it has no {operation}")
    return _aggregate(table, at, present, operation)


def _aggregate(
    table: Table, at: int, rows: Sequence[Sequence[str]], operation: Literal["sum", "mean", "min", "max"]
) -> JsonValue:
    if operation in ("min", "max"):
        return _extreme(table, at, rows, operation)
    total = sum(_numbers(table, at, rows, operation), Fraction(0))
    return plain(total if operation == "sum" else total / len(rows))


def _numbers(table: Table, at: int, rows: Sequence[Sequence[str]], operation: str) -> list[Fraction]:
    numbers = []
    for row in rows:
        number = parse_cell(row[at])
        if number is None:
            cell, name = one_line(row[at], 60), table.columns[at]
            raise ToolFailed(f"{operation} needs numbers, but column {name!r} holds {cell!r}")
        numbers.append(number)
    return numbers


def _extreme(table: Table, at: int, rows: Sequence[Sequence[str]], operation: str) -> JsonObject:
    """Return the least or greatest value with its row; numbers if all are, else texts."""
    parsed = [parse_cell(row[at]) for row in rows]
    keys: list[Fraction] | list[str]
    numbers = [number for number in parsed if number is not None]
    keys = numbers if len(numbers) == len(rows) else [row[at].casefold() for row in rows]
    first = _place(keys, operation)
    value: JsonValue = plain(numbers[first]) if keys is numbers else rows[first][at]
    result: JsonObject = {"value": value, "row": table.record(rows[first])}
    same = sum(key == keys[first] for key in keys)
    return result if same == 1 else {**result, "rows_with_it": same}


def _place(keys: list[Fraction] | list[str], operation: str) -> int:
    """Return where the first least or greatest key stands."""
    better = operator.lt if operation == "min" else operator.gt
    return functools.reduce(lambda best, i: i if better(keys[i], keys[best]) else best, range(len(keys)))


def _matches(cell: str, comparison: Comparison, value: str) -> bool:
    if comparison == "contains":
        return value.strip().casefold() in cell.casefold()
    left, right = parse_cell(cell), parse_cell(value)
    if left is not None and right is not None:
        return _ORDER[comparison](left, right)
    if comparison in ("=", "!="):
        return _ORDER[comparison](cell.casefold(), value.strip().casefold())
    if left is not None or right is not None or not cell:
        return False
    return _ORDER[comparison](cell.casefold(), value.strip().casefold())


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
