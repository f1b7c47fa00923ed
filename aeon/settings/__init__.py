"""The configuration of a run from a TOML file and from what the command line sets over it."""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ValidationError

from aeon.errors import ConfigError, InputFileError
from aeon.schema import Config

__all__ = ["config_error", "load_config", "with_overrides"]


def load_config(path: Path | str | None = None, overrides: Mapping[str, object] | None = None) -> Config:
    """The configuration in a TOML file, or the default one, with ``overrides`` (in the file's shape) put over it.

    A value must have the setting's own type: ``max_passes = "5"`` is refused.

    Raises:
        InputFileError: the file cannot be read.
        ConfigError: it is no TOML, or a setting is unknown or out of range; names the setting's path.
    """
    data: dict[str, object] = {}
    if path is not None:
        data = _read(path)
        _validated(data, f"{path}: ")
    return _validated(_over(data, overrides or {}), "")


def with_overrides(config: Config, overrides: Mapping[str, object]) -> Config:
    """The configuration with ``overrides`` (in the shape of a file of settings) put over it.

    Raises:
        ConfigError: a setting is unknown or out of range; names the setting's path.
    """
    return _validated(_over(config.model_dump(), overrides), "")


def config_error(error: ValidationError, model: type[BaseModel], where: str = "") -> ConfigError:
    """The first fault that pydantic found, on one line: the path of the setting, and what is wrong with it."""
    first = error.errors(include_url=False)[0]
    path = [str(part) for part in first["loc"]]
    name = ".".join(path) or "the configuration"
    if first["type"] == "extra_forbidden":
        return ConfigError(f"{where}{name}: unknown setting{_guess(model, path)}")
    message = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
    given = first["input"]
    shown = f", not {given!r}" if isinstance(given, str | int | float) and len(repr(given)) <= 40 else ""
    return ConfigError(f"{where}{name}: {message[:1].lower()}{message[1:]}{shown}")


def _read(path: Path | str) -> dict[str, object]:
    try:
        return tomllib.loads(Path(path).read_bytes().decode("utf-8"), parse_float=_finite)
    except OSError as error:
        raise InputFileError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputFileError(f"{path}: is no UTF-8 text; a configuration is a TOML file") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: is no TOML: {error}") from None
    except OverflowError as error:
        raise ConfigError(f"{path}: {error} is no value that a setting can have") from None
    except RecursionError:
        raise ConfigError(f"{path}: is no TOML that can be read: it is nested too deeply") from None


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise OverflowError(text)
    return number


def _over(data: Mapping[str, object], overrides: Mapping[str, object]) -> dict[str, object]:
    """The data with the overrides put over it, table by table."""
    merged = dict(data)
    for name, value in overrides.items():
        below = merged.get(name)
        merged[name] = _over(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged


def _validated(data: Mapping[str, object], where: str) -> Config:
    try:
        return Config.model_validate(data, strict=True)
    except ValidationError as error:
        raise config_error(error, Config, where) from None


def _guess(model: type[BaseModel], path: list[str]) -> str:
    """The setting that a mistyped one may have meant; the settings there are, if none is close."""
    for part in path[:-1]:
        table = model.model_fields[part].annotation if part in model.model_fields else None
        if not (isinstance(table, type) and issubclass(table, BaseModel)):
            return ""
        model = table
    close = difflib.get_close_matches(path[-1], model.model_fields, n=1)
    return f"; did you mean {close[0]}?" if close else f"; there are: {', '.join(model.model_fields)}"
