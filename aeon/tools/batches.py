"""Files of tables as they are read: a large one alone, small ones several at a time."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from aeon.errors import ToolFailed
from aeon.isolation.limits import MEGABYTE, Limits
from aeon.isolation.pool import MOST_MEMORY
from aeon.tables.extraction import BOOKS, DATABASES, TEXTS
from aeon.tables.parts import Source
from aeon.tables.stated import beside

__all__ = ["TABLE_SUFFIXES", "File", "batches", "engine_memory", "limits_of"]

TABLE_SUFFIXES = (*TEXTS, ".parquet", ".json", ".jsonl", ".ndjson", *BOOKS, *DATABASES)

_BESIDE_ENGINE = 224 * MEGABYTE
"""What a process needs beside what DuckDB in it may take."""
_MOST_ENGINE = 400 * MEGABYTE
"""What DuckDB may take for texts that are not wide: it holds more than it says, and what it sorts goes to disk."""
_MAX_READ = 64 * MEGABYTE
_MAX_DATABASE = 512 * MEGABYTE
_MAX_FILE = 2048 * MEGABYTE
_MANY, _BEGINNING, _DELIMITERS = 200, 256 * 1024, (b",", b";", b"\t", b"|")
_GLOB = frozenset("*?[]{}")
_MEMORY, _MEMORY_A_BYTE = 384 * MEGABYTE, 12
_SECONDS, _SECONDS_A_MEGABYTE, _MOST_SECONDS = 10.0, 4.0, 180.0
_OUTPUT, _OUTPUT_A_BYTE, _MOST_OUTPUT = 64 * MEGABYTE, 4, 4096 * MEGABYTE
_SMALL, _MOST_TOGETHER = 64 * 1024, 64
"""Bytes of a file up to which it is read with others, and with how many."""


@dataclass(frozen=True)
class File:
    """A file that may have tables; one that ``is_wide`` takes much memory."""

    path: Path
    label: str
    size: int
    is_wide: bool

    @classmethod
    def of(cls, path: Path, label: str) -> File:
        """The file at a path. Raises ``ToolFailed`` for what has no tables, and ``OSError``."""
        suffix, size = Path(label).suffix.lower(), path.stat().st_size
        _check_size(suffix, size)
        return cls(path, label, size, suffix in BOOKS or (suffix in TEXTS and _is_wide(path)))

    @property
    def suffix(self) -> str:
        """What its name ends with."""
        return Path(self.label).suffix.lower()

    @property
    def is_small(self) -> bool:
        """Whether it can be read with others."""
        return self.size <= _SMALL and not self.is_wide

    def stamp(self) -> tuple[int, int]:
        """What tells whether it has changed: its size, and when it was written."""
        status = self.path.stat()
        return status.st_size, status.st_mtime_ns

    def source(self, place: Path, number: int) -> Source:
        """What is read, as one of several: a copy in this folder if its path has characters that stand for others."""
        path = self.path
        if _GLOB & set(str(path)):
            path = place / f"copy{number}{self.path.suffix.lower()}"
            shutil.copyfile(self.path, path)
        return Source(str(path), self.suffix, self.path.name, str(beside(self.path) or ""), f"part{number}_")


def batches(files: Iterable[File]) -> Iterator[list[File]]:
    """The files in their order, small ones that follow each other together."""
    together: list[File] = []
    for file in files:
        if together and not (file.is_small and together[-1].is_small and len(together) < _MOST_TOGETHER):
            yield together
            together = []
        together.append(file)
    if together:
        yield together


def limits_of(files: Sequence[File]) -> Limits:
    """What reading these files may take."""
    size = sum(file.size for file in files)
    is_wide = any(file.is_wide for file in files)
    return Limits(
        memory=MOST_MEMORY if is_wide else min(_MEMORY + _MEMORY_A_BYTE * size, MOST_MEMORY),
        seconds=min(_SECONDS + _SECONDS_A_MEGABYTE * size / MEGABYTE, _MOST_SECONDS),
        output=min(_OUTPUT + _OUTPUT_A_BYTE * size, _MOST_OUTPUT),
    )


def engine_memory(files: Sequence[File]) -> int:
    """The bytes that DuckDB may take for these files."""
    is_plain = not any(file.is_wide or file.suffix not in TEXTS for file in files)
    most = limits_of(files).memory - _BESIDE_ENGINE
    return min(most, _MOST_ENGINE) if is_plain else most


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
