"""A run that ends each worker that has it: it is given up, and the runs beside it are not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from aeon.durable.jobs import Jobs
from aeon.runtime.attempts import MOST, REASON, outcomes_in
from aeon.runtime.replay import resume_point

from .conftest import Place, errands, until

pytestmark = pytest.mark.requirement("X5", "K13")
GOOD = ("good1", "good2", "good3")


def test_a_run_that_ends_its_workers_is_given_up_and_no_other(place: Place) -> None:
    """Three good runs and a bad one, whose first read ends the process, always: after three trials it is failed.

    Its answer is what its journal holds; by hand it is continued. Trials count from its last new outcome: on a busy
    machine the thought beside the read may be on record only in the second life.
    """
    for name in ("bad", *GOOD):
        place.submit(name, rounds=2)
    outcomes: list[int] = []
    while len(outcomes) <= MOST + 2:
        with place.worker(killer="bad", reading=0.2, patience=1.5) as worker:
            until(lambda now=worker: now.poll() is not None or place.jobs.get("bad").state == "failed", 60)
            if worker.poll() is None:
                for name in GOOD:
                    place.reaches(name, "ended")
                break
        outcomes.append(outcomes_in(place.jobs.lines("bad")))
    bad = place.jobs.get("bad")
    assert (bad.state, len(outcomes) - outcomes.index(outcomes[-1]), bad.detail) == ("failed", MOST + 1, REASON)
    assert bad.end is not None and bad.end.conclusion is not None and bad.end.given_up
    assert (bad.end.stop_reason, bad.end.answer) == ("failed", place.jobs.journal("bad").entries[0].value["text"])
    assert [place.posts(name) for name in GOOD] == [[1, 1]] * 3
    place.jobs.resume("bad")
    with place.worker():
        place.reaches("bad", "ended")
    assert place.posts("bad") == [1, 1]


def test_a_worker_that_is_stopped_in_order_counts_for_nothing(place: Place) -> None:
    """Workers are told to stop while a run of theirs reads: it goes on at the next, and is not on trial."""
    place.submit("handed", rounds=1)
    for _ in range(2):
        with place.worker(reading=60, patience=1.5) as worker:
            until(lambda: place.jobs.get("handed").state == "running")
            until(lambda: _attempts(place) == [("handed", 0, 0)])
            worker.send_signal(signal.SIGTERM)
            worker.wait(timeout=30)
        assert _attempts(place) == []
    with place.worker():
        place.reaches("handed", "ended")


def _attempts(place: Place) -> list[tuple[str, int, int]]:
    table = place.jobs.database.attempts
    with place.jobs.database.engine.begin() as connection:
        return [(row.run, row.deaths, row.alone) for row in connection.execute(table.select())]


def test_a_program_does_not_take_up_again_what_ended_it_three_times(place: Place) -> None:
    """A program that something restarts each time: at the fifth start it has the answer, and is alive."""
    code = f"""
import sys
sys.path.insert(0, {str(errands.__file__).rpartition("/")[0]!r})
import errands, aeon
errands.KILLER = "bad"
tool = errands.Counts({str(place.folder / "counts.sqlite")!r}).tool
made = aeon.build(
    errands.MODEL, [tool], errands.ErrandSettings(rounds=1), engine=errands.PLUGIN, durable={place.url!r}, run="mine"
)
result = made.execute("errands bad")
print(result.stop_reason, result.detail, result.said)
"""
    codes = []
    for _ in range(MOST + 2):
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
        codes.append(ran.returncode)
    assert codes == [-signal.SIGKILL] * (MOST + 1) + [0], (codes, ran.stderr)
    assert ran.stdout.startswith(f"failed {REASON} (")
    with Jobs(place.url) as jobs:
        assert jobs.get("mine").state == "failed"
        assert resume_point(jobs.journal("mine"), errands.ENGINE).void is not None, os.fspath(place.folder)
