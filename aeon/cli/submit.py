"""``aeon submit``: a run is put into a database, where workers find it."""

from __future__ import annotations

import argparse
import os
import uuid

from aeon.assembly.build import assemble
from aeon.assembly.models import priced
from aeon.assembly.registry import plugin
from aeon.assembly.roles import cast_of, fitted
from aeon.cli.database import durable_module, jobs_in, servers_among
from aeon.cli.output import print_json, remark
from aeon.cli.run import TOOLS, common_settings, models_at, refuse_unused, settings_of_engine, task_of
from aeon.cli.session import spec_of
from aeon.runtime.lines import Opening
from aeon.schema import Frozen
from aeon.settings import assignments, load_config, merged
from aeon.tools.select import folder_specs, server_specs

__all__ = ["Submitted", "command"]


class Submitted(Frozen):
    """A run that waits for a worker, which must have what it ``needs``; or a schedule of such runs, by its name."""

    id: str
    needs: str


def command(options: argparse.Namespace) -> int:
    """Submit the task as the options say, and print the run's id.

    Raises:
        UsageError: an option, a setting or the task is wrong, or the engine cannot be used.
        InputFileError: a file or the database cannot be used.
        MissingExtraError: the extra ``durable`` is not installed.
        ToolFailed: an MCP server cannot be reached, or does not answer.
    """
    opening = _opening(options)
    if options.every is not None:
        return _scheduled(opening, options)
    with jobs_in(options.durable, create=True) as jobs:
        jobs.submit(opening, options.priority)
        submitted = Submitted(id=opening.execution_id, needs=jobs.get(opening.execution_id).needs)
    if options.json:
        print_json(submitted)
    else:
        print(submitted.id)
        remark(f"waits for a worker with {submitted.needs}")
    return 0


def _scheduled(opening: Opening, options: argparse.Namespace) -> int:
    """Have a run submitted at each of the times that the options name; print the name of the schedule."""
    with jobs_in(options.durable, create=True) as jobs:
        schedules = durable_module("schedules").Schedules(jobs)
        name = schedules.add(opening, options.every, options.zone, options.times, options.priority)
        needed = next(one.needs for one in schedules.list() if one.name == name)
    if options.json:
        print_json(Submitted(id=name, needs=needed))
    else:
        print(name)
        remark(f"{options.times} runs, one at each {options.every!r} {options.zone}, for a worker with {needed}")
    return 0


def _opening(options: argparse.Namespace) -> Opening:
    """The run as the options say, checked as ``aeon run`` checks it."""
    brought = plugin(options.engine)
    refuse_unused(options, brought)
    kind = brought.engine.config
    own = merged(settings_of_engine(options, kind), common_settings(options))
    config = load_config(kind, options.config, merged(own, assignments(kind, options.set)), os.environ)
    task = task_of(options)
    model = models_at(config, options.model)(options.model)
    config = priced(fitted(brought, config, model), model, brought)
    named = [*(options.tools or TOOLS), *folder_specs(options.files), *server_specs(options.mcp)]
    cast = cast_of(config, model)
    with servers_among(named) as tools:
        assemble(model, tools, config, plugin=brought, cast=cast)
        setup = durable_module("equipment").made_of(model, spec_of(model, options.model), tools, cast)
    dumped = config.model_dump(mode="json")
    return Opening(execution_id=uuid.uuid4().hex, engine=brought.engine.name, task=task, config=dumped, setup=setup)
