"""How many runs the owner of a token may have under way at once, whichever services and workers there are.

A limit is a row of the owner. Who queues a run of an owner holds that row, counts what the owner has under way, and
puts what is too much into a queue to which no worker listens. From there workers take it when there is room again.
"""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa

from aeon.durable.database import Database

__all__ = ["HELD", "Rooms"]

HELD = "aeon.held"
"""The queue of runs that wait until their owner may have another one under way."""


class Rooms:
    """The limits of a database. Its methods raise what SQLAlchemy does."""

    def __init__(self, database: Database) -> None:
        self._engine, self._limits, self._runs = database.engine, database.limits, database.workflows

    def set(self, limits: Mapping[str, int | None]) -> None:
        """Have these limits from now on: owners with ``None`` have none, and others keep theirs."""
        with self._engine.begin() as connection:
            connection.execute(self._limits.delete().where(self._limits.c.owner.in_(list(limits))))
            rows = [{"owner": owner, "runs": most} for owner, most in limits.items() if most is not None]
            if rows:
                connection.execute(self._limits.insert(), rows)

    def queue(self, connection: sa.Connection, owner: str, needs: str) -> str:
        """The queue of a new run: that of workers with what it ``needs``, if its owner may have another one."""
        most = self._hold(connection, owner)
        return needs if most is None or self._under_way(connection, owner) < most else HELD

    def release(self) -> None:
        """Let go of runs whose owner may have them now: by priority, then by age."""
        runs = self._runs.c
        query = sa.select(runs.queue_partition_key).where(runs.queue_name == HELD, runs.status == "ENQUEUED").distinct()
        with self._engine.begin() as connection:
            owners = [*connection.execute(query).scalars()]
        for owner in owners:
            with self._engine.begin() as connection:
                self._let_go(connection, owner)

    def _let_go(self, connection: sa.Connection, owner: str) -> None:
        runs, most = self._runs.c, self._hold(connection, owner)
        held = sa.and_(runs.queue_name == HELD, runs.status == "ENQUEUED", runs.queue_partition_key == owner)
        query = sa.select(runs.workflow_uuid, runs.attributes).where(held).order_by(runs.priority, runs.created_at)
        if most is not None:
            query = query.limit(max(0, most - self._under_way(connection, owner)))
        for name, attributes in connection.execute(query).all():
            update = sa.update(self._runs).where(held, runs.workflow_uuid == name)
            connection.execute(update.values(queue_name=str(attributes["needs"])))

    def _hold(self, connection: sa.Connection, owner: str) -> int | None:
        """The limit of an owner; who else asks for it waits for the end of the transaction."""
        limits = self._limits
        update = limits.update().where(limits.c.owner == owner).values(runs=limits.c.runs).returning(limits.c.runs)
        most: int | None = connection.execute(update).scalar()
        return most

    def _under_way(self, connection: sa.Connection, owner: str) -> int:
        """How many runs of an owner workers have, or may take."""
        runs = self._runs.c
        taken = sa.or_(runs.status == "PENDING", sa.and_(runs.status == "ENQUEUED", runs.queue_name != HELD))
        query = sa.select(sa.func.count()).select_from(self._runs).where(runs.queue_partition_key == owner, taken)
        return int(connection.execute(query).scalar() or 0)
