"""Filling a DuckDB with the tables of files."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aeon.errors import ToolFailed
from aeon.text import one_line
from aeon.tools.loading import Sheet, write
from aeon.tools.readers import READERS
from aeon.tools.tableinfo import quoted

if TYPE_CHECKING:
    import duckdb

__all__ = ["TABLE_SUFFIXES", "Filler", "Loaded", "typed_columns"]

TABLE_SUFFIXES = (".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson", ".xlsx", ".sqlite", ".sqlite3", ".db")

_MEGABYTE = 1024 * 1024
_MAX_READ = 64 * _MEGABYTE
_MAX_DATABASE = 512 * _MEGABYTE
_MAX_FILE = 2048 * _MEGABYTE
_MAX_LINE = 32 * _MEGABYTE
_MAX_OBJECT = 64 * _MEGABYTE
_MAX_NAME = 60
_GLOB = re.compile(r"[*?\[\]{}]")
_OPTIONS = (
    "header=false, auto_detect=false, new_line='\\n', delim=',', quote='\"', escape='\"', nullstr='', parallel=false"
)
_FOUND = "sample_size=200000, null_padding=true, ignore_errors=false, nullstr=['', '-', 'n/a', 'NA', 'N/A', 'null']"
_TRIES = ("", ", encoding='latin-1'", ", all_varchar=true", ", all_varchar=true, encoding='latin-1'")
_LISTS = re.compile(r"STRUCT\(.*\)\[\]", re.DOTALL)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def typed_columns(connection: duckdb.DuckDBPyConnection, table: str) -> tuple[tuple[str, str], ...]:
    """Return the names and types of a table's columns."""
    described = connection.execute(f"DESCRIBE {quoted(table)}").fetchall()  # the catalogue is read whole by a query
    return tuple((str(row[0]), str(row[1])) for row in described)


@dataclass(frozen=True)
class Loaded:
    """A table that was made: its name, and how many surplus cells of its file were dropped."""

    name: str
    dropped: int = 0


