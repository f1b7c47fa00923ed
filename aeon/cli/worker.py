"""``aeon worker``: works on the runs of a database until it is told to stop."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import threading
from typing import Any

from aeon.cli.database import durable_module, servers_among
from aeon.cli.output import remark
from aeon.cli.progress import fetch_weights
from aeon.cli.run import TOOLS
from aeon.cli.session import spec_of
from aeon.llm.adapter import LLMAdapter
from aeon.llm.local import Local
from aeon.llm.select import select
from aeon.tools.select import folder_specs, server_specs

__all__ = ["command"]

_PATIENCE = 24 * 3600
"""Seconds that a worker which was told to stop gives its runs; a second Ctrl-C ends it at once."""


def command(options: argparse.Namespace) -> int:
    """Work until Ctrl-C or SIGTERM, and then until the runs under way have ended.

    Raises:
        UsageError: an option is wrong, or a worker of this name is at work.
        InputFileError: a folder or the database cannot be used.
        MissingExtraError: the extra ``durable`` is not installed.
        WeightsError: the embedded model had to be fetched and could not be.
        ToolFailed: an MCP server cannot be reached, or does not answer.
    """
    module = durable_module("worker")
    address = durable_module("database").Address.of(options.durable)
    model = select(options.model)
    named = [*(options.tools or TOOLS), *folder_specs(options.files), *server_specs(options.mcp)]
    with servers_among(named) as tools:
        database = durable_module("database").Database(address, create=True)
        others = [*map(select, options.role_model)]
        parts = durable_module("equipment")
        equipment = parts.Equipment(model, spec_of(model, options.model), tools, others=others)
        for one in (model, *others):
            _make_ready(one)
        limits = parts.Limits(options.parallel, options.limit, model=options.limit, owner=options.per_token)
        worker = module.Worker(database, equipment, limits, options.name, remark)
        worker.start()
        print(worker.name, flush=True)
        remark(f"works on runs in {address.shown} with {_had(equipment)}; Ctrl-C stops it")
        _until_stopped(worker)
    sys.stdout.flush()
    # DBOS leaves threads that wait for runs which other workers have: they must not keep the process
    os._exit(0)


def _had(equipment: Any) -> str:  # noqa: ANN401 - of an optional module
    """What the worker has, in words."""
    plain = ", ".join(equipment.queues()[: len(equipment.plugins())])
    return f"{plain}; for roles {', '.join(equipment.names)}" if equipment.names else plain


def _make_ready(model: LLMAdapter) -> None:
    """Fetch and load the embedded model, so that no run waits for it."""
    if isinstance(model, Local):
        fetch_weights(model)
        model.load()


def _until_stopped(worker: Any) -> None:  # noqa: ANN401 - of an optional module
    """Wait for a signal, then for the runs under way, unless a second one says not to."""
    told = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: told.set())
    told.wait()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    if worker.busy:
        remark(f"ends when its {worker.busy} runs have; Ctrl-C again leaves them to other workers")
    with contextlib.suppress(KeyboardInterrupt):
        worker.stop(_PATIENCE if worker.busy else 0)
        return
    worker.leave()
