"""How much a sub-question is about what its question is about, by the words that collections are searched with."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from aeon.documents.index import Index
from aeon.documents.query import terms
from aeon.documents.readers import Text
from aeon.documents.rows import Stamp
from aeon.errors import ToolFailed

__all__ = ["relevance"]

_PLACES = 6
_WHOLE = "whole"


def relevance(whole: str, parts: Sequence[str]) -> list[float | None]:
    """For each sub-question the share (0-1) of its content words that a search finds in the question and its context.

    Words are found in any form, and weigh the same: with one text to search, none is rarer than another. BM25 itself
    would prune useful sub-questions for the length of a task. One without a content word has no relevance.

    Raises:
        ToolFailed: this SQLite has no full-text search.
    """
    try:
        index = Index(":memory:")
        try:
            with index.update():
                index.put(_WHOLE, Stamp(0, 0, "", ""), Text(whole), "")
            return [_share(index, terms(part)) for part in parts]
        finally:
            index.close()
    except sqlite3.Error as error:
        raise ToolFailed(f"the sub-questions cannot be ranked: {error}") from None


def _share(index: Index, words: list[str]) -> float | None:
    """The share of these words that the text has."""
    found = sum(any(True for _ in index.ranked([word])) for word in words)
    return round(found / len(words), _PLACES) if words else None
