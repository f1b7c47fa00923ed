"""A database that takes no more: what is on record stays, and the runs end when there is room again."""

from __future__ import annotations

import resource
import sys

import pytest

from .conftest import Place, until


@pytest.mark.requirement("X5g")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the files of another process")
def test_runs_go_on_when_there_is_room_again(place: Place) -> None:
    """A worker may not write beyond a size, as on a full disk; later it may: no post is made twice or lost."""
    names = [f"run{number}" for number in range(4)]
    with place.worker(posting=0.02) as worker:
        written = sum(path.stat().st_size for path in place.folder.glob("runs.sqlite-wal"))
        _, most = resource.prlimit(worker.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (written + 150_000, most))
        for name in names:
            place.submit(name, rounds=7)
        log = place.folder / "workers.log"
        until(lambda: "goes on from what is on record" in log.read_text() or "does not answer" in log.read_text())
        assert "ended" not in {place.jobs.get(name).state for name in names[-1:]}
        resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (most, most))
        for name in names:
            job = place.reaches(name, "ended", "waiting")
            if job.state == "waiting":
                place.jobs.answer(name, "done")
                place.reaches(name, "ended")
            assert place.posts(name) == [1] * 7
