"""The configuration out of its layers: defaults, a file, the environment, and what the command line sets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from aeon.errors import ConfigError
from aeon.schema import Config
from aeon.settings.environment import PREFIX, from_environment
from aeon.settings.files import read_file
from aeon.settings.tree import ALIASES, SETTINGS, TABLES, unknown
from aeon.settings.values import put

__all__ = ["Loaded", "load", "load_config", "merged", "with_overrides"]

DEFAULT, FLAG = "default", "flag"


class Loaded(NamedTuple):
    """A configuration, and for each setting's path where its value came from."""

    config: Config
    origins: Mapping[str, str]


@dataclass(frozen=True)
class _Layer:
    """Settings of one source. ``written`` has the names by which it calls some of them, ``variables`` theirs."""

    data: Mapping[str, object]
    origin: str = FLAG
    where: str = ""
    written: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)

    def origin_of(self, path: str) -> str:
        return f"{self.origin} {self.variables[path]}" if path in self.variables else self.origin

    def label(self, path: str) -> str:
        """What a complaint about a path begins with: the file, or the variable, and the path as it is written there."""
        variable = next((name for each, name in self.variables.items() if _related(each, path)), "")
        return f"{f'{variable}: ' if variable else self.where}{self.written.get(path, path)}"


def load_config(
    path: Path | str | None = None,
    overrides: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Config:
    """The configuration that `load` gives, without the origins of its values."""
    return load(path, overrides, environ).config


def load(
    path: Path | str | None = None,
    overrides: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Loaded:
    """The defaults, with a file put over them, then the variables in ``environ``, then ``overrides``.

    Without a ``path`` the variable ``AEON_CONFIG`` names the file. ``overrides`` have the file's shape. A value must
    have the setting's own type: ``max_passes = "5"`` is refused.

    Raises:
        InputFileError: the file cannot be read.
        ConfigError: it is no TOML or YAML, or a setting is unknown or out of range; names where, and its path.
        MissingExtraError: the file is YAML, and PyYAML is not installed.
    """
    environ = environ or {}
    config, data = Config(), dict[str, object]()
    origins = dict.fromkeys(SETTINGS, DEFAULT)
    for layer in (_file(path or environ.get(f"{PREFIX}CONFIG")), _environment(environ), _Layer(overrides or {})):
        added = _plain(layer.data, layer)
        data = merged(data, added)
        config = _validated(data, layer)
        origins |= {name: layer.origin_of(name) for name in _leaves(added)}
    return Loaded(config, origins)


def with_overrides(config: Config, overrides: Mapping[str, object]) -> Config:
    """The configuration with ``overrides`` (in the shape of a file of settings) put over it.

    Raises:
        ConfigError: a setting is unknown or out of range; names the setting's path.
    """
    layer = _Layer(overrides)
    return _validated(merged(config.model_dump(), _plain(overrides, layer)), layer)


def _file(path: Path | str | None) -> _Layer:
    """The layer of a file, in which the names of the reference are Aeon's own."""
    if not path:
        return _Layer({})
    data, written = read_file(path), dict[str, str]()
    for alias, own in ALIASES.items():
        table, name = _table(data, alias)
        target, own_name = _table(data, own)
        if table is None or name not in table or (target is None and own.partition(".")[0] in data):
            continue
        if target is not None and own_name in target:
            raise ConfigError(f"{path}: {alias} and {own} are the same setting; keep one")
        put(data, own, table.pop(name))
        written[own] = alias
    return _Layer(data, f"file {path}", f"{path}: ", written)


def _table(data: dict[str, object], path: str) -> tuple[dict[str, object] | None, str]:
    """The table that the setting at a path stands in, if there is one, and the setting's name there."""
    *sections, name = path.split(".")
    for each in sections:
        inner = data.get(each)
        if not isinstance(inner, dict):
            return None, name
        data = inner
    return data, name


def _environment(environ: Mapping[str, str]) -> _Layer:
    data: dict[str, object] = {}
    found = from_environment(environ)
    for path, (_, given) in found.items():
        put(data, path, given)
    return _Layer(data, "environment", variables={path: variable for path, (variable, _) in found.items()})


def _plain(data: Mapping[str, object], layer: _Layer, above: str = "") -> dict[str, object]:
    """The data as the schema wants it: lists as tuples, and ``"none"`` for an absent limit as ``None``."""
    made: dict[str, object] = {}
    for name, given in data.items():
        path = f"{above}{name}"
        setting = SETTINGS.get(path)
        if isinstance(given, Mapping):
            made[name] = _plain(given, layer, f"{path}.")
        elif isinstance(given, float) and not math.isfinite(given):
            raise ConfigError(f"{layer.label(path)}: {given} is no value that a setting can have")
        elif isinstance(given, list):
            made[name] = tuple(given)
        else:
            made[name] = None if given == "none" and setting is not None and setting.may_be_none else given
    return made


def merged(data: Mapping[str, object], overrides: Mapping[str, object]) -> dict[str, object]:
    """Settings in the shape of a file, with overrides put over them, table by table."""
    whole = dict(data)
    for name, value in overrides.items():
        below = whole.get(name)
        whole[name] = merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return whole


def _related(path: str, other: str) -> bool:
    """Whether the two are the same, or one is in the section or the table that the other is."""
    return f"{path}.".startswith(f"{other}.") or (path in TABLES and other.startswith(f"{path}."))


def _leaves(data: Mapping[str, object], above: str = "") -> Iterator[str]:
    for name, given in data.items():
        if isinstance(given, Mapping) and f"{above}{name}" not in TABLES:
            yield from _leaves(given, f"{above}{name}.")
        else:
            yield f"{above}{name}"


def _validated(data: Mapping[str, object], layer: _Layer) -> Config:
    try:
        return Config.model_validate(data, strict=True)
    except ValidationError as error:
        raise ConfigError(_complaint(error, layer)) from None


def _complaint(error: ValidationError, layer: _Layer) -> str:
    """The first fault that pydantic found, on one line: the path of the setting, and what is wrong with it.

    A name that no setting has goes before what is missing: it is often the reason.
    """
    faults = error.errors(include_url=False)
    misspelt = [fault for fault in faults if fault["type"] == "extra_forbidden"]
    first = misspelt[0] if misspelt and faults[0]["type"] == "missing" else faults[0]
    path = ".".join(str(part) for part in first["loc"])
    label = layer.label(path)
    match first["type"]:
        case "extra_forbidden":
            return f"{label.removesuffix(path)}{unknown(path)}"
        case "model_type" | "dict_type":
            return f"{label}: should be a section with settings of its own{_shown(first['input'])}"
        case "tuple_type":
            return f"{label}: should be a list{_shown(first['input'])}"
    message = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return f"{label}: {message[:1].lower()}{message[1:]}{_shown(first['input'])}"


def _shown(given: object) -> str:
    """What was given, where it is short."""
    if isinstance(given, bool):
        return f", not {str(given).lower()}"
    return f", not {given!r}" if isinstance(given, str | int | float) and len(repr(given)) <= 40 else ""
