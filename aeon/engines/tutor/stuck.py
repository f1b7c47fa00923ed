"""Whether a player is stuck: the same move three times, two or three moves in a circle, or four turns without news."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["MOST_ALIKE", "MOST_STALE", "cycle", "in_a_row", "is_stuck"]

MOST_ALIKE = 3
MOST_STALE = 4


def in_a_row(moves: Sequence[str]) -> int:
    """How many times the last move was made in a row."""
    last = len(moves) - 1
    return next((last - place for place in range(last, -1, -1) if moves[place] != moves[-1]), len(moves))


def cycle(moves: Sequence[str]) -> int:
    """The length of the circle that the last moves go in, 2 or 3, once it was gone through twice; else 0."""
    for length in (2, 3):
        last, before = moves[-length:], moves[-2 * length : -length]
        if len(before) == length and list(last) == list(before) and len(set(last)) > 1:
            return length
    return 0


def is_stuck(moves: Sequence[str], stale: int) -> bool:
    """Whether the moves lead nowhere; ``stale`` counts turns without news."""
    return in_a_row(moves) >= MOST_ALIKE or cycle(moves) > 0 or stale >= MOST_STALE
