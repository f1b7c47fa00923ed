"""Names of tables and columns: there once, and as SQL takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = ["literal", "quoted", "unique"]


def unique(names: Sequence[str], fold: Callable[[str], str] = str) -> list[str]:
    """Return a name for each column: one without is ``column_3``, a second of a name ``name_2``.

    Two names are the same where they are so after ``fold``. A name that is made is never that of another column:
    each means the one that has it. Takes time in proportion to their number.
    """
    own = {fold(name) for name in names if name}
    taken: set[str] = set()
    numbers: dict[str, int] = {}  # the next number to try for a stem; trying all anew takes minutes on a wide header
    columns: list[str] = []
    for place, name in enumerate(names, start=1):
        column = stem = name or f"column_{place}"
        number = numbers.get(fold(stem), 2)
        while fold(column) in taken or (column != name and fold(column) in own):
            column, number = f"{stem}_{number}", number + 1
        numbers[fold(stem)] = number
        taken.add(fold(column))
        columns.append(column)
    return columns


def quoted(name: str) -> str:
    """Return a name of a table or column as SQL takes any."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as SQL takes any."""
    return "'" + text.replace("'", "''") + "'"
