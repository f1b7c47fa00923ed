"""What a folder holds, in as few words as a capable model needs: tables with their columns and rows, texts by size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import accumulate
from typing import TypeVar

from aeon.documents.collection import Collection
from aeon.text import one_line
from aeon.tools.database import Database
from aeon.tools.tableinfo import TableInfo, identifier

__all__ = ["folder_material"]

_SMALL = 2_600
"""Characters of the tables up to which rows are shown."""
_MOST_TABLES, _MOST_COLUMNS, _MOST_TEXTS, _MOST_NOTE = 8_000, 1_500, 800, 1_000
"""Characters of all tables, of the columns of one, of the names of texts, and of the note."""
_LONGEST_KIND, _LONGEST_CELL = 60, 24

T = TypeVar("T")


def folder_material(database: Database | None, collection: Collection, note: str = "") -> str:
    """The tables and texts for a prompt, in about 2,600 characters where they are few; ``note`` says what was skipped.

    Names stand as a query has to write them. Raises ``ToolFailed`` as `Collection.text`.
    """
    tables = database.tables if database else ()
    lines = [_tables(tables, database.keywords)] if database and tables else []
    if collection.documents:
        lines.append(f"Texts: {_texts(collection)}")
    if not lines:
        lines.append("The folder holds no tables and no texts.")
    return "\n".join([*lines, f"Files: {one_line(note, _MOST_NOTE)}"] if note else lines)


def _tables(tables: Sequence[TableInfo], keywords: frozenset[str]) -> str:
    """All tables, one alone with two rows, several with one or none each: what is short enough; else as many as fit.

    Types say what numbers and days look like; a row, and what is known of the cells of a column, how texts are written.
    """
    most = 2 if len(tables) == 1 else 1
    for rows, told in ((most, True), (most, False), (1, False), (0, False)):
        form = partial(_table, keywords=keywords, rows=rows, told=told)
        if _fit(map(form, tables), _SMALL - _MOST_NOTE):
            break
    return "\n".join(["Tables:", *_first(tables, _MOST_TABLES, "… and {:,} more: SHOW TABLES lists them", form)])


def _fit(lines: Iterable[str], room: int) -> bool:
    """Whether there is room for all lines; none is made behind those that there is no room for."""
    return all(used <= room for used in accumulate(len(line) + 1 for line in lines))


def _table(table: TableInfo, keywords: frozenset[str], rows: int, told: bool) -> str:
    """One table: its columns, if ``told`` with what is known of their cells, its number of rows and the first."""
    known = _cells(table) if told else {}
    columns = [f"{identifier(name, keywords)} {_kind(kind)}{known.get(name, '')}" for name, kind in table.columns]
    listed = ", ".join(_first(columns, _MOST_COLUMNS, "and {:,} more columns: DESCRIBE lists them", str))
    line = f"{identifier(table.name, keywords)}({listed}) {table.rows:,} row{'s' * (table.rows != 1)}"
    shown = [f"  {' | '.join(map(_cell, row))}"[:_MOST_COLUMNS] for row in table.sample[:rows]]
    return "\n".join([line, *shown])


def _cells(table: TableInfo) -> dict[str, str]:
    """Of columns: the texts where they are few, the first and the last day, and that some rows have nothing."""
    told = table.units_told
    told |= {name: " | ".join(few) for name, few in table.values} | dict(table.days)
    lacking = dict.fromkeys(table.gaps, "some NULL")
    texts = {name: filter(None, (told.get(name), lacking.get(name))) for name in told | lacking}
    return {name: f" ({', '.join(known)})" for name, known in texts.items()}


def _kind(kind: str) -> str:
    """A type of DuckDB's; a decimal without its digits."""
    return "DECIMAL" if kind.startswith("DECIMAL(") and kind.endswith(")") else one_line(kind, _LONGEST_KIND)


def _cell(text: str) -> str:
    """A cell of a sample, without the quotes of a text."""
    plain = text[1:-1] if len(text) > 1 and text[0] == text[-1] == "'" else text
    return one_line(plain, _LONGEST_CELL)


def _texts(collection: Collection) -> str:
    """The names of the texts, as many as there is room for, with their characters."""

    def sized(name: str) -> str:
        return f"{one_line(name, 250)} ({len(collection.text(name)):,} characters)"

    return ", ".join(_first(collection.documents, _MOST_TEXTS, "and {:,} more: search finds them", sized))


def _first(names: Sequence[T], room: int, more: str, form: Callable[[T], str]) -> list[str]:
    """As many of the names as there is room for, in their form, at least one, and how many are left out."""
    kept: list[str] = []
    for name in names:
        line = form(name)
        room -= len(line) + 2
        if kept and room < 0:
            break
        kept.append(line)
    left = len(names) - len(kept)
    return [*kept, more.format(left)] if left else kept
