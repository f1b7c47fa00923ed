"""Five figures over a set of recorded runs of any engines, each beside its target.

A run counts as *converged* if it stopped because its answer was good enough, by its engine's decision table. Runs that
wait for an answer or were interrupted have not come to an end of their own: leave them out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from aeon.schema import Conclusion, Frozen

__all__ = ["UNENDED", "Measured", "Metric", "MetricName", "measured", "metrics"]

MetricName = Literal[
    "mean_iterations", "convergence_rate", "early_exit_accuracy", "cost_per_quality_point", "decision_reversal_rate"
]
UNENDED = ("waiting", "interrupted")
"""Stop reasons of runs that did not come to an end of their own."""


class Measured(NamedTuple):
    """What the metrics need to know of a run; an engine's own measures fill in what only it knows.

    ``cost`` is in US dollars, ``confidence`` in 0-1; either is ``None`` where it is not known or not tracked.
    ``iterations`` is ``None`` for an engine without any. ``early``: the run stopped by its own decision, with
    iterations left. ``taken_back`` says of each decision to continue whether the run took it back.
    """

    execution_id: str
    converged: bool
    cost: float | None = None
    confidence: float | None = None
    iterations: int | None = None
    early: bool = False
    taken_back: tuple[bool, ...] = ()


def measured(end: Conclusion) -> Measured:
    """What any engine's result says of its run."""
    cost = None if end.bound.cost is None else end.usage.cost + end.lost.cost
    return Measured(end.execution_id, end.sufficient, cost)


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


def metrics(runs: Sequence[Measured], right: Mapping[str, bool] | None = None) -> tuple[Metric, ...]:
    """The five metrics of runs that have ended; ``right`` says by execution id of some whether the answer is right.

    - ``mean_iterations``: iterations of a converged run, on average. Below 5.
    - ``convergence_rate``: the share of runs that converged. Above 0.8.
    - ``early_exit_accuracy``: of the runs that stopped early by their own decision, and are labelled, the share whose
      answer is right. Above 0.9.
    - ``cost_per_quality_point``: what runs cost for each 0.1 of confidence that they ended with; all costs over all
      confidences, of runs that know both. Below 0.01 dollars.
    - ``decision_reversal_rate``: of the decisions to continue, the share that the run took back. Below 0.05.
    """
    labels = right or {}
    return tuple(_metric(name, target, above, figure(runs, labels)) for name, target, above, figure in _METRICS)


def _metric(name: MetricName, target: float, above: bool, figure: _Figure) -> Metric:
    value = None if figure.value is None else round(figure.value, 6)
    met = None if value is None else (value > target if above else value < target)
    return Metric(name=name, value=value, target=target, above=above, of=figure.of, why_not=figure.why_not, met=met)


def _mean_iterations(runs: Sequence[Measured], _: Mapping[str, bool]) -> _Figure:
    iterations = [float(run.iterations) for run in runs if run.converged and run.iterations is not None]
    return _mean(iterations, "no run converged")


def _convergence_rate(runs: Sequence[Measured], _: Mapping[str, bool]) -> _Figure:
    return _mean([float(run.converged) for run in runs], "no run has ended")


def _early_exit_accuracy(runs: Sequence[Measured], right: Mapping[str, bool]) -> _Figure:
    early = [run.execution_id for run in runs if run.early]
    if not early:
        return _Figure(None, why_not="no run stopped by its own decision before its last pass")
    if not right:
        return _Figure(None, why_not="it takes labels that say which answers are right: --labels FILE")
    return _mean([float(right[name]) for name in early if name in right], "no run that stopped early is labelled")


def _cost_per_quality_point(runs: Sequence[Measured], _: Mapping[str, bool]) -> _Figure:
    pairs = [(run.cost, run.confidence) for run in runs if run.cost is not None and run.confidence is not None]
    if not pairs:
        return _Figure(None, why_not="no run knows both its cost and its confidence")
    points = 10 * math.fsum(confidence for _, confidence in pairs)
    if not points:
        return _Figure(None, len(pairs), "no run ended with any confidence")
    return _Figure(math.fsum(cost for cost, _ in pairs) / points, len(pairs))


def _decision_reversal_rate(runs: Sequence[Measured], _: Mapping[str, bool]) -> _Figure:
    return _mean([float(back) for run in runs for back in run.taken_back], "no run decided to continue")


def _mean(values: Sequence[float], why_not: str) -> _Figure:
    return _Figure(math.fsum(values) / len(values), len(values)) if values else _Figure(None, why_not=why_not)


_Compute = Callable[[Sequence[Measured], Mapping[str, bool]], _Figure]
_METRICS: tuple[tuple[MetricName, float, bool, _Compute], ...] = (
    ("mean_iterations", 5.0, False, _mean_iterations),
    ("convergence_rate", 0.8, True, _convergence_rate),
    ("early_exit_accuracy", 0.9, True, _early_exit_accuracy),
    ("cost_per_quality_point", 0.01, False, _cost_per_quality_point),
    ("decision_reversal_rate", 0.05, False, _decision_reversal_rate),
)
