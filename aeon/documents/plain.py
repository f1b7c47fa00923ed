"""Plain text: from the bytes of a file, fit to be shown, and as a set of words."""

from __future__ import annotations

import codecs
import re

from aeon.errors import ToolFailed
from aeon.text import printable

__all__ = ["clean", "decode", "word_set"]

_BREAK = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SAMPLE = 100_000
_MOST_CONTROL = 0.05
"""Share of control characters above which the bytes are no text."""


def clean(text: str) -> str:
    """Return the text with one kind of line break, and what cannot be shown replaced."""
    return printable(_BREAK.sub("\n", text))


def word_set(words: str) -> frozenset[str]:
    """Return the words that stand in a text with blanks between them."""
    return frozenset(words.split())


def decode(data: bytes, label: str, charset: str = "cp1252") -> str:
    """Return the text of the bytes: UTF-8, UTF-16 that says so, or else ``charset``.

    Raises ``ToolFailed`` for bytes that are no text.
    """
    text = _decoded(data, charset)
    sample = text[:_SAMPLE]
    if "\x00" in text or len(_CONTROL.findall(sample)) > _MOST_CONTROL * len(sample):
        raise ToolFailed(f"{label} is a binary file, not text")
    return clean(text)


def _decoded(data: bytes, charset: str) -> str:
    encodings = ["utf-8-sig", charset, "cp1252"]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encodings = ["utf-16"]
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("latin-1")
