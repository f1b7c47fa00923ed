"""Figures of a judge: how well its scores rank, where they cut, and how far they are probabilities.

A case is a pair of a score and whether the judgment is true of it.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator

from aeon.doctor.fitting import Pairs, auroc, likely, platt, scaled

__all__ = [
    "Pairs", "accuracy", "auroc", "best_accuracy", "calibration_error", "debiased_error", "folds", "interval", "likely",
    "perfect", "platt", "scaled",
]  # fmt: skip

RESAMPLES = 1_000
BINS = 10
Figure = Callable[[Pairs], float]


def accuracy(pairs: Pairs, cut: float = 0.5) -> float:
    """The share of cases on the right side of ``cut``."""
    return sum((s >= cut) == label for s, label in pairs) / len(pairs)


def best_accuracy(pairs: Pairs) -> float:
    """The accuracy at the best cut there is, chosen with the labels in view."""
    return max(accuracy(pairs, cut) for cut in {*(s for s, _ in pairs), math.inf})


def calibration_error(pairs: Pairs) -> float:
    """The expected calibration error over ten bins of equal width. Of few cases it is too high: see `perfect`."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for s, label in pairs:
        bins[min(int(s * BINS), BINS - 1)].append((s, label))
    return sum(abs(sum(s for s, _ in b) - sum(label for _, label in b)) for b in bins) / len(pairs)


def debiased_error(pairs: Pairs) -> float:
    """The root mean square calibration error over bins of equal size, less what chance alone adds (Kumar et al., 2019).

    Five bins of few cases, ten of a hundred and more; cases of one score are never parted. 0 where no more than chance
    is left.
    """
    total = 0.0
    for inside in _bins(pairs, BINS if len(pairs) >= 100 else BINS // 2):
        size, share = len(inside), sum(label for _, label in inside) / len(inside)
        off = sum(s for s, _ in inside) / size - share
        total += size / len(pairs) * (off * off - share * (1 - share) / max(1, size - 1))
    return math.sqrt(max(0.0, total))


def _bins(pairs: Pairs, count: int) -> list[list[tuple[float, bool]]]:
    """The cases by score in at most so many bins of about one size; equal scores are in one of them."""
    bins, size = list[list[tuple[float, bool]]](), len(pairs) / count
    for _, alike in itertools.groupby(sorted(pairs), key=lambda pair: pair[0]):
        if not bins or len(bins[-1]) >= size:
            bins.append([])
        bins[-1] += alike
    if len(bins) > 1 and len(bins[-1]) < size / 2:
        bins[-2:] = [bins[-2] + bins[-1]]
    return bins


def perfect(pairs: Pairs, of: Figure) -> float:
    """The mean of a figure for a judge whose scores are exactly the probabilities of its labels: the part of chance."""
    chance = random.Random(0)
    return sum(of([(s, chance.random() < s) for s, _ in pairs]) for _ in range(200)) / 200


def interval(pairs: Pairs, of: Figure) -> str:
    """The 95 % bootstrap interval of a figure."""
    chance = random.Random(0)
    draws = (of(chance.choices(pairs, k=len(pairs))) for _ in range(RESAMPLES))
    found = sorted(value for value in draws if not math.isnan(value))
    return f"{found[int(0.025 * len(found))]:.2f}-{found[int(0.975 * len(found))]:.2f}" if found else "-"


def folds(pairs: Pairs, parts: int = 5, repeats: int = 20) -> Iterator[list[tuple[float, bool]]]:
    """For each repeat the cases with their probabilities, each under the fit to the parts that it is not in.

    Each part has its share of true and of false cases.
    """
    chance = random.Random(0)
    for _ in range(repeats):
        order = list(range(len(pairs)))
        chance.shuffle(order)
        order.sort(key=lambda i: pairs[i][1])
        out: list[tuple[float, bool]] = []
        for part in range(parts):
            inside = order[part::parts]
            scale, shift = platt([pairs[i] for i in order if i not in inside])
            out += scaled([pairs[i] for i in inside], scale, shift)
        yield out
