"""What a model's endpoint can take, shared by all workers: a run has one of so many slots while it is worked on.

A slot is a row, whose key is the model and a number below the limit. So the database itself lets no two runs have one,
and there is nothing to lock. A worker that is gone loses its slots with its place on the list.
"""

from __future__ import annotations

import contextlib

import sqlalchemy as sa

from aeon.durable.database import Database

__all__ = ["Slots"]


class Slots:
    """The slots of a worker's model, of which there are ``most``; without a number there is no limit."""

    def __init__(self, database: Database, worker: str, model: str, most: int | None) -> None:
        self._engine, self._table = database.engine, database.slots
        self._worker, self._model, self._most = worker, model, most
        self._held: set[str] = set()

    def take(self, run: str) -> bool:
        """Take a slot for the run, if one is free and nobody is faster."""
        if self._most is None:
            return True
        self._held.add(run)  # first: what `settle` does not find there, it gives back
        if self._taken(run, self._most):
            return True
        self._held.discard(run)
        return False

    def _taken(self, run: str, most: int) -> bool:
        slots = self._table
        try:
            with self._engine.begin() as connection:
                taken = set(connection.execute(sa.select(slots.c.number).where(slots.c.model == self._model)).scalars())
                free = next((number for number in range(most) if number not in taken), None)
                if free is None:
                    return False
                row = {"model": self._model, "number": free, "run": run, "worker": self._worker}
                connection.execute(slots.insert().values(row))
        except sa.exc.IntegrityError:
            return False
        return True

    def give(self, run: str) -> None:
        """Give the slot of the run back; one that cannot be given now is given by `settle`."""
        self._held.discard(run)
        with contextlib.suppress(sa.exc.SQLAlchemyError):
            self.settle()

    def settle(self) -> None:
        """Give back what no run of this worker has: a database that was away did not hear of it."""
        if self._most is None:
            return
        slots = self._table
        left = sa.and_(slots.c.worker == self._worker, slots.c.run.not_in(list(self._held)))
        with self._engine.begin() as connection:
            connection.execute(slots.delete().where(left))
