"""The confidence of recorded runs in their answers, to compare with whether the answers are right."""

from __future__ import annotations

from typing import NamedTuple

from aeon.convergence.evaluation import mean_confidence
from aeon.observability.snapshot import plan_before
from aeon.schema import ExecutionHistory, Plan

__all__ = ["Case", "final_confidence", "final_plan"]


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
    return mean_confidence(parts, final_plan(history), history.configuration.reasoning_engine)


def final_plan(history: ExecutionHistory) -> Plan:
    """The plan that the answer rests on; the one that was drafted where no pass was complete."""
    number = history.conclusion.pass_number
    if not 1 <= number <= len(history.passes):
        return history.preparation.plan
    record = history.passes[number - 1]
    return plan_before(history, number).merge(record.executed)
