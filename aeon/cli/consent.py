"""Asks before a saved run goes to an endpoint that only its journal names."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace
from functools import partial

from aeon.assembly.registry import plugin_of
from aeon.assembly.roles import named
from aeon.assembly.setup import Reach, Trust, reach
from aeon.observability.lines import visible
from aeon.runtime.journal import Journal

__all__ = ["agreed"]

_URL = re.compile(r"=\s*[\"']?(https?://[^\"'#\s]+)")


def agreed(journal: Journal, options: argparse.Namespace) -> Trust:
    """The endpoints that the run of this journal may use; asks at the terminal about one that nobody else names.

    Raises:
        UsageError: nobody can be asked, or the answer is no.
    """
    urls = [url for text in getattr(options, "set", []) for url in _URL.findall(text)]
    trust = Trust.of(journal, [*options.trust, *urls], servers=options.mcp)
    others = named(options.roles)
    there = reach(journal, plugin_of(journal), trust, options.model is not None, options.tools is not None, others)
    if not there:
        return trust
    if options.json or options.quiet or not (sys.stdin.isatty() and sys.stderr.isatty()) or not _asked(there):
        there.refuse()
    return replace(trust, allowed=frozenset((*there.addresses, *there.servers)))


def _asked(there: Reach) -> bool:
    """Show where the run would go, and ask whether that is meant."""
    tell = partial(print, file=sys.stderr)
    tell("Only the journal names these, and anybody can have written it:")
    lines = [f"endpoint {one}" for one in there.addresses]
    lines += [f"folder   {one} (the endpoint sees what is in it)" for one in there.folders]
    lines += [f"server   {one} (it may do what its program does)" for one in there.servers]
    tell("\n".join(f"  {visible(line)}" for line in lines))
    if there.addresses:
        tell("Your key is not sent there; it is with --trust URL.")
    tell("Continue the run there? [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().casefold() in ("y", "yes")
