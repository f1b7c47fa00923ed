"""A file of settings as nested tables: YAML by its suffix, any other TOML."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path

from aeon.errors import ConfigError, InputFileError, MissingExtraError

__all__ = ["LARGEST", "content", "read_file"]

_OTHER = "; a file is read as YAML if its name ends in .yaml or .yml, any other as TOML"
LARGEST = 16 * 1024 * 1024
"""The bytes that are read of a file that a user names, at most."""


def content(path: Path | str) -> bytes:
    """What is in a file that a user names, of at most 16 MiB: a device without end is not read to memory's end.

    Raises:
        InputFileError: it cannot be read, or is larger.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise InputFileError(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) > LARGEST:
        raise InputFileError(f"{path}: is larger than the {LARGEST // 1024**2} MiB that are read of such a file")
    return data


def read_file(path: Path | str) -> dict[str, object]:
    """The tables in the file.

    Raises:
        InputFileError: it cannot be read.
        ConfigError: it is not valid TOML, or not YAML as settings are written.
        MissingExtraError: it is YAML, and PyYAML is not installed.
    """
    is_yaml = Path(path).suffix.lower() in (".yaml", ".yml")
    kind = "YAML" if is_yaml else "TOML"
    try:
        text = content(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputFileError(f"{path}: is not UTF-8 text; a configuration is a TOML or YAML file") from None
    try:
        return _yaml(text) if is_yaml else tomllib.loads(text)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    except ValueError as error:
        ending = "" if is_yaml or Path(path).suffix.lower() == ".toml" else _OTHER
        raise ConfigError(f"{path}: is not valid {kind}: {error}{ending}") from None
    except RecursionError:
        raise ConfigError(f"{path}: cannot be read as {kind}: it is nested too deeply") from None


def _yaml(text: str) -> dict[str, object]:
    try:
        module = importlib.import_module("aeon.settings.yaml_file")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "yaml":
            raise
        raise MissingExtraError(
            "a configuration in YAML needs the extra yaml: pip install 'aeon-orchestrator[yaml]'; TOML needs nothing"
        ) from None
    tables: dict[str, object] = module.tables(text)
    return tables
