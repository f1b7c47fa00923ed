"""What the rows of an index hold. SQLite keeps any value in any column, and a file may come from elsewhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from types import UnionType
from typing import Any, NamedTuple, TypeAlias

import msgspec

__all__ = ["Row", "Span", "Stamp", "checked", "each_checked", "row_of"]

Span: TypeAlias = tuple[int, int]


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


def checked(row: Sequence[object], *kinds: type | UnionType) -> tuple[Any, ...]:
    """The row, whose values are of these kinds. Raises ``sqlite3.DatabaseError`` for any other."""
    if not all(isinstance(value, kind) for value, kind in zip(row, kinds, strict=True)):
        raise sqlite3.DatabaseError("a row holds what does not belong there")
    return tuple(row)


def each_checked(rows: Iterable[Sequence[object]], *kinds: type | UnionType) -> Iterator[tuple[Any, ...]]:
    """The rows, each as `checked`."""
    return (checked(row, *kinds) for row in rows)


def row_of(stored: Sequence[object], score: float) -> Row:
    """A passage out of its row: path, start, text, page, heading, spans of sentences as JSON, document.

    Raises ``sqlite3.DatabaseError`` for what is none.
    """
    path, start, text, page, heading, spans, document = checked(stored, str, int, str, int | None, str, str, int)
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
