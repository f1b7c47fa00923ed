"""Engines that are installed: found by entry points, and named in one clear line where one cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest
from kernel.shorten import SHORTEN
from kernel.world import World
from runtime.handlers import job

from aeon.assembly.multipass import PLUGIN
from aeon.assembly.plugin import Plugin
from aeon.assembly.registry import GROUP, Installed, installed, plugin, plugin_of
from aeon.assembly.runs import replay
from aeon.errors import AeonError, MissingExtraError, UnknownNameError, UsageError
from aeon.kernel.ports import Handlers
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.journal import Journal

pytestmark = pytest.mark.requirement("M1", "M4")


def handlers(services: object) -> Handlers:
    """No handlers: none of these engines runs."""
    return {}


SHORT = Plugin(SHORTEN, handlers)


@dataclass
class Point:
    """An entry point of a package."""

    name: str
    package: str
    value: str
    load: Callable[[], object]

    @property
    def dist(self) -> object:
        """The package that brings it."""
        return SimpleNamespace(name=self.package)


def brought(monkeypatch: pytest.MonkeyPatch, **packages: object) -> None:
    """Install packages of these names; each brings its engine as ``shorten``, or as it says itself."""

    def points(group: str) -> list[Point]:
        assert group == GROUP == "aeon.engines"
        return [point(package, it) for package, it in packages.items()]

    monkeypatch.setattr("aeon.assembly.registry.entry_points", points)


def others() -> list[Installed]:
    """The engines that are not Aeon's own."""
    return [one for one in installed() if one.source != "aeon-orchestrator"]


def point(package: str, what: object) -> Point:
    """The entry point of a package that brings this; an exception is raised on loading."""

    def load() -> object:
        if isinstance(what, BaseException):
            raise what
        return what

    return Point("shorten", package, f"{package}:PLUGIN", load)


def test_the_shipped_engine_is_there_and_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """With or without its version."""
    brought(monkeypatch, words=SHORT)
    names = [(one.name, one.source, one.problem) for one in installed()]
    own = [name for name, source, _ in names if source == "aeon-orchestrator"]
    assert (own[0], "research" in own) == ("multi-pass", True)
    assert names == [*((name, "aeon-orchestrator", "") for name in own), ("shorten", "words", "")]
    assert plugin("multi-pass") is plugin("multi-pass/6") is PLUGIN
    assert plugin("shorten") is plugin("shorten/1") is SHORT


def test_an_engine_that_is_not_installed_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says which engines there are."""
    brought(monkeypatch, words=SHORT)
    with pytest.raises(UnknownNameError) as caught:
        plugin("search/1")
    assert str(caught.value) == (
        "engine 'search' is not installed; "
        "installed are: auto, chain, contractive, ensemble, graph, loop, multi-pass, report, research, shorten, "
        "team, tutor; see: aeon engines"
    )


@pytest.mark.parametrize("name", ["shorten/2", "multi-pass/9"])
def test_an_engine_of_another_version_is_one_clear_line(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """It says which version is there, and what to install."""
    brought(monkeypatch, words=SHORT)
    word = name.partition("/")[0]
    package, there = ("words", 1) if word == "shorten" else ("aeon-orchestrator", 5)
    with pytest.raises(UsageError) as caught:
        plugin(name)
    assert str(caught.value) == (
        f"engine '{name}' is needed and '{word}/{there}' is installed: install the version of {package} that has it, "
        "or run the task again"
    )


def test_two_packages_with_one_name_are_both_named_and_neither_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """They cannot be told apart; whatever else is installed works."""
    brought(monkeypatch, words=SHORT, letters=replace(SHORT))
    problem = "2 packages bring an engine of this name: words, letters; uninstall all but one"
    assert [(one.name, one.plugin, one.problem) for one in others()] == [("shorten", None, problem)] * 2
    with pytest.raises(UsageError, match=f"^engine 'shorten' cannot be used: {problem}$"):
        plugin("shorten")
    assert plugin("multi-pass") is PLUGIN


def test_no_package_can_stand_in_for_the_shipped_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that takes its name is listed with its problem."""

    def points(group: str) -> list[Point]:
        return [Point("multi-pass", "impostor", "impostor:PLUGIN", lambda: PLUGIN)]

    monkeypatch.setattr("aeon.assembly.registry.entry_points", points)
    shipped, *_, other = installed()
    assert (shipped.source, shipped.plugin, shipped.problem) == ("aeon-orchestrator", PLUGIN, "")
    assert (other.source, other.plugin) == ("impostor", None)
    assert other.problem.startswith("2 packages bring an engine of this name: aeon-orchestrator, impostor; uninstall")
    assert plugin("multi-pass") is PLUGIN


def fails(error: BaseException, problem: str) -> Any:
    return pytest.param(error, problem, id=type(error).__name__)


@pytest.mark.parametrize(
    ("what", "problem"),
    [
        fails(ModuleNotFoundError("No module named 'words'"), "cannot be loaded: ModuleNotFoundError: No module"),
        fails(ZeroDivisionError("by zero"), "cannot be loaded: ZeroDivisionError: by zero"),
        fails(ImportError("cannot import\n  a name"), "cannot be loaded: ImportError: cannot import a name"),
        fails(MissingExtraError("words needs: pip install words[fast]"), "words needs: pip install"),
        fails(AttributeError("module 'words' has no attribute 'PLUGIN'"), "cannot be loaded: AttributeError: module"),
        pytest.param(SHORTEN, "words:PLUGIN is a Engine, not an aeon.Plugin", id="an engine"),
        pytest.param(None, "words:PLUGIN is a NoneType, not an aeon.Plugin", id="nothing"),
        pytest.param(PLUGIN, "words:PLUGIN holds the engine 'multi-pass' under another name", id="another name"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_listed_and_breaks_nothing_else(
    monkeypatch: pytest.MonkeyPatch, what: object, problem: str
) -> None:
    """Its problem is told to whoever asks for it, in one line."""
    brought(monkeypatch, words=what)
    listed = {one.name: one for one in installed()}
    assert listed["shorten"].plugin is None and listed["shorten"].problem.startswith(problem)
    with pytest.raises(UsageError, match=r"^engine 'shorten' cannot be used: ") as caught:
        plugin("shorten")
    assert "\n" not in str(caught.value)
    assert plugin("multi-pass") is PLUGIN


def test_a_journal_of_an_engine_that_is_not_installed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it is guessed; where the engine is passed along, it need not be installed."""
    brought(monkeypatch)
    journal = Journal()
    AsyncDriver(journal=lambda execution_id: journal).execute(job(World()))
    assert plugin_of(journal) is PLUGIN
    journal.opening = journal.opened.changed(engine="search/3")
    names = "auto, chain, contractive, ensemble, graph, loop, multi-pass, report, research, team, tutor"
    with pytest.raises(UnknownNameError, match=rf"^engine 'search' is not installed; installed are: {names};"):
        plugin_of(journal)
    with pytest.raises(AeonError, match=r"^engine 'search' is not installed"):
        replay(journal)
    assert replay(journal, PLUGIN.engine).stop_reason == "converged"
