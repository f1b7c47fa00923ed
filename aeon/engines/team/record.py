"""The record of a team: each part of the task, who worked on it, and what came of it."""

from __future__ import annotations

from aeon.engines.ensemble.members import Said
from aeon.schema.conclusion import Conclusion
from aeon.schema.frozen import JsonValue

__all__ = ["Job", "Team"]


class Job(Said):
    """A part of the task. ``rule`` chose the ``engine``; ``handed_on``: the master saw the answer.

    ``scope`` is that of the worker's run.
    """

    question: str
    engine: str
    rule: str = ""
    scope: str = ""
    handed_on: bool = False


class Team(Conclusion):
    """The result of a team: the ending of its ``master``. Without ``jobs``, the task was not split."""

    master: str = ""
    jobs: tuple[Job, ...] = ()

    def parts(self) -> dict[str, JsonValue]:
        """The parts of the task in their order."""
        return {f"part {place}": job.model_dump(mode="json") for place, job in enumerate(self.jobs, 1)}
