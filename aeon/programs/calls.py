"""What a program comes down to: calls of tools, each of which may refer to what earlier ones give."""

from __future__ import annotations

from dataclasses import dataclass

from aeon.schema.turns import Call

__all__ = ["Calls", "Text"]


@dataclass(frozen=True)
class Text:
    """A text that a program has the model write; references to results may stand in its ``task``."""

    id: str
    task: str


@dataclass(frozen=True)
class Calls:
    """The calls of a program in order, and the texts that it wants among them; ``printed`` are ids of both.

    An id is ``s`` and a number from 1. A reference to a result, ``$s1``, may stand in a text of the arguments.
    """

    made: tuple[Call | Text, ...] = ()
    printed: tuple[str, ...] = ()
