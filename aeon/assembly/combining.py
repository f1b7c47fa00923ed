"""Engines that run others: made of the plugins that are there, whose handlers answer what their members ask for."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias, TypeVar

from aeon.adaptive.profiler import Profiler
from aeon.assembly.plugin import AnyPlugin, Plugin, Services
from aeon.assembly.roles import played
from aeon.engines.auto.config import AutoConfig
from aeon.engines.auto.program import auto_of
from aeon.engines.auto.record import Auto
from aeon.engines.auto.surveyor import Surveyor
from aeon.engines.auto.view import view_of as auto_view
from aeon.engines.chain.config import ChainConfig
from aeon.engines.chain.program import chain_of
from aeon.engines.chain.record import Chain
from aeon.engines.chain.view import view_of as chain_view
from aeon.engines.contractive.classifier import Classifier
from aeon.engines.contractive.splitter import Splitter
from aeon.engines.ensemble.config import EnsembleConfig
from aeon.engines.ensemble.members import CombiningSettings, Members, settings_of
from aeon.engines.ensemble.merger import Merger
from aeon.engines.ensemble.program import ensemble_of
from aeon.engines.ensemble.record import Ensemble
from aeon.engines.ensemble.rules import EnsembleSignals
from aeon.engines.ensemble.view import view_of
from aeon.engines.team.config import TeamConfig
from aeon.engines.team.program import team_of
from aeon.engines.team.record import Team
from aeon.engines.team.view import view_of as team_view
from aeon.errors import ConfigError, UsageError
from aeon.kernel.decide import Signals
from aeon.kernel.engine import Engine
from aeon.kernel.ports import Handlers
from aeon.llm.adapter import LLMAdapter
from aeon.observability.view import View
from aeon.schema import Conclusion, Settings
from aeon.schema.effects import AskUser, Effect
from aeon.schema.value import Value
from aeon.settings import with_overrides, with_variables
from aeon.supervisor.sampling import Drawn
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.registry import ToolRegistry

__all__ = ["Plugins", "auto", "chain", "dispatched", "ensemble", "plugins", "team"]

Plugins: TypeAlias = Mapping[str, AnyPlugin]
"""The plugins that can be members, by their names."""
C = TypeVar("C", bound=CombiningSettings)
S = TypeVar("S", bound=Signals)
R = TypeVar("R", bound=Conclusion)
_OF_THE_WHOLE = ("roles", "model_tier")
"""Settings that the handlers of a whole run are made by."""
_LEAST_TOKENS = 2_000
"""Of a member: no call whose prompt is made by a shipped engine is admitted with fewer."""


def ensemble(plugins: Plugins) -> Plugin[EnsembleConfig, EnsembleSignals, Ensemble]:
    """The ensemble whose members can be any of these."""

    def handlers(services: Services[EnsembleConfig]) -> Handlers:
        config, engines = services.config, [seat.engine for seat in services.config.seats]
        _check_tools(plugins, config, engines, services.tools)
        members = [
            _handlers_of(plugins, _drawn(services, config.temperature, seat.seed), seat.engine) for seat in config.seats
        ]
        merger = Merger(services.supervisor, services.briefing, config.output_tokens)
        own: Handlers = {
            "compare_answers": Classifier(services.supervisor).classify, "merge_answers": merger.merge,
        }  # fmt: skip
        return dispatched(engine.phases, own, members)

    def fit(config: EnsembleConfig, adapter: LLMAdapter) -> EnsembleConfig:
        fitted = _fitted(plugins, config, adapter)
        names = [seat.engine for seat in config.seats]
        _check_budget(plugins, fitted, names, (config.rounds + 1) * config.caps.compare_answers)
        return fitted

    engine = ensemble_of(_engines(plugins))
    return _plugin(plugins, engine, handlers, view_of, fit)


def plugins(members: Plugins) -> tuple[AnyPlugin, ...]:
    """The engines that run these."""
    return ensemble(members), auto(members), chain(members), team(members)


def auto(plugins: Plugins) -> Plugin[AutoConfig, Signals, Auto]:
    """The router to the engines that its rules name."""

    def handlers(services: Services[AutoConfig]) -> Handlers:
        members = [_handlers_of(plugins, services, name) for name in services.config.engines]
        own: Handlers = {
            "look_around": Surveyor(services.tools).look_around,
            "profile": Profiler(services.supervisor, services.briefing).infer,
        }
        return dispatched(engine.phases, own, members)

    engine = auto_of(_engines(plugins))
    return _plugin(plugins, engine, handlers, auto_view, partial(_fitted, plugins))


def chain(plugins: Plugins) -> Plugin[ChainConfig, Signals, Chain]:
    """The chain whose members can be any of these."""

    def handlers(services: Services[ChainConfig]) -> Handlers:
        names = services.config.members
        _check_tools(plugins, services.config, names, services.tools)
        members = [_handlers_of(plugins, services, name) for name in names]
        return dispatched(engine.phases, {}, members)

    def fit(config: ChainConfig, adapter: LLMAdapter) -> ChainConfig:
        fitted = _fitted(plugins, config, adapter)
        _check_budget(plugins, fitted, config.members, 0)
        return fitted

    engine = chain_of(_engines(plugins))
    return _plugin(plugins, engine, handlers, chain_view, fit)


def team(plugins: Plugins) -> Plugin[TeamConfig, Signals, Team]:
    """The team whose master and workers can be any of these."""

    def handlers(services: Services[TeamConfig]) -> Handlers:
        config = services.config
        named = dict.fromkeys(name for name in (config.master, config.worker) if name)
        _check_tools(plugins, config, [*named], services.tools)
        members = [_handlers_of(plugins, services, name) for name in config.engines]
        own: Handlers = {
            "look_around": Surveyor(services.tools).look_around,
            "decompose": Splitter(services.supervisor).split,
        }
        return dispatched(engine.phases, own, members * (config.parts + 1))

    def fit(config: TeamConfig, adapter: LLMAdapter) -> TeamConfig:
        fitted = _fitted(plugins, config, adapter)
        names = [config.master, *[config.specialists[0]] * config.parts]
        _check_budget(plugins, fitted, names, config.caps.decompose)
        return fitted

    engine = team_of(_engines(plugins))
    return _plugin(plugins, engine, handlers, team_view, fit)


def _plugin(
    plugins: Plugins,
    engine: Engine[C, S, R],
    handlers: Callable[[Services[C]], Handlers],
    view: Callable[[Members, Mapping[str, View]], View],
    fit: Callable[[C, LLMAdapter], C],
) -> Plugin[C, S, R]:
    """The plugin of an engine that runs these."""
    shown = view(_engines(plugins), {name: one.view for name, one in plugins.items()})
    return Plugin(engine, handlers, partial(_models, plugins), shown, fit, members=partial(_named, plugins))


def dispatched(phases: Iterable[str], own: Handlers, members: Sequence[Handlers]) -> Handlers:
    """Handlers of all ``phases``: the member answers in whose run an effect was issued, ``own`` ones answer the others.

    Members may call different effects by one name: the first part of an effect's scope, as in ``/2/1``, is the member.
    """

    def answered(phase: str) -> Callable[[Effect], Awaitable[Value]]:
        def answer(effect: Effect) -> Awaitable[Value]:
            handlers = members[int(effect.scope.split("/")[1]) - 1] if effect.scope else own
            return handlers[phase](effect)

        return answer

    return {phase: answered(phase) for phase in phases if phase != AskUser.phase}


def _engines(plugins: Plugins) -> Members:
    return {name: one.engine for name, one in plugins.items()}


def _drawn(services: Services[C], temperature: float, seed: int) -> Services[C]:
    """The services of a sample, whose models are drawn with its seed; the first sample has them as they are."""
    if not seed:
        return services
    made: dict[int, Supervisor] = {}

    def drawn(one: Supervisor) -> Supervisor:
        return made.setdefault(id(one), one.through(Drawn(one.llm, temperature, seed)))

    whole = services.with_cast({role: drawn(one) for role, one in services.cast.items()})
    own = drawn(services.supervisor)
    return replace(whole, adapter=own.llm, supervisor=own)


def _handlers_of(plugins: Plugins, services: Services[Any], engine: str) -> Handlers:
    """The handlers of a member, made of the run's tools, of settings of its own, and of the models of its roles."""
    config = settings_of(_engines(plugins), services.config, engine)
    return played(plugins[engine], replace(services, config=config))


