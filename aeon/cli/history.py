"""``aeon history``: a saved run of any engine, derived again from its journal without asking any model."""

from __future__ import annotations

import argparse
from typing import Literal

from aeon.assembly.registry import plugin_of, view_of
from aeon.assembly.roles import model_names
from aeon.assembly.views import trail
from aeon.cli.output import check_new, print_json
from aeon.cli.pages import Page
from aeon.cli.saved import how_continued, read
from aeon.engines.report.logs import write_logs
from aeon.engines.report.program import REPORT
from aeon.errors import InputFileError, UsageError
from aeon.observability.flowchart import to_mermaid
from aeon.observability.lines import Line, Span, counted, plain, visible
from aeon.observability.report import effect_lines, heading_lines
from aeon.observability.trail import Trail
from aeon.observability.view import View
from aeon.runtime.replay import replay
from aeon.schema import Conclusion, Frozen, JsonObject, Outcome, Task

__all__ = ["Recorded", "SoFar", "command"]


class Recorded(Frozen):
    """Effect ``number`` of a run and its outcome, ``None`` where there is none yet."""

    number: int
    phase: str
    subject: str
    outcome: Outcome | None
    altered: bool


class SoFar(Frozen):
    """A run that had not ended when it was saved, effect by effect."""

    execution_id: str
    engine: str
    task: Task | None
    ended: Literal[False] = False
    effects: tuple[Recorded, ...]

    @classmethod
    def of(cls, run: Trail) -> SoFar:
        """The run of this trail."""
        effects = [
            Recorded(
                number=done.number,
                phase=done.effect.phase,
                subject=done.effect.subject,
                outcome=done.outcome,
                altered=done.altered,
            )
            for batch in run.batches
            for done in batch
        ]
        return cls(execution_id=run.execution_id, engine=run.engine, task=run.task, effects=tuple(effects))


def command(options: argparse.Namespace) -> int:
    """Print the history that the journal in ``options.file`` determines; of a run that has not ended, its effects.

    Raises:
        UsageError: the run's engine is not installed in this version, or has no iterations to log, or no page.
        InputFileError: the iterations or the page cannot be written.
    """
    journal = read(options.file, options.durable)
    engine = plugin_of(journal).engine
    view = view_of(engine.name)
    run = trail(journal, engine)
    if options.logs:
        return _logged(run, options.logs)
    if options.format == "effects":
        print(plain(effect_lines(run, view.title, view.words)))
        return 0
    if options.format == "ndjson":
        print(view.trace(run), end="")
        return 0
    if run.result is None and journal.ended is None:
        return _so_far(run, view, options)
    result = replay(journal, engine)
    if options.out:
        return _written(options.out, result, run)
    match options.format:
        case "json":
            print_json(view.document(result))
        case "mermaid":
            print(view.flowchart(run))
        case _:
            print(plain([*_models(journal.setup), *view.report(run)]))
    return 0


def _written(path: str, result: Conclusion, run: Trail) -> int:
    """Write the page of a run that has ended, and say where it is."""
    page = Page(path, result.engine)
    check_new(path, "a page")
    print(plain(page(result, run.task.text if run.task is not None else "")))
    return 0


def _logged(run: Trail, directory: str) -> int:
    """Write the iterations of a report, also of one that has not ended, and say where they are."""
    if run.engine != REPORT.name:
        raise UsageError(f"history: --logs: the iterations are those of a report; this run is of {run.engine}")
    if problem := write_logs(directory, run):
        raise InputFileError(problem)
    print(plain([(Span("logs    "), Span(visible(directory)))]))
    return 0


def _models(setup: JsonObject) -> list[Line]:
    """Which model had which role, where any had one of its own."""
    names = model_names(setup)
    if not (names.keys() - {""}):
        return []
    said = ", ".join(f"{role or 'all others'} {visible(name)}" for role, name in sorted(names.items(), reverse=True))
    return [(Span(f"Models: {said}"),)]


def _so_far(run: Trail, view: View, options: argparse.Namespace) -> int:
    """Print what there is of a run that had not ended.

    Raises:
        UsageError: its page was asked for.
    """
    if options.out:
        raise UsageError("history: --out: the run had not ended when it was saved: continue it with aeon resume first")
    match options.format:
        case "json":
            print_json(SoFar.of(run))
        case "mermaid":
            print(to_mermaid(run))
        case _:
            print(plain([*heading_lines(run), *effect_lines(run, view.title, view.words), (), *_unended(run, options)]))
    return 0


def _unended(run: Trail, options: argparse.Namespace) -> list[Line]:
    done = sum(one.outcome is not None for batch in run.batches for one in batch)
    return [
        (Span(f"the run had not ended when it was saved: {counted(done, 'effect')} so far"),),
        (Span(how_continued(options.file, options.durable)),),
    ]
