"""What must hold of engines that run others: who was asked, what each took, and whose ending it is."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.assembly.registry import plugin
from aeon.assembly.views import trail
from aeon.engines.auto.config import AutoConfig
from aeon.engines.auto.record import Auto
from aeon.engines.auto.routes import first
from aeon.engines.chain.config import ChainConfig
from aeon.engines.chain.program import handed_on
from aeon.engines.chain.record import Chain, Link
from aeon.engines.ensemble.record import Ensemble
from aeon.engines.team.config import TeamConfig
from aeon.engines.team.record import Job, Team
from aeon.kernel.decide import table
from aeon.observability.trail import Done
from aeon.runtime.journal import Journal
from aeon.runtime.replay import AnyEngine
from aeon.schema import NOTHING, Conclusion, TaskProfile
from aeon.simulation.ensemble import hold_ensemble
from aeon.simulation.world import World

__all__ = ["hold_combined", "inner_reasons", "is_combined"]


def hold_combined(world: World, result: Conclusion, journal: Journal, engine: AnyEngine) -> None:
    """Hold the record of an engine that runs others against its own invariants; the world is told what broke."""
    match result:
        case Ensemble():
            hold_ensemble(world, result, journal, engine)
        case Auto():
            _hold_auto(world, result, journal, engine)
        case Chain():
            _hold_chain(world, result, journal, engine)
        case Team():
            _hold_team(world, result, journal, engine)


def is_combined(result: Conclusion) -> bool:
    """Whether the run is of an engine that runs others, each of which ends for a reason of its own."""
    return isinstance(result, Ensemble | Auto | Chain | Team)


def inner_reasons(result: Conclusion) -> set[str]:
    """The endings of the engines whose ending a run can have taken over."""
    names = [result.chosen] if isinstance(result, Auto) and result.chosen else []
    names += [link.engine for link in result.links[-1:]] if isinstance(result, Chain) else []
    names += [result.master] if isinstance(result, Team) else []
    return {rule.reason for name in names for rule in table(plugin(name).engine.table)}


def _hold_auto(world: World, result: Auto, journal: Journal, engine: AnyEngine) -> None:
    """Hold the record of a routed run against what the engine promises; the world is told what broke."""
    if not result.rule:
        return
    config = journal.config(AutoConfig)
    profile = result.profile or TaskProfile(inferred=False)
    route = first(result.surroundings, profile, config.unmeasured)
    if (route.name, route.engine) != (result.rule, result.chosen):
        world.wrong("the first rule that holds is taken", f"{result.rule}: {result.chosen}, not {route.name}")
    place = config.engines.index(result.chosen) + 1
    if strange := {one.effect.scope for one in _inner(journal, engine) if _member(one) != place}:
        world.wrong("only the engine that was chosen works", f"{sorted(strange)} beside {place}")


def _hold_chain(world: World, result: Chain, journal: Journal, engine: AnyEngine) -> None:
    """Hold the record of a chain against what the engine promises; the world is told what broke."""
    config, done = journal.config(ChainConfig), _inner(journal, engine)
    _hold_settings(world, result, config)
    for place, link in enumerate(result.links, 1):
        effects = [one for one in done if _member(one) == place]
        used = sum((one.outcome.usage for one in effects if one.outcome is not None), NOTHING)
        if (used.calls, used.tokens) != (link.calls, link.tokens):
            world.wrong("a link says what its member took", f"{place}: {link.calls} calls, {link.tokens} tokens")
        _hold_earlier(world, result.links[:place], [one.effect.task.earlier for one in effects])


def _hold_earlier(world: World, links: Sequence[Link], shown: Sequence[str]) -> None:
    """The last of these members saw what those before it handed on, and not what it alone said."""
    *before, own = links
    if _is_its_own(own, before) and any(own.answer in one for one in shown):
        world.wrong("answers are handed on, never back", f"{own.engine} saw its own answer")
    handed = [one.answer[:100] for one in before if one.handed_on]
    if any(answer not in one for answer in handed for one in shown):
        world.wrong("answers are handed on, never back", f"{own.engine} lacks an answer")


def _is_its_own(link: Link, before: Sequence[Link]) -> bool:
    """Whether a member said something that none before it had."""
    return bool(link.answer) and not any(link.answer in one.answer for one in before)


def _hold_settings(world: World, result: Chain, config: ChainConfig) -> None:
    names = [link.engine for link in result.links]
    if names != list(config.members[: len(names)]):
        world.wrong("members in their order", f"{names}, not {config.members}")
    if any(link.handed_on and not _useful(link.answer, link.stop_reason, result) for link in result.links):
        world.wrong("answers are handed on, never back", "one that says nothing")


def _useful(answer: str, reason: str, result: Conclusion) -> bool:
    return handed_on(result.changed(answer=answer, stop_reason=reason))


def _hold_team(world: World, result: Team, journal: Journal, engine: AnyEngine) -> None:
    """Hold the record of a team against what the engine promises; the world is told what broke."""
    config, done = journal.config(TeamConfig), _inner(journal, engine)
    if len(result.jobs) > config.parts or any(job.engine not in config.specialists for job in result.jobs):
        world.wrong("parts within the limit, each with a specialist", f"{[job.engine for job in result.jobs]}")
    if len({job.scope for job in result.jobs}) < len(result.jobs):
        world.wrong("a part says what its worker took", "two parts have one scope")
    for job in result.jobs:
        _hold_job(world, job, [one for one in done if f"{one.effect.scope}/".startswith(f"{job.scope}/")])


def _hold_job(world: World, job: Job, effects: Sequence[Done]) -> None:
    """A part says what the effects of its worker took, and these are about the part."""
    used = sum((one.outcome.usage for one in effects if one.outcome is not None), NOTHING)
    if job.stop_reason and (used.calls, used.tokens) != (job.calls, job.tokens):
        world.wrong("a part says what its worker took", f"{job.scope}: {job.calls} calls, {job.tokens} tokens")
    if any(one.effect.task.text != job.question for one in effects if one.effect.scope == job.scope):
        world.wrong("a worker sees its part alone", f"{job.scope}")


def _inner(journal: Journal, engine: AnyEngine) -> Sequence[Done]:
    """The effects of members."""
    every = (one for batch in trail(journal, engine).batches for one in batch)
    return [one for one in every if one.effect.scope]


def _member(one: Done) -> int:
    return int(one.effect.scope.split("/")[1])
