"""The settings of a configuration model: where each stands, its type, and a guess at what a wrong path may mean."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, TypeGuard, Union, get_args, get_origin

from pydantic import BaseModel

from aeon.settings.notation import Path, dotted

__all__ = ["Setting", "Tree", "holds_names", "members", "settings_of", "tree"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its path with dots, its type, and the value it has where nobody sets it."""

    path: str
    type: object
    default: object


@dataclass(frozen=True, slots=True)
class Tree:
    """The settings of one model.

    ``sections`` are the paths of what holds settings. ``second_names`` are further paths for some settings, as the
    model's class attribute of that name gives them: ``{"decide.max_iterations": "max_passes"}``. ``variables`` are
    those of the environment that its class attribute of that name gives to numbers: ``{"MOST_PASSES": "max_passes"}``.
    """

    model: type[BaseModel]
    settings: Mapping[Path, Setting]
    sections: tuple[Path, ...]
    second_names: Mapping[Path, Path]
    variables: Mapping[str, Path]

    def type_at(self, path: Path) -> object | None:
        """The type of what the path leads to; ``None`` if the model has nothing there."""
        annotation: object | None = self.model
        for name in path:
            annotation = _type_within(annotation, name)
        return annotation

    def may_be_none(self, path: Path) -> bool:
        """Whether the path leads to a limit that can be absent."""
        return NoneType in members(self.type_at(path))

    def unknown(self, path: Path) -> str:
        """What to say about a path that leads nowhere: what it may have meant, or what there is."""
        size = next(size for size in range(1, len(path) + 1) if self.type_at(path[:size]) is None)
        above, name = path[: size - 1], path[size - 1]
        names = _names(self.type_at(above))
        message = f"{dotted(path[:size])}: unknown setting"
        key_above = len(above) > 1 and holds_names(self.type_at(above[:-1]))
        if not names and not key_above:
            return f"{message}; {dotted(above)} is a setting, not a section"
        close = self._elsewhere(name)[:2] or difflib.get_close_matches(name, [*names, *self._second(above)], n=1)
        if close:
            return f"{message}; did you mean {' or '.join(close)}?"
        hint = f"; there are: {', '.join(names)}" if names else ""
        if key_above:
            hint += f"; a name with a dot stands in quotes: {dotted((*above[:-1], f'{above[-1]}.{name}'))}"
        return f"{message}{hint}"

    def _elsewhere(self, name: str) -> list[str]:
        paths = (*self.settings, *self.sections, *self.second_names)
        return [dotted(self.second_names.get(path, path)) for path in paths if path[-1] == name]

    def _second(self, section: Path) -> list[str]:
        return [path[-1] for path in self.second_names if path[:-1] == section]


def settings_of(model: type[BaseModel]) -> dict[str, Setting]:
    """Every setting of the model by its path with dots, in the order in which the model declares them."""
    return {setting.path: setting for setting in tree(model).settings.values()}


@cache
def tree(model: type[BaseModel]) -> Tree:
    """The settings of the model, in the order in which it declares them."""
    settings = dict(_settings(model, ()))
    sections = dict.fromkeys(path[:size] for path in settings for size in range(1, len(path)))
    second_names: Mapping[str, str] = getattr(model, "second_names", {})
    second = {tuple(path.split(".")): tuple(target.split(".")) for path, target in second_names.items()}
    named: Mapping[str, str] = getattr(model, "variables", {})
    variables = {variable: tuple(path.split(".")) for variable, path in named.items()}
    return Tree(model, settings, tuple(sections), second, variables)


def _settings(model: type[BaseModel], above: Path) -> Iterator[tuple[Path, Setting]]:
    for name, field in model.model_fields.items():
        path = (*above, name)
        if _is_model(field.annotation):
            yield from _settings(field.annotation, path)
        else:
            yield path, Setting(dotted(path), field.annotation, field.get_default(call_default_factory=True))


def members(annotation: object) -> tuple[object, ...]:
    """The types that a union may be; of another type, the type itself."""
    if get_origin(annotation) is Annotated:
        return members(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return tuple(inner for member in get_args(annotation) for inner in members(member))
    return (annotation,)


def holds_names(annotation: object) -> bool:
    """Whether a value of this type is a table whose names are free, such as those of models."""
    return any(get_origin(member) is dict for member in members(annotation))


def _type_within(annotation: object, name: str) -> object | None:
    """The type of what stands under this name in a value of this type."""
    for member in members(annotation):
        if _is_model(member) and name in member.model_fields:
            return member.model_fields[name].annotation
        if get_origin(member) is dict:
            value_type: object = get_args(member)[1]
            return value_type
    return None


def _names(annotation: object) -> list[str]:
    return [name for member in members(annotation) if _is_model(member) for name in member.model_fields]


def _is_model(annotation: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
