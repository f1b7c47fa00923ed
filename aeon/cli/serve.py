"""``aeon serve``: runs over HTTP, with a window for the browser."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib.util
import os
import socket
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

from aeon.assembly.roles import SAME
from aeon.cli.database import durable_module
from aeon.cli.logs import LogFile
from aeon.cli.output import remark
from aeon.cli.progress import fetch_weights
from aeon.cli.run import TOOLS
from aeon.cli.session import spec_of
from aeon.documents.extras import library
from aeon.engines.research.config import ResearchConfig
from aeon.errors import UsageError
from aeon.home import data_dir
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.runtime.events import OnRecord
from aeon.schema import Config
from aeon.settings import load_config, with_variables
from aeon.tools.select import connected, opened, search_specs

__all__ = ["command", "equipment_of", "make_ready", "module", "private"]


def command(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C.

    Raises:
        UsageError: an option is wrong, or the address cannot be used.
        InputFileError: a folder or a file of tokens cannot be used.
        MissingExtraError: the extra ``server`` is not installed.
        WeightsError: the embedded model had to be fetched and could not be.
    """
    serving = module("serving")
    if not options.token_file and not serving.is_loopback(options.host):
        raise UsageError(f"serve: --host {options.host} lets other machines in; name who may with --token-file FILE")
    tokens = module("tokens").Tokens.read(options.token_file) if options.token_file else None
    load_config(Config, options.config, None, os.environ)
    with_variables(ResearchConfig(), os.environ)
    traced = _tracing()
    equipment = equipment_of(options, [traced.Traced] if traced else [])
    with serving.listening(options.host, options.port) as where, private(), _log(options.log) as log:
        spans = [lambda: OnRecord(traced.Tracing())] if traced else []
        observers = [*spans, *([module("phases").phase_log(log)] if log else [])]
        made = _durable if options.durable else _own
        equipment.open()  # before the runs: what cannot be used holds no lock on them
        service, kept = made(options, equipment, observers, _rooms(tokens))
        fetch_weights(equipment.model)
        around = [traced.Continued] if traced else []
        app = module("app").application(service, tokens, [options.host, *options.allow_host], *around)
        asyncio.run(serving.serve(service, app, where, lambda: _say(where, equipment.model, kept)))
        if options.durable:
            sys.stdout.flush()
            os._exit(0)  # as `aeon worker`: DBOS leaves threads that wait for runs which others have
    return 0


def _rooms(tokens: Any) -> Mapping[str, int | None]:  # noqa: ANN401 - of an optional module
    """How many runs each owner of a token may have under way."""
    rooms: Mapping[str, int | None] = tokens.rooms if tokens else {}
    return rooms


def _own(
    options: argparse.Namespace,
    equipment: Any,  # noqa: ANN401 - of an optional module
    observers: Sequence[object],
    rooms: Mapping[str, int | None],
) -> tuple[Any, str]:
    """The service over a folder of its own, and where that is."""
    if wrong := [name for name in ("no_worker", "role_model", "limit", "per_token", "name") if getattr(options, name)]:
        raise UsageError(f"serve: --{wrong[0].replace('_', '-')} needs --durable URL: a folder is this service's alone")
    runs = module("runs").Runs(Path(options.runs) if options.runs else data_dir() / "runs")
    limits = module("service").Limits(options.parallel, options.queue, rooms)
    return module("service").Service(runs, equipment, limits, observers), str(runs.folder)


def _durable(
    options: argparse.Namespace,
    equipment: Any,  # noqa: ANN401 - of an optional module
    observers: Sequence[object],
    rooms: Mapping[str, int | None],
) -> tuple[Any, str]:
    """The service over a database that others may work on too, and where that is."""
    if options.runs:
        raise UsageError("serve: --runs and --durable are two places for runs; name one")
    place = durable_module("database")
    address = place.Address.of(options.durable)
    limits = durable_module("equipment").Limits(
        options.parallel, options.limit, model=options.limit, owner=options.per_token
    )
    made = module("durable")
    named = load_config(Config, options.config, None, os.environ).roles.named.values()
    others = [select(one) for one in dict.fromkeys([*named, *options.role_model]) if one != SAME]
    work = made.Work(None if options.no_worker else limits, options.name, options.queue, remark, others, rooms)
    database = place.Database(address, create=True)
    return made.DurableService(database, equipment, work, observers), address.shown


def equipment_of(options: argparse.Namespace, around: Sequence[object] = ()) -> Any:  # noqa: ANN401 - of an optional module
    """What the runs are made of, as the options say."""
    model = select(options.model)
    tools = [*connected(opened([*(options.tools or TOOLS), *search_specs(options.search, options.allow)]))]
    folders = _folders(options.files, options.collection)
    spec = spec_of(model, options.model)
    return module("equipment").Equipment(model, spec, tools, folders, options.config, options.most_calls, *around)


def make_ready(equipment: Any) -> None:  # noqa: ANN401 - of an optional module
    """Read the folders, and fetch the embedded model if it has to be."""
    equipment.open()
    fetch_weights(equipment.model)


def module(name: str) -> ModuleType:
    """A module of the service, which needs an extra."""
    for needed in ("fastapi", "uvicorn", "prometheus_client"):
        library(needed, "server", "aeon serve")
    return library(f"aeon.server.{name}", "server", "aeon serve")


def _tracing() -> ModuleType | None:
    """What traces runs, if the API of OpenTelemetry is installed: without it nobody can have asked for traces."""
    return module("tracing") if importlib.util.find_spec("opentelemetry") else None


@contextlib.contextmanager
def private() -> Iterator[None]:
    """While it is entered, what is written is the user's alone."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextlib.contextmanager
def _log(path: str | None) -> Iterator[TextIO | None]:
    """The file for the server's log, if one is named.

    Raises:
        InputFileError: it cannot be written, or is a saved run.
    """
    if path is None:
        yield None
        return
    with LogFile(path) as log:
        yield log.file


def _say(where: socket.socket, model: LLMAdapter, runs: str) -> None:
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
