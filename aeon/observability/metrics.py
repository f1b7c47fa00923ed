"""Five figures over a set of recorded runs, each beside its target; all of them are read from histories.

A run counts as *converged* if it stopped because its answer was good enough: for the reason ``converged`` or
``confident``. Runs that wait for an answer or were interrupted have not come to an end of their own: leave them out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Literal, NamedTuple

from aeon.multipass.rules import pass_limit
from aeon.schema import ConvergenceAssessment, Evaluation, ExecutionHistory, ExecutionPass, Frozen

__all__ = ["EARLY", "UNENDED", "Metric", "MetricName", "metrics"]

MetricName = Literal[
    "mean_iterations", "convergence_rate", "early_exit_accuracy", "cost_per_quality_point", "decision_reversal_rate"
]
UNENDED = ("waiting", "interrupted")
"""Stop reasons of runs that did not come to an end of their own."""
EARLY = ("converged", "confident", "diminishing_returns", "stalled")
"""Stop reasons of runs that decided themselves that going on would not help."""

_GOOD = ("converged", "confident")
_BROKEN = ("failed", "unknown_outcome", *UNENDED)


class Metric(Frozen):
    """One figure. ``value`` is ``None`` where it cannot be computed; ``why_not`` then says why.

    ``target`` is the bound that the value is to stay below or, where ``above``, beyond; ``met`` says whether it does.
    ``of`` is how many runs or decisions the value is computed over. Rates are in 0-1, costs in US dollars.
    """

    name: MetricName
    value: float | None = None
    target: float
    above: bool
    of: int = 0
    why_not: str = ""
    met: bool | None = None


class _Figure(NamedTuple):
    """A value over so many runs or decisions, or the reason why there is none."""

    value: float | None
    of: int = 0
    why_not: str = ""


def metrics(histories: Sequence[ExecutionHistory], right: Mapping[str, bool] | None = None) -> tuple[Metric, ...]:
    """The five metrics of runs that have ended; ``right`` says by execution id of some whether the answer is right.

    - ``mean_iterations``: passes of a converged run, on average. Below 5.
    - ``convergence_rate``: the share of runs that converged. Above 0.8.
    - ``early_exit_accuracy``: of the runs that stopped by their own decision (`EARLY`) with passes left, and are
      labelled, the share whose answer is right. Above 0.9.
    - ``cost_per_quality_point``: what runs cost for each 0.1 of confidence that they ended with; all costs over all
      confidences, of runs that know both. Below 0.01 dollars.
    - ``decision_reversal_rate``: of the decisions to go on after an assessed pass, the share that the run took back.
      One is taken back if the run stopped without another assessed pass (save for a failure); if the next pass ended
      it with no higher confidence (completeness unless both passes have one); or if an answer that was good enough,
      converged or confident, was not so in the next pass. Below 0.05.
    """
    known = right or {}
    return tuple(_metric(name, target, above, found(histories, known)) for name, target, above, found in _METRICS)


def _metric(name: MetricName, target: float, above: bool, found: _Figure) -> Metric:
    value = None if found.value is None else round(found.value, 6)
    met = None if value is None else (value > target if above else value < target)
    return Metric(name=name, value=value, target=target, above=above, of=found.of, why_not=found.why_not, met=met)


def _mean_iterations(histories: Sequence[ExecutionHistory], _: Mapping[str, bool]) -> _Figure:
    passes = [float(h.conclusion.passes) for h in histories if h.conclusion.stop_reason in _GOOD]
    return _mean(passes, "no run converged")


def _convergence_rate(histories: Sequence[ExecutionHistory], _: Mapping[str, bool]) -> _Figure:
    return _mean([float(h.conclusion.stop_reason in _GOOD) for h in histories], "no run has ended")


def _early_exit_accuracy(histories: Sequence[ExecutionHistory], right: Mapping[str, bool]) -> _Figure:
    early = [h.execution_id for h in histories if _exits_early(h)]
    if not early:
        return _Figure(None, why_not="no run stopped by its own decision before its last pass")
    if not right:
        return _Figure(None, why_not="it takes labels that say which answers are right: --labels FILE")
    return _mean([float(right[name]) for name in early if name in right], "no run that stopped early is labelled")


def _exits_early(history: ExecutionHistory) -> bool:
    end = history.conclusion
    if end.stop_reason not in EARLY or not history.passes:
        return False
    return end.passes < pass_limit(history.passes[-1].profile, history.configuration)


def _cost_per_quality_point(histories: Sequence[ExecutionHistory], _: Mapping[str, bool]) -> _Figure:
    ends = [
        (h.conclusion.usage.cost, _confidence_of(h.conclusion.assessment))
        for h in histories
        if _knows_cost(h)
    ]
    pairs = [(cost, confidence) for cost, confidence in ends if confidence is not None]
    if not pairs:
        return _Figure(None, why_not="no run knows both its cost (models need a price) and its confidence")
    points = 10 * math.fsum(confidence for _, confidence in pairs)
    if not points:
        return _Figure(None, len(pairs), "no run ended with any confidence")
    return _Figure(math.fsum(cost for cost, _ in pairs) / points, len(pairs))


def _knows_cost(history: ExecutionHistory) -> bool:
    tracked = history.configuration.reasoning_engine.state_monitor.track_cost
    return tracked and history.conclusion.bound.cost is not None


def _confidence_of(assessment: ConvergenceAssessment | None) -> float | None:
    return assessment.evaluation.confidence if assessment and assessment.evaluation else None


def _decision_reversal_rate(histories: Sequence[ExecutionHistory], _: Mapping[str, bool]) -> _Figure:
    return _mean([float(back) for h in histories for back in _taken_back(h)], "no run went on after a pass")


def _taken_back(history: ExecutionHistory) -> list[bool]:
    """For each decision to go on after an assessed pass, whether it was taken back; one before a failure is unknown."""
    assessed = [record for record in history.passes if record.assessment and record.complete]
    ended = history.conclusion.stop_reason not in _BROKEN
    found = []
    for number, (record, after) in enumerate(zip_longest(assessed, assessed[1:]), 1):
        if _went_on(record) and after is not None:
            found.append(_gave_nothing(record, after) or _fell(history, assessed[: number + 1]))
        elif _went_on(record) and ended:
            found.append(True)
    return found


def _went_on(record: ExecutionPass) -> bool:
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
    scores = [record.assessment.completeness if record.assessment else 0.0 for record in (before, after)]
    return scores[1] - scores[0]


def _fell(history: ExecutionHistory, assessed: Sequence[ExecutionPass]) -> bool:
    """Whether the answer was good enough in the last pass but one, and is not in the last."""
    return _good(history, assessed[:-1]) and not _good(history, assessed)


def _good(history: ExecutionHistory, assessed: Sequence[ExecutionPass]) -> bool:
    judged = [record.assessment for record in assessed if record.assessment]
    found: list[Evaluation] = [each.evaluation for each in judged if each.evaluation]
    return judged[-1].converged or history.configuration.reasoning_engine.confident(found)


def _mean(values: Sequence[float], why_not: str) -> _Figure:
    return _Figure(math.fsum(values) / len(values), len(values)) if values else _Figure(None, why_not=why_not)


_Compute = Callable[[Sequence[ExecutionHistory], Mapping[str, bool]], _Figure]
_METRICS: tuple[tuple[MetricName, float, bool, _Compute], ...] = (
    ("mean_iterations", 5.0, False, _mean_iterations),
    ("convergence_rate", 0.8, True, _convergence_rate),
    ("early_exit_accuracy", 0.9, True, _early_exit_accuracy),
    ("cost_per_quality_point", 0.01, False, _cost_per_quality_point),
    ("decision_reversal_rate", 0.05, False, _decision_reversal_rate),
)
