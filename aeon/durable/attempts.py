"""The attempts at runs that workers have under way, in a table of their own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from aeon.durable.database import Database
from aeon.durable.jobs import Jobs
from aeon.errors import DatabaseAway
from aeon.runtime.attempts import Attempt, outcomes_in

__all__ = ["WorkerAttempts"]

T = TypeVar("T")
_AWAY = 1.0


class WorkerAttempts:
    """Keeps the attempts of a worker, as `Records`. While the database is away, it is waited for.

    A run that another worker has taken over is the other one's: what this one says of it then changes nothing.
    """

    def __init__(self, database: Database, worker: str) -> None:
        self._database = database
        self._table = database.attempts
        self._worker = worker

    async def read(self, run: str) -> Attempt | None:
        """The attempt at a run, whoever has or had it; ``None`` where nobody has it under way."""
        return await _there(lambda: self._read(run))

    async def write(self, run: str, attempt: Attempt | None) -> None:
        """Put an attempt on record, or ``None`` when the run is let go of."""
        await _there(lambda: self._write(run, attempt))

    async def outcomes(self, run: str) -> int:
        """How many outcomes the journal of a run holds."""
        return await _there(lambda: outcomes_in(Jobs(self._database).lines(run)))

    def end_all(self) -> None:
        """Let go of all runs of the worker, in order: it hands over what it has not ended."""
        with contextlib.suppress(SQLAlchemyError), self._database.engine.begin() as connection:
            connection.execute(self._table.delete().where(self._table.c.worker == self._worker))

    def _read(self, run: str) -> Attempt | None:
        columns = (self._table.c.deaths, self._table.c.alone, self._table.c.outcomes)
        with self._database.engine.begin() as connection:
            row = connection.execute(sa.select(*columns).where(self._table.c.run == run)).first()
        return Attempt(*row) if row is not None else None

    def _write(self, run: str, attempt: Attempt | None) -> None:
        own = self._table.c.run == run
        if attempt is None:
            own = sa.and_(own, self._table.c.worker == self._worker)
        with self._database.quick.begin() as connection:  # a power cut may lose it, which is no run's doing
            connection.execute(self._table.delete().where(own))
            if attempt is not None:
                row = {"run": run, "worker": self._worker, **attempt._asdict()}
                connection.execute(self._table.insert().values(**row))


async def _there(work: Callable[[], T]) -> T:
    """What a question to the database comes to, in a thread, as soon as that can be reached."""
    while True:
        with contextlib.suppress(SQLAlchemyError, DatabaseAway):
            return await asyncio.to_thread(work)
        await asyncio.sleep(_AWAY)
