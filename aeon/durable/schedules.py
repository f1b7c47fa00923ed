"""Runs that are submitted again and again: at the times of a crontab, so many times.

DBOS tells the time: every worker watches, and each time is one workflow, whose id is that time. What it does here can
be done again without harm, since a run's id follows from its schedule and the time.
"""

from __future__ import annotations

import contextlib
import uuid
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from croniter import croniter
from dbos._error import DBOSException
from dbos._sys_db import WorkflowSchedule

from aeon.durable.jobs import Jobs
from aeon.durable.values import Schedule, needs
from aeon.errors import UnknownNameError, UsageError
from aeon.runtime.lines import Opening
from aeon.schema import Frozen, JsonObject
from aeon.text import one_line

__all__ = ["SCHEDULED", "Plan", "Schedules", "begun_by", "make_up"]

SCHEDULED = "aeon.begin"
"""The workflow that submits a run when it is due."""
_FIELDS = 5
_FORM = 'write minute, hour, day, month and weekday, such as "0 8 * * 1-5"'


class Plan(Frozen):
    """What a schedule submits, and how often in all; ``since`` is when it was made: no time before that is due."""

    version: int = 1
    name: str
    opening: Opening
    priority: int
    times: int
    since: datetime | None = None


class Schedules:
    """The schedules of a database. They raise ``InputFileError`` where it cannot be used."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._client = jobs.database.client

    def add(self, opening: Opening, every: str, zone: str, times: int, priority: int) -> str:
        """Submit such a run at each of these times, ``times`` in all; the name of the schedule.

        Raises:
            UsageError: the times, or the zone, are none.
        """
        name = uuid.uuid4().hex[:12]
        if len(every.split()) != _FIELDS:
            raise UsageError(f"--every: {one_line(every, 60)!r} is no time; {_FORM}")
        plan = Plan(name=name, opening=opening, priority=priority, times=times, since=datetime.now(UTC))
        try:
            with self._jobs.database.reached():
                self._client.create_schedule(
                    schedule_name=name, workflow_name=SCHEDULED, schedule=every, cron_timezone=zone,
                    context=plan.model_dump(mode="json"),
                )  # fmt: skip
        except DBOSException as error:
            if "imezone" in str(error):
                raise UsageError(f"--zone: {one_line(zone, 60)!r} is none; write one such as Europe/Berlin") from None
            raise UsageError(f"--every: {one_line(every, 60)!r} is no time; {_FORM}") from None
        return name

    def list(self) -> list[Schedule]:
        """All that have not ended."""
        with self._jobs.database.reached():
            found = self._client.list_schedules()
        return [_shown(one, self._jobs) for one in found if one["workflow_name"] == SCHEDULED]

    def cancel(self, name: str) -> Schedule:
        """End a schedule; a run that it has begun goes on.

        Raises:
            UnknownNameError: there is none of that name.
        """
        there = next((one for one in self.list() if one.name == name), None)
        if there is None:
            raise UnknownNameError(f"{one_line(name, 60)}: there is no schedule of this name; see: aeon jobs")
        with self._jobs.database.reached():
            self._client.delete_schedule(name)
        return there


def begun_by(jobs: Jobs, due: str, context: JsonObject) -> str:
    """Submit the run of a schedule that is due: its id, or why there is none. Done again, it does nothing more."""
    plan = Plan.model_validate(context)
    run = f"{plan.name}-{datetime.fromisoformat(due).astimezone(UTC):%Y%m%dT%H%M%S}"
    begun = sorted(jobs.beginning(f"{plan.name}-"))
    if run in begun:
        return run
    done = "all its runs were begun" if len(begun) >= plan.times else ""
    latest = jobs.get(begun[-1]) if begun and not done else None
    if latest is not None and latest.state in ("queued", "running"):
        return f"not begun: {latest.id} is under way"
    if not done:
        jobs.submit(plan.opening.changed(execution_id=run), plan.priority)
    if len(begun) + 1 >= plan.times:
        jobs.database.client.delete_schedule(plan.name)
    return done or run


def make_up(jobs: Jobs, now: datetime) -> list[str]:
    """Submit for each schedule the run of the latest time that passed without a worker, if one did; their ids.

    Of several times that passed, only the latest counts.
    """
    with jobs.database.reached():
        rows = jobs.database.client.list_schedules()
    begun = []
    for row in rows:
        if row["workflow_name"] == SCHEDULED and (due := _missed(row, now)) is not None:
            with contextlib.suppress(UsageError):  # another worker was faster
                begun.append(begun_by(jobs, due.isoformat(), row["context"]))
    return begun


def _missed(row: WorkflowSchedule, now: datetime) -> datetime | None:
    """The latest time of a schedule, if nobody was there then."""
    zone, fired = ZoneInfo(row["cron_timezone"] or "UTC"), row["last_fired_at"]
    known = datetime.fromisoformat(fired) if fired else Plan.model_validate(row["context"]).since
    latest: datetime = croniter(row["schedule"], now.astimezone(zone), second_at_beginning=True).get_prev(datetime)
    return latest if known is not None and latest > known else None


def _shown(row: WorkflowSchedule, jobs: Jobs) -> Schedule:
    plan = Plan.model_validate(row["context"])
    begun, opening = sorted(jobs.beginning(f"{plan.name}-")), plan.opening
    return Schedule(
        name=plan.name, every=row["schedule"], zone=row["cron_timezone"] or "UTC", times=plan.times, begun=len(begun),
        latest=begun[-1] if begun else None, task=one_line(opening.task.text, 200),
        needs=needs(opening.engine, opening.setup),
    )  # fmt: skip
