"""What a server was started with: its model, its tools, its folders by name, its settings. Requests name these."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import TypeVar, get_args

from pydantic import JsonValue, ValidationError

from aeon.assembly.models import priced
from aeon.assembly.plugin import AnyPlugin, nothing_missing
from aeon.assembly.registry import plugin
from aeon.assembly.roles import fitted
from aeon.engines.research.config import ResearchConfig
from aeon.errors import UnknownNameError, UsageError
from aeon.llm.adapter import LLMAdapter
from aeon.schema import JsonObject, Passage, Settings, Task
from aeon.server.bodies import REFERENCE, TaskBody
from aeon.server.problems import Problem
from aeon.settings import load_config, merged, settings_of, with_overrides
from aeon.settings.tree import members
from aeon.settings.values import nested
from aeon.supervisor.valid import validator
from aeon.text import one_line
from aeon.tools.files import Files
from aeon.tools.registry import ToolRegistry
from aeon.tools.select import Given, resolve

__all__ = ["Equipment", "Order", "refuse_own", "tiers_of"]

B = TypeVar("B", bound=TaskBody)
_MOST_KEPT, _LONGEST_KEPT = 64, 10_000
_WITH = "--files DIR or --collection NAME=PATH"


@dataclass(frozen=True)
class Order:
    """A run as it was asked for, checked: its engine, its task, its settings and its tools."""

    plugin: AnyPlugin
    task: Task
    config: Settings
    tools: Sequence[Given]


def _same(model: LLMAdapter) -> LLMAdapter:
    return model


@dataclass
class Equipment:
    """What runs are made of. ``spec`` is what selected the model; ``folders`` are named collections of files.

    ``config`` is a file of settings, for any engine that has them; it is read once. Runs that ask for the same settings
    share them: thousands may be under way. ``most_calls`` limits what a run may ask for.
    ``around`` puts something around the model of each run, such as what traces its calls.
    """

    model: LLMAdapter
    spec: str | None = None
    tools: Sequence[Given] = ("calculator",)
    folders: Mapping[str, Path] = field(default_factory=dict)
    config: str | None = None
    most_calls: int | None = None
    around: Callable[[LLMAdapter], LLMAdapter] = _same
    _opened: dict[tuple[str, ...], Files] = field(default_factory=dict)
    _reading: dict[tuple[str, ...], threading.Lock] = field(default_factory=dict)
    _own: dict[str, Settings] = field(default_factory=dict)
    _asked: dict[tuple[str, str], Settings] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def open(self) -> None:
        """Make the tools and read all folders, so that no request has to wait for it, or finds them missing.

        Raises:
            UsageError: a tool cannot be used, or a folder cannot be read.
        """
        resolve(self.tools)
        if self.folders:
            self.files(tuple(self.folders))

    def given(self, sources: Sequence[str] | None) -> list[Given]:
        """The tools of a run with these collections; ``None``: with all.

        Raises:
            Problem: there is no collection of that name.
        """
        names = self.named(sources)
        return [*self.tools, *([self.files(names)] if names else [])]

    def named(self, sources: Sequence[str] | None) -> tuple[str, ...]:
        """The names of collections, each once. Raises ``Problem`` for one that is not there."""
        for name in sources or ():
            if name not in self.folders:
                there = f"there are: {', '.join(self.folders)}" if self.folders else "the server has none"
                raise Problem(422, "unknown_collection", f"there is no collection {one_line(name, 60)!r}; {there}")
        return tuple(self.folders) if sources is None else tuple(dict.fromkeys(sources))

    def files(self, names: tuple[str, ...]) -> Files:
        """The files of these collections, read once: who asks for others meanwhile does not wait."""
        with self._lock:
            reading = self._reading.setdefault(names, threading.Lock())
        with reading:
            if names not in self._opened:
                self._opened[names] = Files.open([self.folders[name] for name in names])
            return self._opened[names]

    def search(self, query: str, collection: str | None, most: int) -> list[Passage]:
        """The passages of a collection, or of all, that fit a query best. Raises ``Problem`` as `named`."""
        names = self.named(None if collection is None else (collection,))
        if not names:
            raise Problem(409, "no_collection", "the server was started without files; start it with --files DIR")
        return self.files(names).collection.search(query, most)

    def order(self, body: TaskBody) -> Order:
        """The run that a request asks for, checked as the command line checks its options.

        Raises:
            Problem: an unknown engine or collection, a setting that is wrong or not a client's, or a bound that is
                beyond what the server allows.
            UsageError: a setting or the schema is wrong.
        """
        brought = _plugin(body.engine)
        if body.tier is not None and "tier" not in brought.engine.config.model_fields:
            raise Problem(422, "invalid", f"tier: the engine '{brought.name}' has no tiers; leave it out")
        _check_reference(brought, body)
        config = self._config(brought, body)
        bound = brought.engine.bound(config)
        if self.most_calls is not None and bound.calls > self.most_calls:
            raise Problem(
                422, "over_limit",
                f"the run could make up to {bound.calls:,} model calls, and this server allows {self.most_calls:,}; "
                f'ask for less: "budget": {{"calls": {self.most_calls}}}',
            )  # fmt: skip
        tools = self.given(body.sources)
        self._suffice(brought, config, tools, body)
        return Order(brought, _task(body), config, tools)

    def _suffice(self, brought: AnyPlugin, config: Settings, tools: Sequence[Given], body: TaskBody) -> None:
        """Refuse texts for an engine that reads none, and a run that lacks what its engine needs.

        Raises:
            Problem: says what to leave out, to name or to start the server with.
        """
        if body.sources and not brought.reads:
            only = f"the engine '{brought.name}' uses the task and its context alone"
            raise Problem(422, "invalid", f"sources: {only}; leave it out")
        if brought.lacks is nothing_missing:
            return
        if missing := brought.lacks(config, ToolRegistry(resolve(tools), output_bytes=config.tool_output_bytes)):
            needs = f"sources: the engine '{brought.name}' needs {missing.partition(':')[0]}"
            do = f"name a collection: {', '.join(self.folders)}" if self.folders else f"start the server with {_WITH}"
            raise Problem(422, "nothing_to_search", f"{needs}; {do}")

    def _config(self, brought: AnyPlugin, body: TaskBody) -> Settings:
        layers = _asked(brought.engine.config, body)
        key = brought.name, json.dumps(layers, sort_keys=True)
        asked = self._asked.get(key)
        if asked is None:
            asked = with_overrides(self._settings(brought), reduce(merged, layers, dict[str, object]()))
            if len(self._asked) == _MOST_KEPT:
                self._asked.clear()
            if len(key[1]) <= _LONGEST_KEPT:
                self._asked[key] = asked
        return fitted(brought, asked, self.model)

    def _settings(self, brought: AnyPlugin) -> Settings:
        """The settings of a run that asks for none, read once."""
        if brought.name not in self._own:
            kind = brought.engine.config
            own: Settings = load_config(kind, self.config, environ=os.environ)
            self._own[brought.name] = priced(own, self.model, brought)
        return self._own[brought.name]

    def simple(self, body: B) -> B:
        """The same request for the shortest way: the tier ``simple`` of an engine with tiers, of others one pass.

        Raises:
            Problem: the engine is not there.
        """
        fields = _plugin(body.engine).engine.config.model_fields
        if "tier" in fields:
            return body.changed(tier=body.tier or body.complexity_tier or "simple")
        once: dict[str, object] = {"max_passes": 1} if "max_passes" in fields else {}
        return body.changed(config=merged(once, body.config))

    @property
    def hidden(self) -> dict[str, str]:
        """Paths that no answer may hold, each with what stands for it; not one so short that it may stand in a text."""
        named = {str(root): name for name, folder in self.folders.items() for root in (folder, folder.resolve())}
        named |= {self.config: "settings"} if self.config else {}
        named |= {one.partition("=json=")[2]: "search" for one in self.tools if isinstance(one, str)}
        return {path: named[path] for path in sorted(named, key=len, reverse=True) if path.count("/") > 1}


def _plugin(name: str) -> AnyPlugin:
    try:
        return plugin(name)
    except UnknownNameError as error:
        raise Problem(422, "unknown_engine", str(error).replace("see: aeon engines", "see: GET /engines")) from None


def tiers_of(brought: AnyPlugin) -> tuple[str, ...]:
    """How much an engine can be told to do, by name; empty for one without tiers."""
    field = brought.engine.config.model_fields.get("tier")
    return get_args(field.annotation) if field is not None else ()


def refuse_own(kind: type[Settings], config: JsonObject) -> None:
    """Refuse settings that only who starts the server may set: free texts, which name files and endpoints, and prices.

    Raises:
        Problem: names the setting.
    """
    free = [path for path, setting in settings_of(kind).items() if str in members(setting.type)]
    for path in (*free, "prices"):
        if _said(config, path.split(".")):
            raise Problem(422, "invalid", f"config.{path}: is set by who starts the server; leave it out")


def _check_reference(brought: AnyPlugin, body: TaskBody) -> None:
    """Refuse settings of research under names of the reference for another engine, or beside others for the same.

    Raises:
        Problem: names the field.
    """
    own = {"tier": body.tier, **{f"budget.{name}": value for name, value in body.budget.model_dump().items()}}
    for name, value in body.reference.items():
        if not issubclass(brought.engine.config, ResearchConfig):
            instead = 'ask for "engine": "research", or leave it out'
            raise Problem(422, "invalid", f"{name}: is for the engine 'research', not '{brought.name}'; {instead}")
        other = ".".join(REFERENCE[name])
        others = [(other, own.get(other)), *((f"config.{other}", one) for one in _said(body.config, REFERENCE[name]))]
        for where, said in others:
            if said not in (None, value):
                raise Problem(422, "invalid", f"{name}: says otherwise than {where}, which is the same; leave one out")


def _asked(kind: type[Settings], body: TaskBody) -> list[dict[str, object]]:
    """The settings that a request sets, layer by layer."""
    refuse_own(kind, body.config)
    layers: list[dict[str, object]] = []
    if body.tier is not None:
        layers.append({"tier": body.tier})
    layers += [*(nested(REFERENCE[name], value) for name, value in body.reference.items()), dict(body.config)]
    budget = {name: value for name, value in body.budget.model_dump().items() if value is not None}
    if budget:
        layers.append({"budget": budget})
    if body.unattended:
        layers.append({"questions": {"unattended": body.unattended}})
    return layers


def _said(config: Mapping[str, JsonValue], path: Sequence[str]) -> list[JsonValue]:
    """What a request says at a path of its settings, ``None`` too; nothing where it says nothing."""
    value: JsonValue = dict(config)
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return []
        value = value[name]
    return [value]


def _task(body: TaskBody) -> Task:
    try:
        task = Task(
            text=body.task, context=body.context, earlier=body.earlier, answer_schema=body.answer_schema,
            criteria=body.criteria,
        )  # fmt: skip
    except ValidationError as error:
        raise UsageError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None
    if task.answer_schema is not None:
        validator(task.answer_schema)
    return task
