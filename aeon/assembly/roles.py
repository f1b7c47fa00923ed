"""Roles: which model each phase of an engine gets, and what a model tier leaves of it.

The role of a phase is a default of its effect, so the table is made from the engine; no module names a role.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar, get_args

from aeon.assembly.plugin import AnyPlugin, Services
from aeon.errors import UsageError
from aeon.kernel.ports import Handlers
from aeon.llm.adapter import LLMAdapter
from aeon.llm.nobody import Nobody
from aeon.llm.select import select
from aeon.schema import JsonObject, ModelTier, Roles, Settings
from aeon.schema.effects import AskUser, Role
from aeon.settings import with_overrides
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = [
    "ROLES",
    "SAME",
    "Cast",
    "author_of",
    "cast_of",
    "check_names",
    "fitted",
    "handlers_of",
    "model_names",
    "named",
    "phase_roles",
    "played",
    "recast",
]

C = TypeVar("C", bound=Settings)
ROLES: tuple[Role, ...] = get_args(Role)
SAME = "same"
"""Names the run's own model."""
_OPTIONAL: tuple[Role, ...] = ("tutor", "peer")
"""Roles that a run has only where they are named."""
_SILENT: Mapping[ModelTier, tuple[Role, ...]] = {"T0": ROLES, "T1": ("verifier", *_OPTIONAL)}
"""Roles that nobody plays at a model tier."""


def phase_roles(plugin: AnyPlugin) -> dict[str, tuple[Role, ...]]:
    """The roles that each phase asks, its own first; without phases that ask no model, or are a nested engine's."""
    caps = vars(plugin.engine.config().caps)
    phases = (phase for phase in plugin.engine.phases if phase != AskUser.phase)
    asking = (phase for phase in phases if caps.get(phase, phase in plugin.beside))
    return {phase: (_role(plugin, phase), *plugin.beside.get(phase, ())) for phase in asking}


def _role(plugin: AnyPlugin, phase: str) -> Role:
    role: Role = plugin.engine.phases[phase].model_fields["role"].default
    return role


def _roles_of(plugin: AnyPlugin, config: Settings) -> list[Role]:
    """The roles of an engine, and of those that it runs under this configuration."""
    every = {role for roles in phase_roles(plugin).values() for role in roles}
    every |= {role for one in plugin.members(config) for role in _roles_of(one, one.engine.config())}
    return [role for role in ROLES if role in every]


def named(texts: Iterable[str]) -> dict[str, str]:
    """The models that texts such as ``planner=MODEL,worker=MODEL`` give to roles.

    Raises:
        UsageError: there is no such role, one has two models or none.
    """
    chosen: dict[str, str] = {}
    for text in (part.strip() for whole in texts for part in whole.split(",")):
        role, sign, model = (part.strip() for part in text.partition("="))
        if role in chosen:
            raise UsageError(f"roles: {role} is named twice; keep one model for it")
        if not sign or not model:
            raise UsageError(f"roles: {one_line(repr(text), 60)} gives no role a model; write ROLE=MODEL,ROLE=MODEL")
        chosen[role] = model
    check_names(chosen)
    return chosen


def check_names(roles: Mapping[str, object]) -> None:
    """Refuse what is no mapping of roles to models.

    Raises:
        UsageError: names the role.
    """
    for role, model in roles.items():
        if role not in ROLES:
            raise UsageError(f"roles: there is no role {one_line(repr(role), 40)}; there are {', '.join(ROLES)}")
        if not isinstance(model, str) or not model:
            raise UsageError(
                f"roles: {role}: pass a model's name, path or URL as a text, not {one_line(repr(model), 60)}"
            )


def fitted(plugin: AnyPlugin, config: C, adapter: LLMAdapter) -> C:
    """The configuration of a new run: as its model tier, its roles and the model at hand have it.

    Raises:
        UsageError: the engine has not the tier or a role, or the two contradict each other.
    """
    _check(plugin, config)
    made: C = plugin.fit(_tiered(plugin, config), adapter)
    return made


def _check(plugin: AnyPlugin, config: Settings) -> None:
    tier, roles = config.model_tier, config.roles.named
    if tier not in plugin.tiers:
        raise UsageError(f"model_tier: the engine '{plugin.name}' has no {tier}; it has {', '.join(plugin.tiers)}")
    there = _roles_of(plugin, config)
    for role in roles:
        if role not in there:
            raise UsageError(f"roles: the engine '{plugin.name}' has no {role}; it has {', '.join(there)}")
        if role in _SILENT.get(tier, ()):
            raise UsageError(f"roles: {role}: {tier} asks no {role}; leave it out, or use T2 or T3")


