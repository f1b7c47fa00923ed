"""Runs with a tutor in simulated worlds: crashes, outages, budgets that run out, and tutors that answer anything."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from aeon.assembly.graph import LOOP_PLUGIN
from aeon.assembly.multipass import PLUGIN
from aeon.engines.graph.config import WorkCaps, WorkConfig
from aeon.execution.tutor import Tutored
from aeon.multipass.effects import ExecuteStep
from aeon.schema import CallCaps, Config, Roles, StepResult
from aeon.simulation.crowd import simulate

pytestmark = pytest.mark.requirement("E5e", "E5f", "K13")
SEEDS = 80
MORE = {"multi-pass": 240}
"""Where models that work with tools, turn by turn, leave the tutor less to read."""
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
    """Within the bound, replayed and resumed alike; and the tutor was asked, and said each of its words."""
    verdicts: Counter[str] = Counter()
    execute = Tutored.execute

    async def counted(self: Tutored, effect: ExecuteStep) -> StepResult:
        result = await execute(self, effect)
        verdicts[result.tutor.verdict if result.tutor is not None else "unread"] += 1
        return result

    monkeypatch.setattr(Tutored, "execute", counted)
    plugin: Any = TAUGHT[engine]
    assert simulate(range(MORE.get(engine, SEEDS)), engine=plugin).failures == []
    assert verdicts["accepted"] and verdicts["none"] and sum(verdicts.values()) > SEEDS, verdicts
