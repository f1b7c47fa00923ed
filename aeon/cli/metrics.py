"""``aeon metrics``: five figures over saved runs of any engines, beside their targets."""

from __future__ import annotations

import argparse

from aeon.assembly.registry import view_of
from aeon.cli.output import print_json
from aeon.cli.recorded import LeftOut, gather, read_labels
from aeon.observability.metrics import Metric, MetricName, metrics
from aeon.schema import Frozen

__all__ = ["Report", "command"]

_OVER: dict[MetricName, tuple[str, str]] = {
    "mean_iterations": ("converged run", "converged runs"),
    "convergence_rate": ("run", "runs"),
    "early_exit_accuracy": ("labelled early exit", "labelled early exits"),
    "cost_per_quality_point": ("run", "runs"),
    "decision_reversal_rate": ("decision to continue", "decisions to continue"),
}
_RATES = ("convergence_rate", "early_exit_accuracy", "decision_reversal_rate")


class Report(Frozen):
    """The metrics of so many runs that ended, and the runs that do not count."""

    runs: int
    left_out: tuple[LeftOut, ...]
    metrics: tuple[Metric, ...]


def command(options: argparse.Namespace) -> int:
    """Print the metrics of ``options.runs``, with labels from ``options.labels``, as a table or as JSON.

    Raises:
        InputFileError: a path holds no usable run, or the labels cannot be used.
    """
    runs = gather(options.runs)
    right = read_labels(options.labels, runs) if options.labels else {}
    measured = [view_of(result.engine).measured(result) for result in runs.ended.values()]
    report = Report(runs=len(runs.ended), left_out=runs.left_out, metrics=metrics(measured, right))
    if options.json:
        print_json(report)
    else:
        print("\n".join(_table(report)))
    return 0


def _table(report: Report) -> list[str]:
    lines = [f"{report.runs} run{'' if report.runs == 1 else 's'} that ended"]
    lines += [f"  {'':<24}{'value':>9}  {'target':<9}over", *map(_row, report.metrics)]
    if report.left_out:
        lines += [f"{len(report.left_out)} left out", *(f"  {one.run}: {one.why}" for one in report.left_out)]
    return lines


def _row(metric: Metric) -> str:
    target = f"{'>' if metric.above else '<'} {_figure(metric, metric.target)}"
    name = metric.name.replace("_", " ")
    if metric.value is None:
        return f"  {name:<24}{'-':>9}  {target:<9}{metric.why_not}"
    over = f"{metric.of} {_OVER[metric.name][metric.of != 1]}"
    return f"{'✓' if metric.met else '✗'} {name:<24}{_figure(metric, metric.value):>9}  {target:<9}{over}"


def _figure(metric: Metric, value: float) -> str:
    """A figure in its unit, to three digits: rates in percent, costs in dollars."""
    if metric.name in _RATES:
        return f"{100 * value:.3g}%"
    return f"${value:.3g}" if metric.name == "cost_per_quality_point" else f"{value:.3g}"
