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

from charset_normalizer import from_bytes

from aeon.errors import ToolFailed
from aeon.tables.quoting import is_sound, records, unclosed_lines

__all__ = ["Delimited", "decode"]

_MAX_CELL = 1_000_000
_SAMPLE = 64 * 1024
_SAMPLE_ROWS = 50
_DELIMITERS = "\t;|,"
_EMPTY_LINE = re.compile(r"\n[\s;,|]*\n\s*\S")
_GUESSED = 256 * 1024
"""Bytes that the encoding is guessed from."""


def decode(data: bytes) -> tuple[str, str]:
    """Return the text of some bytes and its encoding: by its mark, UTF-8, else what fits its letters best.

    Raises ``ToolFailed`` for bytes that are no text.
    """
    encodings = ["utf-16"] if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ["utf-8-sig", *_guessed(data), "latin-1"]
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\x00" not in text:
            return text, encoding
        break
    raise ToolFailed("it is a binary file, not text")


def _guessed(data: bytes) -> Iterator[str]:
    """The old encoding that fits the letters of a text best, in which files of its language were kept."""
    if b"\x00" in data[:_GUESSED]:
        return
    best = from_bytes(data[:_GUESSED], cp_isolation=_OLD).best()
    if best is not None:
        yield best.encoding
    yield "cp1252"


_OLD = [
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8_r", "mac_roman", "cp437"),
    *("cp932", "euc_jp", "gb18030", "big5", "euc_kr"),
]
"""Encodings in which files were kept before Unicode."""


@dataclass(frozen=True)
class Delimited:
    """A text of rows: how its cells are parted, and the number of lines before the first row."""

    text: str
    encoding: str
    delimiter: str
    skipped: int = 0

    @classmethod
    def open(cls, path: Path) -> Delimited:
        """Read a file. Raises ``ToolFailed`` for what is no text, or has none."""
        text, encoding = decode(path.read_bytes())
        if not text.strip():
            raise ToolFailed("it is empty")
        declared = text[:5].lower().startswith("sep=") and text[5:6] in ("\r", "\n")
        return cls(text, encoding, text[4] if declared else _delimiter(text[:_SAMPLE]), int(declared))

    @property
    def is_plain(self) -> bool:
        """Whether all quotes close, and no empty line parts one table from another."""
        return not _EMPTY_LINE.search(self.text.replace("\r", "").lstrip()) and (
            '"' not in self.text or is_sound(self.text, self.delimiter, _MAX_CELL)
        )

    def rows(self, most: int | None = None) -> Iterator[tuple[int, list[str]]]:
        """The number of each row's last line, from 1, and its cells without spaces around them; empty rows, too.

        Raises ``ToolFailed`` where a row cannot be read.
        """
        csv.field_size_limit(_MAX_CELL)
        lines = io.StringIO(self.text, newline="")
        for _ in range(self.skipped):
            lines.readline()
        reader = csv.reader(lines, delimiter=self.delimiter)
        try:
            for row in islice(reader, most):
                yield reader.line_num + self.skipped, [cell.strip() for cell in row]
        except csv.Error as error:
            raise ToolFailed(f"line {reader.line_num} is no CSV: {error}") from None

    def loose_rows(self) -> tuple[list[list[str]], list[int]]:
        """The rows where quotes do not all close: there, one is a character like any other; and the lines of those."""
        csv.field_size_limit(_MAX_CELL)
        lines = list(io.StringIO(self.text, newline=""))[self.skipped :]
        unclosed = [number + self.skipped for number in unclosed_lines(lines, self.delimiter)]
        return [[cell.strip() for cell in row] for row, _ in records(lines, self.delimiter)], unclosed

    @property
    def is_sound(self) -> bool:
        """Whether all quotes close where they should."""
        return '"' not in self.text or is_sound(self.text, self.delimiter, _MAX_CELL)


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
