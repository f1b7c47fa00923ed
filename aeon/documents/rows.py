"""What the rows of an index hold. SQLite keeps any value in any column, and a file may come from elsewhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeVar

import msgspec

__all__ = ["Placed", "Row", "Span", "Stamp", "checked", "each_checked", "row_of"]

T = TypeVar("T")
Span = tuple[int, int]
Placed = tuple[str, int, str, int | None, str, str, int]
"""A passage as it is stored: path, start, text, page, heading, the spans of its sentences as JSON, document."""


class Stamp(NamedTuple):
    """What a file was when it was read: its state, and why it could not be read, "" if it could."""

    size: int
    mtime_ns: int
    sha256: str
    reason: str


@dataclass(frozen=True)
class Row:
    """A passage as it is stored, with its score: more is better."""

    path: str
    start: int
    text: str
    page: int | None
    heading: str
    sentences: tuple[Span, ...]
    score: float
    document: int = 0


def checked(row: object, kind: type[T]) -> T:
    """The row as what it must be. Raises ``sqlite3.DatabaseError`` for values of other types."""
    try:
        return msgspec.convert(row, kind)
    except msgspec.ValidationError:
        raise sqlite3.DatabaseError("a row holds what does not belong there") from None


def each_checked(rows: Iterable[object], kind: type[T]) -> Iterator[T]:
    """The rows, each as `checked`."""
    return (checked(row, kind) for row in rows)


def row_of(stored: object, score: float) -> Row:
    """A passage out of its row. Raises ``sqlite3.DatabaseError`` for what is none."""
    path, start, text, page, heading, spans, document = checked(stored, Placed)
    sentences = _spans(spans)
    borders = [start, *chain.from_iterable(sentences), start + len(text)]
    if start < 0 or borders != sorted(borders) or any(first == last for first, last in sentences):
        raise sqlite3.DatabaseError("the sentences of a passage are damaged")
    return Row(path, start, text, page, heading, sentences, score, document)


def _spans(text: str) -> tuple[Span, ...]:
    try:
        return msgspec.json.decode(text, type=tuple[Span, ...])
    except msgspec.DecodeError:
        raise sqlite3.DatabaseError("the sentences of a passage are damaged") from None
