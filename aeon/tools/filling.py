"""Filling a DuckDB with the tables of files, which are read in a process of their own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from aeon.errors import ToolFailed
from aeon.isolation.deadline import Deadline
from aeon.isolation.limits import MEGABYTE, Limits
from aeon.isolation.pool import MOST_MEMORY, Exceeded, Unread, isolated
from aeon.tables.extraction import BOOKS, DATABASES, TEXTS, extract
from aeon.tables.naming import literal, quoted
from aeon.tables.parts import Extracted, Part
from aeon.tables.reading import Reading
from aeon.tables.stated import beside
from aeon.tools.queryerrors import error_line

if TYPE_CHECKING:
    import duckdb

__all__ = ["TABLE_SUFFIXES", "UNREAD", "Filler", "Loaded"]

TABLE_SUFFIXES = (*TEXTS, ".parquet", ".json", ".jsonl", ".ndjson", *BOOKS, *DATABASES)

_MAX_READ = 64 * MEGABYTE
_MAX_DATABASE = 512 * MEGABYTE
_MAX_FILE = 2048 * MEGABYTE
_MAX_NAME = 60
_MANY, _BEGINNING, _DELIMITERS = 200, 256 * 1024, (b",", b";", b"\t", b"|")
_GLOB = frozenset("*?[]{}")
_MEMORY, _MEMORY_A_BYTE = 384 * MEGABYTE, 12
_BESIDE_ENGINE = 224 * MEGABYTE
"""What a process needs beside what DuckDB in it may take."""
_TRIES = 2
"""How often a file is read that changes meanwhile."""
_MOST_ENGINE = 400 * MEGABYTE
"""What DuckDB may take for a text that is not wide: it holds more than it says, and what it sorts goes to disk."""
_SECONDS, _SECONDS_A_MEGABYTE, _MOST_SECONDS = 10.0, 4.0, 180.0
_OUTPUT, _OUTPUT_A_BYTE, _MOST_OUTPUT = 64 * MEGABYTE, 4, 4096 * MEGABYTE

UNREAD = "it is not read:"
"""How the reason begins of a file that took more than it may, which may be read the next time."""

T = TypeVar("T")


@dataclass(frozen=True)
class Loaded:
    """A table that was made: its name, and how it was read."""

    name: str
    reading: Reading


class Filler:
    """Makes tables of files; ``scratch`` is a folder of its own, for what passes through it.

    ``skipped`` are the files without a table, with the reason.
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

    def fill(self, path: Path, label: str) -> Iterator[Loaded]:
        """Make the tables of one file, named like it. Raises ``ToolFailed`` with the reason for one without any."""
        suffix, size = Path(label).suffix.lower(), path.stat().st_size
        _check_size(suffix, size)
        limits = _limits(size, is_wide=suffix in BOOKS or (suffix in TEXTS and _is_wide(path)))
        with self._place() as place:
            extracted = self._steady(path, suffix, place / "tables.duckdb", limits)
            yield from self._taken(extracted.parts, label, place / "tables.duckdb")

    def _steady(self, path: Path, suffix: str, target: Path, limits: Limits) -> Extracted:
        """The tables of a file that is the same before and after; one that changes meanwhile is read once more.

        Raises ``ToolFailed`` for one without any, and where it changes again.
        """
        for _ in range(_TRIES):
            target.unlink(missing_ok=True)
            before = _stamp(path)
            try:
                extracted = self._extracted(path, suffix, target, limits)
            except ToolFailed:
                if _stamp(path) == before:
                    raise
            else:
                if _stamp(path) == before:
                    return extracted
        raise ToolFailed(f"{UNREAD} it changes while it is read")

    def _extracted(self, path: Path, suffix: str, target: Path, limits: Limits) -> Extracted:
        """The tables of a file, in the database ``target``. Raises ``ToolFailed`` for one without any."""
        most = _MOST_ENGINE if suffix in TEXTS and not _is_wide(path) else limits.memory
        with self._plain_path(path) as source:
            arguments: dict[str, object] = {
                "path": source,
                "suffix": suffix,
                "target": str(target),
                "scratch": str(target.parent),
                "memory": min(limits.memory - _BESIDE_ENGINE, most),
                "name": path.name,
                "stated": str(beside(path) or ""),
            }
            extracted = self._isolated(extract, Extracted, limits, arguments)
            if extracted.problem:
                reason = error_line(extracted.problem.replace(source, path.name), {})
                raise ToolFailed(f"it is no readable table: {reason}")
            return extracted

    def _taken(self, parts: Sequence[Part], label: str, target: Path) -> Iterator[Loaded]:
        """Take over the tables of one file from the database where they were made."""
        self._connection.execute(f"ATTACH {literal(str(target))} AS extracted (READ_ONLY)")
        try:
            for part in parts:
                if part.reading is None:
                    self.skipped.append((f"{label} ({part.name})", part.problem))
                    continue
                name = self._name(f"{Path(label).stem} {part.name}")
                self._create(name, f"FROM extracted.main.{part.table}")
                yield Loaded(name, part.reading)
        finally:
            self._connection.execute("DETACH extracted")

    def _isolated(self, work: Callable[..., object], gives: type[T], limits: Limits, arguments: dict[str, object]) -> T:
        try:
            return isolated(work, gives, limits, arguments, deadline=self._deadline)
        except (Exceeded, Unread) as error:
            raise ToolFailed(f"{UNREAD} {error}") from None

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


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _check_size(suffix: str, size: int) -> None:
    """Refuse what is empty, too large, or of no kind that has tables."""
    if suffix not in TABLE_SUFFIXES:
        raise ToolFailed("it is no kind of table that can be read")
    if size > _MAX_FILE:
        raise ToolFailed(f"it has more than {_MAX_FILE // MEGABYTE:,} MB")
    if not size:
        raise ToolFailed("it is empty")
    if size > (_MAX_DATABASE if suffix in DATABASES else _MAX_READ if suffix in BOOKS else size):
        raise ToolFailed("it is too large for its kind")


def _is_wide(path: Path) -> bool:
    """Whether a file of delimited text begins with a line of very many cells, each of which takes much memory."""
    with path.open("rb") as file:
        lines = file.read(_BEGINNING).split(b"\n")
    return any(max(map(line.count, _DELIMITERS)) > _MANY for line in lines)


def _limits(size: int, *, is_wide: bool) -> Limits:
    """What reading a file of so many bytes may take."""
    return Limits(
        memory=MOST_MEMORY if is_wide else min(_MEMORY + _MEMORY_A_BYTE * size, MOST_MEMORY),
        seconds=min(_SECONDS + _SECONDS_A_MEGABYTE * size / MEGABYTE, _MOST_SECONDS),
        output=min(_OUTPUT + _OUTPUT_A_BYTE * size, _MOST_OUTPUT),
    )
