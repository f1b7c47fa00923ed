"""The text of a file of plain text, from its bytes. Standard library alone."""

from __future__ import annotations

import codecs
import re

from aeon.errors import ToolFailed
from aeon.text import printable

__all__ = ["PLAIN", "clean", "decode", "with_columns"]

PLAIN = (".txt", ".md", ".rst", ".log")
"""How the names of the files end whose text this is."""
_BREAK = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SAMPLE = 100_000
_ROWS = 20
_CELL_END = {mark: re.compile(rf'{mark}(?=(?:[^"]*"[^"]*")*[^"]*$)') for mark in ",;"}
"""The commas or semicolons of a line that stand in no quotes."""
_CHARSET = re.compile(
    "utf-8|utf-16.*|ascii|iso8859.*|iso2022.*|cp.*|koi8.*|mac-.*|big5.*|euc_.*|shift_jis.*|gb.*|hz|tis-620|johab"
)
"""The encodings of texts by the names of Python's codecs. Others, such as ``idna``, are for something else, or slow."""
_MOST_CONTROL = 0.05
"""Share of control characters above which the bytes are no text."""


def clean(text: str) -> str:
    """Return the text with one kind of line break, and what cannot be shown replaced."""
    return printable(_BREAK.sub("\n", text))


def with_columns(text: str) -> str:
    """Return the text with semicolons for the commas between columns, if it is like a CSV file; else as it is."""
    first = list(filter(None, map(str.strip, text[:_SAMPLE].split("\n", _ROWS)[:_ROWS])))
    counts = {mark: {len(_CELL_END[mark].findall(line)) for line in first} for mark in _CELL_END}
    if len(first) < 2 or any(len(own) != 1 for own in counts.values()) or counts[";"] != {0} or counts[","] == {0}:
        return text
    return re.sub(r'"[^"\n]*"|,', lambda match: ";" if match[0] == "," else match[0], text)


def decode(data: bytes, label: str, charset: str = "") -> str:
    """Return the text of the bytes: UTF-8, UTF-16 that says so, or else ``charset``, which may be wrong.

    Raises ``ToolFailed`` for bytes that are no text.
    """
    text = _decoded(data, charset)
    sample = text[:_SAMPLE]
    if "\x00" in text or len(_CONTROL.findall(sample)) > _MOST_CONTROL * len(sample):
        raise ToolFailed(f"{label} is a binary file, not text")
    return clean(text)


def _decoded(data: bytes, charset: str) -> str:
    encodings = ["utf-8-sig", *_usable(charset), "cp1252"]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encodings = ["utf-16"]
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeError:
            continue
    return data.decode("latin-1")


def _usable(charset: str) -> list[str]:
    """The codec of a charset that a server or a page names, nothing for one that is no encoding of texts."""
    try:
        name = codecs.lookup(charset).name
    except (LookupError, ValueError):
        return []
    return [name] if _CHARSET.fullmatch(name) else []
