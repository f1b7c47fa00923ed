"""What a user asks for."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field, ValidationError, field_validator

from aeon.errors import UsageError
from aeon.schema.frozen import JsonObject, Written
from aeon.schema.value import Value
from aeon.text import is_text

__all__ = ["LONGEST_CONTEXT", "LONGEST_TASK", "Clarification", "Question", "Reply", "Task", "Unread", "task_of"]

LONGEST_TASK = 6_000
"""The characters of a task's text that every prompt shows in which it is planned, worked on or answered."""
LONGEST_CONTEXT = 6_000
"""The same of its context."""


class Question(Value):
    """One question to the person who set the task.

    ``default`` is what may be assumed where nobody answers; without one, nothing may, and options are the only answers.
    """

    text: Annotated[str, Field(min_length=1)]
    options: tuple[str, ...] = ()
    default: str = ""

    @property
    def closed(self) -> bool:
        """Whether only one of its options is an answer."""
        return bool(self.options) and not self.default.strip()


class Reply(Value):
    """What a person said to a question; ``assumed``: nobody was asked, so it is the question's default."""

    text: str
    assumed: bool = False


class Clarification(Value):
    """A question that was asked in a run, and its answer."""

    question: str
    answer: str
    assumed: bool = False


class Unread(Value):
    """A part of a task that is longer than what prompts show of it; ``shown`` is what the shortest of them shows.

    Both numbers count characters.
    """

    part: Literal["task", "context", "earlier"]
    characters: int
    shown: int


class Task(Written):
    """A task in the user's words, with what the answer must look like.

    ``context`` is text the answer may rely on; it is shown to the model as data, never as instructions.
    ``earlier`` is what programs answered before, such as in a conversation's earlier turns: it is shown as well, but no
    claim of the answer may rest on it.
    ``answer_schema`` is a JSON Schema: the result then carries a validated object beside the text.
    ``criteria`` are yes/no statements, in words, that the answer must meet to count as converged.
    ``clarifications`` are questions that were asked about the task, with their answers; a run adds its own.
    """

    text: str = Field(min_length=1)
    context: str = ""
    earlier: str = ""
    answer_schema: JsonObject | None = None
    criteria: tuple[str, ...] = ()
    clarifications: tuple[Clarification, ...] = ()

    @field_validator("text", mode="before")
    @classmethod
    def _not_blank(cls, text: object) -> object:
        if isinstance(text, str) and not text.strip():
            raise ValueError("the task is empty: say in words what you want to know")
        if not is_text(text):
            raise ValueError("the task holds a lone surrogate, which is no text: no journal can keep it")
        return text.strip() if isinstance(text, str) else text

    @field_validator("context", "earlier", "answer_schema", "criteria")
    @classmethod
    def _text(cls, value: object) -> object:
        if not is_text(value):
            raise ValueError("holds a lone surrogate, which is no text: no journal can keep it")
        return value

    @property
    def background(self) -> str:
        """What prompts show as data beside the task: its context, and behind it what was answered before."""
        return "\n\n".join(filter(None, (self.context, self.earlier)))

    @cached_property
    def unread(self) -> tuple[Unread, ...]:
        """What of the task is too long for prompts to show it whole."""
        sizes: tuple[tuple[Literal["task", "context", "earlier"], int, int], ...] = (
            ("task", len(self.text), LONGEST_TASK),
            ("context", len(self.context), LONGEST_CONTEXT),
            ("earlier", len(self.earlier), max(0, LONGEST_CONTEXT - len(self.context))),
        )
        return tuple(Unread(part=part, characters=size, shown=most) for part, size, most in sizes if size > most)

    def answered(self, question: Question) -> bool:
        """Whether this question was asked already, word for word."""
        return any(known.question == question.text for known in self.clarifications)

    def clarified(self, question: Question, reply: Reply) -> Task:
        """The task with one more question answered."""
        new = Clarification(question=question.text, answer=reply.text, assumed=reply.assumed)
        return self.changed(clarifications=(*self.clarifications, new))


def task_of(said: Task | str) -> Task:
    """The task that somebody set: in words, or whole already.

    Raises:
        UsageError: the words are none.
    """
    try:
        return Task(text=said) if isinstance(said, str) else said
    except ValidationError as error:
        raise UsageError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None
