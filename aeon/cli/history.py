"""``aeon history``: a saved run, derived again from its journal without asking any model."""

from __future__ import annotations

import argparse

from aeon.cli.effects import to_effects
from aeon.cli.output import print_json
from aeon.cli.saved import read
from aeon.observability.mermaid import to_mermaid
from aeon.observability.text import to_text
from aeon.runtime.replay import replay

__all__ = ["command"]


def command(options: argparse.Namespace) -> int:
    """Print the history that the journal in ``options.file`` determines; its effects also where it has not ended."""
    journal = read(options.file)
    match options.format:
        case "effects":
            print(to_effects(journal))
        case "json":
            print_json(replay(journal).history)
        case "mermaid":
            print(to_mermaid(replay(journal).history))
        case _:
            print(to_text(replay(journal).history))
    return 0
