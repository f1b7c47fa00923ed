"""What a user asks for."""

from __future__ import annotations

from pydantic import Field, field_validator

from aeon.schema.frozen import Frozen, JsonObject

__all__ = ["Task"]


class Task(Frozen):
    """A task in the user's words, with what the answer must look like.

    ``context`` is text the answer may rely on; it is shown to the model as data, never as instructions.
    ``answer_schema`` is a JSON Schema: the result then carries a validated object beside the text.
    ``criteria`` are yes/no statements, in words, that the answer must meet to count as converged.
    """

    text: str = Field(min_length=1)
    context: str = ""
    answer_schema: JsonObject | None = None
    criteria: tuple[str, ...] = ()

    @field_validator("text")
    @classmethod
    def _not_blank(cls, text: str) -> str:
        if not text.strip():
            raise ValueError("the task is empty: say in words what you want to know")
        return text.strip()
