"""The XML of a workbook's parts, read as a stream. A document type is refused, so no entity is ever expanded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import IO
from xml.parsers import expat

from aeon.tables.marks import Place

__all__ = ["TRUE", "Attributes", "parse", "place_of"]

TRUE = ("1", "true")
_BLOCK = 1 << 18
_DIGITS = "0123456789"
_MOST_LETTERS, _MOST_DIGITS = 3, 7

Attributes = Mapping[str, str]


def parse(file: IO[bytes], start: Callable[[str, Attributes], None], text: Callable[[str], None] | None = None) -> None:
    """Give each element of an XML file, by its name without a prefix. Raises ``ValueError`` for what is none."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: start(_local(name), attributes)
    parser.StartDoctypeDeclHandler = _refuse
    if text:
        parser.CharacterDataHandler = text
    try:
        while block := file.read(_BLOCK):
            parser.Parse(block)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise ValueError(f"its XML is broken: {error}") from None


def place_of(reference: str) -> Place | None:
    """The place of a cell by its name, ``B7``; ``None`` for what is no such name."""
    letters = reference.rstrip(_DIGITS)
    digits, column = reference[len(letters) :], _column(letters)
    is_one = column >= 0 and 0 < len(digits) <= _MOST_DIGITS and digits[0] != "0"
    return Place(int(digits), column) if is_one else None


@lru_cache(256)
def _local(name: str) -> str:
    return name.rpartition(":")[2]


@lru_cache(1 << 14)
def _column(letters: str) -> int:
    """The number of a column by its letters; -1 of what are none."""
    if not (letters.isascii() and letters.isalpha() and len(letters) <= _MOST_LETTERS):
        return -1
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _refuse(*_: object) -> None:
    raise ValueError("its XML has a document type")
