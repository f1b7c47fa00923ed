"""``aeon run``: one task, worked on before the user's eyes."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from pydantic import ValidationError

from aeon.assembly.build import build
from aeon.assembly.costs import Costs
from aeon.assembly.models import priced
from aeon.assembly.plugin import AnyPlugin
from aeon.assembly.registry import plugin
from aeon.assembly.roles import fitted, named
from aeon.cli.output import check_new, print_json
from aeon.cli.proving import Proving, Record, check_apart, check_proof, signs
from aeon.cli.session import Session, portable_model
from aeon.errors import ConfigError, InputFileError, UsageError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.nobody import Nobody
from aeon.llm.select import select
from aeon.observability.lines import Line, dollars, expected_words
from aeon.runtime.events import Observer
from aeon.schema import Bound, Conclusion, JsonObject, JsonValue, Settings, Task
from aeon.settings import assignments, load_config, merged
from aeon.settings.files import LARGEST, content
from aeon.supervisor.valid import validator
from aeon.text import is_text
from aeon.tools.select import folder_specs, server_specs

__all__ = [
    "TOOLS",
    "command",
    "common_settings",
    "models_at",
    "refuse_unused",
    "roles_of",
    "run",
    "settings_of_engine",
    "task_of",
]

TOOLS = ("calculator",)
"""The tools of a run for which none are named."""
_EXAMPLES = {
    "run": "aeon run 'What is 15% of 2,480?'",
    "report": "aeon report 'The Harbour Bridge: opening and cost' --in papers",
    "research": "aeon research 'Which of the two bridges was opened first?' --in papers",
}


def command(options: argparse.Namespace) -> int:
    """Run the task on an engine as the options say, and give the exit code that its end means. Raises as `run`."""
    brought = plugin(options.engine)
    refuse_unused(options, brought)
    tools = [*(options.tools or TOOLS), *folder_specs(options.files), *server_specs(options.mcp)]
    return run(options, tools, settings_of_engine(options, brought.engine.config))


def refuse_unused(options: argparse.Namespace, brought: AnyPlugin) -> None:
    """Refuse tools and files for an engine that uses none.

    Raises:
        UsageError: names the first such option.
    """
    unused = [name for name in ("files", "tools", "mcp") if getattr(options, name, None)]
    if not brought.reads and unused:
        raise UsageError(
            f"run: --{unused[0]}: the engine '{options.engine}' uses the task and its --context alone; leave it out, "
            "or use another engine"
        )


def run(
    options: argparse.Namespace,
    tools: Sequence[str],
    own: Mapping[str, object],
    written: Callable[[Conclusion, str], list[Line]] = lambda result, task: [],
    observers: Sequence[Observer] = (),
) -> int:
    """Run a task with these tools and the settings that only its engine has; the exit code that its end means.

    ``written`` writes what else is to be written of a result and its task, and says so in lines. ``observers`` see the
    run beside those that show it.

    Raises:
        UsageError: an option, a setting or the task is wrong, or the engine cannot be used.
        InputFileError: a file cannot be read or written, or the key to sign with cannot be used.
        MissingExtraError: the proof is to be signed, and the extra ``sign`` is not installed.
    """
    brought = plugin(options.engine)
    kind = brought.engine.config
    overrides = merged(merged(own, common_settings(options)), assignments(kind, options.set))
    config = load_config(kind, options.config, overrides, os.environ)
    models = models_at(config, options.model)
    if options.bound:
        model = models(options.model)
        settings = priced(fitted(brought, config, model), model, brought)
        expected = Costs(model, brought.engine.name, settings).expected
        return _print_bound(settings, brought.engine.bound(settings).changed(expected=expected), options.json)
    task = task_of(options)
    sign = signs(options)
    _check_files(options)
    with Session(options, options.model, options.save, models) as session:
        record = Record(options.save)
        session.begin_loading()
        given = session.opened(tools, config.budget.seconds)
        watching = [*session.observers, *observers]
        orchestrator = build(session.model, given, config, watching, record.begin, session.ask, session.spec, brought)
        session.cast(orchestrator.config.roles.named, ready=orchestrator.bound.calls > 0)
        proved = Proving(given, record, options.proof, sign)

        def kept(result: Conclusion) -> list[Line]:
            return [*written(result, task.text), *proved(result)]

        return session.conduct(orchestrator.driver, lambda: orchestrator.execute(task), kept)


def _check_files(options: argparse.Namespace) -> None:
    """Refuse to overwrite what is there, and one file for two things."""
    out = getattr(options, "out", None)
    new = [(option, path) for option, path in (("--save", options.save), ("--out", out)) if path]
    for option, path in new:
        check_new(path, "a journal" if option == "--save" else "an answer")
    check_apart(options, [*new, *check_proof(options)])


def common_settings(options: argparse.Namespace) -> dict[str, object]:
    """The settings of every engine that options set, in the shape of a configuration file."""
    limits = {name: getattr(options, f"budget_{name}") for name in ("calls", "tokens", "seconds")}
    budget: dict[str, object] = {name: value for name, value in limits.items() if value is not None}
    asked: dict[str, object] = {"questions": {"unattended": options.unattended}} if options.unattended else {}
    asked |= {"model_tier": options.model_tier} if options.model_tier else {}
    asked |= {"roles": roles} if (roles := roles_of(options.roles)) else {}
    asked |= {"instructions": _text_of(path)} if (path := getattr(options, "instructions", None)) else {}
    return asked | ({"budget": budget} if budget else {})


def roles_of(texts: Sequence[str]) -> dict[str, str]:
    """The models that options give to roles, so named that they are found again from anywhere.

    Raises:
        UsageError: a role is unknown, has two models or none.
    """
    return {role: portable_model(model) for role, model in named(texts).items()}


def models_at(config: Settings, model: str | None) -> Callable[[str | None], LLMAdapter]:
    """What gives the run's own model; at the lowest model tier there is none.

    Raises:
        UsageError: a model is named all the same.
    """
    if config.model_tier != "T0":
        return select
    if model is not None:
        raise UsageError("--model: the model tier T0 asks no model; leave it out, or use T1, T2 or T3")
    return lambda _: Nobody()


def settings_of_engine(options: argparse.Namespace, kind: type[Settings]) -> dict[str, object]:
    """The settings that only some engines have.

    Raises:
        UsageError: this engine has one of them not.
    """
    names = ("max_passes", "brief", "thorough", "form", "experience", "preset")
    asked = {name: getattr(options, name, None) for name in names}
    chosen: dict[str, object] = {name: value for name, value in asked.items() if value}
    for name in chosen:
        if name not in kind.model_fields:
            lacks = "makes no passes" if name == "max_passes" else "has no such setting"
            raise UsageError(f"--{name.replace('_', '-')}: the engine '{options.engine}' {lacks}; leave it out")
    presets = get_args(kind.model_fields["preset"].annotation) if options.preset else ()
    if presets and options.preset not in presets:
        there = ", ".join(presets)
        raise UsageError(f"--preset: '{options.engine}' has no preset {options.preset!r}; choose one of: {there}")
    return chosen


def _print_bound(config: Settings, most: Bound, as_json: bool) -> int:
    if as_json:
        print_json(most)
    else:
        cost = _cost(config, most)
        print(f"no run can spend more than {most.calls:,} model calls, {most.tokens:,} tokens and {cost}")
        if most.calls:
            print(expected_words(most.expected))
    return 0


def _cost(config: Settings, most: Bound) -> str:
    if most.cost is not None:
        return dollars(most.cost)
    unpriced = [name for name, price in config.prices.items() if price is None]
    return f"an unknown cost: set a price for {', '.join(unpriced)}"


def task_of(options: argparse.Namespace) -> Task:
    """The task that the options name, with its context and its schema.

    Raises:
        UsageError: there is none, or it is empty.
        InputFileError, ConfigError: a file cannot be read, or holds no schema.
    """
    if options.task is None:
        raise UsageError(f"{options.command}: say in words what you want to know: {_EXAMPLES[options.command]}")
    text = _stdin() if options.task == "-" else options.task
    context = _text_of(options.context) if options.context else ""
    schema = _schema(options.schema) if options.schema else None
    whole = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        return Task(text=whole, context=context, answer_schema=schema)
    except ValidationError:
        raise UsageError(f"{options.command}: the task is empty: say in words what you want to know") from None


def _stdin() -> str:
    try:
        data = sys.stdin.buffer.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise InputFileError(f"standard input: is larger than the {LARGEST // 1024**2} MiB that are read of it")
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise InputFileError("standard input: is no UTF-8 text") from None


def _text_of(path: str) -> str:
    try:
        return content(path).decode("utf-8")
    except UnicodeDecodeError:
        raise InputFileError(f"{path}: is no UTF-8 text") from None


def _schema(path: str) -> JsonObject:
    schema = _json(path)
    if not isinstance(schema, dict):
        raise ConfigError(f"{path}: is no JSON Schema: it must be an object")
    if not is_text(schema):
        raise ConfigError(f"{path}: is no JSON Schema: it holds a lone surrogate, which is no text")
    if not isinstance(schema.get("$schema", ""), str):
        raise ConfigError(f"{path}: is no JSON Schema: $schema must be the address of one")
    try:
        validator(schema)
    except ConfigError as error:
        raise ConfigError(f"{path}: cannot be used as a JSON Schema: {str(error).removeprefix('schema: ')}") from None
    return schema


def _json(path: str) -> JsonValue:
    text = _text_of(path)
    try:
        value: JsonValue = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputFileError(f"{path}: is no JSON: line {error.lineno}: {error.msg}") from None
    except RecursionError:
        raise InputFileError(f"{path}: is nested too deeply") from None
    except ValueError as error:  # a number with more digits than Python reads
        raise InputFileError(f"{path}: is no JSON that can be read: {str(error).partition(';')[0]}") from None
    return value
