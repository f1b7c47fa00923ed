"""The configuration out of its layers: defaults, a file, the environment, and what the command line sets."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import to_jsonable_python

from aeon.errors import ConfigError
from aeon.settings.environment import PREFIX, from_environment, from_own_variables
from aeon.settings.files import read_file
from aeon.settings.layers import Layer, checked, complaint
from aeon.settings.notation import Path, dotted
from aeon.settings.tree import Tree, tree
from aeon.settings.values import merged, nested

__all__ = ["Loaded", "flat", "load", "load_config", "with_overrides", "with_variables"]

S = TypeVar("S", bound=BaseModel)


class Loaded(NamedTuple, Generic[S]):
    """A configuration, and where each of its values came from, by the paths that `flat` has."""

    config: S
    origins: Mapping[str, str]


def load_config(
    model: type[S],
    path: pathlib.Path | str | None = None,
    overrides: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> S:
    """The configuration that `load` gives, without the origins of its values."""
    return load(model, path, overrides, environ).config


def load(
    model: type[S],
    path: pathlib.Path | str | None = None,
    overrides: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Loaded[S]:
    """The defaults of the model, with a file put over them, then the variables in ``environ``, then ``overrides``.

    Of two variables for one setting, the one that the model names itself stands before ``AEON_…``, which many models
    may have.
    Every field of the model has a default; a field whose type is a model is a section. Without a ``path`` the variable
    ``AEON_CONFIG`` names the file. ``overrides`` have the file's shape. Tables are merged name by name. A value must
    have the setting's own type: ``max_passes = "5"`` is refused.

    Raises:
        InputFileError: the file cannot be read.
        ConfigError: the file is not TOML or YAML, or a setting is unknown or out of range; names source and path.
        MissingExtraError: the file is YAML, and PyYAML is not installed.
    """
    settings, environ = tree(model), environ or {}
    file = _file(settings, path or environ.get(f"{PREFIX}CONFIG"))
    data, origins = _default_tables(settings), dict[str, str]()
    for layer in (file, _environment(settings, environ), Layer(overrides or {})):
        added = checked(settings, layer)
        data = merged(data, added)
        config = _validate(model, data, layer)
        origins |= {dotted(place): layer.origin_of(place) for place, _ in _leaves(added)}
    return Loaded(config, {place: origins.get(place, "default") for place in flat(config)})


def with_overrides(config: S, overrides: Mapping[str, object]) -> S:
    """The configuration with ``overrides`` (in the shape of a file of settings) put over it.

    Raises:
        ConfigError: a setting is unknown or out of range; names the setting's path.
    """
    model, layer = type(config), Layer(overrides)
    return _validate(model, merged(config.model_dump(mode="json"), checked(tree(model), layer)), layer)


def with_variables(config: S, environ: Mapping[str, str]) -> S:
    """The configuration with those variables put over it that its model names itself, such as ``RESEARCH_MAX_ITERS``.

    Raises:
        ConfigError: one of them is no number above 0, or out of range; names it.
    """
    model = type(config)
    layer = _layer(from_own_variables(tree(model), environ))
    return _validate(model, merged(config.model_dump(mode="json"), layer.data), layer) if layer.data else config


def flat(config: BaseModel) -> dict[str, JsonValue]:
    """Every value of the configuration by its path with dots; each entry of a table of names has a path of its own."""
    return {dotted(path): value for path, value in _leaves(config.model_dump(mode="json"))}


def _leaves(table: Mapping[str, Any], above: Path = ()) -> Iterator[tuple[Path, Any]]:
    for name, value in table.items():
        path = (*above, name)
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, path)
        else:
            yield path, value


def _default_tables(settings: Tree) -> dict[str, object]:
    """The defaults that are tables of names: a layer adds to them or changes them, and takes none away."""
    defaults = ((path, setting.default) for path, setting in settings.settings.items())
    tables = (nested(path, to_jsonable_python(value)) for path, value in defaults if isinstance(value, Mapping))
    return reduce(merged, tables, {})


def _file(settings: Tree, path: pathlib.Path | str | None) -> Layer:
    """The layer of a file, in which a setting that has its second name there is moved to its own."""
    if not path:
        return Layer({})
    data, renamed = read_file(path), dict[Path, Path]()
    for second, own in settings.second_names.items():
        table, target = _table(data, second[:-1]), _table(data, own[:-1])
        if table is None or second[-1] not in table or (target is None and own[0] in data):
            continue
        if target is not None and own[-1] in target:
            raise ConfigError(f"{path}: {dotted(second)} and {dotted(own)} are the same setting; keep one")
        data = merged(data, nested(own, table.pop(second[-1])))
        renamed[own] = second
    return Layer(data, f"file {path}", f"{path}: ", renamed)


def _environment(settings: Tree, environ: Mapping[str, str]) -> Layer:
    return _layer(from_environment(settings, environ) | from_own_variables(settings, environ))


def _layer(values: Mapping[Path, tuple[str, object]]) -> Layer:
    data = reduce(merged, (nested(path, value) for path, (_, value) in values.items()), dict[str, object]())
    return Layer(data, "environment", variables={path: variable for path, (variable, _) in values.items()})


def _table(data: Mapping[str, object], path: Path) -> dict[str, object] | None:
    """The table that a path leads to, if there is one."""
    table: object = data
    for name in path:
        table = table.get(name) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else None


def _validate(model: type[S], data: Mapping[str, object], layer: Layer) -> S:
    """The configuration, read as JSON is: a list becomes a tuple where the model has one, and ``"5"`` no number."""
    try:
        return model.model_validate_json(json.dumps(data, default=str), strict=True)
    except ValidationError as error:
        raise ConfigError(complaint(tree(model), layer, error)) from None
