"""By what a worker has a run, asked of the database right before a tool changes the world."""

from __future__ import annotations

import asyncio
import time

import sqlalchemy as sa
from dbos._context import current_owner_xid
from sqlalchemy.exc import SQLAlchemyError

from aeon.durable.database import Database
from aeon.durable.presence import Presence

__all__ = ["Lease"]


class Lease:
    """The token by which DBOS knows who owns a workflow; each who takes it over gets another one. Made in the workflow.

    A worker that stood still may count again before it finds that its run is another's: only the database knows.
    """

    def __init__(self, database: Database, presence: Presence, workflow: str) -> None:
        self._database = database
        self._presence = presence
        self._workflow = workflow
        self._owner = current_owner_xid(workflow)

    async def holds(self) -> bool:
        """Whether the run is this worker's now, and nobody can take the worker for dead within half its patience.

        An answer that came late is none: the worker may have stood still since then.
        """
        asked = time.monotonic()
        owned = self._presence.sure and await asyncio.to_thread(self._owned)
        return owned and time.monotonic() - asked < self._presence.patience / 2

    def _owned(self) -> bool:
        table = self._database.workflows
        own = sa.select(table.c.owner_xid).where(table.c.workflow_uuid == self._workflow, table.c.status == "PENDING")
        try:
            with self._database.engine.begin() as connection:
                return bool(connection.execute(own).scalar() == self._owner)
        except SQLAlchemyError:
            return False
