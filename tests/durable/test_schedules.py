"""Runs at set times: submitted once each, so many times, and listed."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from aeon.cli.main import main
from aeon.durable.schedules import SCHEDULED, Plan, Schedules, begun_by, make_up
from aeon.errors import UnknownNameError, UsageError

from .conftest import Place, errands, until

pytestmark = pytest.mark.requirement("X5l")
DUE = "2027-03-01T08:{:02}:00+00:00"


def added(place: Place, times: int = 2) -> Plan:
    """A schedule at eight o'clock on workdays."""
    opening = errands.opening("any", 1, place.counts.tool)
    name = Schedules(place.jobs).add(opening, "0 8 * * 1-5", "Europe/Berlin", times, 3)
    return Plan(name=name, opening=opening, priority=3, times=times)


def test_each_time_has_one_run_however_often_it_is_due(place: Place) -> None:
    """Its id is the time; while it is under way the next one is left out; after the last the schedule is gone."""
    plan = added(place)
    context = plan.model_dump(mode="json")
    (shown,) = Schedules(place.jobs).list()
    assert (shown.every, shown.zone, shown.begun, shown.times) == ("0 8 * * 1-5", "Europe/Berlin", 0, 2)
    first = begun_by(place.jobs, DUE.format(0), context)
    assert first == f"{plan.name}-20270301T080000" == begun_by(place.jobs, DUE.format(0), context)
    assert place.jobs.get(first).priority == 3 and [job.id for job in place.jobs.latest()] == [first]
    assert begun_by(place.jobs, DUE.format(1), context) == f"not begun: {first} is under way"
    place.jobs.cancel(first)
    second = begun_by(place.jobs, DUE.format(2), context)
    assert {job.id for job in place.jobs.latest()} == {first, second} and Schedules(place.jobs).list() == []
    place.jobs.cancel(second)
    assert begun_by(place.jobs, DUE.format(3), context) == "all its runs were begun"
    assert len(place.jobs.latest()) == 2


def test_the_latest_time_that_passed_without_a_worker_is_made_up_for_once(place: Place) -> None:
    """A month later a run begins for the last of the times, not for each; not for one before the schedule was made."""
    plan, began = added(place, times=9), datetime.now(UTC)
    assert make_up(place.jobs, began) == [], "nothing was due yet"
    monday = datetime(began.year + 1, 3, 1, tzinfo=UTC)
    monday += timedelta(days=-monday.weekday() % 7, hours=7, minutes=30)  # half past eight in Berlin
    run = f"{plan.name}-{monday:%Y%m%d}T070000"
    assert make_up(place.jobs, monday) == [run] == [job.id for job in place.jobs.latest()]
    assert make_up(place.jobs, monday) == [run] and begun_by(place.jobs, f"{monday:%Y-%m-%d}T08:00:00+01:00", {
        **plan.model_dump(mode="json")
    }) == run, "whoever else notices it"  # fmt: skip
    assert [job.id for job in place.jobs.latest()] == [run]
    later = make_up(place.jobs, monday + timedelta(days=21))
    assert later == [f"not begun: {run} is under way"], "as for a time that did not pass"


def test_a_worker_makes_up_for_what_was_missed(place: Place) -> None:
    """When it begins, without anybody asking; a second one does not do so again."""
    plan = added(place)
    context = plan.changed(since=datetime.now(UTC) - timedelta(days=30)).model_dump(mode="json")
    with sqlite3.connect(place.folder / "runs.sqlite") as file:
        assert file.execute("UPDATE workflow_schedules SET context = ?", [json.dumps(context)]).rowcount == 1
    with place.worker(), place.worker():
        run = until(lambda: [job.id for job in place.jobs.latest()])
        place.reaches(run[0], "ended")
    with place.worker():
        place.submit("after")
        place.reaches("after", "ended")
    assert [job.id for job in place.jobs.latest() if job.id != "after"] == run and place.posts(run[0]) == [1]
    assert (place.folder / "workers.log").read_text().count("at a time that passed without a worker") >= 1


def test_two_workers_begin_each_run_once(place: Place) -> None:
    """Both watch the clock; every second a run, three in all, each posted once."""
    plan = Plan(name="each", opening=errands.opening("any", 1, place.counts.tool), priority=5, times=3)
    with place.worker(), place.worker():
        place.jobs.database.client.create_schedule(
            schedule_name="each",
            workflow_name=SCHEDULED,
            schedule="*/2 * * * * *",
            context=plan.model_dump(mode="json"),
        )
        until(lambda: not Schedules(place.jobs).list(), 60)
        names = sorted(job.id for job in place.jobs.latest())
        for name in names:
            place.reaches(name, "ended")
    assert len(names) == 3 and all(name.startswith("each-2") for name in names)
    assert [place.posts(name) for name in names] == [[1]] * 3


def test_what_is_no_time_is_refused(place: Place) -> None:
    """With a form that is one; nothing is kept."""
    opening = errands.opening("any", 1, place.counts.tool)
    for every, zone, words in (
        ("tomorrow", "UTC", "--every: 'tomorrow' is no time; write minute, hour"),
        ("0 25 * * *", "UTC", "--every: '0 25"),
        ("* * * * * *", "UTC", "is no time"),
        ("0 8 * * *", "Middle-earth", "--zone: 'Middle-earth' is none"),
    ):
        with pytest.raises(UsageError, match=words.replace("*", ".")):
            Schedules(place.jobs).add(opening, every, zone, 1, 5)
    assert Schedules(place.jobs).list() == []
    with pytest.raises(UnknownNameError, match="there is no schedule of this name"):
        Schedules(place.jobs).cancel("nosuch")


def test_a_schedule_is_submitted_listed_and_cancelled_by_command(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """``submit --every`` prints its name; ``jobs`` lists it with what was begun; ``--cancel`` ends it."""
    monkeypatch.setenv("AEON_MODEL", "http://127.0.0.1:9/v1#played")
    every = ["--every", "30 6 1 * *", "--times", "12", "--zone", "Asia/Tokyo"]
    assert main(["submit", "How many?", "--durable", place.url, *every]) == 0
    name = capsys.readouterr().out.strip()
    assert main(["jobs", "--durable", place.url]) == 0
    assert f"{name}  30 6 1 * * Asia/Tokyo, 0 of 12 begun  How many?" in capsys.readouterr().out
    assert main(["jobs", "--durable", place.url, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in listed["schedules"]] == [name] and listed["jobs"] == []
    assert main(["jobs", name, "--cancel", "--durable", place.url]) == 0
    assert "begins no more runs" in capsys.readouterr().err
    assert main(["jobs", name, "--cancel", "--durable", place.url]) == 2
    assert Schedules(place.jobs).list() == []
