"""Settings in environment variables: ``AEON_BUDGET__CALLS=20`` is ``budget.calls``; some have one of their own."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from aeon.errors import ConfigError
from aeon.settings.notation import Path, dotted
from aeon.settings.tree import Tree, members
from aeon.settings.values import value

__all__ = ["NOT_SETTINGS", "PREFIX", "from_environment", "from_own_variables"]

PREFIX = "AEON_"
NOT_SETTINGS = (
    "HOME", "LOG", "DEBUG", "MODEL", "BASE_URL", "API_KEY", "CONFIG", "KEEP_PREFIXES", "JOURNAL_KEY", "MCP_SECONDS",
    "MCP_START_SECONDS", "READ_SECONDS", "IDLE_TIMEOUT", "HEADERS", "BODY",
)  # fmt: skip
"""Names behind the prefix that never set a setting: folders, logging, the model, and the file of settings."""

_CLOSE = 0.85
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
"""A number as people write it: Python would also take ``1_0`` and digits of other scripts."""


def from_environment(settings: Tree, environ: Mapping[str, str]) -> dict[Path, tuple[str, object]]:
    """For each setting that a variable sets, by its path: the variable and the value.

    An empty variable sets nothing. One that begins with a section must name a setting in it. Any other unknown name
    is ignored, unless it is so close to the name of a setting that it must be a slip.

    Raises:
        ConfigError: such a slip, two variables for the same setting, or a table that is neither TOML nor JSON.
    """
    values: dict[Path, tuple[str, object]] = {}
    names = _names((*settings.settings, *settings.second_names), 2)
    for variable in sorted(environ):
        name = variable.removeprefix(PREFIX)
        if name == variable or name in NOT_SETTINGS or not environ[variable]:
            continue
        if name not in names:
            _refuse_slip(settings, variable, names)
            continue
        path = settings.second_names.get(names[name], names[name])
        if path in values:
            raise ConfigError(f"{values[path][0]} and {variable} set the same setting, {dotted(path)}; keep one")
        where = f"{variable}: {dotted(path)}: "
        values[path] = (variable, value(settings.type_at(path), environ[variable], where))
    return values


def from_own_variables(settings: Tree, environ: Mapping[str, str]) -> dict[Path, tuple[str, object]]:
    """The same for the variables that the model names itself, such as ``RESEARCH_MAX_ITERS``; blank ones set nothing.

    Raises:
        ConfigError: one of them is no number above 0; names it.
    """
    written = {variable: environ.get(variable, "").strip() for variable in settings.variables}
    return {
        path: (variable, _number(variable, written[variable], int not in members(settings.type_at(path))))
        for variable, path in settings.variables.items()
        if written[variable]
    }


def _number(variable: str, text: str, is_broken: bool) -> float:
    """The number above 0 that a variable holds; one that ``is_broken`` may have a fraction."""
    kind = float if is_broken else int
    try:
        number = kind(text) if _NUMBER.fullmatch(text) else -1
    except ValueError:  # a part of one, or more digits than Python reads
        number = -1
    if not 0 < number < float("inf"):
        raise ConfigError(f"{variable}: {text[:40]!r} is not {'a' if is_broken else 'a whole'} number above 0")
    return number


def _names(paths: Iterable[Path], least: int) -> dict[str, Path]:
    """The path that each name behind the prefix stands for.

    The outermost section may be left out where ``least`` names remain and no other path is the same then.
    """
    whole = {_name(path): path for path in paths}
    counts = Counter(_name(path[1:]) for path in whole.values())
    short = {_name(path[1:]): path for path in whole.values() if len(path) > least and counts[_name(path[1:])] == 1}
    return short | whole


def _name(path: Path) -> str:
    return "__".join(path).upper()


def _refuse_slip(settings: Tree, variable: str, names: dict[str, Path]) -> None:
    """Raise if the variable begins with a section or a setting, or is close to the name of a setting."""
    name = variable.removeprefix(PREFIX)
    levels = name.split("__")
    sections = {} if name.upper() in names else _names(settings.sections, 1) | names
    for size in range(len(levels), 0, -1):
        above = sections.get("__".join(levels[:size]))
        if above is not None:
            raise ConfigError(f"{variable}: {_within(settings, above, levels[size:])}")
    close = [longer for longer in names if len(levels) > 1 and longer.endswith(f"__{name}")]
    close = close or difflib.get_close_matches(name.upper(), [*names, *NOT_SETTINGS], n=1, cutoff=_CLOSE)
    if close:
        raise ConfigError(f"{variable}: unknown variable; did you mean {PREFIX}{f' or {PREFIX}'.join(close)}?")


def _within(settings: Tree, above: Path, rest: Sequence[str]) -> str:
    """The complaint about a variable that names ``rest`` within the section or setting ``above``."""
    path = (*above, *(name.lower() for name in rest))
    if not rest:
        return f"{dotted(above)} is a section; name a setting in it after two more underscores"
    if above in settings.settings and settings.type_at(path[: len(above) + 1]) is not None:
        whole = f"{PREFIX}{_name(above)}='{{\"NAME\": …}}'"
        return f"a variable cannot set one entry of {dotted(above)}; set the whole table: {whole}"
    return settings.unknown(path)
