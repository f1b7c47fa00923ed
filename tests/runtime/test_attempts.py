"""Runs whose process ends: which is taken up again, which is given up, and that no other one pays for it."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from kernel.world import World, step

from aeon.kernel.passes import MULTIPASS
from aeon.multipass.effects import ExecuteStep
from aeon.runtime.attempts import MOST, REASON, Attempt, Attempts, given_up, outcomes_in
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.journal import Journal
from aeon.runtime.sealed import read_sealed
from aeon.schema import Plan, StepResult

from .handlers import job


class Machine:
    """Processes, one after the other, with what outlives them: the records, and the outcomes of each run.

    Each run has so many effects left to do; one of the ``killers`` ends its process in its effect of that number.
    """

    def __init__(self, runs: dict[str, int], killers: dict[str, int], parallel: int, seed: int) -> None:
        self.records: dict[str, Attempt] = {}
        self.done = dict.fromkeys(runs, 0)
        self.most, self.killers, self.parallel = runs, killers, parallel
        self.chance = random.Random(seed)
        self.deaths, self.slow = 0, False
        self.given_up: set[str] = set()
        self.ended: set[str] = set()

    async def read(self, run: str) -> Attempt | None:
        await asyncio.sleep(0)
        return self.records.get(run)

    async def write(self, run: str, attempt: Attempt | None) -> None:
        await asyncio.sleep(0)
        if attempt is None:
            self.records.pop(run, None)
        else:
            self.records[run] = attempt

    async def outcomes(self, run: str) -> int:
        return self.done[run]

    @property
    def left(self) -> list[str]:
        """The runs that have not ended, in the order in which they are taken up."""
        there = [run for run in self.most if run not in self.ended | self.given_up]
        self.chance.shuffle(there)
        return there

    async def process(self, orderly_after: int | None = None) -> None:
        """One process, to its end: no run is left, a killer ends it, or it is stopped in order."""
        attempts, over, room = Attempts(self, self.parallel), asyncio.Event(), asyncio.Semaphore(self.parallel)
        tasks = [asyncio.create_task(self._work(run, attempts, room, over)) for run in self.left]
        if orderly_after is not None:
            for _ in range(orderly_after):
                await asyncio.sleep(0)
        else:
            while not over.is_set() and not all(task.done() for task in tasks):
                await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        if over.is_set():
            self.deaths += 1
        elif orderly_after is not None:
            await attempts.end_all()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _work(self, run: str, attempts: Attempts, room: asyncio.Semaphore, over: asyncio.Event) -> None:
        async with room:
            if not await attempts.begin(run):
                self.given_up.add(run)
                return
            async with attempts.turn(run):
                await asyncio.sleep(0)
            while self.done[run] < self.most[run]:
                await attempts.enter(run)
                if self.slow:
                    await asyncio.Event().wait()
                for _ in range(self.chance.randrange(1, 6)):
                    await asyncio.sleep(0)
                if self.killers.get(run) == self.done[run]:
                    over.set()
                    await asyncio.Event().wait()
                self.done[run] += 1
                attempts.leave(run, kept=True)
            await attempts.end(run)
            self.ended.add(run)

    def to_the_end(self, most: int = 200) -> None:
        """Begin processes until no run is left."""
        while self.left:
            asyncio.run(asyncio.wait_for(self.process(), 60))
            assert self.deaths < most, "it never ends"


@pytest.mark.requirement("K13", "V2b", "X5")
@pytest.mark.parametrize("parallel", [1, 2, 4, 30, 300])
@pytest.mark.parametrize("killers", [1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_who_ends_the_process_is_given_up_and_nobody_else(parallel: int, killers: int, seed: int) -> None:
    """Of twelve runs some end their process at an effect of theirs, always: each is tried three times, alone."""
    chance = random.Random(seed)
    runs = {f"run{number}": chance.randrange(1, 7) for number in range(12)}
    bad = {run: chance.randrange(runs[run]) for run in chance.sample([*runs], killers)}
    machine = Machine(runs, bad, parallel, seed)
    machine.to_the_end()
    assert machine.given_up == bad.keys()
    assert all(machine.done[run] == runs[run] for run in runs.keys() - bad.keys())
    assert machine.records == {}, "nobody has a run under way"
    assert machine.deaths >= killers * MOST
    shares = {1: 0, 2: 0, 4: 0, 30: 1, 300: 2}[parallel]
    assert machine.deaths <= killers * (1 + shares + MOST), machine.deaths


@pytest.mark.requirement("K13", "X5")
def test_a_run_whose_process_others_end_and_that_gets_on_is_never_given_up() -> None:
    """Fifty times its process ends while it is alone, and each time it has one outcome more."""
    machine = Machine({"long": 60}, {}, 2, 1)
    for number in range(50):
        machine.killers = {"long": number + 1}
        asyncio.run(machine.process())
    assert (machine.deaths, machine.given_up) == (50, set())
    machine.killers = {}
    machine.to_the_end()
    assert machine.done == {"long": 60}


@pytest.mark.requirement("V2b", "X5")
def test_a_process_that_is_stopped_in_order_counts_for_nothing() -> None:
    """Handed over a hundred times before it has its first outcome, a run is begun as if it were new."""
    machine = Machine({"slow": 1, "other": 1}, {}, 2, 1)
    machine.slow = True
    for _ in range(100):
        asyncio.run(machine.process(orderly_after=20))
        assert machine.records == {}
    machine.slow = False
    assert machine.done == {"slow": 0, "other": 0}
    machine.to_the_end()
    assert (machine.given_up, machine.deaths) == (set(), 0)


@pytest.mark.requirement("V2b", "X5")
def test_while_a_run_is_on_trial_the_others_of_its_process_wait() -> None:
    """It begins when their effects have ended, and theirs go on when its own first ones have."""

    async def go() -> None:
        machine = Machine({"suspect": 2, "other": 2}, {}, 2, 1)
        machine.records["suspect"] = Attempt()
        attempts = Attempts(machine, 2)
        assert await attempts.begin("other")
        await attempts.enter("other")
        trial = asyncio.create_task(attempts.begin("suspect"))
        await asyncio.sleep(0.01)
        assert not trial.done(), "another run does something"
        attempts.leave("other", kept=True)
        assert await trial and machine.records["suspect"] == Attempt(deaths=1, alone=1)
        waiting = asyncio.create_task(attempts.enter("other"))
        await attempts.enter("suspect")
        await attempts.enter("suspect")
        attempts.leave("suspect", kept=True)
        await asyncio.sleep(0.01)
        assert not waiting.done(), "one of its first effects is still under way"
        attempts.leave("suspect", kept=True)
        await asyncio.wait_for(waiting, 5)

    asyncio.run(go())


@pytest.mark.requirement("K9", "V2b")
def test_a_run_that_waits_for_its_turn_can_be_stopped() -> None:
    """What it would have begun is broken off, and it ends in an answer."""

    async def go() -> str:
        machine = Machine({"suspect": 1}, {}, 2, 1)
        machine.records["suspect"] = Attempt()
        attempts, world = Attempts(machine, 2), World()
        driver = AsyncDriver(attempts=attempts)
        assert await attempts.begin("suspect")
        running = asyncio.create_task(driver.aexecute(job(world)))
        await asyncio.sleep(0.01)
        assert world.phases == []
        driver.interrupt()
        await asyncio.sleep(0.01)
        await attempts.end("suspect")
        result = await asyncio.wait_for(running, 5)
        assert "execute" not in world.phases
        return result.stop_reason

    assert asyncio.run(go()) == "interrupted"


@pytest.mark.requirement("K12", "K13")
def test_a_run_that_is_given_up_ends_in_an_answer_of_what_there_is(tmp_path: Path) -> None:
    """Its stop reason is ``failed``, with why; what is on record is in the answer, and the journal stays as it is."""
    path = tmp_path / "run.jsonl"

    class Killed(BaseException):
        """The process is gone."""

    async def execute(effect: ExecuteStep) -> StepResult:
        if effect.step.id == "b":
            raise Killed
        return StepResult(output="seven gulls")

    driver = AsyncDriver(journal=lambda _: Journal(path))
    with pytest.raises(Killed):
        driver.execute(job(World(plan=Plan(steps=(step("a"), step("b", "a")))), execute=execute))
    before = path.read_bytes()
    journal = Journal.read(path)
    kept = len(journal.entries)
    assert outcomes_in(read_sealed(path)[0]) == kept
    result = given_up(journal, MULTIPASS)
    assert (result.stop_reason, result.detail, result.sufficient) == ("failed", REASON, False)
    assert "seven gulls" in result.answer and REASON.startswith("it ended its process 3 times")
    assert (result.usage + result.lost).calls <= result.bound.calls
    assert path.read_bytes() == before and len(Journal.read(path).entries) == kept
