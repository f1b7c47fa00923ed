"""Filling a DuckDB with the tables of files, which are read in a process of their own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aeon.documents.folder import Folder
from aeon.errors import ToolFailed
from aeon.isolation.deadline import Deadline
from aeon.isolation.pool import Exceeded, Unread, isolated
from aeon.tables.extraction import extract
from aeon.tables.naming import literal, quoted
from aeon.tables.parts import Extracted, Part, Source
from aeon.tables.reading import Reading
from aeon.text import one_line
from aeon.tools.batches import TABLE_SUFFIXES, File, batches, engine_memory, limits_of
from aeon.tools.queryerrors import error_line

if TYPE_CHECKING:
    import duckdb

__all__ = ["LARGE_BLOCKS", "SMALL_BLOCKS", "TABLE_SUFFIXES", "UNREAD", "Filler", "Loaded"]

LARGE_BLOCKS = 256 * 1024
"""Bytes of a block of a database, of which each table takes one at least, where it has few tables."""
SMALL_BLOCKS = 16 * 1024
"""The same where it has many."""
_MAX_NAME = 60
_MOST_COLUMNS = 60_000
"""Columns of all tables, each of which takes some 5 KB of every process that asks them."""
_TRIES = 2
"""How often files are read that change meanwhile."""

UNREAD = "it is not read:"
"""How the reason begins of a file that took more than it may, which may be read the next time."""


@dataclass(frozen=True)
class Loaded:
    """A table that was made: its name, its file, and how it was read."""

    name: str
    source: str
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
        self._columns = 0
        self.skipped: list[tuple[str, str]] = []

    def fill(self, folder: Folder, labels: Iterable[str]) -> Iterator[Loaded]:
        """Make the tables of these files of the folder, named like them; small ones are read several at a time."""
        for batch in batches(filter(None, (self._file(folder, label) for label in labels))):
            if self._columns > _MOST_COLUMNS:
                self._skip(batch, f"it is left out: the tables before it have {_MOST_COLUMNS:,} columns")
                continue
            yield from self._filled(batch)

    def _file(self, folder: Folder, label: str) -> File | None:
        """The file of that name in the folder, if it may have tables."""
        try:
            return File.of(folder.find(label), label)
        except ToolFailed as error:
            self.skipped.append((label, one_line(str(error), 200)))
        except OSError as error:
            self.skipped.append((label, f"it cannot be read: {error.strerror or type(error).__name__}"))
        return None

    def _skip(self, files: Iterable[File], reason: str) -> None:
        self.skipped += ((file.label, one_line(reason, 200)) for file in files)

    def _filled(self, files: Sequence[File]) -> list[Loaded]:
        """The tables of some files; where they cannot be read together, of each alone."""
        known, skipped = self._names.copy(), len(self.skipped)
        try:
            return self._read(files)
        except (ToolFailed, OSError, self._errors) as error:
            self._names = known
            del self.skipped[skipped:]
            if len(files) > 1:
                return [table for file in files for table in self._filled([file])]
            self._skip(files, _reason(error, files[0]))
            return []

    def _read(self, files: Sequence[File]) -> list[Loaded]:
        """Take over what a process of its own makes of these files: of all of them, or of none.

        Raises ``ToolFailed``, ``OSError`` and DuckDB's errors.
        """
        with self._place() as place:
            sources = [file.source(place, number) for number, file in enumerate(files)]
            arguments = {
                "sources": [asdict(source) for source in sources],
                "target": str(place / "tables.duckdb"),
                "scratch": str(place),
                "memory": engine_memory(files),
                "blocks": LARGE_BLOCKS if len(files) == 1 else SMALL_BLOCKS,
            }
            found = self._steady(files, arguments)
            return self._taken(zip(files, sources, found, strict=True), place / "tables.duckdb")

    def _steady(self, files: Sequence[File], arguments: dict[str, object]) -> list[Extracted]:
        """What is made of files that are the same before and after; where they change meanwhile, they are read again.

        Raises ``ToolFailed``, also where they change each time.
        """
        for _ in range(_TRIES):
            Path(str(arguments["target"])).unlink(missing_ok=True)
            before = [file.stamp() for file in files]
            try:
                found = isolated(extract, list[Extracted], limits_of(files), arguments, deadline=self._deadline)
            except ToolFailed as error:
                if [file.stamp() for file in files] == before:
                    begin = f"{UNREAD} " if isinstance(error, Exceeded | Unread) else ""
                    raise ToolFailed(f"{begin}{error}") from None
            else:
                if [file.stamp() for file in files] == before:
                    return found
        raise ToolFailed(f"{UNREAD} it changes while it is read")

    def _taken(self, found: Iterable[tuple[File, Source, Extracted]], target: Path) -> list[Loaded]:
        """Take over the tables from the database where they were made."""
        loaded: list[Loaded] = []
        self._connection.execute(f"ATTACH {literal(str(target))} AS extracted (READ_ONLY)")
        try:
            self._connection.execute("BEGIN")
            for file, source, extracted in found:
                if reason := _refusal(extracted, source):
                    self._skip([file], reason)
                loaded += self._parts(file, extracted.parts)
            self._connection.execute("COMMIT")
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        finally:
            self._connection.execute("DETACH extracted")
        self._columns += sum(len(table.reading.columns) for table in loaded)
        return loaded

    def _parts(self, file: File, parts: Iterable[Part]) -> Iterator[Loaded]:
        for part in parts:
            if part.reading is None:
                self.skipped.append((f"{file.label} ({part.name})", part.problem))
                continue
            name = self._name(f"{Path(file.label).stem} {part.name}")
            self._create(name, f"FROM extracted.main.{part.table}")
            yield Loaded(name, file.label, part.reading)

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


def _refusal(extracted: Extracted, source: Source) -> str:
    """Why there is no table of a file, "" if there are some."""
    reason = extracted.problem and error_line(extracted.problem.replace(source.path, source.name), {})
    return f"it is no readable table: {reason}" if reason else extracted.refusal


def _reason(error: Exception, file: File) -> str:
    """Why a file has no tables, by the error that it raised."""
    if isinstance(error, ToolFailed):
        return str(error)
    if isinstance(error, OSError):
        return f"it cannot be read: {error.strerror or type(error).__name__}"
    return f"it is no readable table: {error_line(str(error).replace(str(file.path), file.path.name), {})}"
