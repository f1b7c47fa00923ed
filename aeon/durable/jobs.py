"""The runs in a database, from outside: submitted, listed, read, stopped, answered, continued, forked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, Self

from dbos import WorkflowStatus
from dbos._error import DBOSWorkflowIDInUseError

from aeon.asking.answers import meant, no_option, options_of
from aeon.durable.database import Address, Database
from aeon.durable.steps import Past, past_of
from aeon.durable.values import END_STATES, JobRecord, JobState, Life, LifeEnd, needs, workflow_id
from aeon.errors import UnknownNameError, UsageError
from aeon.runtime.journal import Journal
from aeon.runtime.lines import Opening
from aeon.schema import JsonObject, Question
from aeon.text import one_line

__all__ = ["APP_VERSION", "DEFAULT_PRIORITY", "WORKFLOW", "Jobs"]

WORKFLOW = "aeon.run"
APP_VERSION = "aeon-1"
"""The version of what workflows are given and give, which DBOS compares: not one of Aeon's or an engine's code."""
DEFAULT_PRIORITY = 5
_SHOWN = 200
_LIVES = 10_000
_STATES: dict[str, JobState] = {
    "ENQUEUED": "queued", "DELAYED": "queued", "PENDING": "running", "ERROR": "failed", "CANCELLED": "cancelled",
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": "failed",
}  # fmt: skip
_DETAILS = {
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": "every worker that had it ended; continue it with: aeon resume",
    "ERROR": "the worker could not say how it ended; continue it with: aeon resume",
}


class Jobs:
    """The runs in the database at ``url``. A context manager: it closes the connection.

    ``create`` makes its tables, or brings them up to date.

    Raises:
        UsageError: the URL is none.
        InputFileError: the database cannot be used.
    """

    def __init__(self, url: str, create: bool = False) -> None:
        self.database = Database(Address.of(url), create)
        self._client = self.database.client

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.database.close()

    def submit(self, opening: Opening, priority: int = DEFAULT_PRIORITY) -> str:
        """Queue a new run; its id is that of the opening. It is in the database when this returns.

        Of the runs that wait, those with the lowest ``priority`` (1 to 9) go first, and of these the oldest.

        Raises:
            InputFileError: it cannot be written.
        """
        life = Life(run=opening.execution_id, number=1, opening=opening)
        with self.database.reached():
            self._enqueue(life, opening.task.text, needs(opening.engine, opening.setup), priority)
        return life.run

    def fork(self, forked: Journal, priority: int = DEFAULT_PRIORITY) -> str:
        """Queue the fork of a run, from `aeon.fork` in memory; its id. Raises as `submit`."""
        opening, entries = forked.opened, tuple(entry for _, entry in sorted(forked.entries.items()))
        life = Life(run=opening.execution_id, number=1, opening=opening, entries=entries)
        with self.database.reached():
            self._enqueue(life, opening.task.text, needs(opening.engine, opening.setup), priority)
        return life.run

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

    def written(self, run: str) -> bytes:
        """The journal of a run as a file would hold it. Raises as `journal`."""
        return self._past(run).whole

    def cancel(self, run: str) -> JobRecord:
        """Ask a run to stop, whoever works on it. One that waits is over; another ends soon with what there is.

        Raises:
            UnknownNameError: there is no such run.
            UsageError: it is over, or was asked already.
        """
        job = self.get(run)
        if job.state in END_STATES:
            raise UsageError(f"{run}: is over already: {_said(job)}; there is nothing to stop")
        if job.stopping:
            raise UsageError(f"{run}: was asked to stop already; a worker that has it ends it soon")
        with self.database.reached():
            if job.state == "waiting":
                self._continue(job, None, None, None, stop=True)
                return self.get(run)
            name = workflow_id(run, job.life)
            # first the mark, then the look: a worker that takes the run in between sees the mark and does nothing
            self._client.update_workflow_attributes(name, {"stop": True}, merge=True)
            if self._lives(run)[-1].status in ("ENQUEUED", "DELAYED"):
                self._client.cancel_workflow(name)
        return self.get(run)

    def answer(self, run: str, said: str) -> JobRecord:
        """Answer the question that a run waits for; a worker continues it.

        Raises:
            UnknownNameError: there is no such run.
            UsageError: it waits for no answer, what was said is none, or somebody else was faster.
        """
        job = self.get(run)
        question = job.end.question if job.end else None
        if job.state != "waiting" or question is None:
            raise UsageError(f"{run}: waits for no answer: it is {_said(job)}")
        self._continue(job, _meant(question, said), None, None)
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
                self._enqueue(life, job.task, queue, job.priority, stop)
                if stop:
                    self._client.cancel_workflow(workflow_id(life.run, life.number))
        except DBOSWorkflowIDInUseError:
            raise UsageError(f"{job.id}: somebody else has just continued it; see: aeon jobs {job.id}") from None

    def _enqueue(self, life: Life, task: str, queue: str, priority: int, stop: bool = False) -> None:
        attributes = {"task": one_line(task, _SHOWN), "needs": queue, "stop": stop}
        self._client.enqueue(
            {
                "workflow_name": WORKFLOW, "queue_name": queue, "workflow_id": workflow_id(life.run, life.number),
                "workflow_id_reuse_policy": "reject", "app_version": APP_VERSION, "priority": priority,
                "attributes": attributes,
            },
            life.model_dump(mode="json", exclude_defaults=True) | {"run": life.run, "number": life.number},
        )  # fmt: skip

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
        created=(status.created_at or 0) / 1000,
        worker=status.executor_id or None,
        stopping=bool(attributes.get("stop")),
        end=end,
        detail=(end.detail if end else "") or _DETAILS.get(status.status, ""),
    )


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
