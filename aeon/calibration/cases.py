"""The confidence of recorded runs in their answers, to compare with whether the answers are right."""

from __future__ import annotations

from typing import NamedTuple

from aeon.convergence.evaluation import mean_confidence
from aeon.observability.snapshot import plan_before
from aeon.schema import ExecutionHistory

__all__ = ["Case", "final_confidence"]


class Case(NamedTuple):
    """The confidence (0-1) that a run ended with, before any calibration, and whether its answer is right."""

    confidence: float
    right: bool


def final_confidence(history: ExecutionHistory) -> float | None:
    """The confidence (0-1), before any calibration, in what the answer rests on.

    ``None`` where it was not tracked, or nothing that it is made of was measured.
    """
    assessment = history.conclusion.assessment
    parts = assessment.evaluation.parts if assessment and assessment.evaluation else None
    if parts is None:
        return None
    number = history.conclusion.pass_number
    plan = plan_before(history, number).merge(history.passes[number - 1].executed)
    return mean_confidence(parts, plan, history.configuration.reasoning_engine)
