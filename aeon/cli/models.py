"""``aeon models``: which models Aeon can fetch, where they lie, and the fetching."""

from __future__ import annotations

import argparse

from pydantic import RootModel

from aeon.cli.output import print_json, remark
from aeon.cli.progress import fetch
from aeon.errors import ChecksumMismatch, UsageError
from aeon.llm.catalogue import CATALOGUE, DEFAULT_MODEL, CatalogueEntry, lookup
from aeon.llm.weights import find, path_of
from aeon.schema import Frozen

__all__ = ["command"]


class _Model(Frozen):
    name: str
    title: str
    bytes: int
    licence: str
    state: str
    path: str
    default: bool


class _Models(RootModel[tuple[_Model, ...]]):
    pass


def command(options: argparse.Namespace) -> int:
    """List the catalogue, fetch a model, or print where it lies."""
    if options.action == "list":
        if options.name:
            raise UsageError(f"models: list takes no name; to fetch a model: aeon models pull {options.name}")
        return _list(options.json)
    if not options.name:
        raise UsageError(f"models: {options.action} needs a name: {', '.join(CATALOGUE)}")
    return _path(lookup(options.name), options)


def _list(as_json: bool) -> int:
    if as_json:
        print_json(_Models(tuple(map(_listed, CATALOGUE.values()))))
        return 0
    margin = max(map(len, CATALOGUE))
    for entry in CATALOGUE.values():
        default = "  (default)" if entry.name == DEFAULT_MODEL else ""
        size = f"{entry.size / 1e6:,.0f} MB"
        print(f"{entry.name:<{margin}}  {size:>8}  {entry.licence:<10}  {_state(entry):<12}  {entry.title}{default}")
    return 0


def _listed(entry: CatalogueEntry) -> _Model:
    return _Model(
        name=entry.name, title=entry.title, bytes=entry.size, licence=entry.licence, state=_state(entry),
        path=str(path_of(entry)), default=entry.name == DEFAULT_MODEL,
    )  # fmt: skip


def _state(entry: CatalogueEntry) -> str:
    try:
        return "cached" if find(entry) else "not cached"
    except ChecksumMismatch:
        return "damaged"


def _path(entry: CatalogueEntry, options: argparse.Namespace) -> int:
    path = fetch(entry, options.quiet) if options.action == "pull" else find(entry)
    if path is None:
        there = f"{entry.name} is not at {path_of(entry)} yet"
        remark(f"{there}; fetch it: aeon models pull {entry.name}")
        return 1
    if options.json:
        print_json(_listed(entry))
    else:
        print(path)
    return 0
