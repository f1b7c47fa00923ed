"""Typed looks at a folder, for the host: list, read, search, count, imports, one number of a table. They only read."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated, Literal

from pydantic import Field

from aeon.documents.folder import MOST_FILES, Folder
from aeon.errors import ToolError, ToolFailed
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.text import one_line
from aeon.tools.database import Database
from aeon.tools.measuring import Measurer, TableQuery
from aeon.tools.tableinfo import TableInfo
from aeon.tools.tool import Tool, tool

__all__ = ["LOOK", "look"]

LOOK = "look"
_MOST_BYTES = 8 * 1024 * 1024
_MARGIN = 8
"""Bytes beyond them that tell a file which has grown; a character that they cut through does not hide it."""
_LARGEST = 64 * 1024 * 1024
_MOST_LISTED = 200
_MOST_LINES = 40
_MOST_COUNTS = 50
_MOST_HITS = 12
_MOST_UNREAD = 20
_MOST_MODULES = 60
_LONGEST_LINE = 300
_ROOM = 6_000
"""Characters of what one look shows, so that it is never cut at the cap of a tool's output."""
_TIMEOUT, _SECONDS = 30.0, 20.0
"""Seconds of a look, and after which it begins with no other file."""

Kind = Literal["list", "read", "search", "count", "imports", "query"]
_NO_QUERY = TableQuery()


def look(folder: Folder, database: Database | None) -> Tool:
    """Return the tool ``look`` over a folder and its tables, which no prompt names: each look gives one observation.

    A path is that of a file in the list of files, character by character, so that nothing outside the folder is read.
    """
    looker = _Looker(folder, database)

    @tool(name=LOOK, side_effects=False, parallel_safe=True, offered=False, timeout=_TIMEOUT)
    def take(
        action: Kind,
        path: str = "",
        text: str = "",
        start: Annotated[int, Field(ge=1)] = 1,
        query: TableQuery = _NO_QUERY,
    ) -> JsonObject:
        """Take one look.

        Args:
            action: what to do
            path: the file, or "" for all; for a list, what paths begin with
            text: what a line must hold; upper and lower case count
            start: the first line to read
            query: what to compute of a table
        """
        match action:
            case "list":
                return looker.listing(path)
            case "read":
                return looker.lines(path, start)
            case "imports":
                return looker.modules(path)
            case "query":
                return looker.value(query)
        return looker.matches(text, path, _MOST_HITS if action == "search" else 0)

    tables = database.tables if database is not None else ()
    return replace(take, tables=tables)


