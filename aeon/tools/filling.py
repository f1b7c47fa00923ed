"""Filling a DuckDB with the tables of files, which are read in a process of their own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from aeon.errors import ToolFailed
from aeon.isolation.deadline import Deadline
from aeon.isolation.limits import MEGABYTE, Limits
from aeon.isolation.pool import MOST_MEMORY, Exceeded, Unread, isolated
from aeon.tables.copying import copy
from aeon.tables.extraction import sheets
from aeon.tables.naming import literal, quoted, unique
from aeon.tables.parts import Copied, Part
from aeon.text import one_line
from aeon.tools.queryerrors import error_line

if TYPE_CHECKING:
    import duckdb

__all__ = ["TABLE_SUFFIXES", "Filler", "Loaded"]

TABLE_SUFFIXES = (".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson", ".xlsx", ".sqlite", ".sqlite3", ".db")

_TEXT = (".csv", ".tsv")
_DATABASES = (".sqlite", ".sqlite3", ".db")
_MAX_READ = 64 * MEGABYTE
_MAX_DATABASE = 512 * MEGABYTE
_MAX_FILE = 2048 * MEGABYTE
_MAX_LINE = 32 * MEGABYTE
_MAX_NAME = 60
_WIDE = 5_000
"""Columns above which the database may take 1 GB of memory: DuckDB takes some 50 KB for each."""
_LONGEST_COLUMN = 100
_GLOB = frozenset("*?[]{}")
_OPTIONS = (
    "header=false, auto_detect=false, new_line='\\n', delim=',', quote='\"', escape='\"', nullstr='', parallel=false"
)
_MEMORY, _MEMORY_A_BYTE = 384 * MEGABYTE, 12
_BESIDE_ENGINE = 224 * MEGABYTE
"""What a process needs beside what DuckDB in it may take."""
_SECONDS, _SECONDS_A_MEGABYTE, _MOST_SECONDS = 10.0, 4.0, 180.0
_OUTPUT, _OUTPUT_A_BYTE, _MOST_OUTPUT = 64 * MEGABYTE, 4, 4096 * MEGABYTE

T = TypeVar("T")


@dataclass(frozen=True)
class Loaded:
    """A table that was made: its name, and how many surplus cells of its file were dropped."""

    name: str
    dropped: int = 0


class Filler:
    """Makes tables of files; ``scratch`` is a folder of its own, for what passes through it.

    ``skipped`` are the files without a table, with the reason; ``notes`` say what was read otherwise than it was meant.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        scratch: Path,
        errors: type[Exception],
        deadline: Deadline | None = None,
    ) -> None:
        self._connection = connection
        self._errors = errors
        self._scratch = scratch
        self._deadline = deadline
        keywords = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved'"
        self.keywords = frozenset(str(row[0]) for row in connection.execute(keywords).fetchall())
        self._names: set[str] = set()
        self._numbers: dict[str, int] = {}
        self.skipped: list[tuple[str, str]] = []
        self.notes: list[str] = []

    def fill(self, path: Path, label: str) -> Iterator[Loaded]:
        """Make the tables of one file, named like it. Raises ``ToolFailed`` with the reason for one without any."""
        suffix, size = Path(label).suffix.lower(), path.stat().st_size
        if suffix not in TABLE_SUFFIXES:
            raise ToolFailed("it is no kind of table that can be read")
        if size > _MAX_FILE:
            raise ToolFailed(f"it has more than {_MAX_FILE // MEGABYTE:,} MB")
        if not size:
            raise ToolFailed("it is empty")
        if size > (_MAX_DATABASE if suffix in _DATABASES else _MAX_READ if suffix == ".xlsx" else size):
            raise ToolFailed("it is too large for its kind")
        is_taken_apart = suffix in (".xlsx", *_DATABASES) or (suffix in _TEXT and size <= _MAX_READ)
        with self._place() as place:
            if is_taken_apart:
                yield from self._from_sheets(path, label, suffix, size, place)
            else:
                yield from self._from_engine(path, label, suffix, size, place)

    def _from_sheets(self, path: Path, label: str, suffix: str, size: int, place: Path) -> Iterator[Loaded]:
        limits = _limits(size)
        arguments = {"path": str(path), "suffix": suffix, "folder": str(place), "most": limits.output}
        parts = self._isolated(sheets, tuple[Part, ...], limits, arguments)
        for part in parts:
            if part.note:
                self.notes.append(f"{one_line(label, 60)}: {part.note}")
            try:
                yield self._from_part(part, f"{Path(label).stem} {part.name}")
            except (ToolFailed, self._errors) as error:
                if len(parts) == 1:
                    raise
                self.skipped.append((f"{label} ({part.name})", one_line(str(error), 120)))

    def _from_part(self, part: Part, stem: str) -> Loaded:
        if part.problem:
            raise ToolFailed(part.problem)
        if part.read_as:
            self.notes.append(f"{one_line(stem.strip(), 60)}: {part.read_as}")
        if len(part.columns) > _WIDE:
            self._connection.execute("SET memory_limit='1GB'")
        name = self._name(stem)
        if not part.rows:
            columns = ", ".join(f"{quoted(column)} {kind}" for column, kind in part.columns)
            self._connection.execute(f"CREATE TABLE {quoted(name)} ({columns})")
            return Loaded(name, part.dropped)
        types = ", ".join(f"{literal(column)}: {literal(kind)}" for column, kind in part.columns)
        options = f"columns={{{types}}}, {_OPTIONS}, max_line_size={_MAX_LINE}"
        self._create(name, f"SELECT * FROM read_csv({literal(part.file)}, {options})")
        Path(part.file).unlink()
        return Loaded(name, part.dropped)

    def _from_engine(self, path: Path, label: str, suffix: str, size: int, place: Path) -> Iterator[Loaded]:
        """Make the tables that DuckDB finds in a file; of a JSON object whose values are lists of objects, one each."""
        limits, target = _limits(size), place / "tables.duckdb"
        with self._plain_path(path) as source:
            arguments = {
                "path": source,
                "suffix": suffix,
                "target": str(target),
                "scratch": str(place),
                "memory": limits.memory - _BESIDE_ENGINE,
            }
            copied = self._isolated(copy, Copied, limits, arguments)
        if copied.problem:
            reason = error_line(copied.problem.replace(source, path.name), {})
            raise ToolFailed(f"it is no readable table: {reason}")
        stem = self._name(Path(label).stem)
        if len(copied.names) > 1 or copied.names[0]:
            self._names.discard(stem)
        self._connection.execute(f"ATTACH {literal(str(target))} AS copied (READ_ONLY)")
        try:
            for number, own in enumerate(copied.names):
                name = stem if copied.names == ("",) else self._name(f"{stem} {own}")
                self._create(name, _named_well(self._connection, f"copied.main.part{number}"))
                yield Loaded(name)
        finally:
            self._connection.execute("DETACH copied")

    def _isolated(self, work: Callable[..., object], gives: type[T], limits: Limits, arguments: dict[str, object]) -> T:
        try:
            return isolated(work, gives, limits, arguments, deadline=self._deadline)
        except (Exceeded, Unread) as error:
            raise ToolFailed(f"it is not read: {error}") from None

    def _create(self, name: str, query: str) -> None:
        self._connection.execute(f"CREATE OR REPLACE TABLE {quoted(name)} AS {query}")

    def _name(self, stem: str) -> str:
        """Return a name that needs no quotes and that no table has yet."""
        name = re.sub(r"\W+", "_", stem.lower()).strip("_")[:_MAX_NAME] or "table"
        if not name[0].isalpha() or name in self.keywords:
            name = f"t_{name}"
        number = self._numbers.get(name, 2)
        unique = name
        while unique in self._names:
            unique, number = f"{name}_{number}", number + 1
        self._numbers[name] = number
        self._names.add(unique)
        return unique

    @contextmanager
    def _place(self) -> Iterator[Path]:
        """A folder for what one file gives."""
        place = self._scratch / "file"
        place.mkdir()
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)

    @contextmanager
    def _plain_path(self, path: Path) -> Iterator[str]:
        """Give a path to the file in which no character stands for others, as ``*`` does in DuckDB's paths."""
        if not _GLOB & set(str(path)):
            yield str(path)
            return
        copied = self._scratch / f"copy{path.suffix.lower()}"
        try:
            shutil.copyfile(path, copied)
            yield str(copied)
        finally:
            copied.unlink(missing_ok=True)


def _named_well(connection: duckdb.DuckDBPyConnection, table: str) -> str:
    """The query that gives a table with names of columns that stand on one line, as those of any other file do."""
    connection.execute(f"FROM {table} LIMIT 0")
    own = [str(column[0]) for column in connection.description or ()]
    names = unique([one_line(name, _LONGEST_COLUMN) for name in own], fold=str.lower)
    columns = ", ".join(f"{quoted(name)} AS {quoted(short)}" for name, short in zip(own, names, strict=True))
    return f"FROM {table}" if names == own else f"SELECT {columns} FROM {table}"


def _limits(size: int) -> Limits:
    """What reading a file of so many bytes may take."""
    return Limits(
        memory=min(_MEMORY + _MEMORY_A_BYTE * size, MOST_MEMORY),
        seconds=min(_SECONDS + _SECONDS_A_MEGABYTE * size / MEGABYTE, _MOST_SECONDS),
        output=min(_OUTPUT + _OUTPUT_A_BYTE * size, _MOST_OUTPUT),
    )
