"""``aeon models``: which models Aeon can fetch, where they lie, and the fetching."""

from __future__ import annotations

import argparse

from aeon.cli.output import remark
from aeon.cli.progress import fetch
from aeon.errors import ChecksumMismatch, UsageError
from aeon.llm.catalogue import CATALOGUE, DEFAULT_MODEL, CatalogueEntry, lookup
from aeon.llm.weights import find, path_of

__all__ = ["command"]


def command(options: argparse.Namespace) -> int:
    """List the catalogue, fetch a model, or print where it lies."""
    if options.action == "list":
        if options.name:
            raise UsageError(f"models: list takes no name; to fetch a model: aeon models pull {options.name}")
        return _list()
    if not options.name:
        raise UsageError(f"models: {options.action} needs a name: {', '.join(CATALOGUE)}")
    return _path(lookup(options.name), options.action == "pull")


def _list() -> int:
    margin = max(map(len, CATALOGUE))
    for entry in CATALOGUE.values():
        default = "  (default)" if entry.name == DEFAULT_MODEL else ""
        size = f"{entry.size / 1e6:,.0f} MB"
        print(f"{entry.name:<{margin}}  {size:>8}  {entry.licence:<10}  {_state(entry):<12}  {entry.title}{default}")
    return 0


def _state(entry: CatalogueEntry) -> str:
    try:
        return "cached" if find(entry) else "not cached"
    except ChecksumMismatch:
        return "damaged"


def _path(entry: CatalogueEntry, fetching: bool) -> int:
    path = fetch(entry) if fetching else find(entry)
    if path is None:
        there = f"{entry.name} is not at {path_of(entry)} yet"
        remark(f"{there}; fetch it: aeon models pull {entry.name}")
        return 1
    print(path)
    return 0
