"""A service, or a worker, killed with -9 at many moments of a run whose tool pays: is anything paid twice, or lost?

    python scripts/bench/kills.py [--moments 20] [--seconds 0.05] [--seed 1] [--out FILE]
    python scripts/bench/kills.py --serve FOLDER COUNTS SECONDS        # the service that is killed

The run is that of ``errands.py``: seven rounds with a payment each, which takes so many seconds and is counted in a
table of its own, by its idempotency key. Each run is killed at a moment of its own, drawn from the twentieth part of an
undisturbed run's time that is its turn; then the process begins again. A run that asks whether a payment was made is
answered by a look at the table. Prints JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
from chaos import answered
from errands import ENGINE, MODEL, Counts, opening
from machine import kept, machine

from aeon.durable.jobs import Jobs
from aeon.schema import JsonObject

HERE = Path(__file__).parent
ROUNDS = 7
OVER = ("ended", "failed", "cancelled")


def serve(folder: Path, counts: Counts) -> None:
    """Be the service, with the tool that pays, until somebody kills it."""
    from aeon.server.app import application  # noqa: PLC0415 - of the extra `server`, in the child alone
    from aeon.server.equipment import Equipment  # noqa: PLC0415
    from aeon.server.runs import Runs  # noqa: PLC0415
    from aeon.server.service import Service  # noqa: PLC0415
    from aeon.server.serving import listening  # noqa: PLC0415
    from aeon.server.serving import serve as served  # noqa: PLC0415

    where = listening("127.0.0.1", 0)
    service = Service(Runs(folder), Equipment(MODEL, tools=[counts.tool]))
    address = f"http://127.0.0.1:{where.getsockname()[1]}"
    asyncio.run(served(service, application(service), where, lambda: print(address, flush=True)))


class Process:
    """A process that works on runs, and says a line once it does."""

    def __init__(self, command: list[str], folder: Path) -> None:
        site = folder / "site" / "errands-1.0.dist-info"
        site.mkdir(parents=True, exist_ok=True)
        (site / "METADATA").write_text("Metadata-Version: 2.1\nName: errands\nVersion: 1.0\n")
        (site / "entry_points.txt").write_text("[aeon.engines]\nerrands = errands:PLUGIN\n")
        paths = [str(site.parent), str(HERE), os.environ.get("PYTHONPATH", "")]
        env = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "AEON_HOME": str(folder / "home")}
        with (folder / "log").open("a") as log:
            self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=env)
        assert self._process.stdout is not None
        self.said = self._process.stdout.readline().strip()
        assert self.said, (folder / "log").read_text()

    def kill(self) -> None:
        """Kill it with -9."""
        self._process.kill()
        self._process.communicate()


class OfWorker:
    """Runs in a database, at a worker."""

    def __init__(self, folder: Path, counts: Counts, seconds: float) -> None:
        self.folder, self.counts = folder, counts
        self.url = f"sqlite:///{folder / 'runs.sqlite'}"
        self.jobs = Jobs(self.url, create=True)
        paths = (str(HERE / "errands.py"), self.url, str(folder / "counts.sqlite"))
        timing = ("--beat", "0.3", "--patience", "3", "--poll", "0.05", "--posting", str(seconds))
        self.command = [sys.executable, *paths, *timing]

    def begin(self) -> Process:
        """The worker."""
        return Process(self.command, self.folder)

    def submit(self, process: Process) -> str:
        """A new run."""
        return self.jobs.submit(opening(f"run{time.monotonic_ns()}", ROUNDS, self.counts.tool))

    def state(self, process: Process, name: str) -> str:
        """Where it stands; its questions are answered."""
        answered(self.jobs, self.counts)
        return self.jobs.get(name).state

    def close(self) -> None:
        """Let go of the database."""
        self.jobs.database.close()


class OfService:
    """Runs of a service in a folder."""

    def __init__(self, folder: Path, counts: Counts, seconds: float) -> None:
        self.folder, self.counts = folder, counts
        paths = (str(HERE / "kills.py"), "--serve", str(folder / "runs"), str(folder / "counts.sqlite"), str(seconds))
        self.command = [sys.executable, *paths]

    def begin(self) -> Process:
        """The service."""
        return Process(self.command, self.folder)

    def submit(self, process: Process) -> str:
        """A new run."""
        config = {"rounds": ROUNDS, "caps": {"think": 4}}
        body = {"task": "errands", "engine": "errands", "async": True, "unattended": "suspend", "config": config}
        reply = httpx2.post(f"{process.said}/run", json=body, timeout=30)
        assert reply.status_code == 202, reply.text
        return str(reply.json()["id"])

    def state(self, process: Process, name: str) -> str:
        """Where it stands; its question is answered: whether the latest payment was made."""
        job: JsonObject = httpx2.get(f"{process.said}/jobs/{name}", timeout=30).json()
        if job["state"] == "waiting":
            history = httpx2.get(f"{process.said}/jobs/{name}/history", timeout=30).json()
            number = sum(effect["phase"] == "think" for effect in history["effects"]) * 5 - 2
            done = self.counts.by_key().get(f"{name}:{number}")
            body = {"answer": "done" if done else "repeat"}
            httpx2.post(f"{process.said}/jobs/{name}/answer", json=body, timeout=30)
        return str(job["state"])

    def close(self) -> None:
        """Nothing is open."""


def until(over: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + seconds
    while not over():
        if time.monotonic() > deadline:
            raise SystemExit("it never came to be")
        time.sleep(0.02)


@contextlib.contextmanager
def living(kind: OfWorker | OfService) -> Iterator[list[Process]]:
    """The process that works, the last of the list; it is gone at the end."""
    processes = [kind.begin()]
    try:
        yield processes
    finally:
        processes[-1].kill()
        kind.close()


def killed(kind: OfWorker | OfService, moments: int, seed: int) -> dict[str, Any]:
    """Runs that are killed once each, and what was paid in them."""
    chance, ends, asked = random.Random(seed), {}, 0
    with living(kind) as processes:
        whole = kind.submit(processes[-1])
        began = time.monotonic()
        until(lambda: kind.state(processes[-1], whole) in OVER)
        lasted = time.monotonic() - began
        for moment in range(moments):
            name = kind.submit(processes[-1])
            time.sleep((moment + chance.random()) / moments * lasted)
            processes[-1].kill()
            processes.append(kind.begin())
            states: list[str] = []
            until(lambda of=name, seen=states: seen.append(kind.state(processes[-1], of)) or seen[-1] in OVER)
            asked += "waiting" in states
            ends[name] = states[-1]
    paid = kind.counts.by_key()
    wanted = {f"{name}:{number * 5 + 3}" for name in ends for number in range(ROUNDS)}
    return {
        "kills": moments, "seconds_undisturbed": round(lasted, 2), "runs_that_asked": asked,
        "ended": sum(end == "ended" for end in ends.values()),
         "payments": len(wanted), "paid_twice": sum(paid.get(key, 0) > 1 for key in wanted),
        "lost": len(wanted - paid.keys()),
    }  # fmt: skip


def main() -> None:
    """Run it as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", nargs=3)
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.serve:
        folder, counts, seconds = options.serve
        serve(Path(folder), Counts(counts, float(seconds)))
        return
    found: dict[str, Any] = {"machine": machine(), "engine": ENGINE.name}
    for name, kind in (("service", OfService), ("worker", OfWorker)):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            counts = Counts(str(folder / "counts.sqlite"))
            found[name] = killed(kind(folder, counts, options.seconds), options.moments, options.seed)
    kept(found, options.out)


if __name__ == "__main__":
    main()
