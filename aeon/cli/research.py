"""``aeon research``: a question over documents and the web, answered with citations."""

from __future__ import annotations

import argparse

from aeon.cli.pages import Page
from aeon.cli.run import run
from aeon.engines.research.program import RESEARCH
from aeon.errors import UsageError
from aeon.observability.lines import Line
from aeon.schema import Conclusion
from aeon.tools.select import folder_specs, search_specs

__all__ = ["command"]


def command(options: argparse.Namespace) -> int:
    """Research the question before the user's eyes, and give the exit code that the end means.

    Raises:
        UsageError: no place to search is named, or an option, a setting or the question is wrong.
        InputFileError: a file cannot be read or written.
    """
    if not options.files and not options.search and not options.bound:
        raise UsageError("research: name where to search: --in FOLDER, or --search searxng=http://127.0.0.1:8888")
    chosen = {"tier": options.tier, "check": False if options.no_check else None}
    own = {name: value for name, value in chosen.items() if value is not None}
    tools = [*folder_specs(options.files), *search_specs(options.search, options.allow)]
    return run(options, tools, own, Page(options.out, RESEARCH.name) if options.out else _nothing)


def _nothing(result: Conclusion, question: str) -> list[Line]:
    return []