class Filler:
    """Makes tables of files; ``scratch`` is a folder of its own, for what passes through it.

    ``skipped`` are the files without a table, with the reason; ``notes`` say what was read otherwise than it was meant.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, scratch: Path, errors: type[Exception]) -> None:
        self._connection = connection
        self._errors = errors
        self._scratch = scratch
        keywords = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved'"
        self.keywords = frozenset(str(row[0]) for row in connection.execute(keywords).fetchall())
        self._names: set[str] = set()
        self._numbers: dict[str, int] = {}
        self.skipped: list[tuple[str, str]] = []
        self.notes: list[str] = []

    def fill(self, path: Path, label: str) -> Iterator[Loaded]:
        """Make the tables of one file, named like it. Raises ``ToolFailed`` with the reason for one without any."""
        stem, suffix, size = Path(label).stem, Path(label).suffix.lower(), path.stat().st_size
        if suffix not in TABLE_SUFFIXES:
            raise ToolFailed("it is no kind of table that can be read")
        if size > _MAX_FILE:
            raise ToolFailed(f"it has more than {_MAX_FILE // _MEGABYTE:,} MB")
        if not size:
            raise ToolFailed("it is empty")
        if suffix in READERS and (size <= _MAX_READ or suffix not in (".csv", ".tsv")):
            if size > (_MAX_READ if suffix == ".xlsx" else _MAX_DATABASE):
                raise ToolFailed("it is too large for its kind")
            yield from self._from_sheets(READERS[suffix](path), label)
        elif suffix in (".csv", ".tsv"):
            yield from self._from_large(path, stem)
        else:
            yield from self._from_engine(path, stem, suffix)

    def _from_sheets(self, sheets: list[Sheet], label: str) -> Iterator[Loaded]:
        for sheet in sheets:
            if sheet.note:
                self.notes.append(f"{one_line(label, 60)}: {sheet.note}")
            try:
                yield self._from_sheet(sheet, f"{Path(label).stem} {sheet.name}")
            except (ToolFailed, self._errors) as error:
                if len(sheets) == 1:
                    raise
                self.skipped.append((f"{label} ({sheet.name})", one_line(str(error), 120)))

    def _from_sheet(self, sheet: Sheet, stem: str) -> Loaded:
        target = self._scratch / "table.csv"
        try:
            written = write(sheet, target)
            if written.note:
                self.notes.append(f"{one_line(stem.strip(), 60)}: {written.note}")
            name = self._name(stem)
            if not written.rows:
                columns = ", ".join(f"{quoted(column)} {kind}" for column, kind in written.columns)
                self._connection.execute(f"CREATE TABLE {quoted(name)} ({columns})")
                return Loaded(name, written.dropped)
            types = ", ".join(f"{_literal(column)}: {_literal(kind)}" for column, kind in written.columns)
            options = f"columns={{{types}}}, {_OPTIONS}, max_line_size={_MAX_LINE}"
            self._create(name, f"SELECT * FROM read_csv({_literal(str(target))}, {options})")
            return Loaded(name, written.dropped)
        finally:
            target.unlink(missing_ok=True)

    def _from_large(self, path: Path, stem: str) -> Iterator[Loaded]:
        """Let DuckDB find out how a large file is written; it must not be read twice by something slow."""
        name = self._name(stem)
        with self._plain_path(path) as source:
            for number, extra in enumerate(_TRIES, start=1):
                options = f"header=true, parallel=false, {_FOUND}{extra}"
                try:
                    self._create(name, f"SELECT * FROM read_csv({_literal(source)}, {options})")
                    break
                except self._errors:
                    if number == len(_TRIES):
                        raise
        yield Loaded(name)

    def _from_engine(self, path: Path, stem: str, suffix: str) -> Iterator[Loaded]:
        """Make tables of Parquet and JSON; of a JSON object whose values are lists of objects, one for each list."""
        with self._plain_path(path) as source:
            if suffix == ".parquet":
                query = f"SELECT * FROM read_parquet({_literal(source)}, hive_partitioning=false)"
            else:
                kind = "auto" if suffix == ".json" else "newline_delimited"
                options = f"format='{kind}', maximum_object_size={_MAX_OBJECT}, sample_size=-1, hive_partitioning=false"
                query = f"SELECT * FROM read_json({_literal(source)}, {options})"
            name = self._name(stem)
            self._create(name, query)
        yield from [Loaded(name)] if suffix == ".parquet" else self._unnested(name)

    def _unnested(self, name: str) -> Iterator[Loaded]:
        """Take the lists of objects out of a table of one row, each into a table of its own."""
        columns = typed_columns(self._connection, name)
        lists = [column for column, kind in columns if _LISTS.fullmatch(kind)]
        if not lists or len(self._connection.execute(f"SELECT 1 FROM {quoted(name)} LIMIT 2").fetchall()) != 1:
            yield Loaded(name)
            return
        whole = quoted(f"{name} whole")
        self._connection.execute(f"ALTER TABLE {quoted(name)} RENAME TO {whole}")
        self._names.discard(name)
        for column in lists:
            part = self._name(name if len(columns) == 1 else f"{name} {column}")
            self._create(part, f"SELECT unnest({quoted(column)}, max_depth := 2) FROM {whole}")
            yield Loaded(part)
        if len(lists) < len(columns):
            rest = self._name(name)
            self._create(rest, f"SELECT * EXCLUDE ({', '.join(map(quoted, lists))}) FROM {whole}")
            yield Loaded(rest)
        self._connection.execute(f"DROP TABLE {whole}")

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
    def _plain_path(self, path: Path) -> Iterator[str]:
        """Give a path to the file in which no character stands for others, as ``*`` does in DuckDB's paths."""
        if not _GLOB.search(str(path)):
            yield str(path)
            return
        copy = self._scratch / f"copy{path.suffix.lower()}"
        try:
            shutil.copyfile(path, copy)
            yield str(copy)
        finally:
            copy.unlink(missing_ok=True)
