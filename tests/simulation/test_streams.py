"""What the service tells of simulated runs, process after process, and the store of workers that stand still."""

from __future__ import annotations

import pytest

from aeon.simulation.check import Report, _run, _troubles, check
from aeon.simulation.faults import scenario
from aeon.simulation.life import Life, Parts
from aeon.simulation.troubles import Troubles
from aeon.simulation.world import World
from simulation.handed import stepped
from simulation.told import hold_told, telling

SEEDS = 15


@pytest.mark.requirement("M2", "X5")
@pytest.mark.parametrize("faults", ["crash_after", "interrupt,crash_torn,crash_before", "question_suspended,outage"])
def test_no_event_is_told_twice_whoever_takes_the_run_up(faults: str) -> None:
    """Each process of the service tells what is new, under places that no other event has, as the journal does."""
    lives = 0
    with Life(Parts(observers=telling)) as life:
        for seed in range(SEEDS):
            straight = _run(scenario(seed, faults), life, Troubles(), None, Report(scenario(seed, faults)))
            assert straight is not None
            world = World(scenario(seed, faults))
            assert life.lived(world, _troubles(world.scenario, straight)) is not None
            hold_told(world)
            assert world.problems == [], f"seed {seed}"
            lives += world.lives
    assert lives > SEEDS


@pytest.mark.requirement("K13", "X3")
def test_a_worker_that_stood_still_does_no_more() -> None:
    """With the store that workers keep a journal in: where another one continued the run, no tool is called."""
    stood = 0
    with Life(Parts(store=stepped)) as life:
        for seed in range(SEEDS):
            report = check(scenario(seed, "handed_over"), life)
            assert report.problems == [], f"seed {seed}"
            stood += report.fired["handed_over"]
    assert stood > SEEDS // 2
