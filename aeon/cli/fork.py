"""``aeon fork``: a saved run gets another future; its past is shared, and the fork is a run of its own."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from pathlib import Path

from aeon.assembly.build import resumption
from aeon.assembly.registry import plugin_of
from aeon.cli.consent import agreed
from aeon.cli.database import jobs_in
from aeon.cli.output import remark
from aeon.cli.resume import proceed, session_for, tools_of
from aeon.cli.run import roles_of
from aeon.cli.saved import read
from aeon.errors import InputFileError, UsageError
from aeon.runtime.fork import fork
from aeon.runtime.journal import Journal
from aeon.schema import JsonValue
from aeon.settings import assignments, with_overrides

__all__ = ["command"]


def command(options: argparse.Namespace) -> int:
    """Fork the run in ``options.file`` and run the fork.

    Raises:
        UsageError: no such fork is possible, or the run's engine is not installed in this version.
        InputFileError: the fork's file exists already.
    """
    journal = read(options.file, options.durable)
    engine = plugin_of(journal).engine
    config = journal.config(engine.config, options.at)
    changed = with_overrides(config, assignments(type(config), options.set)) if options.set else None
    value = _value(options.value) if options.value is not None else None
    path = options.save or _free(options.file)
    tried = fork(journal, options.at, engine, changed, value)  # in memory: what is wrong is said before there is a file
    if options.durable is not None:
        return _queued(tried, options)
    if os.path.lexists(path):
        raise InputFileError(f"{path}: exists already; a journal is never overwritten, name another file")
    roles = roles_of(options.roles)
    trust = agreed(tried, options)
    with session_for(tried, options, path, trust) as session:
        tools = tools_of(tried, session, options.tools, options.mcp)
        resumption(tried, session.model, tools, trust=trust, roles=roles)
        if engine.bound(tried.config(engine.config)).calls:
            session.make_ready()
        with contextlib.closing(fork(journal, options.at, engine, changed, value, path)) as forked:
            remark(f"forked before effect {options.at}, saved as {path}")
            return proceed(forked, session, tools, trust, roles=roles)


def _queued(forked: Journal, options: argparse.Namespace) -> int:
    """Put the fork into the database of its run, where a worker continues it; print its id."""
    if any((options.save, options.model, options.tools, options.roles)):
        raise UsageError("fork: with --durable, a fork is kept in the database, and has its run's models and tools")
    with jobs_in(options.durable) as jobs:
        print(jobs.fork(forked, jobs.get(options.file)))
    remark(f"forked before effect {options.at}; a worker continues it")
    return 0


def _value(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError("--value: is no JSON; it takes what came out of the effect, as JSON") from None
    if value is None:
        raise UsageError("--value: null is no outcome of an effect")
    return value


def _free(path: str) -> Path:
    """The first name beside the file that is free: ``run.fork1.jsonl`` for ``run.jsonl``."""
    file = Path(path)
    number = 1
    while os.path.lexists(name := file.with_name(f"{file.stem}.fork{number}{file.suffix}")):
        number += 1
    return name
