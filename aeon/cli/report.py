"""``aeon report``: a report over documents and the web, in which each sentence cites what it rests on."""

from __future__ import annotations

import argparse
import json

from aeon.assembly.reports import items_of
from aeon.cli.pages import Page
from aeon.cli.run import run
from aeon.engines.report.logs import IterationLog
from aeon.engines.report.program import REPORT
from aeon.engines.report.record import Report
from aeon.errors import InputFileError, UsageError
from aeon.observability.lines import Line, Span, visible
from aeon.runtime.events import OnRecord
from aeon.schema import Conclusion
from aeon.settings.files import content
from aeon.tools.select import folder_specs, search_specs

__all__ = ["command"]

_WRONG_INPUT = 2


def command(options: argparse.Namespace) -> int:
    """Report before the user's eyes, and give the exit code that the end means.

    Raises:
        UsageError: nothing to report on is named, or an option, a setting or the query is wrong.
        InputFileError: a file cannot be read or written.
    """
    if options.tiers and options.config:
        raise UsageError("report: --tiers and --config name two files of settings; put source_tiers into one of them")
    options.config = options.tiers or options.config
    own: dict[str, object] = {"mode": options.mode} if options.mode else {}
    items = _items(options.items) if options.items else []
    _check_sources(options, items)
    own |= {"items": items} if items else {}
    own |= {"reasoning": {"enabled": False}} if options.plain else {}
    tools = [*folder_specs(options.files), *search_specs(options.search, options.allow)]
    files = _Files(options.out, options.logs)
    code = run(options, tools, own, files, [OnRecord(files.log)] if files.log else [])
    return _WRONG_INPUT if files.barred else code


def _check_sources(options: argparse.Namespace, items: list[dict[str, object]]) -> None:
    """Refuse a report on nothing.

    Raises:
        UsageError: says what to name.
    """
    if not any((options.files, options.search, items, options.bound)):
        empty = f"{options.items} holds no items; " if options.items else ""
        raise UsageError(f"report: {empty}name what to report on: --in FOLDER, --items FILE, or --search searxng=URL")


def _items(path: str) -> list[dict[str, object]]:
    """The items in a file.

    Raises:
        InputFileError: it cannot be read, or is no JSON.
        UsageError: it is no list of items; says which cannot be used.
    """
    try:
        listed: object = json.loads(content(path).decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise InputFileError(
            f"{path}: is no JSON; items are a JSON list of objects with url, name, description"
        ) from None
    if not isinstance(listed, list):
        raise UsageError(f"{path}: is no list of items, each with url, name, site and description")
    return [item.model_dump(mode="json", by_alias=True) for item in items_of(listed)]


class _Files:
    """Writes what is to be written of a report. ``barred``: there is none, since the mode takes none of the sources.

    ``log`` is to observe the run, where there is one.
    """

    def __init__(self, out: str | None, logs: str | None) -> None:
        self.barred = False
        self.log = IterationLog(logs) if logs else None
        self._logs = logs or ""
        self._page = Page(out, REPORT.name) if out else None

    def __call__(self, result: Conclusion, query: str) -> list[Line]:
        """Write the files, and say where they are.

        Raises:
            InputFileError: the report cannot be written.
        """
        assert isinstance(result, Report)
        self.barred = result.stop_reason == "no_valid_sources"
        lines = self._page(result, query) if self._page else []
        if self.log:
            problem = self.log.end(result)
            lines.append((Span("logs    ", "dim"), Span(visible(problem or self._logs), "warn" if problem else "")))
        return lines
