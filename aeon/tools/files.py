"""Tools that read a folder: list, read, search, and ask a table."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Annotated

from pydantic import Field

from aeon.documents.folder import Folder
from aeon.errors import ToolError, ToolFailed
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.text import one_line, printable
from aeon.tools.tables import Comparison, Operation, Table, answer, conditions
from aeon.tools.tool import Tool, tool

__all__ = ["files"]

_READ_BYTES = 256 * 1024
_TABLE_BYTES = 32 * 1024 * 1024
_HINT_TABLE_BYTES = 4 * 1024 * 1024
_HINT_CHARACTERS = 1_200
_SEARCH_BYTES = 64 * 1024 * 1024
_SEARCH_LINES = 100
_MOST_NAMES = 60
_MOST_NAME_CHARACTERS = 2_000
_TABLES = (".csv", ".tsv")

_reader = tool(side_effects=False, parallel_safe=True)


def files(folder: str | os.PathLike[str]) -> tuple[Tool, ...]:
    """Return the tools ``list_files``, ``read_file``, ``search_files`` and ``table_query`` over a folder, read-only.

    ``table_query`` is there only if the folder holds tables; ``read_file`` then reads the other files, so that nobody
    adds up a table by eye. Names of files and columns are those that the folder has now; hints tell the planner the
    files and the columns of the tables. Raises ``InputFileError`` if the folder is missing, unreadable or no folder.
    """
    source = Folder.open(folder)
    entries = list(source.files())
    tables = [entry for entry in entries if _is_table(entry[0])]
    texts = [entry for entry in entries if not _is_table(entry[0])]
    reading = _about(_reader(_read_file(source)), source, texts or tables)
    common = (_reader(_list_files(source)), reading, _reader(_search_files(source)))
    if not tables:
        return common
    asking = _about(_reader(_table_query(source)), source, tables)
    return (*common, _one_of(asking, "column", _column_names(source, [path for path, _ in tables])))


def _is_table(path: str) -> bool:
    return path.lower().endswith(_TABLES)


def _about(base: Tool, source: Folder, entries: Sequence[tuple[str, int]]) -> Tool:
    """The tool for these files: its path is one of theirs, and its hint tells what they are."""
    named = _one_of(base, "path", [path for path, _ in entries])
    return replace(named, hint=_hint(source, entries))


def _one_of(base: Tool, parameter: str, values: Sequence[str]) -> Tool:
    """The tool with a parameter that takes only these values, so that no name can be invented.

    Left as it is where the values are none, many, long, or of characters that cannot be written.
    """
    properties = base.parameters["properties"]
    written = "".join(values)
    few = 0 < len(values) <= _MOST_NAMES and len(written) <= _MOST_NAME_CHARACTERS and printable(written) == written
    if not few or not isinstance(properties, dict):
        return base
    schema = properties[parameter]
    named: JsonObject = {**(schema if isinstance(schema, dict) else {}), "enum": list(values)}
    return replace(base, parameters={**base.parameters, "properties": {**properties, parameter: named}})


def _column_names(source: Folder, tables: Sequence[str]) -> list[str]:
    """Every column of the tables; none where the tables are many, or one too large to be read only for its names."""
    names: dict[str, None] = {}
    if len(tables) > _MOST_NAMES or any(source.find(path).stat().st_size > _HINT_TABLE_BYTES for path in tables):
        return []
    for path in tables:
        with suppress(ToolError):  # what is no table has no columns
            names.update(dict.fromkeys(_table(source, path, _HINT_TABLE_BYTES).columns))
    return list(names)


def _list_files(source: Folder) -> Callable[..., object]:
    def list_files() -> list[dict[str, JsonValue]]:
        """List the files of the folder with their sizes in bytes."""
        return [{"path": path, "bytes": size} for path, size in source.files()]

    return list_files


def _read_file(source: Folder) -> Callable[..., object]:
    def read_file(path: str) -> str:
        """Read one text file whole.

        Args:
            path: the file's path as listed
        """
        text, whole = source.text(source.find(path), _READ_BYTES)
        return text if whole else f"{text}… [cut: only the first {_READ_BYTES:,} bytes were read]"

    return read_file


def _search_files(source: Folder) -> Callable[..., object]:
    def search_files(text: Annotated[str, Field(min_length=1)]) -> str:
        """Find the lines of all text files that contain a text, upper and lower case alike.

        Args:
            text: a word or phrase, not a pattern
        """
        hits, complete = _hits(source, text.casefold())
        if not hits:
            return f"no line contains {one_line(text, 100)!r}" + ("" if complete else " in the part that was searched")
        return "\n".join(hits) + ("" if complete else f"\n… [cut: the search stopped after {len(hits)} lines]")

    return search_files


def _hits(source: Folder, phrase: str) -> tuple[list[str], bool]:
    """Return the matching lines as ``path:line: text``, and whether everything was searched."""
    hits: list[str] = []
    left = _SEARCH_BYTES
    for path, size in source.files():
        if size > left:
            return hits, False
        left -= size
        try:
            text, _ = source.text(source.find(path), size + 1)
        except ToolError:  # a binary or unreadable file holds no lines
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if phrase in line.casefold():
                if len(hits) == _SEARCH_LINES:
                    return hits, False
                hits.append(f"{path}:{number}: {one_line(line, 200)}")
    return hits, True


def _table_query(source: Folder) -> Callable[..., object]:
    def table_query(
        path: str,
        where: str,
        operation: Operation,
        column: str,
        group_by: str = "",
    ) -> JsonValue:
        """Calculate exactly over one column of a CSV file: over the rows that meet conditions, or over all.

        Args:
            path: the CSV file's path as listed
            where: conditions that rows must meet, such as: city = Rome and weight >= 10; empty for all rows
            operation: count counts rows, rows gives them whole; min and max also give the row
            column: the column to calculate over
            group_by: give one result for each value of this column
        """
        table = _table(source, path, _TABLE_BYTES)
        if operation != "count":
            table.column(column)
        for condition in conditions(where):
            table = _filter(table, *condition)
        if not group_by:
            return answer(table, column, operation)
        at = table.column(group_by)
        groups: dict[str, list[tuple[str, ...]]] = {}
        for row in table.rows:
            groups.setdefault(row[at], []).append(row)
        return {key: answer(Table(table.columns, tuple(rows)), column, operation) for key, rows in groups.items()}

    return table_query


def _filter(table: Table, column: str, comparison: Comparison, value: str) -> Table:
    """Return the matching rows; a value that does not occur at all is taken for a mistake and raises ``ToolFailed``."""
    matching = table.where(column, comparison, value)
    if matching.rows or not table.rows or comparison != "=":
        return matching
    at = table.column(column)
    values = ", ".join(islice(dict.fromkeys(row[at] for row in table.rows), 12))
    condition = one_line(f"{table.columns[at]} = {value}", 100)
    raise ToolFailed(f"no row has {condition}; its values are: {one_line(values, 300)}")


def _table(source: Folder, path: str, limit: int) -> Table:
    text, whole = source.text(source.find(path), limit)
    if not whole:
        raise ToolFailed(f"{one_line(path, 100)} is larger than {limit:,} bytes; too large for a table")
    return Table.parse(text)


def _hint(source: Folder, entries: Sequence[tuple[str, int]]) -> str:
    """Return a line for each file: size and, for a table, rows, columns and the first row; bounded in length."""
    lines: list[str] = []
    length = 0
    for number, (path, size) in enumerate(entries):
        line = _hint_line(source, path, size)
        length += len(line) + 1
        if length > _HINT_CHARACTERS:
            lines.append(f"… and {len(entries) - number} more files")
            break
        lines.append(line)
    return "\n".join(lines)


def _hint_line(source: Folder, path: str, size: int) -> str:
    line = f"{one_line(path, 120)} ({size:,} bytes)"
    if not _is_table(path) or size > _HINT_TABLE_BYTES:
        return line
    try:
        table = _table(source, path, _HINT_TABLE_BYTES + 1)
    except ToolError:  # what is no table is listed like any file
        return line
    first = f"; first row: {one_line(', '.join(table.rows[0]), 120)}" if table.rows else ""
    columns = one_line(printable(", ".join(table.columns)), 200)
    return f"{line}: {len(table.rows):,} rows; columns: {columns}{first}"
