"""What the metrics need to know of a multi-pass run, read from its history."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from aeon.multipass.limits import pass_limit
from aeon.multipass.trends import confident
from aeon.observability import metrics
from aeon.observability.metrics import UNENDED, Measured
from aeon.schema import ConvergenceAssessment, Evaluation, ExecutionHistory, ExecutionPass

__all__ = ["measured"]

_EARLY = ("converged", "own_knowledge", "confident", "diminishing_returns", "stalled")
"""The endings where the run decided that more would not help."""
_BROKEN = ("failed", "unknown_outcome", "overspent", *UNENDED)


def measured(history: ExecutionHistory) -> Measured:
    """A run that ended, measured. Iterations are passes.

    It exits early where it decided itself to stop with passes left. A decision to continue after an assessed pass is
    taken back if the run stopped without another assessed pass (save for a failure); if the next pass ended it with no
    higher confidence (completeness unless both passes have one); or if an answer that was good enough, converged or
    confident, was not so in the next pass.
    """
    tracked = history.configuration.reasoning_engine.state_monitor.track_cost
    whole = metrics.measured(history.conclusion)
    return whole._replace(
        cost=whole.cost if tracked else None,
        confidence=_confidence_of(history.conclusion.assessment),
        iterations=history.conclusion.passes,
        early=_exits_early(history),
        taken_back=tuple(_taken_back(history)),
    )


def _exits_early(history: ExecutionHistory) -> bool:
    end = history.conclusion
    if end.stop_reason not in _EARLY or not history.passes:
        return False
    return end.passes < pass_limit(history.passes[-1].profile, history.configuration)


def _confidence_of(assessment: ConvergenceAssessment | None) -> float | None:
    return assessment.evaluation.confidence if assessment and assessment.evaluation else None


def _taken_back(history: ExecutionHistory) -> list[bool]:
    """For each decision to continue after an assessed pass, whether it was taken back; unknown before a failure."""
    assessed = [record for record in history.passes if record.assessment and record.complete]
    ended = history.conclusion.stop_reason not in _BROKEN
    reversals = []
    for number, (record, after) in enumerate(zip_longest(assessed, assessed[1:]), 1):
        if _continued(record) and after is not None:
            reversals.append(_gave_nothing(record, after) or _fell(history, assessed[: number + 1]))
        elif _continued(record) and ended:
            reversals.append(True)
    return reversals


def _continued(record: ExecutionPass) -> bool:
    return record.decision is not None and record.decision.action != "OUTPUT"


def _gave_nothing(before: ExecutionPass, after: ExecutionPass) -> bool:
    """Whether the pass after ended the run with an answer that is no better."""
    ended = after.decision is not None and after.decision.action == "OUTPUT"
    return ended and _gain(before, after) <= 0


def _gain(before: ExecutionPass, after: ExecutionPass) -> float:
    """What the pass after gained in confidence; in completeness unless both passes have a confidence."""
    first, second = _confidence_of(before.assessment), _confidence_of(after.assessment)
    if first is not None and second is not None:
        return second - first
    earlier, later = (record.assessment.completeness if record.assessment else None for record in (before, after))
    return (later or 0.0) - (earlier or 0.0)


def _fell(history: ExecutionHistory, assessed: Sequence[ExecutionPass]) -> bool:
    """Whether the answer was good enough in the last pass but one, and is not in the last."""
    return _good(history, assessed[:-1]) and not _good(history, assessed)


def _good(history: ExecutionHistory, assessed: Sequence[ExecutionPass]) -> bool:
    judged = [record.assessment for record in assessed if record.assessment]
    evaluations: list[Evaluation] = [one.evaluation for one in judged if one.evaluation]
    return judged[-1].converged or confident(history.configuration.reasoning_engine, evaluations)
