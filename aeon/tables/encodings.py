"""The encoding of a text that has no mark of it, found from its bytes."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from aeon.errors import ToolFailed
from aeon.tables.extra import extra

__all__ = ["decode", "encoding_of", "is_certain"]

_LATIN = ("cp1252", "cp1250", "cp1254", "mac_roman", "cp437")
_OTHERS = ["cp1251", "koi8_r", "cp1253", "cp1255", "cp1256", "cp932", "euc_jp", "gb18030", "big5", "euc_kr"]
_SAMPLE = 256 * 1024
"""Bytes that the encoding is found from."""
_FOREIGN, _MIXED = 0.5, 0.25
"""The share of letters beyond ASCII with another one beside them from which on a text is, or may be, not in Latin."""
_SOME = 0.01
"""The share of bytes beyond ASCII that a text in another script has at least."""
_HIGH = re.compile(rb"[\x80-\xff]+")
_ENOUGH = 100
"""Bytes beyond ASCII from which on an old encoding is found with certainty."""
_CHAOS = 0.5
"""The share of odd signs in a text that is surely not in Latin; by itself the library takes up to 0.2."""
_NULS = 0.2


def decode(data: bytes, stated: str = "") -> tuple[str, str]:
    """Return the text of some bytes and its encoding. Raises ``ToolFailed`` for bytes that are no text.

    ``stated`` is the encoding that they are said to be in: then they are read in no other.
    """
    if stated:
        return _as_stated(data, stated)
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
    """The encoding of a text: UTF-16 and UTF-32 by their marks or their zero bytes, UTF-8, else an old one.

    In a Latin script letters beyond ASCII stand alone, in others side by side: which encoding of its kind it is, the
    rest of the bytes tells.
    """
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\x00" in data:
        return _wide(data[:_SAMPLE])
    if _is_utf8(data):
        return "utf-8-sig"
    return _old(data[:_SAMPLE])


def _old(sample: bytes) -> str:
    """The old encoding of a text."""
    runs = _HIGH.findall(sample)
    share = sum(len(run) > 1 for run in runs) / max(1, len(runs))
    if share >= _MIXED and sum(map(len, runs)) >= _SOME * len(sample):
        tried = _OTHERS if share >= _FOREIGN else [*_OTHERS, *_LATIN]
        chaos = _CHAOS if share >= _FOREIGN else 0.2
        found = extra("charset_normalizer").from_bytes(sample, cp_isolation=tried, threshold=chaos).best()
        if found is not None:
            return str(found.encoding)
    return min(_latin(sample), default=(0, "cp1252"), key=lambda one: one[0])[1]


def is_certain(data: bytes) -> bool:
    """Whether a text has enough bytes beyond ASCII for an old encoding to be found, and not only guessed."""
    return sum(map(len, _HIGH.findall(data[:_SAMPLE]))) >= _ENOUGH


def _as_stated(data: bytes, stated: str) -> tuple[str, str]:
    name = codecs.lookup(stated).name
    encoding = "utf-8-sig" if name == "utf-8" else name
    try:
        return data.decode(encoding), encoding
    except UnicodeDecodeError:
        raise ToolFailed(f"it is no text in {stated}, as is stated") from None


def _wide(data: bytes) -> str:
    """UTF-16 without a mark, where zero bytes stand in every second place alone; else UTF-8, which they end."""
    first, second = data[::2].count(0), data[1::2].count(0)
    if min(first, second) or max(first, second) < _NULS * len(data) / 2:
        return "utf-8-sig"
    encoding = "utf-16-be" if first else "utf-16-le"
    text = data.decode(encoding, "replace")
    is_text = all(letter.isspace() or unicodedata.category(letter) != "Cc" for letter in text)
    return encoding if is_text else "utf-8-sig"


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
