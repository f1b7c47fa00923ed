"""What brings an engine to the host: the engine itself, and how its handlers are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeAlias, TypeVar

from aeon.kernel.decide import Signals
from aeon.kernel.engine import Engine
from aeon.kernel.ports import Handlers
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.observability.view import GENERIC, View
from aeon.schema import Conclusion, ModelTier, Price, Settings
from aeon.schema.effects import Role
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.lookup import with_context
from aeon.tools.loop import with_long_context
from aeon.tools.registry import ToolRegistry
from aeon.tools.toolspecs import hints

__all__ = [
    "AnyPlugin",
    "Plugin",
    "Services",
    "as_it_is",
    "no_members",
    "no_models",
    "nothing_missing",
    "outline_of",
    "price_of",
]

C = TypeVar("C", bound=Settings)
S = TypeVar("S", bound=Signals)
R = TypeVar("R", bound=Conclusion)


@dataclass(frozen=True)
class Services(Generic[C]):
    """What handlers are made of: the run's configuration, its model behind a supervisor, and its tools.

    ``briefing`` is what every prompt begins with: the rules and the tools. ``loop`` are the tools of a model that works
    turn by turn. ``models`` gives a model by its name.
    ``cast`` has the supervisor of each role where roles have models of their own. The host makes the handlers of each
    phase with the services of its role: so ``adapter`` and ``supervisor`` are the right ones already.
    """

    config: C
    adapter: LLMAdapter
    tools: ToolRegistry
    supervisor: Supervisor
    briefing: Briefing
    models: Callable[[str], LLMAdapter] = select
    loop: ToolRegistry = field(default_factory=ToolRegistry)
    cast: Mapping[Role, Supervisor] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        config: C,
        adapter: LLMAdapter,
        tools: ToolRegistry,
        models: Callable[[str], LLMAdapter] = select,
        loop: ToolRegistry | None = None,
    ) -> Services[C]:
        """The services of a run on this model with these tools."""
        briefing = Briefing(tools.describe(), tools.material(), config.instructions)
        return cls(config, adapter, tools, _supervisor(config, adapter), briefing, models, loop or tools)

    def looped(self, context: str = "") -> Services[C]:
        """The same for a model that works turn by turn: with the tools of its loop, and a long ``context`` among them.

        Raises:
            ToolFailed: the context cannot be indexed.
        """
        loop = self.loop
        if context:
            every = with_long_context(map(loop.get, loop.names), context, loop.output_bytes)
            loop = ToolRegistry(every, loop.output_bytes)
        briefing = Briefing(loop.describe(), hints(loop), self.config.instructions)
        return replace(self, tools=loop, loop=loop, briefing=briefing)

    def searching(self, context: str) -> Services[C]:
        """The same with a task's context as a text that is searched.

        Raises:
            ToolFailed: it cannot be indexed.
        """
        every = map(self.tools.get, self.tools.names)
        tools = ToolRegistry(with_context(every, context), self.tools.output_bytes)
        briefing = Briefing(tools.describe(), tools.material(), self.config.instructions)
        return replace(self, tools=tools, briefing=briefing)

    def with_cast(self, cast: Mapping[Role, Supervisor]) -> Services[C]:
        """The same with these supervisors for roles."""
        return replace(self, cast=cast)

    def of_role(self, role: Role) -> Services[C]:
        """The same with the model of a role."""
        supervisor = self.cast.get(role, self.supervisor)
        return replace(self, adapter=supervisor.llm, supervisor=supervisor)

    @property
    def author(self) -> str:
        """The name of the model that plans and works; "" where that is more than one, of which nothing was counted."""
        roles: tuple[Role, ...] = ("planner", "worker", "tutor") if self.config.roles.tutor else ("planner", "worker")
        names = {self.of_role(role).adapter.name for role in roles}
        return names.pop() if len(names) == 1 else ""

    def supervisor_for(self, adapter: LLMAdapter) -> Supervisor:
        """A supervisor for a model, within the limits of the configuration."""
        return _supervisor(self.config, adapter)

    def supervisor_of(self, model: str) -> Supervisor:
        """A supervisor for a model of its own, or the run's where the name is empty.

        Raises:
            UsageError: there is no such model.
        """
        return _supervisor(self.config, self.models(model)) if model else self.supervisor


def outline_of(material: str) -> str:
    """The material without the rows that are shown of each table, which are indented."""
    return "\n".join(line for line in material.splitlines() if not line.startswith("  "))


def price_of(config: Settings, adapter: LLMAdapter) -> Price | None:
    """The price that is set for a model, nothing for one that is free; ``None`` if it is not known."""
    return config.prices.get(adapter.name) or (Price(input=0, output=0) if adapter.free else None)


def _supervisor(config: Settings, adapter: LLMAdapter) -> Supervisor:
    return Supervisor(
        adapter,
        prompt_bytes=config.prompt_bytes,
        output_tokens=config.output_tokens,
        thought_tokens=config.thought_tokens,
        price=price_of(config, adapter),
    )


def no_models(config: Settings) -> Sequence[str]:
    """What an engine has that uses the run's model alone."""
    return ()


def no_members(config: Settings) -> Sequence[AnyPlugin]:
    """What an engine runs that answers by itself."""
    return ()


def as_it_is(config: C, adapter: LLMAdapter) -> C:
    """The configuration of an engine that treats all models alike."""
    return config


def nothing_missing(config: Settings, tools: ToolRegistry) -> str:
    """What an engine lacks that works with any tools."""
    return ""


@dataclass(frozen=True)
class Plugin(Generic[C, S, R]):
    """An engine and the function that makes its handlers, by phase; the host itself asks people (phase ``ask``).

    ``models`` names the models that a configuration uses beside the run's own and those of roles: the bound on the cost
    rests on them. ``view`` shows its runs. ``fit`` gives the configuration as it fits a model, such as a slow one.
    ``reads``: it uses the tools that its runs have; an engine that does not is given no files. ``beside`` are roles
    that the handler of a phase asks beside the phase's own. ``tiers`` are the model tiers that it has, each with the
    settings that it takes. ``lacks`` says in words what it needs that is not among some tools, such as something to
    search; "" where it can work. ``members`` are the engines that it runs: a role of one of them is a role of the run.
    A package registers one under an entry point of the group ``aeon.engines``, by the engine's name.
    """

    engine: Engine[C, S, R]
    handlers: Callable[[Services[C]], Handlers]
    models: Callable[[C], Sequence[str]] = no_models
    view: View = GENERIC
    fit: Callable[[C, LLMAdapter], C] = as_it_is
    reads: bool = True
    beside: Mapping[str, tuple[Role, ...]] = field(default_factory=dict)
    tiers: Mapping[ModelTier, Mapping[str, object]] = field(default_factory=lambda: {"T2": {}})
    lacks: Callable[[C, ToolRegistry], str] = nothing_missing
    members: Callable[[C], Sequence[AnyPlugin]] = no_members

    @property
    def name(self) -> str:
        """The engine's name without its version."""
        return self.engine.name.partition("/")[0]


AnyPlugin: TypeAlias = Plugin[Any, Any, Any]
