"""The attempts at the runs of a server, beside the list of the runs."""

from __future__ import annotations

import asyncio
import sqlite3

from aeon.runtime.attempts import Attempt, outcomes_in
from aeon.runtime.sealed import read_sealed
from aeon.server.problems import Problem
from aeon.server.runs import Runs

__all__ = ["RunAttempts"]


class RunAttempts:
    """Keeps the attempts at runs, as `Records`. What the disk does not take counts as long as this process lives.

    The end of the process loses none that was written; a power cut may, which is no run's doing.
    """

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._unwritten: dict[str, Attempt | None] = {}

    async def read(self, run: str) -> Attempt | None:
        """The attempt at a run; ``None`` where nobody has it under way."""
        if run in self._unwritten:
            return self._unwritten[run]
        return await self._runs.done(lambda file: _read(file, run), sure=False)

    async def write(self, run: str, attempt: Attempt | None) -> None:
        """Put an attempt on record, or ``None`` when the run is let go of."""
        try:
            await self._runs.done(lambda file: _write(file, run, attempt), sure=False)
        except Problem:
            self._unwritten[run] = attempt
        else:
            self._unwritten.pop(run, None)

    async def outcomes(self, run: str) -> int:
        """How many outcomes the journal of a run holds."""
        if not self._runs.begun(run):
            return 0
        return outcomes_in((await asyncio.to_thread(read_sealed, self._runs.path(run)))[0])


def _read(file: sqlite3.Connection, run: str) -> Attempt | None:
    row = file.execute("SELECT deaths, alone, outcomes FROM attempts WHERE run = ?", [run]).fetchone()
    return Attempt(*row) if row is not None else None


def _write(file: sqlite3.Connection, run: str, attempt: Attempt | None) -> None:
    if attempt is None:
        file.execute("DELETE FROM attempts WHERE run = ?", [run])
    else:
        file.execute("INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?)", [run, *attempt])
