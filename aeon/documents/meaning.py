"""Which words mean much the same as words of a text, by static embeddings: a fire where something burned down."""

from __future__ import annotations

import re
from collections.abc import Collection

from aeon.documents.embedding import embedder, numpy

__all__ = ["akin"]

_WORD = re.compile(r"[^\W\d_]{3,}")
_MOST_WORDS = 2_000
_LEAST = 0.35
"""The cosine from which on two words are of one kind: fire and burned .45, fee and cost .62; bus and tram .31."""


def akin(words: Collection[str], text: str) -> frozenset[str]:
    """Those of the words that mean much the same as a word of the text; none where the extra is not installed."""
    model, own = embedder(), sorted(words)
    there = sorted({*_WORD.findall(text.casefold())})[:_MOST_WORDS]
    if model is None or not own or not there:
        return frozenset()
    np = numpy()
    asked, known = (model.embed(some).astype(np.float32) for some in (own, there))
    asked, known = (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1) for rows in (asked, known))
    nearest = (asked @ known.T).max(axis=1)
    return frozenset(word for word, cosine in zip(own, nearest, strict=True) if cosine >= _LEAST)
