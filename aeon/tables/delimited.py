"""Delimited text as a grid: its encoding, its delimiter, its quotes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from aeon.errors import ToolFailed
from aeon.tables.encodings import decode, is_certain
from aeon.tables.quoting import is_sound, records, unclosed_lines

__all__ = ["LARGE", "Delimited", "Lined"]

LARGE = 1024 * 1024
"""Bytes above which a plain text is read by DuckDB."""
_WHOLE = 32 * 1024 * 1024
"""Bytes above which only the beginning of a text is looked at."""
_USUAL = ("utf-8-sig", "cp1252")
_MAX_CELL = 1_000_000
_LONGEST_LINE = 2_000_000
_SAMPLE = 64 * 1024
_SAMPLE_ROWS = 50
_DELIMITERS = "\t;|,"
_EMPTY_LINE = re.compile(r"\n[\s;,|]*\n\s*\S")

Lined = tuple[int, Sequence[str]]
"""A row with the number of its line."""


@dataclass(frozen=True)
class Delimited:
    """A text of rows: how its cells are parted, and the number of lines before the first row.

    Of a text that is very large, and not ``whole``, only the beginning is here. ``is_guessed``: it has so few letters
    beyond ASCII that its encoding may be another one.
    """

    text: str
    encoding: str
    delimiter: str
    skipped: int = 0
    whole: bool = True
    is_guessed: bool = False

    @classmethod
    def open(cls, path: Path, encoding: str = "") -> Delimited:
        """Read a file, in the encoding that is stated if one is.

        Raises ``ToolFailed`` for what is no text, has none, or has a line that is too long.
        """
        whole = path.stat().st_size <= _WHOLE
        _check_lines(path)
        with path.open("rb") as file:
            data = file.read(_WHOLE if whole else LARGE)
        text, found = decode(data, encoding)
        if not text.strip():
            raise ToolFailed("it is empty")
        declared = text[:5].lower().startswith("sep=") and text[5:6] in ("\r", "\n")
        delimiter = text[4] if declared else _delimiter(text[:_SAMPLE])
        is_guessed = not (encoding or found.startswith("utf") or is_certain(data))
        return cls(text, found, delimiter, int(declared), whole, is_guessed)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is told of its encoding where it is an unusual one."""
        if self.encoding in _USUAL:
            return ()
        guessed = ", a guess from few letters" if self.is_guessed else ""
        return (f"read as {self.encoding}{guessed}",)

    @property
    def is_sound(self) -> bool:
        """Whether all quotes close where they should."""
        return '"' not in self.text or is_sound(self.text, self.delimiter, _MAX_CELL)

    @property
    def is_for_engine(self) -> bool:
        """Whether DuckDB is to read it: it is large, and no empty line parts one table from another."""
        if not self.whole:
            return True
        return len(self.text) > LARGE and not _EMPTY_LINE.search(self.text.replace("\r", "").strip())

    def rows(self, most: int | None = None) -> Iterator[Lined]:
        """Each row with the number of its first line, from 1; cells are without spaces around them.

        Raises ``ToolFailed`` where a row cannot be read.
        """
        csv.field_size_limit(_MAX_CELL)
        lines = io.StringIO(self.text, newline="")
        for _ in range(self.skipped):
            lines.readline()
        reader, line = csv.reader(lines, delimiter=self.delimiter), self.skipped + 1
        try:
            for row in islice(reader, most):
                yield line, [cell.strip() for cell in row]
                line = reader.line_num + self.skipped + 1
        except csv.Error as error:
            raise ToolFailed(f"line {reader.line_num} is no CSV: {error}") from None

    def loose_rows(self) -> tuple[list[Lined], str]:
        """The rows where quotes do not all close: there, one is a character; and which lines those are."""
        csv.field_size_limit(_MAX_CELL)
        lines = list(io.StringIO(self.text, newline=""))[self.skipped :]
        unclosed = [number + self.skipped for number in unclosed_lines(lines, self.delimiter)]
        more = f" and {len(unclosed) - 1:,} more" if len(unclosed) > 1 else ""
        note = f"line {unclosed[0]}{more} opened a quote that is not closed: read as it stands" if unclosed else ""
        rows = ([cell.strip() for cell in row] for row, _ in records(lines, self.delimiter))
        return list(enumerate(rows, self.skipped + 1)), note


def _check_lines(path: Path) -> None:
    """Refuse a file with a line that is longer than any that is read; DuckDB would try each way to read it."""
    since = 0
    with path.open("rb") as file:
        while block := file.read(_LONGEST_LINE):
            ends = [place for mark in b"\n\r" if (place := block.find(mark)) >= 0]
            if since + min(ends, default=len(block)) > _LONGEST_LINE:
                raise ToolFailed(f"it is no readable table: a line has more than {_LONGEST_LINE // 10**6} MB")
            last = max(block.rfind(b"\n"), block.rfind(b"\r"))
            since = since + len(block) if last < 0 else len(block) - last - 1


def _delimiter(sample: str) -> str:
    """The mark that parts the most rows into as many cells as most rows have; of equals, the one of most cells.

    What stands above a table has few cells and counts for little; a comma if no mark parts anything.
    """
    best, delimiter = (0.0, 0), ","
    for candidate in _DELIMITERS:
        widths = _widths(sample, candidate)
        wide = [width for width in widths if width > 1]
        if not wide:
            continue
        usual = max(set(wide), key=lambda width: (wide.count(width), width))
        score = (round(wide.count(usual) / len(widths), 1), usual)
        if score > best:
            best, delimiter = score, candidate
    return delimiter


def _widths(sample: str, delimiter: str) -> list[int]:
    """How many cells the delimiter makes of each of the first rows that are not empty."""
    widths: list[int] = []
    with suppress(csv.Error):
        rows: Iterator[Sequence[str]] = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
        widths.extend(len(row) for row in islice((row for row in rows if any(row)), _SAMPLE_ROWS))
    return widths
