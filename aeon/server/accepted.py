"""The runs that services accepted, in the database of durable runs: whose they are, and what was asked for.

Where a run stands, the run itself says. A run and its row are written in one transaction: a request that was answered
has both, and one that was not has neither.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from aeon.durable.jobs import Jobs
from aeon.durable.values import END_STATES, JobRecord
from aeon.schema import NOTHING, JsonObject
from aeon.server.problems import process_ended
from aeon.server.runs import RunRecord, RunState, over_budget

__all__ = ["Accepted"]

_PAGE = 200


class Accepted:
    """The list of accepted runs. Its methods raise ``DatabaseAway`` where the database cannot be used."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._database = jobs.database
        self._table = jobs.database.accepted

    def add(
        self, record: RunRecord, most: int | None, submit: Callable[[sa.Connection], object]
    ) -> tuple[RunRecord, bool]:
        """Accept a run, which ``submit`` puts into the same transaction; with a key that was used, the run of that key.

        ``most`` is how many model calls the runs of its owner may make in all.

        Raises:
            Problem: it goes beyond that.
        """
        with self._database.reached():
            if most is not None:
                self._settle(record.owner)
            self._know(record.owner)
            try:
                with self._database.engine.begin() as connection:
                    self._hold(connection, record.owner)
                    if record.key is not None and (there := self._keyed(connection, record.owner, record.key)):
                        name = str(there["id"])
                    else:
                        name = record.id
                        if most is not None:
                            over_budget(self._promised(connection, record.owner), record.calls, most)
                        connection.execute(self._table.insert().values(**_row(record)))
                        submit(connection)
            except sa.exc.IntegrityError:  # another service was faster with this key
                if record.key is None or (found := self.keyed(record.owner, record.key)) is None:
                    raise
                name = found.id
        added = self.get(name)
        assert added is not None
        return added, name == record.id

    def get(self, name: str) -> RunRecord | None:
        """The run of that id."""
        return next(iter(self._several(self._table.c.id == name, most=1)), None)

    def keyed(self, owner: str, key: str) -> RunRecord | None:
        """The run that was asked for with this idempotency key."""
        return next(iter(self._several(self._table.c.owner == owner, self._table.c.key == key, most=1)), None)

    def page(self, owner: str, most: int, before: int | None, state: RunState | None) -> list[RunRecord]:
        """The latest runs of an owner, newest first, before the place ``before`` in the list."""
        found: list[RunRecord] = []
        size = most if state is None else _PAGE
        while len(found) < most:
            until = [self._table.c.seq < before] if before is not None else []
            part = self._several(self._table.c.owner == owner, *until, most=size)
            found += [one for one in part if state in (None, one.state)]
            if len(part) < size:
                break
            before = part[-1].seq
        return found[:most]

    def _several(self, *where: sa.ColumnElement[bool], most: int) -> list[RunRecord]:
        """The latest of these rows, each with its run."""
        query = self._table.select().where(*where).order_by(self._table.c.seq.desc()).limit(most)
        with self._database.reached(), self._database.engine.begin() as connection:
            rows = [*connection.execute(query).mappings()]
        jobs = self._jobs.several([str(row["id"]) for row in rows])
        return [_record(row, jobs[row["id"]]) for row in rows if row["id"] in jobs]

    def _keyed(self, connection: sa.Connection, owner: str, key: str) -> Mapping[str, Any] | None:
        query = self._table.select().where(self._table.c.owner == owner, self._table.c.key == key)
        row = connection.execute(query).mappings().first()
        return dict(row) if row is not None else None

    def _know(self, owner: str) -> None:
        """Have a row for an owner, by which `_hold` can hold others up."""
        owners = self._database.owners
        with contextlib.suppress(sa.exc.IntegrityError), self._database.engine.begin() as connection:
            if connection.execute(sa.select(owners.c.name).where(owners.c.name == owner)).scalar() is None:
                connection.execute(owners.insert().values(name=owner))

    def _hold(self, connection: sa.Connection, owner: str) -> None:
        """Have whoever else adds a run of this owner wait for the end of the transaction."""
        owners = self._database.owners
        connection.execute(owners.update().where(owners.c.name == owner).values(name=owner))

    def _promised(self, connection: sa.Connection, owner: str) -> int:
        """How many model calls the runs of an owner made, or could make where they have not ended."""
        total = sa.select(sa.func.sum(self._table.c.calls)).where(self._table.c.owner == owner)
        return int(connection.execute(total).scalar() or 0)

    def _settle(self, owner: str) -> None:
        """Count for runs that have ended what they made, not what they could have made."""
        table = self._table
        query = sa.select(table.c.id).where(table.c.owner == owner, table.c.settled.is_(False))
        with self._database.engine.begin() as connection:
            names = [*connection.execute(query).scalars()]
        made = {name: _made(job) for name, job in self._jobs.several(names).items() if job.state in END_STATES}
        with self._database.engine.begin() as connection:
            for name, calls in made.items():
                connection.execute(table.update().where(table.c.id == name).values(calls=calls, settled=True))

    def reopen(self, name: str, calls: int) -> None:
        """Count for a run that is continued what it can make."""
        update = self._table.update().where(self._table.c.id == name).values(calls=calls, settled=False)
        with self._database.reached(), self._database.engine.begin() as connection:
            connection.execute(update)


def _made(job: JobRecord) -> int:
    """The model calls that a run made."""
    end = job.end.conclusion if job.end else None
    return (end.usage + end.lost).calls if end else NOTHING.calls


def _row(record: RunRecord) -> dict[str, Any]:
    names = ("id", "owner", "engine", "request", "key", "digest", "parent", "about", "calls", "created")
    return {**{name: getattr(record, name) for name in names}, "settled": False}


def _error(job: JobRecord) -> JsonObject:
    """Why a run could not be worked on."""
    if job.end is not None and job.end.given_up:
        return process_ended(job.detail).error
    return {"type": "failed", "message": job.detail or "the run failed", "retryable": True}


def _record(row: Mapping[str, Any], job: JobRecord) -> RunRecord:
    """A run in the list, as it stands."""
    end = job.end.conclusion if job.end else None
    given_up = job.end is not None and job.end.given_up
    state: RunState = "ended" if end is not None and job.state == "failed" and not given_up else job.state
    error = _error(job) if state == "failed" else None
    rested = datetime.fromtimestamp(job.rested, UTC).isoformat(timespec="milliseconds") if job.rested else None
    request: JsonObject = row["request"]
    record = RunRecord.new(
        row["id"], row["owner"], row["engine"], request, row["key"], row["digest"], row["parent"]
    )  # fmt: skip
    return record._replace(
        seq=row["seq"], state=state, about=row["about"], calls=row["calls"], created=row["created"], ended=rested,
        stop=job.stopping, conclusion=end.model_dump(mode="json") if end else None, error=error,
    )  # fmt: skip
