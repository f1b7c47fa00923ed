"""How much a sub-question is about what its question is about, by the ranking that collections are searched with."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import partial

from aeon.documents.index import Index, Stamp
from aeon.documents.query import terms
from aeon.documents.readers import Text
from aeon.errors import ToolFailed

__all__ = ["relevance"]

_OTHERS = 64
"""Texts about nothing beside the two that are ranked: among two texts alone, BM25 gives no word any weight."""
_PLACES = 6
_STAMP = Stamp(0, 0, "", "")
_WHOLE, _PART = "whole", "part"


def relevance(whole: str, parts: Sequence[str]) -> list[float | None]:
    """For each sub-question the share (0-1) of its own score that the question with its context has for its words.

    The score is BM25, over stems: so word forms do not count, and rare words no more than others. A sub-question
    without a word that says what it is about has none.

    Raises:
        ToolFailed: this SQLite has no full-text search.
    """
    try:
        return list(map(partial(_share, whole), parts))
    except sqlite3.Error as error:
        raise ToolFailed(f"the sub-questions cannot be ranked: {error}") from None


def _share(whole: str, part: str) -> float | None:
    words = terms(part)
    if not words:
        return None
    index = Index(":memory:")
    try:
        with index.update():
            index.put(_PART, _STAMP, Text(part), "")
            index.put(_WHOLE, _STAMP, Text(f"{whole}\n\n"), "")
            for number in range(_OTHERS):
                index.put(f"other {number}", _STAMP, Text(f"zzz{number}"), "")
        scores: dict[str, float] = {}
        for row in index.ranked(words):
            scores[row.path] = max(row.score, scores.get(row.path, 0.0))
    finally:
        index.close()
    own = scores.get(_PART, 0.0)
    return round(min(1.0, scores.get(_WHOLE, 0.0) / own), _PLACES) if own > 0 else None
