"""The engines that are installed: the shipped ones, and those that packages bring under ``aeon.engines``.

Each is loaded when it is named, or when all of them are asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple

from aeon.assembly.plugin import AnyPlugin, Plugin
from aeon.engines.ensemble.members import COMBINING
from aeon.errors import AeonError, UnknownNameError, UsageError
from aeon.observability.view import GENERIC, View
from aeon.runtime.journal import Journal
from aeon.runtime.replay import AnyEngine
from aeon.text import one_line

__all__ = ["GROUP", "Installed", "installed", "plugin", "plugin_of", "shipped", "view_of"]

GROUP = "aeon.engines"
_OWN = "aeon-orchestrator"
_SHIPPED = {
    "multi-pass": "aeon.assembly.multipass:PLUGIN",
    "research": "aeon.assembly.research:PLUGIN",
    "report": "aeon.assembly.report:PLUGIN",
    "graph": "aeon.assembly.graph:PLUGIN",
    "loop": "aeon.assembly.graph:LOOP_PLUGIN",
    "contractive": "aeon.assembly.contractive:PLUGIN",
    "tutor": "aeon.assembly.tutor:PLUGIN",
}
"""Where the plugins of the shipped engines are, by the engines' names."""


class Installed(NamedTuple):
    """An engine by name, with where it comes from; ``problem`` says why it cannot be used, if it cannot."""

    name: str
    source: str
    plugin: AnyPlugin | None
    problem: str = ""


def installed() -> tuple[Installed, ...]:
    """Every engine, the shipped ones first, the others by name. Two of one name cannot be told apart: neither works.

    Those that run other engines are made of all of these that can be used.
    """
    shipped = [Installed(name, _OWN, _shipped(name)) for name in _SHIPPED]
    loaded = [_loaded(point) for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)]
    taken = [*shipped, *(Installed(name, _OWN, None) for name in COMBINING), *loaded]
    others = [_unless_ambiguous(one, taken) for one in loaded]
    members = {one.name: one.plugin for one in (*shipped, *others) if one.plugin is not None}
    return (*shipped, *(Installed(one.name, _OWN, one) for one in _combining(members)), *others)


def shipped() -> tuple[AnyEngine, ...]:
    """The engines of this package; those that run others are made of these alone, whatever else is installed."""
    single = {name: _shipped(name) for name in _SHIPPED}
    return tuple(one.engine for one in (*single.values(), *_combining(single)))


def _shipped(name: str) -> AnyPlugin:
    """The shipped engine of that name, loaded on first use."""
    module, _, attribute = _SHIPPED[name].partition(":")
    one: AnyPlugin = getattr(importlib.import_module(module), attribute)
    return one


def _combining(members: Mapping[str, AnyPlugin]) -> tuple[AnyPlugin, ...]:
    """The engines that run these."""
    made: tuple[AnyPlugin, ...] = importlib.import_module("aeon.assembly.combining").plugins(members)
    return made


def _unless_ambiguous(one: Installed, every: list[Installed]) -> Installed:
    """The engine; without its plugin if others have its name."""
    sources = [other.source for other in every if other.name == one.name]
    if len(sources) == 1:
        return one
    problem = f"{len(sources)} packages bring an engine of this name: {', '.join(sources)}; uninstall all but one"
    return one._replace(plugin=None, problem=problem)


def _loaded(point: EntryPoint) -> Installed:
    source = point.dist.name if point.dist is not None else point.value
    try:
        loaded: object = point.load()
    except AeonError as error:
        return Installed(point.name, source, None, str(error))
    except Exception as error:  # noqa: BLE001 - another package's import may raise anything: it is named, not raised
        text = " ".join(str(error).split())
        return Installed(point.name, source, None, f"cannot be loaded: {type(error).__name__}: {text}")
    if not isinstance(loaded, Plugin):
        return Installed(point.name, source, None, f"{point.value} is a {type(loaded).__name__}, not an aeon.Plugin")
    if loaded.name != point.name:
        return Installed(point.name, source, None, f"{point.value} holds the engine '{loaded.name}' under another name")
    return Installed(point.name, source, loaded)


def plugin(name: str) -> AnyPlugin:
    """The engine of that name, with or without its version.

    Raises:
        UnknownNameError: none of that name is installed; names those that are.
        UsageError: it cannot be used, or another version of it is installed; or it is no name.
    """
    if not isinstance(name, str):
        raise UsageError(f"engine: pass an engine's name or a Plugin, not {one_line(repr(name), 60)}")
    word, _, version = name.partition("/")
    choice = _chosen(word)
    if choice.plugin is None:
        raise UsageError(f"engine '{word}' cannot be used: {choice.problem}")
    if version and choice.plugin.engine.name != name:
        raise UsageError(
            f"engine '{name}' is needed and '{choice.plugin.engine.name}' is installed: "
            f"install the version of {choice.source} that has it, or run the task again"
        )
    return choice.plugin


def _chosen(word: str) -> Installed:
    """The engine of that name; a shipped one without a look at what is installed."""
    if word in _SHIPPED:
        return Installed(word, _OWN, _shipped(word))
    every = installed()
    choice = next((one for one in every if one.name == word), None)
    if choice is None:
        names = ", ".join(sorted({one.name for one in every}))
        raise UnknownNameError(f"engine '{word}' is not installed; installed are: {names}; see: aeon engines")
    return choice


def plugin_of(journal: Journal) -> AnyPlugin:
    """The engine that the run of a journal was made by. Raises as `plugin`."""
    return plugin(journal.opened.engine)


def view_of(engine: str) -> View:
    """The view of the engine of this name and version; the generic one where none of its own can be had."""
    try:
        return plugin(engine).view
    except UsageError:
        return GENERIC
