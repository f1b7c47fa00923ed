"""``aeon run``: one task, worked on before the user's eyes."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from jsonschema.exceptions import SchemaError
from jsonschema.validators import validator_for
from pydantic import ValidationError

from aeon.assembly.build import build, priced
from aeon.cli.output import print_json
from aeon.cli.session import Session, spec_of
from aeon.errors import ConfigError, InputFileError, UsageError
from aeon.kernel.budget import bound
from aeon.llm.select import select
from aeon.runtime.journal import Journal
from aeon.schema import Bound, Config, JsonObject, Task
from aeon.settings import assignments, load_config, merged

__all__ = ["command"]


def command(options: argparse.Namespace) -> int:
    """Run the task as the options say, show it, and give the exit code that its stop reason means."""
    overrides = merged(_overrides(options), assignments(Config, options.set))
    config = load_config(Config, options.config, overrides, os.environ)
    if options.bound:
        return _print_bound(priced(config, select(options.model)), options.json)
    task = _task(options)
    if options.save and os.path.lexists(options.save):
        raise InputFileError(f"{options.save}: exists already; a journal is never overwritten, name another file")
    journal: Callable[[], Journal] = (lambda: Journal(options.save)) if options.save else Journal
    with Session(options, options.model, options.save) as session:
        spec = spec_of(session.model, options.model)
        orchestrator = build(session.model, [options.tools], config, session.observers, journal, session.ask, spec)
        session.make_ready()
        return session.conduct(orchestrator.driver, lambda: orchestrator.execute(task))


def _overrides(options: argparse.Namespace) -> dict[str, object]:
    """The settings that options set, in the shape of a configuration file."""
    given = {name: getattr(options, f"budget_{name}") for name in ("calls", "tokens", "seconds")}
    budget: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    passes: dict[str, object] = {"max_passes": options.max_passes} if options.max_passes is not None else {}
    asked: dict[str, object] = {"questions": {"unattended": options.unattended}} if options.unattended else {}
    return passes | asked | ({"budget": budget} if budget else {})


def _print_bound(config: Config, as_json: bool) -> int:
    most = bound(config)
    if as_json:
        print_json(most)
    else:
        cost = _cost(config, most)
        print(f"no run can spend more than {most.calls:,} model calls, {most.tokens:,} tokens and {cost}")
    return 0


def _cost(config: Config, most: Bound) -> str:
    if most.cost is not None:
        return f"${most.cost:,.4g}"
    unpriced = [name for name, price in config.prices.items() if price is None]
    return f"an unknown cost: set a price for {', '.join(unpriced)}"


def _task(options: argparse.Namespace) -> Task:
    if options.task is None:
        raise UsageError("run: say in words what you want to know: aeon run 'What is 15% of 2,480?'")
    text = _stdin() if options.task == "-" else options.task
    context = _text_of(options.context) if options.context else ""
    schema = _schema(options.schema) if options.schema else None
    whole = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        return Task(text=whole, context=context, answer_schema=schema)
    except ValidationError:
        raise UsageError("run: the task is empty: say in words what you want to know") from None


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise InputFileError("standard input: is no UTF-8 text") from None


def _text_of(path: str) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise InputFileError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputFileError(f"{path}: is no UTF-8 text") from None


def _schema(path: str) -> JsonObject:
    try:
        schema = json.loads(_text_of(path))
    except json.JSONDecodeError as error:
        raise InputFileError(f"{path}: is no JSON: line {error.lineno}: {error.msg}") from None
    except RecursionError:
        raise InputFileError(f"{path}: is nested too deeply") from None
    if not isinstance(schema, dict):
        raise ConfigError(f"{path}: is no JSON Schema: it must be an object")
    try:
        validator_for(schema).check_schema(schema)
    except SchemaError as error:
        at = ".".join(str(part) for part in error.absolute_path) or "the schema"
        raise ConfigError(f"{path}: is no JSON Schema: {at}: {error.message}") from None
    return schema
