"""One ranking out of several."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

__all__ = ["fused", "share"]

T = TypeVar("T", bound=Hashable)

_K = 60


def fused(rankings: Sequence[Sequence[T]]) -> list[tuple[T, float]]:
    """Return all items of some rankings with their scores, best first, by reciprocal rank fusion.

    An item's score is the sum of 1 / (60 + its rank) over the rankings that hold it (Cormack, Clarke and Büttcher,
    "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods", SIGIR 2009). Of the same score,
    what an earlier ranking holds comes first, in its order.
    """
    scores: dict[T, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, 1):
            scores[item] = scores.get(item, 0.0) + share(rank)
    return sorted(scores.items(), key=lambda pair: -pair[1])


def share(rank: int) -> float:
    """What a rank, from 1, adds to the score of an item."""
    return 1 / (_K + rank)
