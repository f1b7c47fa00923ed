"""``aeon history``: a saved run, derived again from its journal without asking any model."""

from __future__ import annotations

import argparse

from aeon.cli.output import print_json
from aeon.observability.mermaid import to_mermaid
from aeon.observability.text import to_text
from aeon.runtime.journal import Journal
from aeon.runtime.replay import replay

__all__ = ["command"]


def command(options: argparse.Namespace) -> int:
    """Print the history that the journal in ``options.file`` determines."""
    history = replay(Journal.read(options.file)).history
    match options.format:
        case "json":
            print_json(history)
        case "mermaid":
            print(to_mermaid(history))
        case _:
            print(to_text(history))
    return 0
