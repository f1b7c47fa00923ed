"""The base of the values that people write or read: tasks, settings, results, the lines of a journal."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, JsonValue

__all__ = ["Frozen", "JsonObject", "JsonValue"]

JsonObject = dict[str, JsonValue]
"""A JSON object, such as a tool's arguments or a JSON Schema."""


class Frozen(BaseModel):
    """An immutable value that accepts no field it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def changed(self, **fields: object) -> Self:
        """A copy with these fields set to these values, which are not validated."""
        return self.model_copy(update=fields)
