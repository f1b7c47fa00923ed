"""How well the scores of a judge rank, and the calibration that makes probabilities of them. Pure.

A case is a pair of a score, in log-odds, and whether the judgment is true of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["Pairs", "auroc", "likely", "platt", "scaled"]

PRIOR = 1.0
Pairs = Sequence[tuple[float, bool]]


def auroc(pairs: Pairs) -> float:
    """The probability that a true case scores above a false one (ties count half)."""
    true, false = [s for s, label in pairs if label], [s for s, label in pairs if not label]
    if not true or not false:
        return math.nan
    return sum((a > b) + 0.5 * (a == b) for a in true for b in false) / (len(true) * len(false))


def likely(odds: float) -> float:
    """The probability (0-1) of log-odds."""
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, odds))))


def scaled(pairs: Pairs, scale: float, shift: float) -> list[tuple[float, bool]]:
    """The cases with the probabilities that a calibration gives."""
    return [(likely(scale * s + shift), label) for s, label in pairs]


def platt(pairs: Pairs, prior: float = PRIOR) -> tuple[float, float]:
    """Scale and shift of the log-odds by Newton's method (Platt, 1999), as the most likely ones under a weak prior.

    ``prior`` is how many true cases, and how many false ones, are taken to lie one standard deviation off the mean,
    half of them at either end. It keeps a few cases that a cut separates from making the scores certain.
    """
    scores = [s for s, _ in pairs]
    mean = sum(scores) / len(scores)
    spread = math.sqrt(sum((s - mean) ** 2 for s in scores) / len(scores))
    spread = spread if spread > 1e-6 else 1.0  # all scores alike, as of a judge that always says the same
    cases = [((s - mean) / spread, float(label), 1.0) for s, label in pairs]
    cases += [(end, label, prior / 2) for end in (-1.0, 1.0) for label in (0.0, 1.0)]
    a = b = 0.0
    for _ in range(100):
        da, db = _newton(cases, a, b)
        a, b = a - da, b - db
        if abs(da) + abs(db) < 1e-9:
            break
    return a / spread, b - a * mean / spread


def _newton(cases: Sequence[tuple[float, float, float]], a: float, b: float) -> tuple[float, float]:
    """One step, at most of length one."""
    ga = gb = hab = 0.0
    haa = hbb = 1e-9
    for s, target, weight in cases:
        p = likely(a * s + b)
        off, slope = weight * (p - target), weight * p * (1 - p)
        ga, gb = ga + off * s, gb + off
        haa, hab, hbb = haa + slope * s * s, hab + slope * s, hbb + slope
    det = haa * hbb - hab * hab
    da, db = (hbb * ga - hab * gb) / det, (haa * gb - hab * ga) / det
    step = min(1.0, 1 / (abs(da) + abs(db) + 1e-12))
    return step * da, step * db
