"""The front door: any engine with its handlers and a driver, its bound known before anything is spent."""

from __future__ import annotations

import asyncio

import pytest

from aeon.errors import UsageError
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.ports import Job
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import RunEnded, RunStarted
from aeon.schema import Task
from kernel.shorten import SHORTEN, Shorten, Shortened, ShortenSettings, Shortness, Words

TEXT = "one two three four five six"


async def shorten(effect: Shorten) -> Words:
    """The text without its last word."""
    return Words(text=effect.text.rsplit(" ", 1)[0])


def orchestrator() -> Orchestrator[ShortenSettings, Shortness, Shortened]:
    """The tiny engine on asyncio."""
    return Orchestrator(SHORTEN, {"shorten": shorten}, AsyncDriver(), ShortenSettings())


@pytest.mark.requirement("M1", "K13")
def test_a_task_goes_in_and_the_engines_own_result_comes_out() -> None:
    """As text or as a task; in a loop of its own or in the running one."""
    door = orchestrator()
    results = [door.execute(TEXT), door.execute(Task(text=TEXT)), asyncio.run(door.aexecute(TEXT))]
    assert [type(result) for result in results] == [Shortened] * 3
    assert {result.answer for result in results} == {"one two"}

    async def inside() -> Shortened:
        return door.execute(TEXT)

    assert asyncio.run(inside()).versions == results[0].versions


@pytest.mark.requirement("M1")
def test_a_stream_ends_with_the_conclusion() -> None:
    """The first event names the engine, the last one says how the run ended."""

    async def events() -> list[object]:
        return [event async for event in orchestrator().stream(TEXT)]

    first, *_, last = asyncio.run(events())
    assert isinstance(first, RunStarted) and isinstance(last, RunEnded)
    assert (first.engine, last.conclusion.answer) == ("shorten/1", "one two")


@pytest.mark.requirement("K12")
def test_the_bound_is_known_before_a_run() -> None:
    """It is the one that the result states."""
    door = orchestrator()
    assert door.bound == door.execute(TEXT).bound


@pytest.mark.requirement("M1")
def test_without_a_handler_for_each_effect_there_is_no_front_door() -> None:
    """Neither an orchestrator nor a job is made."""
    with pytest.raises(UsageError, match="no handler answers shorten"):
        Orchestrator(SHORTEN, {}, AsyncDriver(), ShortenSettings())
    with pytest.raises(UsageError, match="no handler answers shorten"):
        Job(SHORTEN, Task(text=TEXT), ShortenSettings(), {})
