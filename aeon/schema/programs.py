"""How a model works by programs: what it wrote, and what that gave when it ran."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.frozen import JsonValue
from aeon.schema.turns import Lines, ToolUse
from aeon.schema.value import Value

__all__ = ["Candidate", "ProgramText", "Programs", "Ran", "Way"]

Way = Literal["reading", "query", "plain", "program", "worked", "thought", "again", "given"]
"""How it was asked for: a short answer from texts, a query of the tables (behind examples, or plain), a program over
all, an answer that is worked out in words, a program that knows what was found in an earlier answer, or the call of a
tool that the task itself is."""


class ProgramText(Value):
    """What a model wrote to find an answer out.

    ``likelihood`` is how likely (0-1) it was to write that, word for word. ``author`` is the tutor's model, where that
    wrote it.
    """

    way: Way
    text: str
    author: str = ""
    likelihood: Annotated[float | None, Field(ge=0, le=1)] = None


class Programs(Value):
    """What was written, and the ways that were ``asked`` for it, in vain or not; ``more``: whether others are left."""

    programs: tuple[ProgramText, ...] = ()
    asked: tuple[Way, ...] = ()
    more: bool = False


class Ran(Value):
    """What a program gave: the ``values`` that it prints, and the calls of tools that they rest on, in order.

    ``cites`` are ids of results and of their sentences. ``writing`` is the text that it wants written. ``absent``: it
    found that what is asked for is not stated. ``problem`` is what kept it from giving anything. ``near`` is the
    sentence nearest to an answer that stands in none, for a judge to see.
    """

    values: tuple[JsonValue, ...] = ()
    uses: tuple[ToolUse, ...] = ()
    cites: tuple[str, ...] = ()
    writing: str = ""
    absent: bool = False
    problem: str = ""
    near: tuple[Lines, ...] = ()


class Candidate(Value):
    """A program with what it gave."""

    program: ProgramText
    ran: Ran
