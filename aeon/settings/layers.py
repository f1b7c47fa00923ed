"""A layer of settings: what one source sets, made ready for the model, and what a complaint about it says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from aeon.errors import ConfigError
from aeon.settings.environment import PREFIX
from aeon.settings.notation import MOST_DEPTH, Path, dotted
from aeon.settings.tree import Tree
from aeon.text import is_text

__all__ = ["Layer", "checked", "complaint"]

_MOST_BITS = 1000
_SHAPES = {
    "model_type": "should be a section with settings of its own",
    "dict_type": 'should be a table, such as {"NAME": …}',
    **dict.fromkeys(("tuple_type", "list_type", "set_type", "frozen_set_type"), "should be a list"),
}


@dataclass(frozen=True)
class Layer:
    """The settings of one source.

    ``where`` begins its complaints. ``second_names`` has the paths by which a file calls some settings, ``variables``
    the variables that set them.
    """

    data: Mapping[str, object]
    origin: str = "flag"
    where: str = ""
    second_names: Mapping[Path, Path] = field(default_factory=dict)
    variables: Mapping[Path, str] = field(default_factory=dict)

    def origin_of(self, path: Path) -> str:
        """The source of a setting, as ``aeon config`` shows it."""
        return f"{self.origin} {self._variable(path)}".rstrip()

    def source_of(self, path: Path) -> str:
        """The beginning of a complaint about a path: the file, or the variable."""
        variable = self._variable(path)
        return f"{variable}: " if variable else self.where

    def label(self, path: Path) -> str:
        """The source, and the path as it is written there; of a variable with a name of its own, that name alone."""
        variable = self._variable(path)
        if variable and not variable.startswith(PREFIX):
            return variable
        return f"{self.source_of(path)}{dotted(self.second_names.get(path, path))}"

    def _variable(self, path: Path) -> str:
        """The first variable that sets the path, a part of it or what it is a part of."""
        sizes = ((min(len(own), len(path)), own, name) for own, name in self.variables.items())
        return next((name for size, own, name in sizes if own[:size] == path[:size]), "")


def checked(settings: Tree, layer: Layer) -> dict[str, object]:
    """The layer's data as the model takes it: ``"none"`` for an absent limit is ``None``.

    Raises:
        ConfigError: a value is infinite, too long, not Unicode or nested too deeply.
    """
    return {name: _check(settings, layer, (name,), value) for name, value in layer.data.items()}


def _check(settings: Tree, layer: Layer, path: Path, value: object) -> object:
    fault = "is nested too deeply" if len(path) > MOST_DEPTH else _fault(path[-1]) or _fault(value)
    if fault:
        raise ConfigError(f"{layer.label(path[:MOST_DEPTH])}: {fault}")
    match value:
        case Mapping():
            return {name: _check(settings, layer, (*path, name), inner) for name, inner in value.items()}
        case list() | tuple():
            return [_check(settings, layer, (*path, str(index)), inner) for index, inner in enumerate(value)]
        case "none" if settings.may_be_none(path):
            return None
    return value


def _fault(value: object) -> str:
    """The fault of a value that JSON, from which the model reads its settings, cannot hold; else empty."""
    match value:
        case float() if not math.isfinite(value):
            return f"{value} is not a value that a setting can have"
        case int() if value.bit_length() > _MOST_BITS:
            return "should be a valid number; it has too many digits"
        case str() if not is_text(value):
            return "holds bytes that are not UTF-8 text"
    return ""


def complaint(settings: Tree, layer: Layer, error: ValidationError) -> str:
    """The first fault of a layer, on one line: the path of the setting, and what is wrong with it.

    A wrong setting goes before a missing one: a misspelt name is both.
    """
    first = min(error.errors(include_url=False), key=lambda problem: problem["type"] == "missing")
    path = tuple(str(name) for name in first["loc"])
    match first["type"]:
        case "extra_forbidden":
            return f"{layer.source_of(path)}{settings.unknown(path)}"
        case "missing":
            return f"{layer.label(path)}: has to be set; it has no default"
    message = _SHAPES.get(first["type"]) or _counted(first) or first["msg"]
    message = message.removeprefix("Value error, ").removeprefix("Input ")
    return f"{layer.label(path)}: {message[:1].lower()}{message[1:]}{_short(first['input'])}"


def _counted(fault: ErrorDetails) -> str:
    """What is wrong with the length of a list, if that is the fault."""
    counts = fault.get("ctx", {})
    match fault["type"]:
        case "too_short":
            return f"has {counts['actual_length']} of at least {counts['min_length']} that are needed; name more"
        case "too_long":
            return f"has more than the {counts['max_length']} that there may be; name fewer"
    return ""


def _short(value: object) -> str:
    """The value that was refused, where it is short."""
    if isinstance(value, bool):
        return f", not {str(value).lower()}"
    return f", not {value!r}" if isinstance(value, str | int | float) and len(repr(value)) <= 40 else ""
