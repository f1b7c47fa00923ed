"""``aeon jobs``: the runs in a database, one of them in full, or one asked to stop."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from aeon.cli.database import durable_module, jobs_in
from aeon.cli.output import print_json, remark
from aeon.durable.values import Schedule
from aeon.errors import UsageError
from aeon.observability.lines import Line, Span, counted, labelled, plain, short, visible
from aeon.schema import Frozen, Question

if TYPE_CHECKING:
    from aeon.durable.jobs import Jobs
    from aeon.durable.schedules import Schedules
    from aeon.durable.values import JobRecord

__all__ = ["Listed", "ListedJob", "command"]


class ListedJob(Frozen):
    """A run in the list; ``place`` is how many of its queue are before it, where it waits."""

    id: str
    state: str
    task: str
    needs: str
    life: int
    priority: int
    created: str
    worker: str | None
    stopping: bool
    stop_reason: str
    detail: str
    answer: str
    question: Question | None

    @classmethod
    def of(cls, job: JobRecord) -> ListedJob:
        """The run as it is listed."""
        end = job.end
        return cls(
            id=job.id, state=job.state, task=job.task, needs=job.needs, life=job.life, priority=job.priority,
            created=datetime.fromtimestamp(job.created, UTC).isoformat(timespec="seconds"),
            worker=job.worker if job.state != "queued" else None, stopping=job.stopping and job.state == "running",
            stop_reason=end.stop_reason if end else "", detail=job.detail, answer=end.answer if end else "",
            question=end.question if end else None,
        )  # fmt: skip


class Listed(Frozen):
    """The runs, the schedules and the workers of a database, each worker with what it has."""

    jobs: tuple[ListedJob, ...]
    workers: dict[str, tuple[str, ...]]
    schedules: tuple[Schedule, ...] = ()


def command(options: argparse.Namespace) -> int:
    """List runs, or show or stop the one that is named.

    Raises:
        UsageError: there is no such run, or it cannot be stopped.
        InputFileError: the database cannot be used.
        MissingExtraError: the extra ``durable`` is not installed.
    """
    if options.cancel and not options.run:
        raise UsageError("jobs: --cancel: name the run that is to stop; aeon jobs lists them")
    with jobs_in(options.durable) as jobs:
        schedules: Schedules = durable_module("schedules").Schedules(jobs)
        planned = tuple(schedules.list())
        if _ended(schedules, planned, options):
            return 0
        workers = {name: tuple(queues) for name, queues in jobs.workers().items()}
        found = _found(jobs, options)
    listed = Listed(
        jobs=tuple(map(ListedJob.of, found)), workers=workers, schedules=() if options.run else planned
    )  # fmt: skip
    if options.json:
        print_json(listed)
    elif options.run:
        print(plain(_one(listed.jobs[0], workers)))
    else:
        _show(listed)
    return 0


def _ended(schedules: Schedules, planned: Sequence[Schedule], options: argparse.Namespace) -> bool:
    """End the schedule that is to be cancelled; whether it was one."""
    if not options.cancel or options.run not in {one.name for one in planned}:
        return False
    schedules.cancel(options.run)
    remark(f"{options.run} begins no more runs; one that is under way goes on")
    return True


def _found(jobs: Jobs, options: argparse.Namespace) -> Sequence[JobRecord]:
    """The runs that are asked for; the one that is to stop was told so."""
    if not options.run:
        return jobs.latest(options.state, options.most)
    return [jobs.cancel(options.run) if options.cancel else jobs.get(options.run)]


def _show(listed: Listed) -> None:
    if listed.jobs:
        print(plain([_row(job) for job in listed.jobs]))
    if listed.schedules:
        print(plain([_planned(one) for one in listed.schedules]))
    missing = {job.needs for job in listed.jobs if job.state == "queued"} - _had(listed.workers)
    remark(f"{counted(len(listed.jobs), 'run')}, {counted(len(listed.workers), 'worker')}")
    for needs in sorted(missing):
        remark(f"no worker has {needs}")


def _row(job: ListedJob) -> Line:
    reason = f" ({job.stop_reason.replace('_', ' ')})" if job.stop_reason and job.stop_reason != job.state else ""
    return (Span(f"{job.id}  {_state(job)}{reason}"), Span(f"  {short(job.task, 60)}", "dim"))


def _planned(one: Schedule) -> Line:
    head = f"{one.name}  {one.every} {one.zone}, {one.begun} of {one.times} begun"
    return (Span(head), Span(f"  {short(one.task, 60)}", "dim"))


def _state(job: ListedJob) -> str:
    return "stopping" if job.stopping else job.state


def _one(job: ListedJob, workers: Mapping[str, Sequence[str]]) -> list[Line]:
    """A run in full."""
    nobody = job.state == "queued" and job.needs not in _had(workers)
    rows = {
        "run": job.id,
        "state": f"{_state(job)}{f', {job.stop_reason}' if job.stop_reason else ''}",
        "task": job.task,
        "needs": f"{job.needs}{'; no worker has that' if nobody else ''}",
        "worker": job.worker or "",
        "life": str(job.life) if job.life > 1 else "",
        "question": job.question.text if job.question else "",
        "why": job.detail,
        "answer": job.answer,
    }
    return [line for name, text in rows.items() if text for line in labelled(name, [(Span(visible(text)),)])]


def _had(workers: Mapping[str, Sequence[str]]) -> set[str]:
    return {queue for queues in workers.values() for queue in queues}
