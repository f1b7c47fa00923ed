"""``aeon engines``: the installed engines, where they come from, and why one cannot be used."""

from __future__ import annotations

import argparse

from pydantic import RootModel

from aeon.assembly.registry import Installed, installed
from aeon.cli.output import print_json
from aeon.observability.lines import short, visible
from aeon.schema import Frozen

__all__ = ["command"]

_WIDEST = 200


class _Engine(Frozen):
    name: str
    source: str
    usable: bool
    problem: str


class _Engines(RootModel[tuple[_Engine, ...]]):
    pass


def command(options: argparse.Namespace) -> int:
    """List the engines, one a line, or as JSON."""
    engines = tuple(_listed(one) for one in installed())
    if options.json:
        print_json(_Engines(engines))
        return 0
    name, source = (max(len(getattr(one, column)) for one in engines) for column in ("name", "source"))
    for one in engines:
        state = "usable" if one.usable else f"cannot be used: {one.problem}"
        print(f"{one.name:<{name}}  {one.source:<{source}}  {state}")
    return 0


def _listed(one: Installed) -> _Engine:
    name = one.plugin.engine.name if one.plugin is not None else one.name
    problem = short(one.problem, _WIDEST)
    return _Engine(name=visible(name), source=visible(one.source), usable=one.plugin is not None, problem=problem)
