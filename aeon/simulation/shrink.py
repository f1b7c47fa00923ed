"""The smallest scenario that still fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from aeon.simulation.check import Report, check
from aeon.simulation.faults import Scenario
from aeon.simulation.life import Life

__all__ = ["shrunk"]


def shrunk(failed: Report, life: Life) -> Report:
    """A report that violates the same invariant with as few faults, steps and passes as could be found."""
    invariant = failed.problems[0].invariant
    while True:
        tried = (check(smaller, life) for smaller in _smaller(failed.scenario))
        failing = next((report for report in tried if _violates(report, invariant)), None)
        if failing is None:
            return failed
        failed = failing


def _violates(report: Report, invariant: str) -> bool:
    return any(problem.invariant == invariant for problem in report.problems)


def _smaller(scenario: Scenario) -> Iterator[Scenario]:
    """The scenario with one thing less, the most promising first."""
    if len(scenario.faults) > 2:
        for kind in sorted(scenario.faults):
            yield replace(scenario, faults=frozenset({kind}))
    for kind in sorted(scenario.faults):
        yield replace(scenario, faults=scenario.faults - {kind})
    for steps in range(1, scenario.steps):
        yield replace(scenario, steps=steps)
    for passes in range(1, scenario.passes):
        yield replace(scenario, passes=passes)
