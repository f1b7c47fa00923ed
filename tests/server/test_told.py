"""The ids of events over the lives of a run whose program says something else in each."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from kernel.world import NOT_YET, World, step
from runtime.handlers import Handler, job

from aeon.kernel.passes import MULTIPASS
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import current_ledger
from aeon.runtime.replay import drop_after, resume_point
from aeon.schema import Plan, Refinement, StepResult, Value
from aeon.schema.effects import Effect
from aeon.server.feed import Feed, Watcher
from aeon.server.told import Told, recorded

LIVES = ("execute", "execute", "assess", "refine_plan", "")
"""In which phase each life of the run is asked to stop; in the last one, in none."""


@pytest.mark.requirement("V2", "V2b")
def test_a_note_that_another_life_made_otherwise_has_an_id_of_its_own(tmp_path: Path) -> None:
    """Asked to stop within a phase, a run decides to; taken up, it decides otherwise behind the same outcome."""
    path = tmp_path / "run.jsonl"
    plan = Plan(steps=(step("a"), step("b", "a"), step("c", "b")))
    seen: list[bytes] = []
    for phase in LIVES:
        told = asyncio.run(_lived(path, plan, phase))
        assert [one.frame for one in told] == [one.frame for one in recorded(path).told], "live and later"
        places = [one.place for one in told]
        assert places == sorted(set(places)), places
        assert [one.frame for one in told][: len(seen)] == seen
        seen = [one.frame for one in told]
    assert sum(b"event: resumed" in frame for frame in seen) == len(LIVES) - 1
    decided = [frame for frame in seen if b'"reason":"interrupted"' in frame]
    assert len(decided) >= 2
    first = next(frame for frame in seen if b"event: noted" in frame)
    assert [frame for frame in seen if frame.endswith(first.partition(b"\n")[2])] == [first], "what stays is told once"


async def _lived(path: Path, plan: Plan, phase: str) -> list[Told]:
    """What those who follow a life of the run are told; it is stopped in its next effect of a phase, which ends."""
    feed, journal = Feed(), Journal.reopen(path) if path.exists() else Journal(path)
    watcher = Watcher(feed, journal, MULTIPASS.name)
    if journal.opening is not None:
        drop_after(journal, resume_point(journal, MULTIPASS))
        past = recorded(path)
        watcher.resume(past.life)
        feed.load(past.told)

    def asked_in(own: str, value: Value) -> Handler:
        async def answer(_: Effect) -> Value:
            async with current_ledger().tool_call():  # nobody breaks it off
                if own == phase:
                    driver.interrupt()
                await asyncio.sleep(0)
            return value

        return answer

    values = {"execute": StepResult(output="seven gulls"), "assess": NOT_YET, "refine_plan": Refinement()}
    answers = {own: asked_in(own, value) for own, value in values.items()}
    driver = AsyncDriver([watcher], lambda _: journal, new_id=lambda: "one")
    result = await driver.aexecute(job(World(plan=plan), **answers))
    assert (result.stop_reason == "interrupted") is bool(phase)
    closed = Journal.read(path)
    assert closed.ended is not None
    return [*feed.told, recorded(path).told[-1]]
