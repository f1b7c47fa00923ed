"""Reading what servers send: a field that is not needed cannot break a reply, whatever is in it."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

__all__ = ["Lenient", "Spare"]

T = TypeVar("T")


def _or_none(raw: object, read: ValidatorFunctionWrapHandler) -> object:
    try:
        return read(raw)
    except ValidationError:
        return None


Spare = Annotated[T | None, WrapValidator(_or_none)]
"""What can be done without: ``None`` where it is of another kind."""


class Lenient(BaseModel):
    """What a server says, as far as it is of use; a field that is null is one that is left out."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, raw: object) -> object:
        return {key: value for key, value in raw.items() if value is not None} if isinstance(raw, dict) else raw