@dataclass(frozen=True)
class _Looker:
    """Takes looks at a folder as it is now; its tables are read anew for each value."""

    folder: Folder
    database: Database | None

    def listing(self, prefix: str) -> JsonObject:
        """The files whose path begins so."""
        files, whole = self._files()
        chosen = [name for name, _ in files if name.startswith(prefix)]
        shown = list(_fitting(chosen[:_MOST_LISTED]))
        return {
            "type": "listing", "path": prefix, "files": [*shown], "whole": whole and len(shown) == len(chosen),
        }  # fmt: skip

    def lines(self, path: str, start: int) -> JsonObject:
        """Lines of a file from one on."""
        lines = self._text(path).splitlines()
        shown = list(_fitting(line[:_LONGEST_LINE] for line in lines[start - 1 : start - 1 + _MOST_LINES]))
        numbered: list[JsonValue] = [[number, line] for number, line in enumerate(shown, start)]
        cut = [n for n, line in enumerate(lines[start - 1 :][: len(shown)], start) if len(line) > _LONGEST_LINE]
        return {"type": "lines", "path": path, "lines": numbered, "total": len(lines), "cut": [*cut]}

    def matches(self, text: str, path: str, most: int) -> JsonObject:
        """The lines that hold a text, counted by file."""
        if text.splitlines() != [text]:
            raise ToolFailed("a text is looked for within one line")
        names, whole = self._named(path)
        counts, hits, unread = self._searched(text, names)
        shown = [hit for hit, _ in zip(hits, range(most), strict=False)]
        return {
            "type": "matches",
            "text": text,
            "path": path,
            "total": sum(count for _, count in counts),
            "counts": [[*one] for one in counts[:_MOST_COUNTS]],
            "hits": [*shown],
            "unread": [*unread[:_MOST_UNREAD]],
            "whole": whole and len(counts) <= _MOST_COUNTS and len(unread) <= _MOST_UNREAD,
        }

    def _named(self, path: str, suffix: str = "") -> tuple[list[tuple[str, int]], bool]:
        """The file of this path, or all; and whether all files are known. Raises ``ToolFailed`` where there is none."""
        files, whole = self._files()
        names = [(name, size) for name, size in files if path in ("", name) and name.endswith(suffix)]
        if not names:
            raise ToolFailed(f"there is no file {one_line(path, 100)!r}" if path else "no such file is there")
        return names, whole

    def _searched(
        self, text: str, names: list[tuple[str, int]]
    ) -> tuple[list[tuple[str, int]], list[JsonObject], list[str]]:
        """How many lines of each file hold the text, the first of them, and the files that could not be read."""
        counts: list[tuple[str, int]] = []
        hits: list[JsonObject] = []
        unread: list[str] = []
        left, end = _LARGEST, time.monotonic() + _SECONDS
        for name, size in names:
            left -= size
            is_read = left > 0 and time.monotonic() < end
            try:
                found = _holding(self._content(name, size if is_read else _MOST_BYTES + 1).splitlines(), text)
            except ToolError:
                unread.append(name)
                continue
            if found:
                counts.append((name, len(found)))
                hits += [_hit(name, number, line, text) for number, line in found[:_MOST_HITS]]
        return counts, hits, unread

    def modules(self, path: str) -> JsonObject:
        """What a Python file, or each, imports by statements, wherever they stand in it."""
        names, whole = self._named(path, ".py")
        parsed: list[JsonValue] = []
        unread: list[JsonValue] = []
        room, end = _ROOM, time.monotonic() + _SECONDS
        for name, _ in names:
            imported = self._imports(name) if time.monotonic() < end else None
            room -= sum(map(len, imported or ())) + len(name)
            if imported is None or room < 0:
                unread.append(name)
            else:
                parsed.append([name, [*imported]])
        shown = unread[:_MOST_UNREAD]
        return {
            "type": "modules", "path": path, "files": parsed, "unread": shown,
            "whole": whole and len(unread) == len(shown),
        }  # fmt: skip

    def _imports(self, name: str) -> list[str] | None:
        try:
            tree = ast.parse(self._text(name))
        except (ToolError, SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        modules = sorted({module for node in ast.walk(tree) for module in _imported(node, name)})
        return modules if len(modules) <= _MOST_MODULES else None

    def value(self, query: TableQuery) -> JsonObject:
        """One number of a table, of the file as it is now."""
        value, within = self._fresh(self._table(query.table)).measure(query)
        return {"type": "value", **query.model_dump(), "value": value, "within": within}

    def _fresh(self, info: TableInfo) -> Measurer:
        """The table read anew; with all others where its name depends on theirs."""
        assert self.database is not None
        names = [one.name for one in self.database.tables if one.source == info.source]
        alone = Database.load(self.folder, [info.source])
        if len(names) == len(alone.tables) == 1:
            return Measurer(alone, alone.tables[0])
        if [one.name for one in alone.tables] != names:
            alone = Database.load(self.folder, dict.fromkeys(one.source for one in self.database.tables))
        for one in alone.tables:
            if (one.name, one.source) == (info.name, info.source):
                return Measurer(alone, one)
        raise ToolFailed(f"{one_line(info.source, 100)} holds no table {info.name} any more")

    def _table(self, name: str) -> TableInfo:
        tables = {one.name: one for one in self.database.tables} if self.database is not None else {}
        if name not in tables:
            raise ToolFailed(f"there is no table {one_line(name, 60)!r}; there are: {', '.join(tables) or 'none'}")
        return tables[name]

    def _files(self) -> tuple[list[tuple[str, int]], bool]:
        """The files, and whether they are all."""
        files = list(islice(self.folder.files(), MOST_FILES))
        return files, not self.folder.cut()

    def _text(self, path: str) -> str:
        size = next((size for name, size in self._files()[0] if name == path), None)
        if size is None:
            raise ToolFailed(f"there is no file {one_line(path, 100)!r}")
        return self._content(path, size)

    def _content(self, path: str, size: int) -> str:
        """The whole text of a file of the list; a file that has grown since is not read in part."""
        text = self.folder.content(path, _MOST_BYTES + _MARGIN) if size <= _MOST_BYTES else ""
        if size > _MOST_BYTES or len(text.encode()) > _MOST_BYTES:
            raise ToolFailed(f"{one_line(path, 100)} is larger than the {_MOST_BYTES // 1024**2} MiB that are read")
        return text


def _holding(lines: list[str], text: str) -> list[tuple[int, str]]:
    return [(number, line) for number, line in enumerate(lines, 1) if text in line]


def _hit(path: str, number: int, line: str, text: str) -> JsonObject:
    """A line that holds the text, around it where it is long."""
    start = max(0, line.index(text) - 40) if len(line) > _LONGEST_LINE else 0
    return {
        "path": path, "line": number, "text": line[start : start + _LONGEST_LINE], "cut": len(line) > _LONGEST_LINE,
    }  # fmt: skip


def _fitting(texts: Iterator[str] | list[str]) -> Iterator[str]:
    """As many of the texts as there is room for."""
    room = _ROOM
    for text in texts:
        room -= len(text) + 4
        if room < 0:
            return
        yield text


def _imported(node: ast.AST, path: str) -> Iterator[str]:
    """The modules that an import statement names; of ``from a import b`` also ``a.b``, which may be one."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        package = path.split("/")[: -node.level] if node.level else []
        module = ".".join([*package, *filter(None, [node.module])])
        yield from filter(None, [module])
        yield from (".".join(filter(None, [module, alias.name])) for alias in node.names if alias.name != "*")
