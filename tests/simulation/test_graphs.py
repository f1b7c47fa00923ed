"""The graph and the loop engine in simulated worlds: they hold, and what breaks one of their promises is noticed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from aeon.assembly.graph import LOOP_PLUGIN, PLUGIN
from aeon.assembly.plugin import Plugin, Services
from aeon.engines.graph import stepping
from aeon.engines.graph.config import GraphConfig
from aeon.engines.graph.program import GRAPH
from aeon.engines.graph.record import Worked
from aeon.engines.graph.rules import WorkSignals
from aeon.engines.graph.values import Reflected, Verdict
from aeon.kernel.engine import Run
from aeon.kernel.ports import Handlers
from aeon.multipass.effects import DraftPlan, ValidateResults
from aeon.schema import Issue, Plan, SemanticValidationReport, Step, ToolLoop
from aeon.schema.effects import Program
from aeon.simulation.check import check
from aeon.simulation.crowd import simulate
from aeon.simulation.faults import scenario
from aeon.simulation.life import Life, Parts

pytestmark = pytest.mark.requirement("E1a", "E2d", "E2e", "K13")
SEEDS = 80
FEW = 12


@pytest.mark.parametrize("plugin", [PLUGIN, LOOP_PLUGIN], ids=["graph", "loop"])
def test_the_engine_holds_in_many_seeds(plugin: Any) -> None:
    """Crashes, interrupts, tools that fail, budgets that run out: with every way to end."""
    tally = simulate(range(SEEDS), engine=plugin)
    assert tally.failures == []
    assert {"partial", "verified", "unknown_outcome"} <= set(tally.reasons)
    fired = {kind for kind, times in tally.fired.items() if times}
    assert {"crash_each", "crash_called", "interrupt", "outage", "tool_fails", "tool_hangs"} <= fired


def ended(change: Callable[[Worked], Worked]) -> Parts:
    """Parts whose program ends in another result."""

    def program(run: Run[GraphConfig, WorkSignals]) -> Program[Worked]:
        return change((yield from GRAPH.program(run)))

    return Parts(Plugin(replace(GRAPH, program=program), PLUGIN.handlers))


FALSE: dict[str, Callable[[Worked], Worked]] = {
    "plans within the limit": lambda end: end.changed(path=end.path * 9),
    "reflections within the limit": lambda end: end.changed(reflections=(Reflected(failure="x"),) * 9),
    "only a failure is reflected on": lambda end: end.changed(reflections=(Reflected(failure=""),)),
    "a good answer was not refused": lambda end: end.changed(verdicts=(Verdict(says="no", reason="x"),)),
    "a good answer has all its steps": lambda end: end.changed(
        plans=tuple(
            plan.changed(steps=tuple(step.changed(status="pending") for step in plan.steps)) for plan in end.plans
        )
    ),
}


def noticed(parts: Parts) -> set[str]:
    """The invariants that broke in some seeds."""
    broken: set[str] = set()
    with Life(parts) as life:
        for seed in range(FEW):
            broken |= {problem.invariant for problem in check(scenario(seed), life).problems}
    return broken


@pytest.mark.parametrize("promise", FALSE)
def test_a_broken_promise_is_noticed_by_its_name(promise: str) -> None:
    """Records that cannot be."""
    assert promise in noticed(ended(FALSE[promise]))


def stubborn(services: Services[GraphConfig]) -> Handlers:
    """Handlers whose planner always says the same, and whose judge is never content."""
    step = Step(id="s1", description="look", action=ToolLoop())
    issue = Issue(type="relevance", description="it is about bread", location="s1")

    async def plan(effect: DraftPlan) -> Plan:
        return Plan(steps=(step,))

    async def judge(effect: ValidateResults) -> SemanticValidationReport:
        return SemanticValidationReport(issues=(issue,), form="verdict")

    return {**PLUGIN.handlers(services), "plan": plan, "validate_results": judge}


@pytest.mark.parametrize("forgets", [True, False])
def test_a_call_that_is_made_twice_is_noticed(forgets: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By an engine that forgets what it executed; the shipped one does not."""
    if forgets:
        monkeypatch.setattr(stepping, "_recall", lambda visit: None)
    broken = noticed(Parts(Plugin(GRAPH, stubborn)))
    assert broken == ({"nothing is executed twice"} if forgets else set())
