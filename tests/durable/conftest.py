"""Workers of durable runs in processes of their own, on the engine of the benchmarks, and what tests ask of them."""

from __future__ import annotations

import contextlib
import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

BENCH = Path(__file__).parents[2] / "scripts" / "bench"
if importlib.util.find_spec("dbos") is None:
    collect_ignore_glob = ["test_*.py"]
else:
    sys.path.insert(0, str(BENCH))
    try:
        import chaos
        import errands
        import kills
        import postgres
    finally:
        sys.path.remove(str(BENCH))
    from aeon.durable.jobs import Jobs
    from aeon.durable.values import JobRecord

__all__ = ["Place", "chaos", "errands", "kills", "postgres", "until"]

BEAT, PATIENCE = 0.3, 5.0


def until(what: Callable[[], Any], seconds: float = 30.0) -> Any:
    """Wait until it is so, and give what it then is."""
    deadline = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.05)
    return found


class Place(NamedTuple):
    """A database with runs, and the table of their posts."""

    url: str
    jobs: Jobs
    counts: errands.Counts
    folder: Path

    def submit(self, name: str, rounds: int = 1, **other: Any) -> str:
        """Submit a run of this name."""
        opening = errands.opening(name, rounds, self.counts.tool)
        return self.jobs.submit(opening.changed(**{key: value for key, value in other.items() if key != "priority"}))

    def reaches(self, name: str, *states: str) -> JobRecord:
        """The run, when it is in one of these states."""
        return until(lambda: (job := self.jobs.get(name)).state in states and job)

    def posts(self, name: str) -> list[int]:
        """How often each post of the run was made."""
        return [number for key, number in sorted(self.counts.by_key().items()) if key.startswith(f"{name}:")]

    @contextlib.contextmanager
    def worker(self, posting: float = 0.0, **options: Any) -> Iterator[subprocess.Popen[str]]:
        """A worker, ready, while it is entered."""
        words = {"beat": BEAT, "patience": PATIENCE, "poll": 0.05, "posting": posting, **options}
        given = [text for name, value in words.items() for text in (f"--{name}", str(value))]
        command = [sys.executable, str(BENCH / "errands.py"), self.url, str(self.folder / "counts.sqlite"), *given]
        with (self.folder / "workers.log").open("a") as log:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n", (self.folder / "workers.log").read_text()
            yield process
        finally:
            process.kill()
            process.communicate()


def place_in(folder: Path, url: str | None = None) -> Iterator[Place]:
    """A place for runs in a folder, or at the address of a database."""
    url = url or f"sqlite:///{folder / 'runs.sqlite'}"
    with Jobs(url, create=True) as jobs:
        yield Place(url, jobs, errands.Counts(str(folder / "counts.sqlite")), folder)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A place for runs of the test's own."""
    yield from place_in(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A place with one worker, for all tests of a module."""
    for place in place_in(tmp_path_factory.mktemp("shared")):
        with place.worker(parallel=2):
            yield place
