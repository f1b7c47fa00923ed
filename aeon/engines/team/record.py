"""The record of a team: each part of the task, who worked on it, and what came of it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from aeon.schema.conclusion import Conclusion
from aeon.schema.frozen import JsonValue
from aeon.schema.value import Value

__all__ = ["Job", "Team"]

_Count = Annotated[int, Field(ge=0)]


class Job(Value):
    """A part of the task. ``rule`` chose the ``engine``; ``handed_on``: the master saw the answer.

    ``scope`` is that of the worker's run.
    """

    question: str
    engine: str
    rule: str = ""
    scope: str = ""
    answer: str = ""
    stop_reason: str = ""
    sufficient: bool = False
    handed_on: bool = False
    calls: _Count = 0
    tokens: _Count = 0


class Team(Conclusion):
    """The result of a team: the ending of its ``master``. Without ``jobs``, the task was not split."""

    master: str = ""
    jobs: tuple[Job, ...] = ()

    def parts(self) -> dict[str, JsonValue]:
        """The parts of the task in their order."""
        return {f"part {place}": job.model_dump(mode="json") for place, job in enumerate(self.jobs, 1)}
