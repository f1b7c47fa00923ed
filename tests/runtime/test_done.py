"""A tool that changed the world, and whose outcome is on record, is neither called again nor asked about."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from aeon.kernel.passes import MULTIPASS
from aeon.multipass.effects import ExecuteStep
from aeon.runtime.failures import BROKEN_OFF
from aeon.runtime.handling import Handled, Handling
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import current_ledger
from aeon.runtime.lines import Opening
from aeon.runtime.replay import replay
from aeon.schema import Allowance, Config, Failure, Outcome, Step, StepResult, Usage, Value
from aeon.schema.effects import Effect
from runtime.handlers import TASK
from runtime.lives import PASSES, lived, went_on, world

pytestmark = pytest.mark.requirement("O6", "X5", "X5a")


class Bell:
    """A step that rings a bell, which is heard."""

    def __init__(self) -> None:
        self.rung: list[str] = []

    async def execute(self, effect: ExecuteStep) -> StepResult:
        """Ring for step a; the others only reason."""
        if effect.step.id != "a":
            return StepResult(output="nothing")
        async with current_ledger().tool_call("ring"):
            self.rung.append(effect.step.id)
        return StepResult(output=f"rung {len(self.rung)}", mode="tool")


async def nobody(effect: Effect) -> Value:
    """Nobody may be asked."""
    raise AssertionError(effect)


@pytest.mark.parametrize("lives", [1, 3])
def test_what_was_taken_back_after_the_tool_had_its_outcome_is_not_done_again(tmp_path: Path, lives: int) -> None:
    """However often: the outcome is used again, and what it cost is charged once, as lost."""
    path, bell = tmp_path / "run.jsonl", Bell()
    whole = lived(path, world(), execute=bell.execute)
    (number,) = Journal.read(path).begun
    for _ in range(lives):
        journal = Journal.reopen(path)
        journal.resume(tuple(n for n in journal.entries if n >= number))
        journal.close()
        again = went_on(path, world(), execute=bell.execute)
    assert bell.rung == ["a"] and again.stop_reason == whole.stop_reason
    assert [one.output for one in again.history.passes[0].executed if one.id == "a"] == ["rung 1"]
    assert (whole.usage.tool_calls, again.usage.tool_calls, again.lost.tool_calls) == (1, 0, 1)
    assert replay(Journal.read(path), MULTIPASS) == again


def step(name: str, **fields: object) -> ExecuteStep:
    """The effect of a step, that may call a tool."""
    return ExecuteStep(task=TASK, step=Step(id="a", description=name), allowance=Allowance(calls=1), **fields)


def handled(journal: Journal, bell: Bell, number: int, effect: ExecuteStep, failure: Failure | None = None) -> Handled:
    """An effect, handled at second 5; with a ``failure`` that it has without being done."""

    async def once() -> Handled:
        handlers = dict.fromkeys(MULTIPASS.phases, nobody) | {"execute": bell.execute}
        return await Handling(handlers, Config, journal, lambda: 0.0).handle(number, effect, 5.0, failure)

    return asyncio.run(once())


async def opened(path: Path) -> Journal:
    """A new journal."""
    journal = Journal(path)
    await journal.open(Opening(execution_id="run", engine=MULTIPASS.name, task=TASK, config=PASSES.model_dump()))
    return journal


def test_an_effect_that_has_another_number_in_the_next_life_is_known_by_what_it_asks(tmp_path: Path) -> None:
    """Beside others that ask for more than before: neither is it done again, nor is another one taken for it."""
    path, bell = tmp_path / "run.jsonl", Bell()
    journal = asyncio.run(opened(path))
    handled(journal, bell, 7, step("one", scope="/2"))
    journal.resume((7,))
    journal.close()
    journal = Journal.reopen(path)
    assert journal.begun == {}
    other = handled(journal, bell, 7, step("one", scope="/1"))
    same = handled(journal, bell, 9, step("one", scope="/2"))
    assert bell.rung == ["a", "a"] and isinstance(same.outcome.value, StepResult)
    assert (same.outcome.value.output, same.outcome.usage, same.outcome.started) == ("rung 1", Usage(), 5.0)
    assert isinstance(other.outcome.value, StepResult) and other.outcome.value.output == "rung 2"
    third = handled(journal, bell, 11, step("one", scope="/2"))
    assert isinstance(third.outcome.value, StepResult) and third.outcome.value.output == "rung 3"
    journal.close()
    assert Journal.read(path).begun == {7: "ring", 9: "ring", 11: "ring"}


@pytest.mark.parametrize("number", [7, 9])
@pytest.mark.parametrize("failure", [BROKEN_OFF, Failure(kind="allowance", message="spent", limit="tokens")])
def test_an_effect_that_was_not_done_leaves_what_the_tool_gave_before(
    tmp_path: Path, failure: Failure, number: int
) -> None:
    """The life after it still has the outcome, live and read again, whatever the number."""
    path, bell = tmp_path / "run.jsonl", Bell()
    journal = asyncio.run(opened(path))
    handled(journal, bell, 7, step("one"))
    for between in (None, failure):
        if between is not None:
            assert handled(journal, bell, 7, step("one"), between).outcome.failure == failure
        journal.resume((7,))
        journal.close()
        journal = Journal.reopen(path)
    value = handled(journal, bell, number, step("one")).outcome.value
    assert bell.rung == ["a"] and isinstance(value, StepResult) and value.output == "rung 1"
    journal.close()


def test_a_step_that_was_broken_off_after_its_tool_was_called_stays_in_doubt(tmp_path: Path) -> None:
    """It has no outcome of its own on record: a person is asked."""
    path, bell = tmp_path / "run.jsonl", Bell()
    journal = asyncio.run(opened(path))

    async def broken() -> None:
        await journal.begin(3, "ring")
        failure = Failure(kind="interrupted", message="broken off")
        await journal.append(3, step("one"), Outcome(failure=failure))

    asyncio.run(broken())
    journal.resume((3,), (3,))
    outcome = handled(journal, bell, 3, step("one")).outcome
    assert outcome.unknown and bell.rung == []
    journal.close()
