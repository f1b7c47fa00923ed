"""The order within a batch of steps: each begins when those that it builds on are complete, and gets their outputs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel.world import World, step

from aeon.errors import ToolFailed
from aeon.kernel.passes import MULTIPASS
from aeon.multipass.effects import ExecuteStep
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.journal import Journal
from aeon.runtime.replay import boundaries, replay
from aeon.schema import Budget, Config, RefinementLimits, Result, Step, StepResult, TaskProfile
from runtime.handlers import job

PATIENCE = 20  # seconds; only a run that hangs ever waits for so long
LARGE = TaskProfile(reasoning_depth=3, ambiguity=0.0, expected_step_count=20)
pytestmark = pytest.mark.requirement("K4")


class Steps:
    """Does steps and notes what happens; a step goes on when it is released, all others go on at once."""

    def __init__(self, *held: str, fail: str = "", block: str = "") -> None:
        self.gates = {name: asyncio.Event() for name in held}
        self.fail, self.block = fail, block
        self.log: list[str] = []
        self.inputs: dict[str, list[object]] = {}

    async def __call__(self, effect: ExecuteStep) -> StepResult:
        """What the step gives."""
        name = effect.step.id
        self.inputs[name] = [source.output for source in effect.inputs]
        self.log.append(f"{name} begins")
        if name in self.gates:
            await self.gates[name].wait()
        self.log.append(f"{name} ends")
        if name == self.fail:
            raise ToolFailed("no such row")
        return StepResult(output=f"out of {name}", mode="tool", clarity="BLOCKED" if name == self.block else "CLEAR")


async def done(
    plan: tuple[Step, ...], steps: Callable[[ExecuteStep], Awaitable[StepResult]], config: Config | None = None
) -> tuple[Result, Journal]:
    """A run of that plan and its journal."""
    journal = Journal()
    driver = AsyncDriver(journal=lambda execution_id: journal)
    limits = RefinementLimits(plan_steps=40, total_steps=40)
    work = job(World(plan, profile=LARGE), config or Config(limits=limits), execute=steps)
    return await driver.aexecute(work), journal


async def settled(condition: Callable[[], bool]) -> None:
    """Let the loop go on until this holds."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0)


def test_a_step_waits_for_its_own_dependencies_and_for_no_other_step() -> None:
    """``b`` builds on ``a`` alone: it is over before ``slow``, which was issued together with ``a``, has ended."""

    async def scene() -> None:
        steps = Steps("slow")
        running = asyncio.create_task(done((step("a"), step("slow"), step("b", "a"), step("c", "b", "slow")), steps))
        await settled(lambda: "b ends" in steps.log)
        assert "slow ends" not in steps.log and "c begins" not in steps.log
        steps.gates["slow"].set()
        result, journal = await running
        assert steps.inputs == {"a": [], "slow": [], "b": ["out of a"], "c": ["out of slow", "out of b"]}
        assert result.converged and replay(journal, MULTIPASS).model_dump_json() == result.model_dump_json()

    asyncio.run(scene())


@pytest.mark.parametrize("fate", [{"fail": "a"}, {"block": "a"}])
def test_what_builds_on_a_step_without_an_output_is_not_done(fate: dict[str, str]) -> None:
    """Nor is what builds on that; they stay pending, while what does not build on it is done."""
    steps = Steps(**fate)
    plan = (step("a"), step("b", "a"), step("c", "b"), step("other"))
    result, journal = asyncio.run(done(plan, steps))
    assert [line for line in steps.log if line.endswith("begins")] == ["a begins", "other begins"]
    assert [s.id for s in result.history.passes[0].executed] == ["a", "other"]
    assert result.abandoned == ("b", "c")
    skipped = [entry.failure.message for entry in journal.entries.values() if entry.failure and not entry.usage.calls]
    assert "step a, which it builds on, gave no output" in skipped
    assert replay(journal, MULTIPASS).model_dump_json() == result.model_dump_json()


