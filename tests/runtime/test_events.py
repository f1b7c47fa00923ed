"""Events: each with the number of its line in the journal, in order, in a run's first life and in a later one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from kernel.world import World, step

from aeon.kernel.passes import MULTIPASS
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import EffectEnded, Event, RunEnded, RunStarted
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import current_ledger
from aeon.runtime.lines import fingerprint
from aeon.runtime.replay import drop_after, resume_point
from aeon.runtime.sealed import read_sealed
from aeon.schema import Allowance, Config, StepResult, Usage
from runtime.handlers import TASK, job
from runtime.lives import PASSES, Crash, Striking, lived, world

pytestmark = pytest.mark.requirement("H1", "O3")
BRANCHES = (step("a"), step("b"), step("c", "a"), step("d"))


async def racing(effect: object) -> StepResult:
    """The later a step stands in the plan, the sooner it is done; each says before that it calls a model."""
    ledger, most = current_ledger(), Usage(calls=1, prompt_tokens=9)
    await ledger.admit(most)
    for _ in range(3 * (4 - effect.step.index)):  # type: ignore[attr-defined]
        await asyncio.sleep(0.001)
    ledger.settle(most, most)
    return StepResult(output=effect.step.id)  # type: ignore[attr-defined]


def told(journal: Journal, answered: World, config: Config | None = None, **handlers: object) -> list[Event]:
    """The events of a life of a run."""
    events: list[Event] = []
    made = job(answered, config, **handlers)  # type: ignore[arg-type]
    if journal.opening is not None:
        drop_after(journal, resume_point(journal, MULTIPASS))
        made = replace(made, task=journal.opened.task, config=journal.first_config(Config))
    AsyncDriver([events.append], lambda execution_id: journal).execute(made)
    return events


def check(events: Sequence[Event], path: Path) -> None:
    """Each outcome has the line that holds it; no event has an earlier one than the event before it."""
    lines = [json.loads(line) for line in read_sealed(path)[0]]
    numbers = [event.line for event in events]
    assert numbers == sorted(numbers) and isinstance(events[0], RunStarted) and numbers[0] == 0
    for event in events:
        if isinstance(event, EffectEnded):
            assert lines[event.line]["line"] == "entry" and lines[event.line]["number"] == event.number
    assert isinstance(events[-1], RunEnded) and lines[events[-1].line]["line"] == "ended"


@pytest.mark.parametrize("steps", [None, racing], ids=["in order", "the last first"])
def test_each_event_has_the_number_of_its_line(tmp_path: Path, steps: object) -> None:
    """Also where effects of a batch end in another order than theirs, with the lines of calls among them."""
    path = tmp_path / "run.jsonl"
    events = told(Journal(path), World(BRANCHES), **({"execute": steps} if steps else {}))
    check(events, path)
    ended = [event.effect.step.id for event in events if isinstance(event, EffectEnded) and event.number in range(3, 7)]  # type: ignore[attr-defined]
    assert ended == (["d", "b", "a", "c"] if steps else ["a", "b", "d", "c"])


@pytest.mark.parametrize("number", range(2, 22))
def test_a_run_that_is_resumed_tells_what_is_recorded_with_the_lines_that_it_had(tmp_path: Path, number: int) -> None:
    """Recorded outcomes first, as they came, then the new ones, whatever of a batch was recorded."""
    path = tmp_path / "run.jsonl"
    first: list[Event] = []
    with pytest.raises(Crash):
        lived(Striking(path, number, after=True), world(), observers=(first.append,), execute=racing)  # type: ignore[arg-type]
    again = told(Journal.reopen(path), world(), PASSES, execute=racing)
    check(again, path)
    outcomes = [event for event in again if isinstance(event, EffectEnded)]
    recorded = [(event.number, event.line) for event in outcomes if event.recorded]
    before = [(event.number, event.line) for event in first if isinstance(event, EffectEnded)]
    assert recorded[: len(before)] == before and len(recorded) - len(before) <= 3
    assert sorted(event.number for event in outcomes) == list(range(20))


def test_a_journal_in_memory_counts_its_lines_as_well() -> None:
    """Its events are in order, and told again with the same numbers."""
    journal = Journal()
    first = [event for event in told(journal, world(), PASSES) if isinstance(event, EffectEnded)]
    again = [event for event in told(journal, world(), PASSES) if isinstance(event, EffectEnded)]
    assert [event.line for event in first] == list(range(1, 21))
    assert [(event.line, event.recorded) for event in again] == [(event.line, True) for event in first]


def test_the_journal_is_made_for_the_run_that_it_keeps() -> None:
    """Its maker learns the id of the execution, also where one driver serves several runs at once."""
    journals: dict[str, Journal] = {}
    ids = iter(f"run-{n}" for n in range(9))
    driver = AsyncDriver(
        journal=lambda execution_id: journals.setdefault(execution_id, Journal()), new_id=lambda: next(ids)
    )

    async def go() -> list[str]:
        results = await asyncio.gather(*(driver.aexecute(job(World())) for _ in range(9)))
        return [result.execution_id for result in results]

    assert asyncio.run(go()) == list(journals) == [f"run-{n}" for n in range(9)]
    assert all(journal.opened.execution_id == name for name, journal in journals.items())


@pytest.mark.requirement("K3")
def test_what_an_effect_may_spend_is_no_part_of_its_fingerprint() -> None:
    """What is asked is: any other field makes it another effect."""
    answered = World(BRANCHES)
    answered.run()
    for effect in answered.effects:
        free = effect.changed(allowance=Allowance(calls=77, tokens=5, seconds=1.5, cost=0.25))
        assert fingerprint(free) == fingerprint(effect)
        for other in (effect.changed(task=TASK.changed(text="Another.")), effect.changed(role="tutor")):
            assert fingerprint(other) != fingerprint(effect)
        assert fingerprint(effect.changed(scope="/1")) != fingerprint(effect)
