"""Fits how a confidence is to be read. The only module that needs scikit-learn: what applies the fit does not."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import StratifiedKFold

from aeon.calibration.cases import Case
from aeon.convergence.calibrated import ConfidenceMap
from aeon.errors import UsageError

__all__ = ["LEAST", "Fit", "Quality", "fit"]

LEAST = 10
"""How many cases a fit takes at least."""

_FOLDS = 5
_BINS = 10


class Quality(NamedTuple):
    """How well confidences tell what is right: both in 0-1, and better the lower.

    ``brier`` is the mean squared distance from the outcome (Brier, 1950). ``error`` is the expected calibration error:
    the distance between mean confidence and share right in ten bins of equal width, weighted by their cases (Naeini,
    Cooper and Hauskrecht, 2015).
    """

    brier: float
    error: float


class Fit(NamedTuple):
    """A map and what it is worth on ``right`` right cases and ``wrong`` wrong ones.

    ``before`` is of the confidences as they were. ``after`` is of what the map makes of them: of cases that it was not
    fitted on, in so many ``folds``; with 0 folds there were too few for that, and it flatters the map.
    """

    map: ConfidenceMap
    right: int
    wrong: int
    before: Quality
    after: Quality
    folds: int


def fit(cases: Sequence[Case]) -> Fit:
    """The monotone map from confidence to share right, by isotonic regression.

    It is kept away from 0 and 1 by the rule of succession: n cases show no more than a share of (n + 1) / (n + 2).

    Raises:
        UsageError: there are fewer than `LEAST` cases, or all are right or all wrong.
    """
    right = sum(case.right for case in cases)
    if len(cases) < LEAST:
        raise UsageError(f"{len(cases)} labelled runs with a confidence are too few to calibrate on; it takes {LEAST}")
    if right in (0, len(cases)):
        word = "right" if right else "wrong"
        raise UsageError(f"all {len(cases)} labelled runs are {word}; calibrating takes right and wrong ones")
    fitted_map = _map(cases)
    folds = _FOLDS if min(right, len(cases) - right) >= _FOLDS else 0
    read = _cross_validate(cases, folds) if folds else [fitted_map.read(case.confidence) for case in cases]
    before = _quality([case.confidence for case in cases], cases)
    return Fit(fitted_map, right, len(cases) - right, before, _quality(read, cases), folds)


def _map(cases: Sequence[Case]) -> ConfidenceMap:
    edge = 1 / (len(cases) + 2)
    model = IsotonicRegression(y_min=edge, y_max=1 - edge, out_of_bounds="clip")
    model.fit([case.confidence for case in cases], [float(case.right) for case in cases])
    pairs = zip(model.X_thresholds_, model.y_thresholds_, strict=True)
    points = {round(float(x), 6): round(float(y), 6) for x, y in pairs}
    return ConfidenceMap(runs=len(cases), points=tuple(points.items()))


def _cross_validate(cases: Sequence[Case], folds: int) -> list[float]:
    """Read each case's confidence by a map that was fitted without that case."""
    read = [0.0] * len(cases)
    split = StratifiedKFold(folds, shuffle=True, random_state=0).split(cases, [case.right for case in cases])
    for others, held in split:
        read_confidence: Callable[[float], float] = _map([cases[n] for n in others]).read
        for n in held:
            read[n] = read_confidence(cases[n].confidence)
    return read


def _quality(read: Sequence[float], cases: Sequence[Case]) -> Quality:
    pairs = [(value, float(case.right)) for value, case in zip(read, cases, strict=True)]
    brier = math.fsum((value - outcome) ** 2 for value, outcome in pairs) / len(pairs)
    bins: dict[int, list[float]] = {}
    for value, outcome in pairs:
        bins.setdefault(min(_BINS - 1, int(value * _BINS)), []).append(value - outcome)
    error = math.fsum(abs(math.fsum(distances)) for distances in bins.values()) / len(pairs)
    return Quality(round(brier, 6), round(error, 6))