def test_an_interrupt_leaves_what_has_not_begun_to_be_done_later(tmp_path: Path) -> None:
    """The step under way is broken off, what waits for it never begins, and a resumption does both."""

    async def scene() -> Result:
        steps, path = Steps("a"), tmp_path / "run.jsonl"
        plan = (step("a"), step("b", "a"))
        driver = AsyncDriver(journal=lambda execution_id: Journal(path))
        running = asyncio.create_task(driver.aexecute(job(World(plan), execute=steps)))
        await settled(lambda: bool(steps.log))
        driver.interrupt()
        result = await running
        assert result.stop_reason == "interrupted" and "b begins" not in steps.log
        kept = Journal.read(path)
        issued = [entry for entry in kept.entries.values() if entry.phase == "execute"]
        assert [entry.failure.kind for entry in issued if entry.failure] == ["interrupted", "interrupted"]
        return result

    assert asyncio.run(scene()).abandoned == ("a", "b")


def test_the_boundaries_within_a_batch_are_where_a_wave_begins() -> None:
    """A run can be forked between two steps of which one builds on the other, not between two that run at once."""
    _, journal = asyncio.run(done((step("a"), step("b"), step("c", "a"), step("d", "c")), Steps()))
    first = next(number for number, entry in journal.entries.items() if entry.phase == "execute")
    inside = [b - first for b in boundaries(journal, MULTIPASS) if first <= b <= first + 4]
    assert inside == [0, 2, 3, 4]


@pytest.mark.requirement("K9")
def test_steps_are_issued_together_only_as_far_as_the_budgets_bear_the_worst() -> None:
    """Each may need four calls: of four in a row, as many are issued at a time as the calls left would pay for."""
    world = World((step("a"), step("b", "a"), step("c", "b"), step("d", "c")))
    world.run(Config(budget=Budget(calls=17)))
    issued = [
        [e.step.id for e in batch.effects] for batch in world.batches if isinstance(batch.effects[0], ExecuteStep)
    ]
    assert issued[0] == ["a", "b"] and [i for ids in issued for i in ids] == ["a", "b", "c", "d"]
    for batch in world.batches:
        assert sum(effect.allowance.calls for effect in batch.effects) <= 17


@given(random=st.randoms(use_true_random=False), size=st.integers(1, 12))
@settings(max_examples=150, deadline=None)
def test_any_plan_without_circles_is_done_in_an_order_that_it_allows(random: Random, size: int) -> None:
    """Every step once, after all that it depends on, with their outputs; the history is that of its replay."""
    plan = random_plan(random, size)
    ended: list[str] = []

    async def slow(effect: ExecuteStep) -> StepResult:
        assert set(effect.step.dependencies) <= set(ended)
        assert sorted(str(i.output) for i in effect.inputs) == sorted(f"out of {d}" for d in effect.step.dependencies)
        for _ in range(random.randrange(5)):
            await asyncio.sleep(0)
        ended.append(effect.step.id)
        return StepResult(output=f"out of {effect.step.id}")

    result, journal = asyncio.run(done(plan, slow))
    assert sorted(ended) == sorted(s.id for s in plan)
    assert replay(journal, MULTIPASS).model_dump_json() == result.model_dump_json()


def random_plan(random: Random, size: int) -> tuple[Step, ...]:
    """Steps in any order, each building on some of those that have a smaller number."""
    names = [f"n{number}" for number in range(size)]
    made = [step(name, *random.sample(names[:n], random.randint(0, min(n, 3)))) for n, name in enumerate(names)]
    random.shuffle(made)
    return tuple(made)


def test_only_inputs_of_the_same_batch_are_awaited() -> None:
    """A step that a later pass adds gets the outputs of earlier ones with its effect."""
    world = World((step("a"), step("b", "a")))
    world.run()
    a, b = world.of("execute")
    assert (a.after, b.after, [source.awaited for source in b.inputs]) == ((), (0,), [True])
