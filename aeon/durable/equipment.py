"""What a worker has for runs, and how much of it they may use at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import NamedTuple

from aeon.assembly.plugin import AnyPlugin
from aeon.assembly.registry import installed
from aeon.assembly.roles import Cast
from aeon.assembly.setup import Trust, recorded_folders, setup_of
from aeon.durable.presence import BEAT, PATIENCE
from aeon.durable.values import needs
from aeon.errors import UsageError
from aeon.llm.adapter import LLMAdapter
from aeon.runtime.events import Observer
from aeon.schema import Conclusion, JsonObject
from aeon.tools.files import Files
from aeon.tools.mcp.servers import Servers
from aeon.tools.select import Given, portable

__all__ = ["Equipment", "Limits", "made_of"]

_MOST_OTHERS = 4
"""A queue has a name for each set of them."""


@dataclass(frozen=True)
class Equipment:
    """What a worker has for runs: its model, which ``spec`` selected, its tools and engines, and who else sees events.

    Without ``engines`` it has those that are installed. ``others`` are further models, for roles of runs. ``ended``
    gets the result of each run that ends here.

    Raises:
        UsageError: there are too many further models.
    """

    model: LLMAdapter
    spec: str | None = None
    tools: Sequence[Given] = ("calculator",)
    engines: Sequence[AnyPlugin] = ()
    observers: Sequence[Callable[[], Observer]] = ()
    ended: Callable[[Conclusion], None] = lambda result: None
    others: Sequence[LLMAdapter] = ()

    def __post_init__(self) -> None:
        """Refuse more models than queues can be named for."""
        if len(self.names) > _MOST_OTHERS:
            raise UsageError(
                f"--role-model: a worker has up to {_MOST_OTHERS} models for roles beside its own, not "
                f"{len(self.names)}: {', '.join(self.names)}; share them out among workers"
            )

    @property
    def names(self) -> list[str]:
        """The names of the further models."""
        return sorted({one.name for one in self.others} - {self.model.name})

    def plugins(self) -> dict[str, AnyPlugin]:
        """The engines by name and version."""
        usable = self.engines or [one.plugin for one in installed() if one.plugin is not None]
        return {one.engine.name: one for one in usable}

    def queues(self) -> list[str]:
        """The queues of the runs that this worker can work on; first those of runs that need no further model."""
        setup, names = made_of(self.model, self.spec, self.tools), self.names
        chosen = [some for number in range(len(names) + 1) for some in combinations(names, number)]
        return [needs(engine, setup, some) for some in chosen for engine in self.plugins()]

    def trust(self, setup: JsonObject, around: Callable[[LLMAdapter], LLMAdapter] = lambda model: model) -> Trust:
        """What a run may name: anything, since the database is the worker's own; of its roles' models those here.

        ``around`` puts something around these.
        """
        roles, named = setup.get("roles"), {one.name: around(one) for one in (*self.others, self.model)}
        entries = [one for one in roles.values() if isinstance(one, dict)] if isinstance(roles, dict) else []
        pairs = [(str(one.get("model")), str(one.get("model_name"))) for one in entries]
        return Trust(whole=True, there={model: named[name] for model, name in pairs if name in named})

    def tools_of(self, setup: JsonObject) -> list[Given]:
        """The tools of a run: all, but of the opened folders only those that it was made with.

        Raises:
            UsageError: it was made with a folder that this worker has not.
        """
        named = recorded_folders(setup)
        there = recorded_folders(setup_of(self.model, self.spec, self.tools))
        if missing := [one for one in named if one not in there]:
            raise UsageError(f"the run reads {', '.join(missing)}, which this worker has not")
        return [part for one in self.tools if (part := _part(one, named)) is not None]


def made_of(model: LLMAdapter, spec: str | None, tools: Sequence[Given], cast: Cast | None = None) -> JsonObject:
    """What a run is made of, as `setup_of` says it, and what its MCP servers offer: its workers need just that."""
    offered = ",".join(one.digest for one in tools if isinstance(one, Servers))
    return setup_of(model, spec, tools, cast) | ({"offered": offered} if offered else {})


class Limits(NamedTuple):
    """How many runs this worker has at once of each queue, and how many all workers have, where that is limited.

    ``model`` limits the runs of all workers with its model, ``owner`` those of each owner. ``beat`` and ``patience``
    are in seconds: how often the worker counts, and how long others wait for that.
    """

    parallel: int = 4
    everywhere: int | None = None
    beat: float = BEAT
    patience: float = PATIENCE
    poll: float = 0.5
    model: int | None = None
    owner: int | None = None


def _part(given: Given, named: tuple[str, ...]) -> Given | None:
    """A tool; of opened folders those among the named ones, if there are any."""
    if not isinstance(given, Files):
        return given
    there = recorded_folders({"tools": [portable(given)]})
    wanted = tuple(path for path in named if path in there)
    if set(wanted) == set(there):
        return given
    return _opened(wanted) if wanted else None


@cache
def _opened(paths: tuple[str, ...]) -> Files:
    """These folders, read once: a run that is continued finds them as the ones before it did."""
    return Files.open(list(paths))
