"""The encoding of a text that has no mark of it, found from its bytes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from aeon.errors import ToolFailed
from aeon.tables.extra import extra

__all__ = ["decode", "encoding_of"]

_LATIN = ("cp1252", "cp1250", "cp1254", "mac_roman", "cp437")
_OTHERS = ["cp1251", "koi8_r", "cp1253", "cp1255", "cp1256", "cp932", "euc_jp", "gb18030", "big5", "euc_kr"]
_SAMPLE = 256 * 1024
"""Bytes that the encoding is found from."""
_FOREIGN, _MIXED = 0.5, 0.25
"""The share of letters beyond ASCII with another one beside them from which on a text is, or may be, not in Latin."""
_HIGH = re.compile(rb"[\x80-\xff]+")


def decode(data: bytes) -> tuple[str, str]:
    """Return the text of some bytes and its encoding. Raises ``ToolFailed`` for bytes that are no text."""
    encoding = encoding_of(data)
    for tried in (encoding, "cp1252", "latin-1"):
        try:
            text = data.decode(tried)
        except (UnicodeDecodeError, LookupError):
            continue
        if "\x00" in text:
            break
        return text, tried
    raise ToolFailed("it is a binary file, not text")


def encoding_of(data: bytes) -> str:
    """The encoding of a text: UTF-16 by its mark, UTF-8, else an old one.

    In a Latin script letters beyond ASCII stand alone, in others side by side: which encoding of its kind it is, the
    rest of the bytes tells.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if _is_utf8(data):
        return "utf-8-sig"
    sample = data[:_SAMPLE]
    runs = _HIGH.findall(sample)
    share = sum(len(run) > 1 for run in runs) / max(1, len(runs))
    if share >= _MIXED:
        tried = _OTHERS if share >= _FOREIGN else [*_OTHERS, *_LATIN]
        found = extra("charset_normalizer").from_bytes(sample, cp_isolation=tried).best()
        if found is not None:
            return str(found.encoding)
    return min(_latin(sample), default=(0, "cp1252"), key=lambda one: one[0])[1]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return len(data) - error.start < 4 and error.reason == "unexpected end of data"
    return True


def _latin(data: bytes) -> Iterator[tuple[int, str]]:
    """How many signs stand beside letters in each encoding of a Latin script."""
    for encoding in _LATIN:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        pairs = pairwise(text)
        yield sum(_is_sign(one) != _is_sign(other) and _are_odd(one, other) for one, other in pairs), encoding


def _is_sign(letter: str) -> bool:
    return letter > "\x7f" and unicodedata.category(letter)[0] in "SC"


def _are_odd(one: str, other: str) -> bool:
    return one.isalpha() or other.isalpha()
