"""Faults planted across the machine: each is found, by seeds of the simulation or by the test that is named with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulation.finding import ByTest, Fault, found_by_seeds, found_by_test
from simulation.machine import BUDGETS, COUNTS, DECISIONS, STOPS
from simulation.record import ANSWERS, JOURNALS, LEASES, TOOLS

ALL: dict[str, Fault] = {**COUNTS, **BUDGETS, **DECISIONS, **STOPS, **JOURNALS, **TOOLS, **ANSWERS, **LEASES}
BY_TEST = {name: fault.finder for name, fault in ALL.items() if isinstance(fault.finder, ByTest)}
BY_SEEDS = {name: fault.finder for name, fault in ALL.items() if not isinstance(fault.finder, ByTest)}


@pytest.mark.requirement("K12", "K13", "K15", "M2", "X1")
@pytest.mark.parametrize("name", BY_SEEDS)
def test_seeds_find_what_is_planted(name: str) -> None:
    """Sixty seeds at most show it, by the invariant that it violates."""
    report = found_by_seeds(ALL[name], BY_SEEDS[name])
    assert report is not None, f"{name!r} was not noticed"


@pytest.mark.requirement("K12", "K13", "M2")
@pytest.mark.parametrize("name", BY_TEST)
def test_a_test_finds_what_no_seed_does(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It passes as the code is, and fails where the fault is planted."""
    planted, clean = tmp_path / "planted", tmp_path / "clean"
    planted.mkdir()
    clean.mkdir()
    finder = BY_TEST[name]
    finder.run({"tmp_path": clean, "caplog": caplog})
    caplog.clear()
    assert found_by_test(ALL[name], finder, {"tmp_path": planted, "caplog": caplog}) is not None


def test_there_are_as_many_as_were_asked_for() -> None:
    """Forty-seven at least, most of which the simulation finds itself."""
    assert len(ALL) >= 47
    assert len(BY_SEEDS) > len(BY_TEST)
