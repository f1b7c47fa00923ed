"""``aeon config``: every setting as it holds and where it comes from, or whether a file of settings is right."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from pydantic import JsonValue, RootModel

from aeon.assembly.registry import plugin
from aeon.assembly.roles import SAME
from aeon.cli.output import print_json
from aeon.errors import UnknownNameError, UsageError
from aeon.llm.select import check_name
from aeon.observability.lines import visible
from aeon.schema import Settings
from aeon.schema.frozen import Frozen
from aeon.settings import assignments, flat, load, toml

__all__ = ["command"]

_WIDTH = 18


class _Effective(Frozen):
    value: JsonValue
    origin: str


class _Settings(RootModel[dict[str, _Effective]]):
    pass


def command(options: argparse.Namespace) -> int:
    """Show the settings that a run with these options would have, or check a file; of ``options.engine``.

    Raises:
        UsageError: wrong use, a wrong setting, or an engine that is not installed.
    """
    if options.action == "check":
        return _check(options)
    if options.file is not None:
        raise UsageError(
            f"config: show takes no file beside its options; try: aeon config show --config {options.file}"
        )
    kind = plugin(options.engine).engine.config
    loaded = load(kind, options.config, assignments(kind, options.set), os.environ)
    settings = {
        path: _Effective(value=value, origin=_line(loaded.origins[path])) for path, value in flat(loaded.config).items()
    }
    if options.json:
        print_json(_Settings(settings))
        return 0
    margin = max(map(len, settings))
    for path, setting in settings.items():
        print(f"{path:<{margin}} = {toml(setting.value):<{_WIDTH}}  # {setting.origin}")
    return 0


def _check(options: argparse.Namespace) -> int:
    if options.file is None:
        raise UsageError("config: check needs a file: aeon config check FILE")
    if options.config or options.set or options.json:
        raise UsageError("config: check takes only a file: aeon config check FILE")
    brought = plugin(options.engine)
    loaded = load(brought.engine.config, options.file)
    _check_models(options.file, loaded.config, brought.models(loaded.config))
    print(f"{visible(options.file)}: ok")
    return 0


def _check_models(file: str, config: Settings, named: Sequence[str]) -> None:
    """Refuse settings that name a model which no run could find. Raises ``UsageError`` with the first of them."""
    for path, value in flat(config).items():
        if isinstance(value, str) and (value in named or (path.startswith("roles.") and value not in ("", SAME))):
            try:
                check_name(value)
            except UnknownNameError as error:
                raise UsageError(f"{file}: {path}: {error}") from None


def _line(origin: str) -> str:
    return visible(origin).replace("\n", "\\n")
