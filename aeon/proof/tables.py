"""Values of a whole table that a tool gave: how many rows it has, what a column comes to. Standard library alone.

A table is an object with ``columns``, the names, and ``rows``, each a list of cells in their order or an object by
their names; ``total`` is how many rows there are where only some of them are shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeGuard

from aeon.language.readings import exact, read

__all__ = ["FUNCTIONS", "is_table", "of_table"]

FUNCTIONS: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "sum": lambda cells: sum(cells, Fraction(0)),
    "min": min,
    "max": max,
    "avg": lambda cells: sum(cells, Fraction(0)) / len(cells),
}
"""What a column may come to, by name; a cell that is null does not count."""
_CALL = re.compile(r"(\w+)\((.*)\)", re.DOTALL)


def is_table(output: object) -> TypeGuard[dict[str, list[object]]]:
    """Whether an output is a table."""
    return isinstance(output, dict) and all(isinstance(output.get(name), list) for name in ("columns", "rows"))


def of_table(output: object, call: str) -> str:
    """The number that ``rows()`` or, say, ``sum(column)`` is for a table as `output_of` gives it.

    Raises:
        ValueError: the output is no table, lacks rows or the column, or a cell of it is no number.
    """
    match = _CALL.fullmatch(call)
    if match is None or not is_table(output):
        raise ValueError(f"{call[:60]!r} is nothing that the output has")
    count, shown = _rows_of(output)
    if match[1] == "rows" and not match[2]:
        return str(count)
    if match[1] not in FUNCTIONS or count != shown:
        raise ValueError(f"{call[:60]!r} cannot be computed: not all rows are there, or no such function")
    cells = [_of_cell(cell) for cell in _cells(output, match[2]) if cell is not None]
    if not cells:
        raise ValueError(f"the column {match[2][:60]!r} has no numbers")
    return exact(FUNCTIONS[match[1]](cells))


def _rows_of(output: Mapping[str, list[object]]) -> tuple[int, int]:
    """How many rows there are, and how many are shown."""
    total, shown = output.get("total"), len(output["rows"])
    count = shown if total is None else int(str(total))
    if count < shown:
        raise ValueError("the output has more rows than it says")
    return count, shown


def _cells(output: dict[str, list[object]], column: str) -> Iterator[object]:
    if output["columns"].count(column) != 1:
        raise ValueError(f"the output has no one column {column[:60]!r}")
    place = output["columns"].index(column)
    for row in output["rows"]:
        if isinstance(row, dict) and column in row:
            yield row[column]
        elif isinstance(row, list) and place < len(row):
            yield row[place]
        else:
            raise ValueError(f"a row has no cell of {column[:60]!r}")


def _of_cell(cell: object) -> Fraction:
    value = read(cell, "point") if isinstance(cell, str) else None
    if value is None or value.number is None or value.unit:
        raise ValueError(f"the cell {str(cell)[:40]!r} is no number")
    return value.number
