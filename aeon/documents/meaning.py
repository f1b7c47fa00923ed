"""Which words mean much the same, by static embeddings: a fire where something burned down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from aeon.documents.embedding import Embedder, embedder, numpy
from aeon.language.words import stem

if TYPE_CHECKING:
    from aeon.documents.embedding import Floats

__all__ = ["likeness"]


def likeness(words: Sequence[str], others: Iterable[str], least: float) -> list[dict[str, float]]:
    """For each word the other words that are like it: 1 for one of the same stem, else the cosine of their meanings.

    What is below ``least`` is left out, and without the extra embeddings all but the same stems.
    """
    there = list(dict.fromkeys(others))
    same = [dict.fromkeys((other for other in there if stem(other) == stem(word)), 1.0) for word in words]
    model = embedder()
    if model is None or not words or not there:
        return same
    cosines = _directions(model, words) @ _directions(model, there).T
    near = [{there[place]: float(row[place]) for place in numpy().flatnonzero(row >= least)} for row in cosines]
    return [{**like, **equal} for like, equal in zip(near, same, strict=True)]


def _directions(model: Embedder, words: Sequence[str]) -> Floats:
    """A row of length 1 for each word."""
    np = numpy()
    rows = model.embed(words).astype(np.float32)
    directions: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)
    return directions
