"""The journal of a run as it grows in the database: what is new is read, and no more."""

from __future__ import annotations

from typing import NamedTuple

from aeon.durable.jobs import Jobs
from aeon.durable.steps import Past
from aeon.durable.values import JobRecord, workflow_id

__all__ = ["Seen", "Tail"]


class Seen(NamedTuple):
    """A run as it stands, and the lines of its journal; ``None`` where none came since the last look."""

    job: JobRecord
    lines: list[bytes] | None


class Tail:
    """Looks at a run again and again."""

    def __init__(self, jobs: Jobs, run: str) -> None:
        self._jobs = jobs
        self._run = run
        self._life, self._steps = 1, 0
        self._stored: list[str] = []

    def look(self) -> Seen:
        """The run now. If it is at rest, its lines are all there: it is looked at first.

        Raises:
            UnknownNameError: there is no such run.
            InputFileError: the database cannot be used.
            JournalError: a line was changed.
        """
        job, before = self._jobs.get(self._run), len(self._stored)
        while True:
            new = self._jobs.steps(workflow_id(self._run, self._life), self._steps)
            self._stored += new
            self._steps += len(new)
            if self._life >= job.life:
                break
            self._life, self._steps = self._life + 1, 0
        grown = len(self._stored) > before
        return Seen(job, Past(self._run, self._stored).lines if grown else None)
