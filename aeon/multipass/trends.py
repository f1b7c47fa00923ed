"""What the evaluations of the passes say together: whether they suffice, whether they still gain, where to go next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import islice, pairwise

from aeon.schema.evaluation import Evaluation
from aeon.schema.policy import ReasoningEngine, Strategy

__all__ = ["AIMS", "confident", "diminishing", "gains", "strategy"]

AIMS: Mapping[Strategy, str] = {
    "EXPAND": "Work on what the answer still lacks.",
    "NARROW": "Work only on the results that are weak, and make them sure.",
    "PIVOT": "What was tried has not helped: take another way than so far.",
    "DEEPEN": "Give more detail where a result is only partly there.",
}
"""What each strategy asks of whoever changes the plan, and of whoever does a step again."""
_SLACK = {"low": -0.05, "medium": 0.0, "high": 0.05}


def confident(engine: ReasoningEngine, evaluations: Sequence[Evaluation]) -> bool:
    """Whether the answer is good enough to stop at; in probabilistic mode its confidence is the chance of that."""
    latest = evaluations[-1] if engine.enabled and evaluations else None
    if latest is None or latest.confidence is None:
        return False
    if not _covered(engine, latest.coverage):
        return False
    if engine.decide.decision_mode == "probabilistic":
        return latest.draw is not None and latest.draw < latest.confidence
    return latest.confidence >= _strict(engine, engine.decide.confidence_threshold)


def _covered(engine: ReasoningEngine, coverage: float | None) -> bool:
    return coverage is None or coverage >= _strict(engine, engine.decide.coverage_threshold)


def _strict(engine: ReasoningEngine, threshold: float) -> float:
    return min(1.0, round(threshold + _SLACK[engine.evaluate.strictness], 6))


def diminishing(engine: ReasoningEngine, evaluations: Sequence[Evaluation], pivoted: bool = False) -> bool:
    """Whether the confidence has hardly grown over the last iterations, and another way was tried if one is due.

    A run that gained nothing pivots once before it counts as one that hardly gains: its returns are those of one way.
    """
    window = engine.decide.diminishing_returns_window
    if not engine.enabled or len(evaluations) <= window or _is_due(engine, evaluations, pivoted):
        return False
    last = gains(evaluations, window)
    return len(last) == window and math.fsum(last) / window < engine.decide.diminishing_returns_threshold


def _is_due(engine: ReasoningEngine, evaluations: Sequence[Evaluation], pivoted: bool) -> bool:
    """Whether the run itself would take another way next."""
    automatic = engine.refine.strategy_selection == "automatic"
    return automatic and strategy(engine, evaluations, pivoted) == "PIVOT"


def gains(evaluations: Sequence[Evaluation], most: int | None = None) -> list[float]:
    """What the last iterations, ``most`` of them or all, each gained in confidence; those without one are left out."""
    backwards = (one.confidence for one in reversed(evaluations) if one.confidence is not None)
    trend = list(islice(backwards, most and most + 1))[::-1]
    return [after - before for before, after in pairwise(trend)]


def strategy(
    engine: ReasoningEngine, evaluations: Sequence[Evaluation], pivoted: bool = False
) -> Strategy | None:
    """How to change the plan after the last iteration; ``None`` where nothing was measured to choose by.

    A run that has ``pivoted`` does not do so again by itself; a strategy that is set holds always.
    """
    if not engine.enabled:
        return None
    if engine.refine.strategy_selection == "manual":
        return engine.refine.strategy
    return _chosen(engine, evaluations, pivoted) if evaluations else None


def _chosen(engine: ReasoningEngine, evaluations: Sequence[Evaluation], pivoted: bool) -> Strategy:
    coverage, confidence = _measured(evaluations[-1].coverage), _measured(evaluations[-1].confidence)
    if coverage < 0.5:
        return "EXPAND"
    if confidence < 0.5 and coverage > 0.7:
        return "NARROW"
    last = gains(evaluations, engine.refine.pivot_after_iterations)
    if not pivoted and len(last) == engine.refine.pivot_after_iterations and max(last) <= 0:
        return "PIVOT"
    return "DEEPEN" if coverage < 1 else "EXPAND"


def _measured(score: float | None) -> float:
    """The score; without one NaN, with which no comparison holds: what was not measured chooses nothing."""
    return math.nan if score is None else score
