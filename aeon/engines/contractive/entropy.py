"""How much samples disagree: the entropy over classes of answers that mean the same (Kuhn et al., 2023)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

__all__ = ["most_common", "uncertainty"]


def uncertainty(places: Sequence[int], unusable: int = 0) -> float | None:
    """The entropy over the classes of these samples, as a share of the most that so many can have (0-1).

    Each sample without a usable answer is a class of its own, so that it never lowers the uncertainty. ``None`` with
    fewer than two samples: that is not measured.
    """
    drawn = len(places) + unusable
    if drawn < 2 or not places:
        return None
    counts = [*Counter(places).values(), *[1] * unusable]
    entropy = -sum(count / drawn * math.log(count / drawn) for count in counts)
    return min(1.0, round(entropy / math.log(drawn), 6) + 0.0)


def most_common(places: Sequence[int]) -> int | None:
    """The class of most samples; of two that are equal, the one that came first."""
    return Counter(places).most_common(1)[0][0] if places else None
