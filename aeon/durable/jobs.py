"""The runs in a database, from outside: submitted, listed, read, stopped, answered, continued, forked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal, Self

import sqlalchemy as sa
from dbos import EnqueueOptions, WorkflowStatus
from dbos._error import DBOSWorkflowIDInUseError

from aeon.asking.answers import meant, no_option, options_of
from aeon.assembly.noting import ModelCall
from aeon.durable.calls import Calls
from aeon.durable.database import Address, Database
from aeon.durable.rooms import HELD, Rooms
from aeon.durable.steps import Past, past_of
from aeon.durable.values import (
    DEFAULT_PRIORITY,
    END_STATES,
    JobRecord,
    JobState,
    Life,
    LifeEnd,
    Order,
    needs,
    workflow_id,
)
from aeon.errors import UnknownNameError, UsageError
from aeon.runtime.journal import Journal
from aeon.runtime.lines import Entry, Opening
from aeon.schema import JsonObject, Question
from aeon.text import one_line

__all__ = ["APP_VERSION", "NOBODY", "WORKFLOW", "Jobs"]

WORKFLOW = "aeon.run"
APP_VERSION = "aeon-1"
"""The version of what workflows are given and give, which DBOS compares: not one of Aeon's or an engine's code."""
NOBODY = "-"
"""Whose runs are those that no token submitted."""
_SHOWN = 200
_LIVES = 10_000
_STATES: dict[str, JobState] = {
    "ENQUEUED": "queued", "DELAYED": "queued", "PENDING": "running", "ERROR": "failed", "CANCELLED": "cancelled",
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": "failed",
}  # fmt: skip
_AT_REST = ("ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
_ROOM = "its token has as many runs under way as it may have"
_DETAILS = {
    "ERROR": "the worker could not say how it ended; continue it with: aeon resume",
}


class Jobs:
    """The runs in the database at ``url``, or in one that is open. A context manager: it closes the connection.

    ``create`` makes its tables, or brings them up to date.

    Raises:
        UsageError: the URL is none.
        InputFileError: the database cannot be used.
    """

    def __init__(self, url: str | Database, create: bool = False) -> None:
        self.database = url if isinstance(url, Database) else Database(Address.of(url), create)
        self._client = self.database.client
        self._rooms, self._calls = Rooms(self.database), Calls(self.database)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.database.close()

    def submit(
        self,
        opening: Opening,
        priority: int = DEFAULT_PRIORITY,
        entries: tuple[Entry, ...] = (),
        owner: str = NOBODY,
        queue: str | None = None,
        unattended: Literal["assume", "suspend"] | None = None,
        within: sa.Connection | None = None,
    ) -> str:
        """Queue a new run; its id is that of the opening. It is in the database when this returns.

        Of the runs that wait, those with the lowest ``priority`` (1 to 9) go first, and of these the oldest.
        ``entries`` are the past that a fork shares. ``owner`` is whose run it is, where each has a limit. Without a
        ``queue`` it waits for a worker with just its tools. It is submitted with the transaction ``within``, if there
        is one: when that is committed, or not at all.

        Raises:
            UsageError: there is a run of this id.
            InputFileError: it cannot be written.
        """
        life = Life(run=opening.execution_id, number=1, opening=opening, entries=entries, unattended=unattended)
        order = Order(opening.task.text, queue or needs(opening.engine, opening.setup), priority, owner)
        try:
            with self.database.reached():
                self._enqueue(life, order, within=within)
        except DBOSWorkflowIDInUseError:
            raise UsageError(f"{life.run}: a run of this id is there already; see: aeon jobs {life.run}") from None
        return life.run

    def fork(self, forked: Journal, parent: JobRecord, within: sa.Connection | None = None) -> str:
        """Queue the fork of a run, from `aeon.fork` in memory, beside its parent; its id. As `submit` otherwise."""
        entries = tuple(entry for _, entry in sorted(forked.entries.items()))
        opening, own = forked.opened, (parent.priority, entries, parent.owner, parent.needs)
        with self.database.reached(), self._transaction(within) as connection:
            self._calls.share(connection, parent.id, opening.execution_id, len(entries))
            return self.submit(opening, *own, within=connection)

    def calls(self, run: str, number: int) -> tuple[ModelCall, ...]:
        """The model calls for an effect of a run, with prompts and replies."""
        with self.database.reached():
            return self._calls.of(run, number)

    def latest(self, state: JobState | None = None, most: int = 100) -> list[JobRecord]:
        """The latest runs, newest first, each by its latest life; with a ``state``, of the latest 10,000 lives."""
        jobs: dict[str, JobRecord] = {}
        for status in self._statuses(max(_LIVES, most)):
            run, _, number = status.workflow_id.rpartition(":")
            if run not in jobs or jobs[run].life < int(number):
                jobs[run] = _record(status)
        chosen = [job for job in jobs.values() if state in (None, job.state)]
        return sorted(chosen, key=lambda job: -job.created)[:most]

    def get(self, run: str) -> JobRecord:
        """The run of that id.

        Raises:
            UnknownNameError: there is none.
        """
        lives = self._lives(run)
        first, latest = lives[0], lives[-1]
        return _record(latest)._replace(created=(first.created_at or 0) / 1000)

    def several(self, runs: Sequence[str]) -> dict[str, JobRecord]:
        """The runs of these ids that there are, each by its latest life."""
        jobs: dict[str, JobRecord] = {}
        if not runs:
            return jobs
        with self.database.reached():
            prefixes = [f"{run}:" for run in runs]
            found = self._client.list_workflows(workflow_id_prefix=prefixes, name=WORKFLOW, load_input=False)
        for status in found:
            job = _record(status)
            if job.id not in jobs or jobs[job.id].life < job.life:
                jobs[job.id] = job
        return jobs

    def beginning(self, prefix: str) -> set[str]:
        """The ids of the runs that begin so."""
        with self.database.reached():
            found = self._client.list_workflows(
                workflow_id_prefix=prefix, name=WORKFLOW, load_input=False, load_output=False
            )
        return {one.workflow_id.rpartition(":")[0] for one in found}

    def before(self, job: JobRecord) -> int:
        """How many of the runs that wait for the same workers go before this one."""
        with self.database.reached():
            waiting = self._client.list_workflows(
                status="ENQUEUED", queue_name=[job.needs, HELD], load_input=False, load_output=False
            )
        others = [one for one in waiting if one.queue_name != HELD or _record(one).owner == job.owner]
        ranks = {one.workflow_id: (one.priority or 0, one.created_at or 0) for one in others}
        own = ranks.get(workflow_id(job.id, job.life))
        return sum(rank < own for rank in ranks.values()) if own is not None else 0

    def waiting(self) -> int:
        """How many runs wait for a worker."""
        with self.database.reached():
            return len(
                self._client.list_workflows(name=WORKFLOW, status="ENQUEUED", load_input=False, load_output=False)
            )

    def journal(self, run: str) -> Journal:
        """The journal of a run, to be looked at; before a worker has begun it there is its first line.

        Raises as `get`, and as `Journal.of`.
        """
        lines = self._past(run).lines
        if not lines:
            first = Life.model_validate(self._inputs(run))
            assert first.opening is not None
            return Journal.written(first.opening, first.entries)
        return Journal.of(run, lines)

    def steps(self, workflow: str, after: int = 0) -> list[str]:
        """What the steps of a life hold, behind so many of them."""
        with self.database.reached():
            return [str(one["output"]) for one in self._client.list_workflow_steps(workflow, offset=after)]

    def lines(self, run: str) -> list[bytes]:
        """The lines of the journal of a run, without their seals; none before a worker has begun it."""
        return self._past(run).lines

    def written(self, run: str) -> bytes:
        """The journal of a run as a file would hold it. Raises as `journal`."""
        return self._past(run).whole

    def cancel(self, run: str, now: bool = False) -> JobRecord:
        """Ask a run to stop, whoever works on it. One that waits is over; another ends soon with what there is.

        ``now``, also after it was asked, breaks off the wording of its answer, too.

        Raises:
            UnknownNameError: there is no such run.
            UsageError: it is over, or was asked already.
        """
        job = self.get(run)
        if job.state in END_STATES:
            raise UsageError(f"{run}: is over already: {_said(job)}; there is nothing to stop")
        if job.stopping and not now:
            raise UsageError(f"{run}: was asked to stop already; a worker that has it ends it soon")
        with self.database.reached():
            if job.state == "waiting":
                self._continue(job, None, None, None, stop=True)
                return self.get(run)
            name = workflow_id(run, job.life)
            # first the mark, then the look: a worker that takes the run in between sees the mark and does nothing
            self._client.update_workflow_attributes(name, {"stop": True, "now": now}, merge=True)
            if self._lives(run)[-1].status in ("ENQUEUED", "DELAYED"):
                self._client.cancel_workflow(name)
        return self.get(run)

    def answer(self, run: str, said: str, unattended: Literal["assume", "suspend"] | None = None) -> JobRecord:
        """Answer the question that a run waits for; a worker continues it. ``unattended`` is for further questions.

        Raises:
            UnknownNameError: there is no such run.
            UsageError: it waits for no answer, what was said is none, or somebody else was faster.
        """
        job = self.get(run)
        question = job.end.question if job.end else None
        if job.state != "waiting" or question is None:
            raise UsageError(f"{run}: waits for no answer: it is {_said(job)}")
        self._continue(job, _meant(question, said), unattended, None)
        return self.get(run)

    def resume(
        self, run: str, unattended: Literal["assume", "suspend"] | None = None, setup: JsonObject | None = None
    ) -> JobRecord:
        """Continue a run that waits, failed, or was cancelled or interrupted; with another ``setup`` if there is one.

        Raises:
            UnknownNameError: there is no such run.
            UsageError: it is under way, or there is nothing to continue.
        """
        job = self.get(run)
        broken_off = job.end is not None and job.end.stop_reason in ("failed", "interrupted")
        if job.state not in ("waiting", "failed", "cancelled") and not broken_off:
            raise UsageError(f"{run}: there is nothing to continue: it is {_said(job)}")
        self._continue(job, None, unattended, setup)
        return self.get(run)

    def workers(self) -> dict[str, list[str]]:
        """The workers on the list, each with the queues that it listens to."""
        with self.database.reached(), self.database.engine.begin() as connection:
            return {row.name: [*row.queues] for row in connection.execute(self.database.workers.select())}

    def _continue(
        self,
        job: JobRecord,
        answer: str | None,
        unattended: Literal["assume", "suspend"] | None,
        setup: JsonObject | None,
        stop: bool = False,
    ) -> None:
        queue = needs(job.engine, setup) if setup is not None else job.needs
        opening = None
        if not self._past(job.id).lines:  # it ended before its first line: the next life begins it
            opening = Life.model_validate(self._inputs(job.id)).opening
        life = Life(run=job.id, number=job.life + 1, opening=opening, answer=answer, unattended=unattended)
        try:
            with self.database.reached():
                self._enqueue(life, Order(job.task, queue, job.priority, job.owner), stop)
                if stop:
                    self._client.cancel_workflow(workflow_id(life.run, life.number))
        except DBOSWorkflowIDInUseError:
            raise UsageError(f"{job.id}: somebody else has just continued it; see: aeon jobs {job.id}") from None

    def _enqueue(self, life: Life, order: Order, stop: bool = False, within: sa.Connection | None = None) -> None:
        attributes = {
            "task": one_line(order.task, _SHOWN), "needs": order.queue, "stop": stop, "owner": order.owner,
        }  # fmt: skip
        options: EnqueueOptions = {
            "workflow_name": WORKFLOW, "queue_name": order.queue, "workflow_id": workflow_id(life.run, life.number),
            "workflow_id_reuse_policy": "reject", "app_version": APP_VERSION, "priority": order.priority,
            "attributes": attributes, "queue_partition_key": order.owner,
        }  # fmt: skip
        written = life.model_dump(mode="json", exclude_defaults=True) | {"run": life.run, "number": life.number}
        if order.owner == NOBODY and within is None:
            self._client.enqueue(options, written)
            return
        with self._transaction(within) as connection:
            options["queue_name"] = self._rooms.queue(connection, order.owner, order.queue)
            self._client.enqueue_in_transaction(connection, options, written)

    def _transaction(self, within: sa.Connection | None) -> AbstractContextManager[sa.Connection]:
        return self.database.engine.begin() if within is None else nullcontext(within)

    def _inputs(self, run: str) -> Any:  # noqa: ANN401 - JSON from the database, which its class validates
        with self.database.reached():
            (status,) = self._client.list_workflows(workflow_ids=[workflow_id(run, 1)], load_output=False)
        assert status.input is not None
        return status.input["args"][0]

    def _past(self, run: str) -> Past:
        lives = len(self._lives(run))
        with self.database.reached():
            return past_of(self._client, run, lives)

    def _lives(self, run: str) -> Sequence[WorkflowStatus]:
        with self.database.reached():
            found = self._client.list_workflows(workflow_id_prefix=f"{run}:", name=WORKFLOW, load_input=False)
        own = [one for one in found if one.workflow_id.rpartition(":")[0] == run]
        if not own:
            raise UnknownNameError(f"{one_line(run, 60)}: there is no run of this id; see: aeon jobs")
        return sorted(own, key=lambda one: int(one.workflow_id.rpartition(":")[2]))

    def _statuses(self, most: int) -> Iterable[WorkflowStatus]:
        with self.database.reached():
            return self._client.list_workflows(name=WORKFLOW, load_input=False, sort_desc=True, limit=most)


def _record(status: WorkflowStatus) -> JobRecord:
    """A run by the workflow of its latest life."""
    run, _, number = status.workflow_id.rpartition(":")
    attributes = status.attributes or {}
    end = LifeEnd.model_validate(status.output) if status.output is not None else None
    return JobRecord(
        id=run,
        life=int(number),
        state=end.state if end else _STATES[status.status],
        task=str(attributes.get("task", "")),
        needs=str(attributes.get("needs", "")),
        priority=status.priority or 0,
        created=_seconds(status.created_at),
        worker=status.executor_id or None,
        stopping=bool(attributes.get("stop")),
        end=end,
        owner=str(attributes.get("owner", NOBODY)),
        rested=_seconds(status.updated_at) if end or status.status in _AT_REST else None,
        detail=end.detail if end and end.detail else _detail(status),
    )


def _detail(status: WorkflowStatus) -> str:
    """Why a run stands where it does, by its workflow."""
    held = status.status == "ENQUEUED" and status.queue_name == HELD
    return _ROOM if held else _DETAILS.get(status.status, "")


def _seconds(milliseconds: int | None) -> float:
    return (milliseconds or 0) / 1000


def _said(job: JobRecord) -> str:
    """The state of a run in words."""
    reason = job.end.stop_reason.replace("_", " ") if job.end else ""
    return f"{job.state} ({reason})" if reason and reason != job.state else job.state


def _meant(question: Question, said: str) -> str:
    if other := no_option(question, said):
        words = "" if question.closed else "; or answer in words"
        raise UsageError(f"--answer: {other} is none of the options, which are: {options_of(question)}{words}")
    if not (answer := meant(question, said)):
        raise UsageError(f"--answer: is empty, and there is no default; the question is: {question.text}")
    return answer