def _tiered(plugin: AnyPlugin, config: C) -> C:
    """The configuration at its model tier: no calls for roles that nobody plays, and at T3 every role that there is."""
    tier = config.model_tier
    made = with_overrides(config, plugin.tiers[tier]) if plugin.tiers[tier] else config
    if silent := _silent_phases(plugin, tier):
        made = made.changed(caps=made.caps.changed(**dict.fromkeys(silent, 0)))
    if tier == "T3":
        extra = [role for role in _OPTIONAL if role in _roles_of(plugin, made) and role not in made.roles.named]
        made = made.changed(roles=made.roles.changed(**dict.fromkeys(extra, SAME)))
    return made


def _silent_phases(plugin: AnyPlugin, tier: ModelTier) -> list[str]:
    """The phases of an engine's own that ask no model at a tier."""
    own, silent = vars(plugin.engine.config().caps), _SILENT.get(tier, ())
    return [phase for phase, roles in phase_roles(plugin).items() if phase in own and roles[0] in silent]


@dataclass(frozen=True)
class Cast:
    """Who plays which role in a run: ``models`` for all roles; ``used`` names them where they have one of their own.

    ``configured`` is what the run's configuration names: a resumed run may have others.
    """

    configured: Roles
    used: Roles
    models: Mapping[Role, LLMAdapter]

    def setup(self) -> JsonObject:
        """What a journal keeps of it."""
        return {
            role: {
                "configured": getattr(self.configured, role), "model": model, "model_name": self._name(role),
            }
            for role, model in self.used.named.items()
        }  # fmt: skip

    def _name(self, role: str) -> str:
        return next(model.name for one, model in self.models.items() if one == role)

    def changes(self, setup: JsonObject) -> list[str]:
        """A sentence for each role that another model had until now, by the ``setup`` in the run's journal."""
        before, lines = model_names(setup), []
        for role in self.used.named:
            had, has = before.get(role, before.get("", "")), self._name(role)
            if had and had != has:
                lines.append(f"until now the {role} was {had}, from here on it is {has}")
        return lines


def cast_of(
    config: Settings,
    adapter: LLMAdapter,
    models: Callable[[str], LLMAdapter] = select,
    used: Roles | None = None,
) -> Cast:
    """Who plays which role: each model is made once, and nobody plays what the model tier leaves out.

    Raises:
        UsageError: there is no such model.
    """
    roles = config.roles if used is None else used
    made: dict[str, LLMAdapter] = {"": adapter, SAME: adapter}
    nobody = Nobody()
    cast: dict[Role, LLMAdapter] = {}
    for role in ROLES:
        model = getattr(roles, role)
        if model not in made:
            made[model] = models(model)
        cast[role] = nobody if role in _SILENT.get(config.model_tier, ()) else made[model]
    return Cast(config.roles, roles, cast)


def recast(used: Roles, others: Mapping[str, str], configured: Roles) -> Roles:
    """The models of a run with others for some roles.

    Raises:
        UsageError: there is no such role, or the run has nobody in it.
    """
    check_names(others)
    for role in others:
        if role in _OPTIONAL and not getattr(configured, role):
            raise UsageError(f"roles: the run has no {role}; fork it with --set roles.{role}=MODEL")
    return used.changed(**others)


def model_names(setup: JsonObject) -> dict[str, str]:
    """The names of the models in a run's setup: the run's own under "", others by their roles."""
    own = setup.get("model_name")
    names = {"": own} if isinstance(own, str) else {}
    roles = setup.get("roles")
    for role, entry in roles.items() if isinstance(roles, dict) else ():
        name = entry.get("model_name") if isinstance(entry, dict) else None
        names |= {role: name} if isinstance(name, str) else {}
    return names


def author_of(setup: JsonObject) -> str:
    """The name of the model that planned and worked in a run; "" where that was more than one, or is not on record."""
    names = model_names(setup)
    authors = {names.get(role, names.get("", "")) for role in ("planner", "worker")}
    authors |= {names[role] for role in ("tutor",) if role in names}
    return authors.pop() if len(authors) == 1 else ""


def handlers_of(plugin: AnyPlugin, services: Services[C], cast: Cast) -> Handlers:
    """The handlers of an engine, each made with the model of its phase's role; once for each model."""
    supervisors: dict[int, Supervisor] = {id(services.adapter): services.supervisor}
    by_role: dict[Role, Supervisor] = {}
    for role, model in cast.models.items():
        if id(model) not in supervisors:
            supervisors[id(model)] = services.supervisor_for(model)
        by_role[role] = supervisors[id(model)]
    return played(plugin, services.with_cast(by_role))


def played(plugin: AnyPlugin, services: Services[C]) -> Handlers:
    """The handlers of an engine, each made with the services of its phase's role."""
    made: dict[int, Handlers] = {}

    def of(role: Role) -> Handlers:
        own = services.of_role(role)
        if id(own.supervisor) not in made:
            made[id(own.supervisor)] = plugin.handlers(own)
        return made[id(own.supervisor)]

    handlers = dict(of("worker"))
    for phase in plugin.engine.phases:
        if phase != AskUser.phase and phase in handlers:
            handlers[phase] = of(_role(plugin, phase))[phase]
    return handlers
