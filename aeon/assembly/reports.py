"""Reports in one call: `report`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from aeon.assembly.arguments import check_options
from aeon.assembly.build import build
from aeon.engines.report.config import ReportConfig
from aeon.engines.report.context import why_barred
from aeon.engines.report.items import Item
from aeon.engines.report.itemsearch import documents_of
from aeon.engines.report.logs import IterationLog
from aeon.engines.report.record import Report
from aeon.engines.report.tiers import ITEMS, MODES, Mode, ranked, usable
from aeon.errors import NoValidSourcesError, UsageError
from aeon.llm.adapter import LLMAdapter
from aeon.runtime.events import OnRecord
from aeon.schema import Task
from aeon.settings import load_config, with_overrides
from aeon.text import one_line
from aeon.tools.select import folder_specs, search_specs

__all__ = ["items_of", "report", "with_items"]


def report(  # noqa: PLR0913 - all but the first few are for the rare case, and given by name
    query: str | Task,
    items: Iterable[Mapping[str, object]] = (),
    sources: str | Path | Iterable[str | Path] = (),
    mode: Mode | None = None,
    tiers: str | Path | Mapping[str, object] | None = None,
    search: Iterable[str] = (),
    allow: Iterable[str] = (),
    logs: str | Path | None = None,
    llm: LLMAdapter | str | None = None,
    config: ReportConfig | None = None,
    **build_options: Any,  # noqa: ANN401 - what `build` takes
) -> Report:
    """Write a report on a query, in which each sentence cites what it rests on.

    ``items`` are documents with the keys ``url``, ``name``, ``site`` and ``description``. ``sources`` are folders and
    collection files to search; ``search`` are providers such as ``"searxng=http://127.0.0.1:8888"``,
    and ``allow`` addresses of the own network that pages may be fetched from. ``tiers`` is a
    file with the section ``source_tiers`` (and others of the configuration), or that section. ``logs`` is a folder for
    the iterations: what each agent was given and said, as the run goes, and a summary; what cannot be written there is
    a line on standard error.
    ``config`` stands before
    variables of the environment; ``build_options`` are those of `build`, such as ``journal`` or ``observers``.

    Raises:
        NoValidSourcesError: all sources are of tiers that the mode does not take; names what was dropped.
        UsageError: a mode, an item, a source, a provider, an option or a setting does not exist or cannot be used.
    """
    check_options("report", build_options, build, report)
    settings = with_items(_settings(config, mode, tiers), items)
    tools = [*folder_specs(sources), *search_specs(search, allow)]
    if not tools and not settings.items:
        raise UsageError("report: name what to report on: items, sources such as a folder, or a search")
    if not tools:
        _check_items(settings)
    log = None if logs is None else IterationLog(logs)
    if log is not None:
        build_options["observers"] = _with_log(build_options.get("observers", ()), log)
    result: Report = build(llm, tools, settings, engine="report", **build_options).execute(query)
    if log is not None and (problem := log.end(result)):
        print(problem, file=sys.stderr)  # noqa: T201 - the report is there, and somebody has to hear of it
    if result.stop_reason == "no_valid_sources":
        raise NoValidSourcesError("; ".join((result.detail, *(one.message for one in result.search_problems))))
    return result


def _with_log(observers: object, log: IterationLog) -> object:
    """The observers and the log; what are no observers, as they are: `build` says so."""
    return (*observers, OnRecord(log)) if isinstance(observers, Iterable) else observers


def items_of(items: Iterable[Mapping[str, object]]) -> tuple[Item, ...]:
    """The items as the configuration holds them.

    Raises:
        UsageError: one of them has no text or no name, or is no mapping; says which.
    """
    made: list[Item] = []
    if isinstance(items, Mapping | str) or not isinstance(items, Iterable):
        raise UsageError("items: pass a list of items, each with the keys url, name, site and description")
    for number, one in enumerate(items, 1):
        try:
            made.append(Item.model_validate(one))
        except ValidationError as error:
            fault = error.errors()[0]
            key = f"{'.'.join(map(str, fault['loc']))}: " if fault["loc"] else ""
            said = one_line(fault["msg"].removeprefix("Value error, "), 120)
            raise UsageError(f"items: number {number} cannot be used: {key}{said}") from None
    return tuple(made)


def with_items(config: ReportConfig, items: Iterable[Mapping[str, object]]) -> ReportConfig:
    """The configuration with these items beside its own. Raises as `items_of`."""
    return config.changed(items=(*config.items, *items_of(items)))


def _settings(
    config: ReportConfig | None, mode: Mode | None, tiers: str | Path | Mapping[str, object] | None
) -> ReportConfig:
    if mode is not None and mode not in MODES:
        raise UsageError(f"mode: {one_line(repr(mode), 40)} is none; there are {', '.join(MODES)}")
    if config is not None and isinstance(tiers, str | Path):
        raise UsageError("report: give the file of tiers or a config, not both: the file may set all of it")
    path = tiers if isinstance(tiers, str | Path) else None
    settings = config if config is not None else load_config(ReportConfig, path, {}, os.environ)
    chosen: dict[str, object] = {} if mode is None else {"mode": mode}
    chosen |= {"source_tiers": tiers} if isinstance(tiers, Mapping) else {}
    return with_overrides(settings, chosen) if chosen else settings


def _check_items(config: ReportConfig) -> None:
    """Refuse items of which the mode takes none, before anything is asked.

    Raises:
        NoValidSourcesError: names them.
    """
    every = [ranked(one, ITEMS, config.source_tiers) for one in documents_of(config.items)]
    if not any(usable(one.tier, config.mode, config.mode_configs) for one in every):
        raise NoValidSourcesError(why_barred(config, [f"{one.origin} ({one.words})" for one in every]))
