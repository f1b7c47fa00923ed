"""Every setting there is, by its path, as the schema has them; and a guess at what a wrong path may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import NoneType
from typing import get_args, get_origin

from pydantic import BaseModel

from aeon.errors import ConfigError
from aeon.schema import Config

__all__ = ["ALIASES", "SECTIONS", "SETTINGS", "TABLES", "Setting", "find", "parts", "unknown"]

ALIASES = {
    "reasoning_engine.decide.max_iterations": "max_passes",
    "reasoning_engine.decide.cost_budget": "budget.cost",
}
"""Names of the reference for settings that Aeon has elsewhere."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its path with dots, its type, and the value it has where nobody sets it."""

    path: str
    type: object
    default: object

    @property
    def may_be_none(self) -> bool:
        """Whether it is a limit that can be absent."""
        return NoneType in get_args(self.type)


def _settings(model: type[BaseModel], above: str = "") -> Iterator[Setting]:
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _settings(field.annotation, f"{above}{name}.")
        else:
            yield Setting(f"{above}{name}", field.annotation, field.default)


SETTINGS = {setting.path: setting for setting in _settings(Config)}
"""Every setting by its path, in the order of the schema."""

SECTIONS = tuple(
    dict.fromkeys(path.rsplit(".", n)[0] for path in SETTINGS for n in range(path.count("."), 0, -1))
)  # fmt: skip
"""The paths of the sections that settings stand in."""


TABLES = {
    path: next(kind for kind in get_args(get_args(setting.type)[1]) if kind is not NoneType)
    for path, setting in SETTINGS.items()
    if get_origin(setting.type) is dict
}
"""The settings that are tables, such as the prices by model, each with the model of its entries."""


def parts(path: str) -> tuple[str, ...]:
    """The names that lead to a setting. Those of a table's entries are the user's own and may have dots in them."""
    table, _, rest = path.partition(".")
    if table not in TABLES or not rest:
        return tuple(path.split("."))
    entry, _, field = rest.rpartition(".")
    if entry and field in TABLES[table].model_fields:
        return (table, entry.strip('"'), field)
    return (table, rest.strip('"'))


def find(path: str, where: str = "") -> Setting | None:
    """The setting with this path or alias; ``None`` for a section, and for what is in a table.

    Raises:
        ConfigError: there is neither; guesses what was meant.
    """
    path = ALIASES.get(path, path)
    if path.partition(".")[0] in TABLES:
        return SETTINGS.get(path)
    if path not in SETTINGS and path not in SECTIONS:
        raise ConfigError(f"{where}{unknown(path)}")
    return SETTINGS.get(path)


def unknown(path: str) -> str:
    """What to say about a path that no setting has: what it may have meant, or what there is."""
    whole = [*SETTINGS, *SECTIONS, *ALIASES]
    above, _, name = path.rpartition(".")
    if (table := path.partition(".")[0]) in TABLES:
        return f"{path}: unknown setting; an entry of {table} has: {', '.join(TABLES[table].model_fields)}"
    if above and above not in SECTIONS:
        if above in SETTINGS or above in ALIASES:
            return f"{path}: unknown setting; {above} is a setting, not a section"
        return unknown(above)
    elsewhere = [ALIASES.get(each, each) for each in whole if each.rpartition(".")[2] == name]
    there = _within(above, SETTINGS)
    close = elsewhere[:2] or difflib.get_close_matches(name, [*there, *_within(above, ALIASES)], n=1)
    hint = f"did you mean {' or '.join(close)}?" if close else f"there are: {', '.join(there)}"
    return f"{path}: unknown setting; {hint}"


def _within(section: str, paths: Iterable[str]) -> list[str]:
    """The names that stand right in a section; without a section, those at the top."""
    start = f"{section}." if section else ""
    rest = (path.removeprefix(start) for path in paths if path.startswith(start))
    return list(dict.fromkeys(path.partition(".")[0] for path in rest))