def _named(plugins: Plugins, config: CombiningSettings) -> Sequence[AnyPlugin]:
    """The plugins of the members; those that there are."""
    return [plugins[name] for name in config.engines if name in plugins]


def _fitted(plugins: Plugins, config: C, adapter: LLMAdapter) -> C:
    """The configuration with the settings of each member as they fit the model: so they are on record.

    Raises:
        UsageError: there is no such engine.
        ConfigError: a setting of a member is unknown or out of range; names its path.
    """
    if stray := [name for name in config.options if name not in config.engines]:
        raise ConfigError(f"options: '{stray[0]}' is no member; the members are {', '.join(config.engines)}")
    options: dict[str, dict[str, object]] = {}
    for name in config.engines:
        settings_of(_engines(plugins), config.changed(options={}), name)  # is there
        own = plugins[name].fit(_own(plugins[name], config), adapter)
        options[name] = own.model_dump(mode="json", exclude_defaults=True, exclude={"roles"})
        if isinstance(limits := config.options.get(name, {}).get("budget"), dict):  # also what is a default
            options[name]["budget"] = own.budget.model_dump(mode="json", exclude_defaults=True) | limits
    return config.changed(options=options)


def _own(plugin: AnyPlugin, config: CombiningSettings) -> Settings:
    kind: type[Settings] = plugin.engine.config
    options = config.options.get(plugin.name, {})
    if barred := [name for name in _OF_THE_WHOLE if name in options]:
        raise ConfigError(f"options.{plugin.name}.{barred[0]}: a member has none of its own; leave it out")
    defaults = with_variables(kind(), os.environ)
    try:
        return with_overrides(defaults, options).changed(roles=config.roles)
    except ConfigError as error:
        raise ConfigError(f"options.{plugin.name}.{error}") from None


