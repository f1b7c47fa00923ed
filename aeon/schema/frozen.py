"""The base of the values that people write or read: tasks, settings, results, the lines of a journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from pydantic import BaseModel, ConfigDict, JsonValue

from aeon.errors import UsageError

if TYPE_CHECKING:
    from pydantic._internal._repr import ReprArgs

__all__ = ["LONGEST_REPR", "Frozen", "JsonObject", "JsonValue", "Written", "cut_repr"]

LONGEST_REPR = 400
"""Characters that a value shows of itself at a prompt, in a log or in a test."""

JsonObject = dict[str, JsonValue]
"""A JSON object, such as a tool's arguments or a JSON Schema."""


def cut_repr(text: str) -> str:
    """What a value shows of itself, cut where it is long."""
    return text if len(text) <= LONGEST_REPR else f"{text[:LONGEST_REPR]}…)"


class Frozen(BaseModel):
    """An immutable value that accepts no field it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def changed(self, **fields: object) -> Self:
        """A copy with these fields set to these values, which are not validated."""
        copy = self.model_copy(update=fields)
        for computed in copy.__dict__.keys() - type(self).model_fields.keys():  # once, of the fields before
            del copy.__dict__[computed]
        return copy

    def __repr_args__(self) -> ReprArgs:
        """The fields that are not the default: what there is to know of a value."""
        known = type(self).model_fields
        for name, value in super().__repr_args__():
            if name not in known or known[name].get_default(call_default_factory=True, validated_data={}) != value:
                yield name, value

    def __repr__(self) -> str:
        return cut_repr(super().__repr__())

    __str__ = __repr__


class Written(Frozen):
    """A value that people write in Python: fields given by their places are refused with a line that names them."""

    def __new__(cls, *places: object, **fields: object) -> Self:
        """Return the bare instance. Raises ``UsageError`` for fields without names."""
        if places:
            first = next(iter(cls.model_fields))
            raise UsageError(f"{cls.__name__} takes its fields by name, as in {cls.__name__}({first}=…)")
        return super().__new__(cls)
