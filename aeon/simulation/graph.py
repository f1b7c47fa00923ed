"""What must hold of the graph and the loop engine alone: what they execute, reflect on and call good enough."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from aeon.assembly.views import trail
from aeon.engines.graph.config import REFLECTIONS, GraphConfig, WorkConfig
from aeon.engines.graph.record import Worked
from aeon.multipass.effects import ExecuteStep
from aeon.runtime.journal import Journal
from aeon.runtime.replay import AnyEngine
from aeon.schema import Outcome
from aeon.simulation.world import World

__all__ = ["hold_graph"]

_ATTEMPT = re.compile(r"^.*?((?:_r\d+)?)$")
"""The end of a step's id that says of which plan it is; empty for the first one."""


def hold_graph(world: World, result: Worked, journal: Journal, engine: AnyEngine) -> None:
    """Hold the record of a run that has ended against the engine's own invariants; the world is told what broke."""
    config = journal.config(engine.config)
    assert isinstance(config, WorkConfig)
    _once(world, journal, engine)
    visits = [one.node for one in result.path]
    most = max(config.plan_retries, len(result.reflections)) + 1
    if visits.count("plan") > most:
        world.wrong("plans within the limit", f"{visits.count('plan')} of {most}")
    if any(after != "plan" for node, after in pairwise(visits) if node == "reflect"):
        world.wrong("a plan follows each reflection", " ".join(visits))
    if isinstance(config, GraphConfig):
        _reflected(world, result, config)
    if result.sufficient:
        _good(world, result)


def _good(world: World, result: Worked) -> None:
    """What an answer rests on that is said to be good enough."""
    if bad := [step.id for step in result.plans[-1].steps if step.status != "complete"]:
        world.wrong("a good answer has all its steps", ", ".join(bad))
    if any(one.says == "no" for one in result.verdicts[-1:]):
        world.wrong("a good answer was not refused", result.verdicts[-1].reason)


def _reflected(world: World, result: Worked, config: GraphConfig) -> None:
    most = min(config.reflections, REFLECTIONS[result.complexity])
    if len(result.reflections) > most:
        world.wrong("reflections within the limit", f"{len(result.reflections)} of {most} for {result.complexity}")
    for one in result.reflections:
        if not one.failure:
            world.wrong("only a failure is reflected on", "nothing had failed")
        if len(one.looks) > config.looks:
            world.wrong("reflections within the limit", f"{len(one.looks)} looks")


def _once(world: World, journal: Journal, engine: AnyEngine) -> None:
    """No call is made by one plan that was made by an earlier one."""
    made: dict[str, str] = {}
    for attempt, key in _calls(journal, engine):
        if made.setdefault(key, attempt) != attempt:
            world.wrong("nothing is executed twice", f"{key[:200]}: by plan '{made[key]}' and by plan '{attempt}'")


def _calls(journal: Journal, engine: AnyEngine) -> Iterator[tuple[str, str]]:
    """The attempt and the work of each step that builds on nothing, as far as a tool was called for it."""
    for done in (done for batch in trail(journal, engine).batches for done in batch):
        if isinstance(done.effect, ExecuteStep) and done.outcome is not None and _was_called(done.outcome):
            step = done.effect.step
            if not step.dependencies:
                yield _ATTEMPT.sub(r"\1", step.id), f"{step.description} {step.action}"


def _was_called(outcome: Outcome) -> bool:
    return bool(outcome.usage.tool_calls) and not outcome.undone
