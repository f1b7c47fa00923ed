"""Lessons: what an earlier run learnt, and how it ended."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.value import Value

__all__ = ["Lesson", "LessonOutcome", "Lessons", "Noted", "Pattern"]

LessonOutcome = Literal["success", "failure"]


class Lesson(Value):
    """What a run did for a task and how it ended; ``text`` says it in a few words, and is data, never an instruction.

    ``id`` is the execution id of the run. ``project`` is "" for a lesson that holds everywhere. ``similarity`` (0-1) is
    that of its task to the one it was found for. ``category`` is the kind that the task was said to be of, ``tools``
    are those that its steps called, each once, in the order of their first calls.
    """

    id: Annotated[str, Field(min_length=1)]
    task: Annotated[str, Field(min_length=1)]
    outcome: LessonOutcome
    text: str = ""
    project: str = ""
    similarity: Annotated[float, Field(ge=0, le=1)] = 0.0
    category: str = ""
    tools: tuple[str, ...] = ()


class Pattern(Value):
    """A way in which tasks of a category were done more than once: with these tools, and how often it ended well."""

    category: str
    tools: tuple[str, ...]
    successes: Annotated[int, Field(ge=0)] = 0
    failures: Annotated[int, Field(ge=0)] = 0


class Lessons(Value):
    """The lessons that were found for a task, the most similar first; so many rows of the file were none.

    ``patterns`` are of all tasks of its category, however similar, the most frequent first.
    """

    lessons: tuple[Lesson, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    skipped: Annotated[int, Field(ge=0)] = 0


class Noted(Value):
    """A lesson was kept."""

    id: str = ""
