"""Which words mean much the same, by static embeddings: a fire where something burned down."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from aeon.documents.embedding import embedder, numpy
from aeon.documents.words import stem

__all__ = ["akin", "likeness"]

_WORD = re.compile(r"[^\W\d_]{3,}")
_MOST_WORDS = 2_000
_LEAST = 0.35
"""The cosine from which on two words are of one kind: fire and burned .45, fee and cost .62; bus and tram .31."""


def akin(words: Collection[str], text: str) -> frozenset[str]:
    """Those of the words that mean much the same as a word of the text; none where the extra is not installed."""
    own = sorted(words)
    alike = likeness(own, sorted({*_WORD.findall(text.casefold())})[:_MOST_WORDS], _LEAST)
    return frozenset(word for word, like in zip(own, alike, strict=True) if like)


def likeness(words: Sequence[str], others: Iterable[str], least: float) -> list[dict[str, float]]:
    """For each word the other words that are like it: 1 for one of the same stem, else the cosine of their meanings.

    What is below ``least`` is left out, and without the extra embeddings all but the same stems.
    """
    there = list(dict.fromkeys(others))
    roots = {other: stem(other) for other in there}
    same = [{other: 1.0 for other, root in roots.items() if root == stem(word)} for word in words]
    model = embedder()
    if model is None or not words or not there:
        return same
    np = numpy()
    asked, known = (model.embed(some).astype(np.float32) for some in (list(words), there))
    asked, known = (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1) for rows in (asked, known))
    found = asked @ known.T
    near = [{there[place]: float(row[place]) for place in np.flatnonzero(row >= least)} for row in found]
    return [{**like, **equal} for like, equal in zip(near, same, strict=True)]
