"""The base of every value that crosses a boundary."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue
from pydantic_core import PydanticUndefined

__all__ = ["Frozen", "JsonObject", "JsonValue"]

_set = object.__setattr__

JsonObject = dict[str, JsonValue]
"""A JSON object, such as a tool's arguments or a JSON Schema."""


class Frozen(BaseModel):
    """An immutable value that accepts no field it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def made(cls, **fields: object) -> Self:
        """A value out of fields that are known to be right: they are not validated, which takes most of the time.

        Those that have no default, or one that a factory makes, must be among them.
        """
        return _instance(cls, _optional(cls) | fields)

    def lean(self) -> Self:
        """The same value, without the set of the fields that it was made with: most of the memory of a small one."""
        _set(self, "__pydantic_fields_set__", _names(type(self)))
        return self

    def changed(self, **fields: object) -> Self:
        """A copy with these fields set to these values, which are not validated."""
        return _instance(type(self), self.__dict__ | fields)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """The same under pydantic's name. Nothing in it changes, so that ``deep`` makes no difference."""
        return self.changed(**(update or {}))

    def all_fields(self, holds: Callable[[object], bool]) -> bool:
        """Whether this holds for the value of every field; for a default, which the class was made with, it does."""
        fields, defaults = self.__dict__, _defaults(type(self))
        return all(fields[name] is default or holds(fields[name]) for name, default in defaults.items())


F = TypeVar("F", bound=Frozen)


def _instance(kind: type[F], fields: dict[str, object]) -> F:
    value = object.__new__(kind)
    _set(value, "__dict__", fields)
    _set(value, "__pydantic_fields_set__", _names(kind))
    _set(value, "__pydantic_extra__", None)
    _set(value, "__pydantic_private__", None)
    return value


@cache
def _names(kind: type[Frozen]) -> frozenset[str]:
    return frozenset(kind.model_fields)


@cache
def _defaults(kind: type[Frozen]) -> dict[str, object]:
    """The default of each field of that kind."""
    return {name: field.default for name, field in kind.model_fields.items()}


@cache
def _optional(kind: type[Frozen]) -> dict[str, object]:
    """The fields of that kind that have a default which all values can share: none that a factory makes."""
    return {name: default for name, default in _defaults(kind).items() if default is not PydanticUndefined}
