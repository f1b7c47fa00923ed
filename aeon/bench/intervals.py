"""Intervals of what a benchmark measures: shares, and paired differences."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

__all__ = ["paired", "wilson"]

_RESAMPLES = 10_000
_Z = 1.959964


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    if of == 0:
        return 0.0, 1.0
    share, square = right / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = _Z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return max(0.0, middle - half), min(1.0, middle + half)


def paired(differences: Sequence[float], resamples: int = _RESAMPLES) -> tuple[float, float, float]:
    """The mean of paired differences and its 95 % interval by the percentile bootstrap over the pairs."""
    chance, size = random.Random(0), len(differences)
    means = sorted(sum(chance.choices(differences, k=size)) / size for _ in range(resamples))
    return sum(differences) / size, means[round(0.025 * resamples)], means[round(0.975 * resamples) - 1]
