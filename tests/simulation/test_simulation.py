"""The shipped driver, modules and program hold in a world full of faults; and the world is the same every time."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from aeon.errors import UsageError
from aeon.simulation.check import check
from aeon.simulation.crowd import Tally, simulate
from aeon.simulation.faults import KINDS, Scenario, scenario
from aeon.simulation.life import Life

SEEDS = 300
DIGEST = "from aeon.simulation.crowd import simulate; print(simulate(range(40, 60)).digest)"


@pytest.fixture(scope="module")
def life() -> Iterator[Life]:
    """One event loop for all."""
    with Life() as one:
        yield one


@pytest.mark.requirement("K3", "K9", "K10", "K12", "K13", "H3", "X1", "X5")
def test_every_invariant_holds_in_hundreds_of_seeds() -> None:
    """Runs end within their bounds, replay and resume to the same bytes, and do nothing twice, whatever happens."""
    tally = simulate(range(SEEDS))
    assert tally.failures == []
    assert tally.seeds == SEEDS and tally.runs > 2 * SEEDS
    assert set(KINDS) <= {kind for kind, times in tally.fired.items() if times}
    assert {"converged", "ttl_expired", "stalled", "unknown_outcome", "calls_exhausted"} <= set(tally.reasons)


@pytest.mark.requirement("K9", "K13", "O6", "X5")
@pytest.mark.parametrize("kind", KINDS)
def test_every_fault_can_be_brought_about_alone(kind: str, life: Life) -> None:
    """A few seeds with this fault and no other show that it fires, and nothing breaks."""
    for seed in range(60):
        report = check(scenario(seed, kind), life)
        assert report.problems == []
        if report.fired[kind]:
            return
    pytest.fail(f"{kind} never fired")


@pytest.mark.requirement("K3")
def test_the_same_seed_is_the_same_run(life: Life) -> None:
    """Twice in one process, alone or after others: the same histories, the same faults."""
    first = [check(scenario(seed), life).digest for seed in range(50, 60)]
    assert [check(scenario(seed), life).digest for seed in reversed(range(50, 60))] == first[::-1]
    with Life() as another:
        assert check(scenario(55), another).digest == first[5]
    assert len(set(first)) == 10


@pytest.mark.requirement("K3")
def test_the_same_seeds_have_the_same_digest_in_any_process() -> None:
    """Whatever the hash seed, and with however many processes."""
    digests = set()
    for hash_seed in ("0", "1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.getcwd()}
        done = subprocess.run([sys.executable, "-c", DIGEST], env=env, capture_output=True, text=True, check=True)
        digests.add(int(done.stdout))
    assert digests == {simulate(range(40, 60)).digest}


@pytest.mark.requirement("K3")
def test_the_number_of_processes_changes_nothing() -> None:
    """Two processes find what one does."""
    one, two = simulate(range(40)), simulate(range(40), jobs=2)
    assert (one.digest, one.fired, one.reasons, one.runs) == (two.digest, two.fired, two.reasons, two.runs)


@pytest.mark.requirement("K13")
def test_a_fault_that_is_left_out_changes_nothing_else(life: Life) -> None:
    """A scenario with trouble from outside begins as the one without it: their endings are compared."""
    for seed in range(20, 30):
        quiet, troubled = (check(scenario(seed, faults), life) for faults in ("malformed", "malformed,interrupt"))
        assert troubled.reasons == quiet.reasons + quiet.reasons


@pytest.mark.requirement("K13")
def test_a_fault_that_never_fires_fails_a_large_job() -> None:
    """With fifty seeds for each kind a silent one is named; with fewer nothing can be said."""
    assert Tally(seeds=50 * len(KINDS) - 1).silent() == ()
    assert Tally(seeds=50 * len(KINDS)).silent() == tuple(KINDS)
    assert Tally(seeds=50).silent("outage") == ("outage",)
    assert "malformed:deep" in Tally(seeds=200).silent("malformed")


@pytest.mark.requirement("K13")
def test_faults_and_sizes_are_read_as_they_are_written() -> None:
    """What a scenario says of itself makes it again; what is no fault is refused, with those that there are."""
    made = scenario(4711, "crash_after, malformed,steps=2,passes=1")
    assert made == Scenario(4711, frozenset({"malformed", "crash_after"}), steps=2, passes=1)
    assert scenario(4711, made.spec) == made
    assert made.command == "aeon simulate --seeds 1 --from 4711 --faults malformed,crash_after,steps=2,passes=1"
    assert scenario(1, "none").faults == frozenset()
    with pytest.raises(UsageError, match=r"'crash' is no kind of fault; there are bad_judgment, .*, passes=N"):
        scenario(1, "crash")
    with pytest.raises(UsageError, match="'steps=0' is no kind of fault"):
        scenario(1, "steps=0")
