"""Runs with a tutor in simulated worlds: crashes, outages, budgets that run out, and tutors that answer anything."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from aeon.assembly.graph import LOOP_PLUGIN
from aeon.assembly.multipass import PLUGIN
from aeon.engines.graph.config import WorkCaps, WorkConfig
from aeon.multipass.effects import WritePrograms
from aeon.programs.tutor import Tutored
from aeon.schema import CallCaps, Config, Roles
from aeon.schema.programs import Programs
from aeon.simulation.crowd import simulate
from aeon.simulation.scene import MODEL

pytestmark = pytest.mark.requirement("E5e", "E5f", "K13")
SEEDS = 80
SAME = Roles(tutor="same")


class Taught(Config):
    """The configuration of a run with a tutor, as it is fitted."""

    roles: Roles = SAME
    caps: CallCaps = CallCaps(execute=12)


class TaughtWork(WorkConfig):
    """The same for a loop."""

    roles: Roles = SAME
    caps: WorkCaps = WorkCaps(execute=12)


TAUGHT = {
    "multi-pass": replace(PLUGIN, engine=replace(PLUGIN.engine, config=Taught)),
    "loop": replace(LOOP_PLUGIN, engine=replace(LOOP_PLUGIN.engine, config=TaughtWork)),
}


@pytest.mark.parametrize("engine", TAUGHT)
def test_an_engine_with_a_tutor_holds_in_many_seeds(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within the bound, replayed and resumed alike; the tutor wrote some of the programs, and the worker the first."""
    authors: Counter[str] = Counter()
    write = Tutored.write

    async def counted(self: Tutored, effect: WritePrograms) -> Programs:
        written = await write(self, effect)
        later = "later" if effect.ways or effect.problems else "first"
        authors.update(f"{later} by {one.author or 'the worker'}" for one in written.programs)
        return written

    monkeypatch.setattr(Tutored, "write", counted)
    plugin: Any = TAUGHT[engine]
    assert simulate(range(SEEDS), engine=plugin).failures == []
    assert {"first by the worker", f"later by {MODEL}"} <= set(authors), authors
    assert {one for one in authors if one.startswith("first")} == {"first by the worker"}
