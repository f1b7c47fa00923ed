"""What there is to answer a task with, as a host sees it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from aeon.schema.value import Value

__all__ = ["Surroundings"]

_Count = Annotated[int, Field(ge=0)]


class Surroundings(Value):
    """What a run has, and what can be counted in its task: no model is asked.

    ``tables`` can be queried, ``texts`` searched, ``searches`` are providers beyond the texts at hand. ``numbers``
    counts those that the task's text says.
    """

    tables: _Count = 0
    texts: bool = False
    searches: tuple[str, ...] = ()
    numbers: _Count = 0

    @property
    def bare(self) -> bool:
        """Whether there is nothing but the task itself."""
        return not (self.tables or self.texts or self.searches)
