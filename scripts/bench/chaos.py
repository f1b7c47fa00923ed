"""Durable runs while their workers are killed: does every run end, as it would have, with every post done once?

    python scripts/bench/chaos.py [--postgres] [--runs 500] [--workers 3] [--every 2] [--stop] [--jump] [--full]
        [--out FILE]

The runs are those of ``errands.py``: 35 effects each, with posts that are counted in a table of their own. Every so
many seconds a worker is killed with -9 and another one begins; with ``--stop`` every third is stopped for longer than
its patience instead, and then goes on: a partition. With ``--jump`` a worker's time of day jumps by thirty days before
each kill, and back; with ``--full`` a worker can write no more before every third kill, as on a full disk, for as long
as its patience (SQLite, on Linux). The database is an SQLite file; with ``--postgres`` it is a
server of its own, which is killed with -9 every fifth time and begins again. A run that asks whether a post was done
is answered by a look at the table; each answer ``repeat`` in its journal allows one post more. At the end
each journal is held against the one of a run that nobody disturbed: equal but for times, and for what was lost.
Prints JSON.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from errands import ENGINE, MODEL, PLUGIN, Counts, Post, opening
from machine import kept, machine
from postgres import Postgres

from aeon.assembly.build import assemble
from aeon.assembly.views import trail
from aeon.durable.jobs import Jobs
from aeon.errors import AeonError
from aeon.kernel.ports import Job
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.journal import Journal
from aeon.runtime.replay import replay
from aeon.schema import JsonObject


class Plan(NamedTuple):
    """What is done to how many runs. ``every`` is in seconds, or with ``by_posts`` in posts; ``seed`` decides whom."""

    url: str
    runs: int = 500
    rounds: int = 7
    workers: int = 3
    every: float = 2.0
    stops: bool = False
    posting: float = 0.0
    seed: int = 1
    most: float = 3600.0
    by_posts: bool = False
    beat: float = 0.5
    patience: float = 5.0
    jumps: bool = False
    full: bool = False


class Hands:
    """The worker processes, which are killed and replaced."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan, self.folder = plan, folder
        self.began = 0
        self.processes = [self.begin() for _ in range(plan.workers)]

    def begin(self) -> subprocess.Popen[bytes]:
        """A new worker."""
        self.began += 1
        script, counts = Path(__file__).with_name("errands.py"), self.folder / "counts.sqlite"
        command = [
            sys.executable, str(script), self.plan.url, str(counts),
            "--beat", str(self.plan.beat), "--patience", str(self.plan.patience), "--posting", str(self.plan.posting),
        ]  # fmt: skip
        with (self.folder / "workers.log").open("ab") as log:
            return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log)

    def kill(self, which: int) -> None:
        """Kill one with -9; another takes its place."""
        self.processes[which].kill()
        self.processes[which].wait()
        self.processes[which] = self.begin()

    def stop(self, which: int) -> None:
        """Stop one for longer than the others' patience; then it goes on, and finds that its runs are not its own."""
        os.kill(self.processes[which].pid, signal.SIGSTOP)
        time.sleep(self.plan.patience * 2)
        os.kill(self.processes[which].pid, signal.SIGCONT)

    def jump(self, which: int) -> None:
        """Have the time of day of one jump."""
        os.kill(self.processes[which].pid, signal.SIGUSR1)

    def fill(self, which: int) -> None:
        """Let one write no more, as on a full disk; then there is room again."""
        limit, pid = resource.RLIMIT_FSIZE, self.processes[which].pid
        with contextlib.suppress(ProcessLookupError):
            _, most = resource.prlimit(pid, limit)
            resource.prlimit(pid, limit, (1, most))
            time.sleep(self.plan.patience)
            resource.prlimit(pid, limit, (most, most))

    def close(self) -> None:
        """End them all."""
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGCONT)
            process.kill()
            process.wait()


def entries(journal: Journal) -> list[JsonObject]:
    """What a run did, without its times and without what earlier lives lost."""
    return [
        entry.model_dump(mode="json", exclude={"started", "ended", "lost"})
        for _, entry in sorted(journal.entries.items())
    ]


def undisturbed(name: str, rounds: int, counts: Counts) -> list[JsonObject]:
    """What a run does that nobody disturbs."""
    first = opening(name, rounds, counts.tool)
    journal = Journal()
    config = ENGINE.config.model_validate(first.config)
    made = assemble(MODEL, [counts.tool], config, plugin=PLUGIN)
    driver = AsyncDriver(journal=lambda _: journal, new_id=lambda: name, setup=first.setup)
    driver.execute(Job(ENGINE, first.task, config, made))
    return entries(journal)


def answered(jobs: Jobs, counts: Counts) -> int:
    """Answer the runs that ask whether a post was done, by a look at the table; how many there were."""
    waiting = jobs.latest("waiting", most=10_000)
    for job in waiting:
        done = [one.effect for batch in trail(jobs.journal(job.id), ENGINE).batches for one in batch]
        post = next(effect for effect in reversed(done) if isinstance(effect, Post))
        jobs.answer(job.id, "done" if counts.by_key().get(f"{job.id}:{post.number}") else "repeat")
    return len(waiting)


