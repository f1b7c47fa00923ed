"""Settings in environment variables: ``AEON_BUDGET__CALLS=20`` is ``budget.calls``."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from aeon.errors import ConfigError
from aeon.settings.tree import ALIASES, SECTIONS, SETTINGS, TABLES, unknown
from aeon.settings.values import value

__all__ = ["NOT_SETTINGS", "PREFIX", "from_environment"]

PREFIX = "AEON_"
NOT_SETTINGS = ("HOME", "LOG", "DEBUG", "MODEL", "BASE_URL", "API_KEY", "CONFIG")
"""What may stand behind the prefix and is no setting: where things lie, which model, and the file of settings."""

_ENGINE = "reasoning_engine"
_CLOSE = 0.85
_TABLE = '{"MODEL" = {input = 1, output = 4}}'


def from_environment(environ: Mapping[str, str]) -> dict[str, tuple[str, object]]:
    """For each setting that a variable sets, by its path: the variable and the value.

    An empty variable sets nothing. One whose name begins with a section has to name a setting in it. Any other that
    no setting has is somebody else's, unless it is so close to a known one that it must be a slip.

    Raises:
        ConfigError: such a slip, or two variables for the same setting.
    """
    found: dict[str, tuple[str, object]] = {}
    for variable in sorted(environ):
        path = _path(variable) if variable.startswith(PREFIX) and environ[variable] else None
        if path is None:
            continue
        if path in found:
            raise ConfigError(f"{found[path][0]} and {variable} set the same setting, {path}; keep one")
        found[path] = (variable, value(SETTINGS[path], environ[variable]))
    return found


def _path(variable: str) -> str | None:
    """The path of the setting that the variable stands for; ``None`` if it has nothing to do with settings."""
    name = variable.removeprefix(PREFIX)
    if name in NOT_SETTINGS:
        return None
    if name in _NAMES:
        return _NAMES[name]
    first, *rest = name.split("__")
    if first.lower() in TABLES:
        raise ConfigError(f"{variable}: {PREFIX}{first} takes the whole table, such as {_TABLE}")
    if first in _SECTIONS:
        path = ".".join((_SECTIONS[first], *rest)).lower()
        raise ConfigError(f"{variable}: {_in_section(path)}")
    close = difflib.get_close_matches(name.upper(), [*_NAMES, *NOT_SETTINGS], n=1, cutoff=_CLOSE)
    if close:
        raise ConfigError(f"{variable}: unknown variable; did you mean {PREFIX}{close[0]}?")
    return None


def _in_section(path: str) -> str:
    if path in SECTIONS:
        return f"{path} is a section; name a setting in it after two more underscores"
    return unknown(path)


def _names() -> dict[str, str]:
    """The setting that each name behind the prefix stands for; the sections of the engine may go without its name."""
    paths = {path: path for path in SETTINGS} | ALIASES
    short = {path.removeprefix(f"{_ENGINE}."): target for path, target in paths.items() if path.count(".") > 1}
    return {path.upper().replace(".", "__"): target for path, target in (short | paths).items()}


_NAMES = _names()
_SECTIONS = {path.removeprefix(f"{_ENGINE}.").partition(".")[0].upper(): path for path in reversed(SECTIONS)}
