"""The simulation finds what is wrong, says which promise was broken, and makes the case small."""

from __future__ import annotations

import shlex

import pytest

from aeon.cli.options import parse
from aeon.runtime.events import Event
from aeon.simulation.check import Report, check
from aeon.simulation.crowd import tally
from aeon.simulation.faults import scenario
from aeon.simulation.life import Life
from aeon.simulation.shrink import shrunk
from aeon.simulation.watch import Watch
from simulation.mutants import MUTANTS
from simulation.planted import PLANTED

MOST_SEEDS = 400
MANY = "bad_judgment,malformed,tool_fails,question_answered,clock_moved,line_twice,"


def found(name: str, life: Life, extra: str = "") -> Report:
    """The first seed that shows the planted bug."""
    _, faults, invariant = PLANTED[name]
    return first(name, life, extra + faults, invariant)


def first(name: str, life: Life, faults: str, invariant: str) -> Report:
    """The first seed with these faults that violates the invariant."""
    reports = (check(scenario(seed, faults), life) for seed in range(MOST_SEEDS))
    failing = (r for r in reports if any(p.invariant == invariant for p in r.problems))
    report = next(failing, None)
    assert report is not None, f"{name} was not noticed in {MOST_SEEDS} seeds"
    return report


@pytest.mark.requirement("K13")
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_reported_by_its_invariant(name: str) -> None:
    """Each broken promise is noticed within some hundred seeds, under its own name."""
    with Life(PLANTED[name][0]) as life:
        report = found(name, life)
    assert PLANTED[name][2] in {problem.invariant for problem in report.problems}


@pytest.mark.requirement("K13")
@pytest.mark.parametrize("name", MUTANTS)
def test_a_bug_in_the_shipped_code_is_reported_by_its_invariant(name: str) -> None:
    """What the shipped code must do is noticed within some hundred seeds where it does not do it."""
    mutant = MUTANTS[name]
    with mutant.planted(), Life(mutant.parts) as life:
        report = first(name, life, mutant.faults, mutant.invariant)
    assert mutant.invariant in {problem.invariant for problem in report.problems}


@pytest.mark.requirement("K13")
def test_a_failing_seed_is_made_small() -> None:
    """Faults that have nothing to do with it are dropped, and plan and passes are no larger than needed."""
    with Life(PLANTED["forgets tools"][0]) as life:
        report = found("forgets tools", life, MANY)
        report.problems.sort(key=lambda problem: problem.invariant != "each side effect happens once")
        small = shrunk(report, life)
    assert small.scenario.faults == {"crash_called"}
    assert (small.scenario.steps, small.scenario.passes) < (4, 3)
    assert small.problems[0].invariant == "each side effect happens once"


@pytest.mark.requirement("K13")
def test_the_command_of_a_failing_seed_runs_it_again() -> None:
    """Its seed, its faults and its sizes are all that it takes."""
    with Life(PLANTED["calls twice"][0]) as life:
        report = found("calls twice", life, MANY)
        failure = tally([report], life).failures[0]
        options = parse(shlex.split(failure.command)[1:])
        again = check(scenario(options.start, options.faults), life)
    assert (options.command, options.seeds, options.start) == ("simulate", 1, report.scenario.seed)
    assert (again.problems[0].invariant, again.problems[0].detail) == (failure.invariant, failure.detail)


@pytest.mark.requirement("K13")
def test_an_observer_of_the_simulation_that_raises_is_no_silent_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run continues without it, so that nothing would be watched any more: the seed fails instead."""

    def broken(watch: Watch, event: Event) -> None:
        raise LookupError("of its own")

    monkeypatch.setattr(Watch, "__call__", broken)
    with Life() as life:
        report = check(scenario(1, "none"), life)
    assert report.problems[0].invariant == "only errors of the hierarchy"
    assert "LookupError('of its own')" in report.problems[0].detail