def _models(plugins: Plugins, config: CombiningSettings) -> Sequence[str]:
    """The models that members use beside the run's own."""
    engines = _engines(plugins)
    every = (model for name in config.engines for model in plugins[name].models(settings_of(engines, config, name)))
    return [*dict.fromkeys(every)]


def _check_tools(plugins: Plugins, config: CombiningSettings, names: Sequence[str], tools: ToolRegistry) -> None:
    """Refuse members that cannot work with what is there.

    Raises:
        UsageError: names the first such member.
    """
    files = any(tools.get(name).provider is not None for name in tools.names)
    for name in dict.fromkeys(names):
        if missing := plugins[name].lacks(settings_of(_engines(plugins), config, name), tools):
            raise UsageError(f"{config.setting_of(name)}: '{name}' needs {missing}; or leave this member out")
        if files and not plugins[name].reads:
            raise UsageError(
                f"{config.setting_of(name)}: '{name}' uses the task and its context alone, and there are files or "
                "sources to answer from; leave them out, or this member"
            )


def _check_budget(plugins: Plugins, config: CombiningSettings, names: Sequence[str], kept: int) -> None:
    """Refuse budgets of which no member could get what its answer takes, beside the calls that are ``kept``.

    Raises:
        UsageError: names the limit, and how much is needed.
    """
    engines = _engines(plugins)
    calls = kept + sum(_least(plugins[name], settings_of(engines, config, name)) for name in names)
    tokens = int(len(names) * _LEAST_TOKENS / max(0.01, 1 - (config.reserve.tokens if kept else 0)))
    limits = {"calls": (config.budget.calls, calls), "tokens": (config.budget.tokens, tokens)}
    for name, (limit, least) in limits.items():
        if limit is not None and limit < least:
            raise UsageError(
                f"budget.{name}: {limit:,} are too few for {len(names)} members{_beside(kept)}; "
                f"set at least {least:,}, or name fewer members"
            )


def _beside(kept: int) -> str:
    return " and what brings them together" if kept else ""


def _least(plugin: AnyPlugin, config: Settings) -> int:
    """The calls without which a member does nothing: one, and those that are kept back for its answer."""
    final = plugin.engine.final
    return 1 + (config.caps.of(final.phase) if final is not None else 0)
