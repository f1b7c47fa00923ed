"""The router: looks at what is there, takes the first rule that holds, and runs the engine that it names."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from aeon.engines.auto.config import AutoConfig
from aeon.engines.auto.effects import LookAround
from aeon.engines.auto.record import Auto
from aeon.engines.auto.routes import Route, first
from aeon.engines.auto.values import Surroundings
from aeon.engines.ensemble.members import Members, answer_of, decision_of, effects_of, member, settings_of
from aeon.kernel.decide import Signals
from aeon.kernel.engine import Engine, Halt, Run
from aeon.multipass.effects import InferProfile
from aeon.schema.conclusion import Conclusion, Decision
from aeon.schema.effects import Program
from aeon.schema.judgment import TaskProfile
from aeon.schema.outcome import Answer

__all__ = ["auto_of", "most_calls"]

AutoRun = Run[AutoConfig, Signals]


@dataclass(slots=True)
class _Seen:
    """What the choice rests on, as far as it was seen, and the rule that was taken."""

    there: Surroundings
    profile: TaskProfile
    route: Route | None = None


def _auto(members: Members, run: AutoRun) -> Program[Auto]:
    """The whole run. It ends as the engine does that was chosen."""
    seen = _Seen(Surroundings(), TaskProfile(inferred=False))
    try:
        end = yield from _routed(members, run, (yield from _chosen(run, seen)))
    except Halt as halt:
        return _result(run, halt.decision, Answer(text=f"No engine answered: {halt.decision.detail}."), seen)
    run.degraded += end.degraded
    run.signals.question = end.question
    result = _result(run, decision_of(end), answer_of(end), seen)
    return result.changed(unread=end.unread, assumptions=end.assumptions)


def _chosen(run: AutoRun, seen: _Seen) -> Program[Route]:
    """The first rule that holds; what it rests on is noted as soon as it was seen."""
    seen.there = yield from run.perform(LookAround(task=run.task), seen.there)
    if run.config.unmeasured:
        seen.profile = yield from run.perform(InferProfile(task=run.task), seen.profile)
    seen.route = first(seen.there, seen.profile, run.config.unmeasured)
    return seen.route


def _routed(members: Members, run: AutoRun, route: Route) -> Program[Conclusion]:
    """The run of the engine, with all that is left; its scope says which of the engines it is."""
    run.nested = run.config.engines.index(route.engine)
    return (yield from member(members, route.engine).within(run, settings_of(members, run.config, route.engine)))


def _result(run: AutoRun, decision: Decision, answer: Answer, seen: _Seen) -> Auto:
    """The record of the run, however it ended."""
    ended = dict(run.conclude(decision, answer))
    route = seen.route
    if route is None:
        return Auto(**ended, surroundings=seen.there)
    return Auto(
        **ended,
        rule=route.name,
        chosen=route.engine,
        basis=route.basis,
        reason=route.reason,
        surroundings=seen.there,
        profile=seen.profile if run.config.unmeasured else None,
    )


def most_calls(members: Members, config: AutoConfig) -> int:
    """The most model calls of a run: those of the dearest engine that a rule can name, and of the profile."""
    own = [member(members, name).bound(settings_of(members, config, name)).calls for name in config.engines]
    return max(own) + (config.caps.profile if config.unmeasured else 0) + config.caps.look_around


def auto_of(members: Members) -> Engine[AutoConfig, Signals, Auto]:
    """The router to these engines."""
    return Engine(
        name="auto/2",
        config=AutoConfig,
        result=Auto,
        signals=Signals,
        effects=(LookAround, InferProfile),
        table=(),
        calls=partial(most_calls, members),
        program=partial(_auto, members),
        nested=effects_of(members),
    )
