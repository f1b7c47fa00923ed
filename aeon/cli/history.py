"""``aeon history``: a saved run of any engine, derived again from its journal without asking any model."""

from __future__ import annotations

import argparse

from aeon.assembly.registry import plugin_of
from aeon.assembly.views import trail
from aeon.cli.output import print_json
from aeon.cli.saved import read
from aeon.observability.lines import plain
from aeon.observability.report import effect_lines
from aeon.observability.views import view_of
from aeon.runtime.replay import replay

__all__ = ["command"]


def command(options: argparse.Namespace) -> int:
    """Print the history that the journal in ``options.file`` determines; its effects also where it has not ended.

    Raises:
        UsageError: the run's engine is not installed in this version.
    """
    journal = read(options.file)
    engine = plugin_of(journal).engine
    view = view_of(engine.name)
    if options.format == "effects":
        print(plain(effect_lines(trail(journal, engine), view.title, view.words)))
        return 0
    result = replay(journal, engine)
    match options.format:
        case "json":
            print_json(view.document(result))
        case "mermaid":
            print(view.flowchart(trail(journal, engine)))
        case _:
            print(plain(view.report(trail(journal, engine))))
    return 0
