"""A file of settings as nested tables: YAML by its suffix, any other TOML."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path

from aeon.errors import ConfigError, InputFileError, MissingExtraError

__all__ = ["read_file"]


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
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputFileError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputFileError(f"{path}: is not UTF-8 text; a configuration is a TOML or YAML file") from None
    try:
        return _yaml(text) if is_yaml else tomllib.loads(text)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    except ValueError as error:
        raise ConfigError(f"{path}: is not valid {kind}: {error}") from None
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
