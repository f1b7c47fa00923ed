"""``aeon serve``: runs over HTTP, with a window for the browser."""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType

from aeon.cli.output import remark
from aeon.cli.progress import fetch
from aeon.cli.run import TOOLS
from aeon.documents.extras import library
from aeon.errors import UsageError
from aeon.home import data_dir
from aeon.llm.adapter import LLMAdapter
from aeon.llm.catalogue import CATALOGUE
from aeon.llm.local import Local
from aeon.llm.select import select
from aeon.schema import Config
from aeon.settings import load_config
from aeon.tools.select import opened

__all__ = ["command"]


def command(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C.

    Raises:
        UsageError: an option is wrong, or the address cannot be used.
        InputFileError: a folder or a file of tokens cannot be used.
        MissingExtraError: the extra ``server`` is not installed.
        WeightsError: the embedded model had to be fetched and could not be.
    """
    serving = _module("serving")
    if not options.token_file and not serving.is_loopback(options.host):
        raise UsageError(f"serve: --host {options.host} lets other machines in; name who may with --token-file FILE")
    tokens = _module("tokens").Tokens.read(options.token_file) if options.token_file else None
    load_config(Config, options.config, None, os.environ)
    model = select(options.model)
    equipment = _module("equipment").Equipment(
        model,
        options.model,
        [*opened(options.tools or TOOLS)],
        _folders(options.files, options.collection),
        options.config,
        options.most_calls,
    )
    with serving.listening(options.host, options.port) as where:
        runs = _module("runs").Runs(Path(options.runs) if options.runs else data_dir() / "runs")
        equipment.open()
        if isinstance(model, Local) and model.name in CATALOGUE:
            fetch(CATALOGUE[model.name])
        limits = _module("service").Limits(options.parallel, options.queue)
        service = _module("service").Service(runs, equipment, limits)
        app = _module("app").application(service, tokens, [options.host, *options.allow_host])
        asyncio.run(serving.serve(service, app, where, lambda: _say(where, model, runs.folder)))
    return 0


def _module(name: str) -> ModuleType:
    """A module of the service, which needs an extra."""
    for needed in ("fastapi", "uvicorn"):
        library(needed, "server", "aeon serve")
    return library(f"aeon.server.{name}", "server", "aeon serve")


def _say(where: socket.socket, model: LLMAdapter, runs: Path) -> None:
    host, port = where.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    print(f"http://{shown}:{port}/", flush=True)
    remark(f"{model.name} works on runs, which are kept in {runs}; Ctrl-C stops, and the next start continues")


def _folders(folders: Sequence[str], collections: Iterable[str]) -> dict[str, Path]:
    """What runs may read, by name: a folder by its own, a collection by the one that it was given.

    Raises:
        UsageError: a name is missing, or stands twice.
    """
    named = [(Path(folder).resolve().name or "files", folder) for folder in folders]
    for given in collections:
        name, equals, path = given.partition("=")
        if not (name and equals and path):
            raise UsageError(f"serve: --collection {given}: write NAME=PATH")
        named.append((name, path))
    found: dict[str, Path] = {}
    for name, path in named:
        if name in found:
            raise UsageError(f"serve: two collections are called {name!r}; name one with --collection NAME={path}")
        found[name] = Path(path).expanduser().absolute()
    return found
