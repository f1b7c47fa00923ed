"""A result whose value is an object of the user's own model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from aeon.errors import Malformed
from aeon.schema.conclusion import Conclusion
from aeon.schema.task import Task, task_of

__all__ = ["Typed", "asking_for"]

R_co = TypeVar("R_co", bound=Conclusion, covariant=True)
M_co = TypeVar("M_co", bound=BaseModel, covariant=True)


@dataclass(frozen=True)
class Typed(Generic[R_co, M_co]):
    """A ``result`` for a task whose answer was to be a ``model``; what the result has beside it is one step further."""

    result: R_co
    model: type[M_co]

    @property
    def value(self) -> M_co:
        """The answer as an object of the model.

        Raises:
            Malformed: the run ended without one; says why it ended.
            pydantic.ValidationError: the model asks for more than its JSON Schema says.
        """
        if self.result.value is None:
            why = f": {self.result.detail}" if self.result.detail else ""
            raise Malformed(f"the run gave no {self.model.__name__}; it ended as {self.result.stop_reason}{why}")
        return self.model.model_validate(self.result.value)

    @property
    def answer(self) -> str:
        """The answer in words."""
        return self.result.answer

    @property
    def sufficient(self) -> bool:
        """Whether the answer is good enough by the engine's rules."""
        return self.result.sufficient


def asking_for(task: Task | str, model: type[BaseModel]) -> Task:
    """The task with an answer that fits the model."""
    return task_of(task).changed(answer_schema=model.model_json_schema())
