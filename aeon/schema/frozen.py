"""The base of the values that people write or read: tasks, settings, results, the lines of a journal."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, JsonValue

from aeon.errors import UsageError

__all__ = ["Frozen", "JsonObject", "JsonValue", "Written"]

JsonObject = dict[str, JsonValue]
"""A JSON object, such as a tool's arguments or a JSON Schema."""


class Frozen(BaseModel):
    """An immutable value that accepts no field it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def changed(self, **fields: object) -> Self:
        """A copy with these fields set to these values, which are not validated."""
        return self.model_copy(update=fields)


class Written(Frozen):
    """A value that people write in Python: fields given by their places are refused with a line that names them."""

    def __new__(cls, *places: object, **fields: object) -> Self:
        """Return the bare instance. Raises ``UsageError`` for fields without names."""
        if places:
            first = next(iter(cls.model_fields))
            raise UsageError(f"{cls.__name__} takes its fields by name, as in {cls.__name__}({first}=…)")
        return super().__new__(cls)
