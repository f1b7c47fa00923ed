"""Ctrl-C while a run is under way."""

from __future__ import annotations

import asyncio
import signal
import threading

import pytest
from kernel.world import World
from runtime.handlers import job

from aeon.cli.interrupts import interruptible
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import EffectStarted, Event
from aeon.schema import TaskProfile
from aeon.schema.effects import Effect


@pytest.mark.requirement("K13", "O4")
def test_a_signal_that_does_not_wake_the_event_loop_is_noticed() -> None:
    """One that another thread takes, or that comes just before the loop waits, stops the run all the same."""

    async def profile(effect: Effect) -> TaskProfile:
        await asyncio.Event().wait()  # for ever, with nothing that wakes the loop
        raise AssertionError("it is broken off")

    def press(event: Event) -> None:
        if isinstance(event, EffectStarted) and event.effect.phase == "profile":
            threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()

    notes: list[str] = []
    driver = AsyncDriver([press])
    with interruptible(driver, notes.append):
        result = driver.execute(job(World(), profile=profile))
    assert (result.stop_reason, notes) == ("interrupted", ["stopping at the next boundary"])
