"""Orchestrators ready to run, and runs ready to be resumed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, overload

from aeon.asking.answers import no_option, options_of
from aeon.asking.asker import Answerer, Asker
from aeon.assembly.arguments import check_callables, check_instructions
from aeon.assembly.costs import Costs
from aeon.assembly.front import Front
from aeon.assembly.models import check_models, check_prices, models_of, priced
from aeon.assembly.multipass import PLUGIN
from aeon.assembly.plugin import AnyPlugin, Plugin, Services
from aeon.assembly.registry import plugin, plugin_of
from aeon.assembly.roles import Cast, cast_of, check_names, fitted, handlers_of, recast
from aeon.assembly.setup import (
    Trust,
    continued_on,
    reach,
    recorded_model,
    recorded_roles,
    recorded_tools,
    setup_of,
    updated,
)
from aeon.documents.extras import library
from aeon.documents.folders import Paths
from aeon.errors import UsageError
from aeon.kernel.ports import Handlers, Job
from aeon.kernel.table import PassSignals
from aeon.llm.adapter import LLMAdapter
from aeon.llm.nobody import Nobody
from aeon.llm.select import select
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import Observer
from aeon.runtime.journal import Journal
from aeon.runtime.replay import drop_after, resume_point
from aeon.schema import Config, JsonObject, Question, Result, Settings, Task
from aeon.settings import with_variables
from aeon.supervisor.valid import validator
from aeon.text import one_line
from aeon.tools.choose import choose
from aeon.tools.dates import dates
from aeon.tools.files import Files
from aeon.tools.mcp.servers import Servers, start_seconds_of
from aeon.tools.registry import ToolRegistry
from aeon.tools.select import Given, connected, folder_specs, listed, opened, resolve, seconds_read, server_specs
from aeon.tools.tool import Tool

__all__ = ["Resumption", "Unattended", "assemble", "build", "resume", "resumption"]

Unattended: TypeAlias = Literal["assume", "suspend"] | None
"""What becomes of questions that nobody is there to answer; ``None``: what the configuration says."""


def _in_memory(execution_id: str) -> Journal:
    return Journal()


@overload
def build(
    llm: LLMAdapter | str | None = None,
    tools: Iterable[Given] = ("calculator",),
    config: Config | None = None,
    observers: Iterable[Observer] = (),
    journal: Callable[[str], Journal] = ...,
    ask: Answerer | None = None,
    spec: str | None = None,
    engine: None = None,
    files: Paths = (),
    mcp: str | Iterable[str] = (),
    roles: Mapping[str, str] | None = None,
    durable: str | None = None,
    run: str | None = None,
    instructions: str = "",
) -> Front[Config, PassSignals, Result]: ...


@overload
def build(
    llm: LLMAdapter | str | None = None,
    tools: Iterable[Given] = ("calculator",),
    config: Settings | None = None,
    observers: Iterable[Observer] = (),
    journal: Callable[[str], Journal] = ...,
    ask: Answerer | None = None,
    spec: str | None = None,
    engine: AnyPlugin | str = ...,
    files: Paths = (),
    mcp: str | Iterable[str] = (),
    roles: Mapping[str, str] | None = None,
    durable: str | None = None,
    run: str | None = None,
    instructions: str = "",
) -> Front[Any, Any, Any]: ...


def build(  # noqa: PLR0913 - all but the first few are for the rare case, and given by name
    llm: LLMAdapter | str | None = None,
    tools: Iterable[Given] = ("calculator",),
    config: Settings | None = None,
    observers: Iterable[Observer] = (),
    journal: Callable[[str], Journal] = _in_memory,
    ask: Answerer | None = None,
    spec: str | None = None,
    engine: AnyPlugin | str | None = None,
    files: Paths = (),
    mcp: str | Iterable[str] = (),
    roles: Mapping[str, str] | None = None,
    durable: str | None = None,
    run: str | None = None,
    instructions: str = "",
) -> Front[Any, Any, Any]:
    """An orchestrator, ready to run tasks; without arguments, on the embedded model with the calculator.

    ``llm`` is an adapter, a catalogue name, a path to a GGUF file or the URL of an OpenAI-compatible endpoint; without
    it the environment decides. ``tools`` are tools made with ``@tool``, or names such as ``"files=DIR"``. ``journal``
    makes the journal of a run from its execution id. ``ask`` answers the questions of a run; without it
    ``config.questions.unattended`` says what becomes of them. ``spec`` is what an adapter was selected by: kept in the
    journal, so that the run can be resumed on the same model. ``engine`` is the name of an installed engine or a
    plugin; without it, the multi-pass engine. ``files`` is a folder to answer from, or several; it is the same as
    ``"files=DIR"`` among the tools. ``mcp`` is an MCP server whose tools the run gets, or several: a command such as
    ``"npx some-server"``, or an address; it is started now, and ends with the orchestrator. ``roles`` gives roles a
    model of their own, as in ``{"verifier": "http://127.0.0.1:8080/v1#judge"}``. ``durable`` is a database, such as
    ``"sqlite"``, that keeps the runs; ``run`` names the one that is begun, or taken up again.
    ``instructions`` stand in every prompt. Without a ``config`` the variables count that the engine's settings name.

    Raises:
        UsageError: a model, tool, folder, engine or setting that does not exist or cannot be used.
        MissingExtraError, InputFileError: a model on this machine lacks llama.cpp or its file; nothing was fetched yet.
        ToolFailed: an MCP server cannot be reached, or does not answer.
    """
    observers = check_callables(observers, journal, ask)
    brought: AnyPlugin = engine if isinstance(engine, Plugin) else PLUGIN if engine is None else plugin(engine)
    settings = _settings(config, brought, roles or {}, instructions)
    chosen: Sequence[Given] = _chosen(brought, tools, files, mcp)
    adapter = Nobody() if settings.model_tier == "T0" else select(llm)
    settings = fitted(brought, settings, adapter)
    cast = cast_of(settings, adapter, select)
    settings = priced(settings, adapter, brought, cast)
    check_models(brought, settings, models_of(settings, adapter, brought, cast))
    given, chosen, costs = chosen, opened(chosen), Costs(adapter, brought.engine.name, settings)
    setup = setup_of(adapter, llm if isinstance(llm, str) else spec, given, cast, chosen) | costs.setup()
    handlers = assemble(adapter, chosen, settings, ask, plugin=brought, cast=cast)
    made = (adapter, setup, chosen, brought, [*cast.models.values()])
    driver = _charged(_driver(durable, run, journal, made, observers, ask, costs), chosen)
    return Front(brought.engine, handlers, driver, settings)


def _settings(config: Settings | None, brought: AnyPlugin, roles: Mapping[str, str], instructions: str) -> Settings:
    """The settings that are given, else the engine's own with the variables that these name; with models for roles.

    ``instructions`` stand behind those of the settings.
    """
    settings: Settings = config if config is not None else with_variables(brought.engine.config(), os.environ)
    _check_config(settings, brought)
    if instructions:
        settings = settings.changed(instructions="\n\n".join(filter(None, (settings.instructions, instructions))))
    check_instructions(settings)
    check_names(roles)
    return settings.changed(roles=settings.roles.changed(**roles)) if roles else settings


def _driver(
    url: str | None,
    run: str | None,
    journal: Callable[[str], Journal],
    made: tuple[LLMAdapter, JsonObject, Sequence[Given], AnyPlugin, Sequence[LLMAdapter]],
    observers: Iterable[Observer],
    ask: Answerer | None,
    costs: Costs,
) -> AsyncDriver:
    """What drives the runs, in this process alone or in the database at ``url``.

    The latter is of a layer above, and of an extra: it is loaded where somebody asks for it.
    """
    adapter, setup, chosen, brought, others = made
    if url is None:
        if run is not None:
            raise UsageError("run: names a run in a database; name that with durable, as in durable='sqlite'")
        return AsyncDriver(observers, journal, setup=setup, admit=_admit, took=costs.note)
    if journal is not _in_memory:
        raise UsageError("journal: with durable, the database keeps it; leave one of them out")
    purpose = "build(durable=…)"
    library("dbos", "durable", purpose)
    driving, parts = (library(f"aeon.durable.{name}", "durable", purpose) for name in ("driving", "equipment"))
    has = parts.Equipment(adapter, recorded_model(setup), chosen, [brought], others=others)
    driver: AsyncDriver = driving.DurableDriver(driving.Place(url, run), has, observers, ask, setup, _admit)
    return driver


def _chosen(plugin: AnyPlugin, tools: Iterable[Given], files: Paths, mcp: str | Iterable[str]) -> tuple[Given, ...]:
    """The tools of the runs, with those for folders and of MCP servers."""
    given = (*folder_specs(files), *server_specs(mcp))
    if given and not plugin.reads:
        raise UsageError(f"files: the engine '{plugin.name}' uses the task and its context alone; leave them out")
    return (*listed(tools), *given)


def _admit(task: Task) -> None:
    """Refuse what is no task, and one whose answer could be held against no schema. Raises ``UsageError``."""
    if not isinstance(task, Task):
        raise UsageError(f"the task is a text or a Task, not {one_line(repr(task), 60)}")
    if task.answer_schema is not None:
        validator(task.answer_schema)


def assemble(
    adapter: LLMAdapter,
    tools: Iterable[Given],
    config: Settings,
    ask: Answerer | None = None,
    unattended: Unattended = None,
    plugin: AnyPlugin = PLUGIN,
    models: Callable[[str], LLMAdapter] = select,
    cast: Cast | None = None,
) -> Handlers:
    """The handlers of an engine, each under the name of the phase that it answers.

    ``models`` gives those that the configuration names; ``cast`` are those of roles, without it as configured.

    Raises:
        UsageError: a tool, a model of the configuration or a calibration that does not exist or cannot be used; a
            configuration that is none of the engine's; nothing of what the engine needs; or an effect without a
            handler.
    """
    _check_config(config, plugin)
    given = connected(opened(tools), partial(Servers.open, start=start_seconds_of(os.environ, config.budget.seconds)))
    resolved = resolve(given)
    there = {tool.name for tool in resolved}
    own = [tool for tool in _own_tools() if tool.name not in there]
    registry = ToolRegistry([*resolved, *own], output_bytes=config.tool_output_bytes)
    if missing := plugin.lacks(config, registry):
        raise UsageError(f"the engine '{plugin.name}' needs {missing}")
    asker = Asker(ask, unattended or config.questions.unattended)
    loop = ToolRegistry(resolve(given, "tools", config.tool_output_bytes), output_bytes=config.tool_output_bytes)
    services = Services.of(config, adapter, registry, models, loop)
    handlers = {"ask": asker.ask, **handlers_of(plugin, services, cast or cast_of(config, adapter, models))}
    plugin.engine.check(handlers)
    return handlers


def _check_config(config: Settings, plugin: AnyPlugin) -> None:
    if not isinstance(config, plugin.engine.config):
        expected = plugin.engine.config.__name__
        raise UsageError(f"engine '{plugin.engine.name}' is configured by {expected}, not {type(config).__name__}")


@cache
def _own_tools() -> tuple[Tool, ...]:
    """What programs may say though no prompt names it; made once, since a schema takes its time to check."""
    return tuple(replace(tool, offered=False) for tool in (choose(), *dates()))


class Resumption(NamedTuple):
    """A run that can be continued. ``model`` answers it; ``question`` is what it waits for, if it waits.

    ``changes`` says in a sentence each which roles have another model than before.
    """

    driver: AsyncDriver
    job: Job[Any, Any, Any]
    model: LLMAdapter
    question: Question | None
    changes: tuple[str, ...] = ()

    def execute(self) -> Any:  # noqa: ANN401 - the result of the run's engine
        """Continue the run to its end; recorded effects are not issued again."""
        return self.driver.execute(self.job)


def resumption(  # noqa: PLR0913 - all but the first few are for the rare case, and given by name
    journal: Journal,
    llm: LLMAdapter | str | None = None,
    tools: Iterable[Given] | None = None,
    observers: Iterable[Observer] = (),
    ask: Answerer | None = None,
    answer: str | None = None,
    unattended: Unattended = None,
    engine: AnyPlugin | None = None,
    spec: str | None = None,
    trust: Trust | None = None,
    roles: Mapping[str, str] | None = None,
) -> Resumption:
    """What it takes to continue the run of a journal, from `Journal.reopen`, or in memory.

    Model and tools are those of the run unless others are given; tools that were passed as objects must be passed
    again. ``answer`` answers the question that the run waits for. ``unattended`` says what becomes of others that
    nobody answers, this time; the run's configuration stays as it is. ``engine`` is the plugin of the run's engine;
    without it, the installed one that the journal names. ``spec`` is what an adapter was selected by; another model or
    other tools are noted in the journal. ``trust`` says which endpoints the journal may name beside those that the
    environment names. ``roles`` gives roles another model than they had.

    Raises:
        UsageError: an answer to no question, tools that only the caller has, an engine that is not installed, a
            model without a price where those of the run have one, or an endpoint that only the journal names.
        Divergence: the journal is of another program or version.
    """
    brought = engine if engine is not None else plugin_of(journal)
    point = resume_point(journal, brought.engine)
    if answer is not None:
        _check_answer(answer, point.question)
    opening, setup, others = journal.opened, journal.setup, roles or {}
    trust = trust or Trust.of(journal)
    reach(journal, brought, trust, llm is not None, tools is not None, others).refuse()
    config = journal.config(brought.engine.config)
    adapter, spec = (Nobody(), spec) if config.model_tier == "T0" else continued_on(trust, setup, llm, spec)
    used = recast(recorded_roles(setup, config.roles), others, config.roles)
    own = trust.naming(others.values())
    cast = cast_of(config, adapter, own.select, used)
    check_prices(brought, config, (adapter, *cast.models.values()))
    if point.void is not None:
        check_models(brought, config, (adapter, *cast.models.values()))
    chosen = recorded_tools(setup) if tools is None else listed(tools)
    given = opened(chosen, lambda paths: Files.for_run(paths, config.budget.seconds))
    handlers = assemble(adapter, given, config, _first(answer, ask), unattended, brought, own.select, cast)
    drop_after(journal, point, updated(setup, adapter, spec, chosen, cast))
    costs = Costs(adapter, brought.engine.name, config)
    driver = _charged(AsyncDriver(observers, lambda execution_id: journal, took=costs.note), given)
    job = Job(brought.engine, opening.task, journal.first_config(brought.engine.config), handlers)
    return Resumption(driver, job, adapter, point.question, tuple(cast.changes(setup)))


def _charged(driver: AsyncDriver, given: Iterable[Given]) -> AsyncDriver:
    """The driver, whose next run is charged with what reading these files took, if that was done for one run."""
    driver.charge(seconds_read(given))
    return driver


def _check_answer(answer: str, question: Question | None) -> None:
    if question is None:
        raise UsageError("the run waits for no answer: nothing was asked; leave the answer out")
    if other := no_option(question, answer):
        raise UsageError(f"answer: {other} is none of the options, which are: {options_of(question)}")


def resume(  # noqa: PLR0913 - all but the first few are for the rare case, and given by name
    path: Path | str,
    llm: LLMAdapter | str | None = None,
    tools: Iterable[Given] | None = None,
    observers: Iterable[Observer] = (),
    ask: Answerer | None = None,
    answer: str | None = None,
    unattended: Unattended = None,
    engine: AnyPlugin | None = None,
    trust: Iterable[str] = (),
    roles: Mapping[str, str] | None = None,
) -> Any:  # noqa: ANN401 - the result of the run's engine
    """Continue a saved run, after a question, an interrupt, a crash or a fork; see `resumption`.

    ``trust`` are addresses of endpoints, such as ``"https://api.example.com/v1"``, that the journal may name: without
    it only those that the environment names are used, and get a key.

    Raises:
        InputFileError: the file is no journal of this version, or another process is continuing it.
        JournalError: it is damaged.
        UsageError: as for `resumption`.
    """
    journal = Journal.reopen(path)
    try:
        trusted = Trust.of(journal, trust)
        resumed = resumption(
            journal, llm, tools, observers, ask, answer, unattended, engine, trust=trusted, roles=roles
        )
        return resumed.execute()
    finally:
        journal.close()


def _first(answer: str | None, ask: Answerer | None) -> Answerer | None:
    """Answers the first question with ``answer``, if there is one, and the others as ``ask`` does."""
    if answer is None:
        return ask
    left = [answer]

    async def answerer(question: Question) -> str | None:
        return left.pop() if left else await Asker(ask).said(question)

    return answerer