class Disturbance:
    """What is done to the workers, and to the server if there is one; ``done`` counts it."""

    def __init__(self, hands: Hands, server: Postgres | None) -> None:
        self._hands, self._server = hands, server
        self._chance = random.Random(hands.plan.seed)
        self.done = {"kills": 0, "stops": 0, "restarts": 0, "jumps": 0, "full": 0}
        self._turn = 0

    def once(self) -> None:
        """Kill a worker, at the second of each five turns the server, or stop a worker for a while."""
        plan, self._turn = self._hands.plan, self._turn + 1
        which = self._turn % plan.workers if plan.by_posts else self._chance.randrange(plan.workers)
        if plan.jumps:
            self._hands.jump((which + 1) % plan.workers)
            self.done["jumps"] += 1
        if plan.full and self._turn % 3 == 0:
            self._hands.fill((which + 1) % plan.workers)
            self.done["full"] += 1
        if self._server is not None and self._turn % 5 == 2:
            self._server.kill()
            self._server.start()
            self.done["restarts"] += 1
        elif plan.stops and self._turn % 3 == 0:
            self._hands.stop(which)
            self.done["stops"] += 1
        else:
            self._hands.kill(which)
            self.done["kills"] += 1


def over(jobs: Jobs, number: int) -> bool:
    """Whether every run has ended."""
    return all(job.state in ("ended", "failed", "cancelled") for job in jobs.latest(most=10 * number))


def disturbed(jobs: Jobs, hands: Hands, counts: Counts, server: Postgres | None) -> dict[str, float]:
    """Disturb the workers until every run has ended; what was done to them, and how many runs asked."""
    plan, disturbance = hands.plan, Disturbance(hands, server)
    questions, began = 0, time.monotonic()
    last = 0.0 if plan.by_posts else began
    while time.monotonic() - began < plan.most:
        with contextlib.suppress(AeonError):
            questions += answered(jobs, counts)
            if over(jobs, plan.runs):
                return {**disturbance.done, "questions": questions, "seconds": round(time.monotonic() - began, 1)}
        time.sleep(0.1)
        now = sum(counts.by_key().values()) if plan.by_posts else time.monotonic()
        if now - last >= plan.every:
            last = now
            disturbance.once()
    raise SystemExit(f"not every run had ended after {plan.most} s")


def more(name: str, posts: Mapping[str, int]) -> int:
    """How many posts of a run were made beyond one each."""
    return sum(number - 1 for key, number in posts.items() if key.startswith(f"{name}:"))


def repeats(did: list[JsonObject]) -> int:
    """How often a run was told to repeat a post."""
    return sum(entry["value"] == {"text": "repeat", "assumed": False} for entry in did)


def judged(jobs: Jobs, plan: Plan, names: list[str], folder: Path, counts: Counts, plain: Counts) -> dict[str, Any]:
    """What came of the runs, held against the same runs undisturbed."""
    posts = counts.by_key()
    wanted = {f"{name}:{number * 5 + 3}" for name in names for number in range(plan.rounds)}
    ended, same, asked, other, replayed, unasked = 0, 0, 0, [], 0, []
    for name in names:
        job, journal = jobs.get(name), jobs.journal(name)
        ended += job.state == "ended"
        replayed += replay(journal, ENGINE).stop_reason == "done"
        did = entries(journal)
        unasked += [name] * (more(name, posts) > repeats(did))
        if any(entry["phase"] == "ask" for entry in did):
            asked += 1
        elif did == undisturbed(name, plan.rounds, plain):
            same += 1
        else:
            other.append(name)
    return {
        "traces": (hands_log := (folder / "workers.log").read_text()).count("Traceback"),
        "unsure": hands_log.count("stood still"),
        "runs": len(names),
        "ended": ended,
        "replayed": replayed,
        "same_history": same,
        "asked_whether_done": asked,
        "other_history": other,
        "posts_wanted": len(wanted),
        "posts_lost": len(wanted - set(posts)),
        "posts_twice": sum(number > 1 for number in posts.values()),
        "twice_without_the_answer_repeat": unasked,
        "posts_unwanted": len(set(posts) - wanted),
    }


@contextlib.contextmanager
def working(plan: Plan, folder: Path) -> Iterator[Hands]:
    """The workers, while it is entered."""
    hands = Hands(plan, folder)
    try:
        yield hands
    finally:
        hands.close()


def chaos(plan: Plan, folder: Path, server: Postgres | None = None) -> dict[str, Any]:
    """Submit the runs, disturb their workers, and judge what came of it."""
    counts, plain = Counts(str(folder / "counts.sqlite")), Counts(str(folder / "plain.sqlite"))
    names = [f"run{plan.seed}-{number:05}" for number in range(plan.runs)]
    with Jobs(plan.url, create=True) as jobs:
        for name in names:
            jobs.submit(opening(name, plan.rounds, counts.tool))
        with working(plan, folder) as hands:
            done = disturbed(jobs, hands, counts, server)
        return {**done, **judged(jobs, plan, names, folder, counts, plain)}


def main() -> None:
    """Run it as the command line says, beside an undisturbed run of the same."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--every", type=float, default=2.0)
    parser.add_argument("--stop", action="store_true")
    parser.add_argument("--jump", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--posting", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        server = stack.enter_context(Postgres()) if options.postgres else None
        url = server.url if server else f"sqlite:///{folder / 'runs.sqlite'}"
        plan = Plan(
            url, options.runs, 7, options.workers, options.every, options.stop, options.posting, options.seed,
            jumps=options.jump, full=options.full,
        )  # fmt: skip
        found = {"machine": machine(), "plan": plan._replace(url=url.partition(":")[0])._asdict()}
        found |= chaos(plan, folder, server)
    kept(found, options.out)


if __name__ == "__main__":
    main()
