"""What runs share: the slots of a model's endpoint, and the room of each token."""

from __future__ import annotations

import sqlite3

import pytest

from aeon.durable.presence import Presence
from aeon.durable.rooms import Rooms
from aeon.durable.slots import Slots

from .conftest import Place, errands, until

pytestmark = pytest.mark.requirement("X5k")


def order(place: Place) -> list[str]:
    """The runs of the posts, in the order in which these were made."""
    with sqlite3.connect(place.folder / "counts.sqlite") as file:
        return [key.partition(":")[0] for (key,) in file.execute("SELECT key FROM posts ORDER BY rowid")]


def test_runs_of_one_model_share_its_slots_whatever_their_tools(place: Place) -> None:
    """Two workers with other tools, and so other queues, on a model with one slot: one run at a time."""
    place.submit("one", rounds=40)
    with place.worker(posting=0.05, slots=1), place.worker(posting=0.05, slots=1, also="calculator"):
        until(lambda: place.posts("one"))
        for name in ("two", "stopped"):
            place.jobs.submit(errands.opening(name, 12, place.counts.tool, "calculator"))
        place.jobs.cancel(until(lambda: place.jobs.get("stopped").state == "running" and "stopped"))
        assert place.reaches("stopped", "cancelled").end is not None and place.posts("stopped") == []
        for name in ("one", "two"):
            place.reaches(name, "ended")
    assert order(place) == ["one"] * 40 + ["two"] * 12


def test_a_slot_is_taken_once_and_goes_with_its_worker(place: Place) -> None:
    """Nobody has more than there are; one that a gone worker had is free, and one that no run has is given back."""
    database = place.jobs.database
    first, second = (Slots(database, name, "model", 2) for name in ("a", "b"))
    assert first.take("one") and second.take("two") and not first.take("three") and not second.take("four")
    assert Slots(database, "c", "another", 1).take("five") and Slots(database, "d", "model", None).take("six")
    first.settle()
    assert not second.take("four"), "what a run has is not given back"
    first.give("one")
    assert second.take("four") and not first.take("three")
    Presence(database, "a").remove("b")
    assert first.take("three") and first.take("seven")
    Presence(database, "a").enter(["queue"], pause=lambda seconds: None)
    assert Slots(database, "e", "model", 2).take("eight"), "a worker that begins has none"


def test_one_token_cannot_take_the_room_of_others(place: Place) -> None:
    """With one run of each at a time, the second of one waits while that of another goes on."""
    with place.worker(posting=0.05, parallel=4, owner=1):
        for name, owner in (("a1", "anna"), ("a2", "anna"), ("b1", "bert")):
            rounds = 4 if name == "b1" else 30
            place.jobs.submit(errands.opening(name, rounds, place.counts.tool), owner=owner)
        place.reaches("b1", "ended")
        assert sorted(place.jobs.get(name).state for name in ("a1", "a2")) == ["queued", "running"]
        for name in ("a1", "a2"):
            place.reaches(name, "ended")
        place.submit("nobody")
        place.reaches("nobody", "ended")
    annas = [name for name in order(place) if name.startswith("a")]
    assert annas in (["a1"] * 30 + ["a2"] * 30, ["a2"] * 30 + ["a1"] * 30)


def test_an_owner_has_so_many_runs_under_way_at_all_workers(place: Place) -> None:
    """One that may have one: the next waits, by priority, whatever is free; others go on; without a limit it begins."""
    rooms = Rooms(place.jobs.database)
    rooms.set({"anna": 1, "bert": None})

    def submit(name: str, owner: str, rounds: int, priority: int = 5, *also: str) -> None:
        place.jobs.submit(errands.opening(name, rounds, place.counts.tool, *also), priority, owner=owner)

    with (
        place.worker(posting=0.05, parallel=4),
        place.worker(posting=0.05, parallel=4),
        place.worker(posting=0.05, parallel=4, also="calculator"),
    ):
        submit("a1", "anna", 30)
        submit("a2", "anna", 20)
        submit("a3", "anna", 20, 1, "calculator")
        submit("b1", "bert", 2)
        submit("b2", "bert", 2)
        for name in ("b1", "b2"):
            place.reaches(name, "ended")
        waiting = [place.jobs.get(name) for name in ("a2", "a3")]
        assert {(job.state, job.detail) for job in waiting} == {
            ("queued", "its token has as many runs under way as it may have")
        }
        assert [place.jobs.before(job) for job in waiting] == [1, 0] and waiting[1].needs.endswith(",calculator")
        place.reaches("a2", "ended")
        assert [name for name in order(place) if name.startswith("a")] == ["a1"] * 30 + ["a3"] * 20 + ["a2"] * 20
        for name in ("a4", "a5", "a6"):
            submit(name, "anna", 500)
        until(lambda: place.posts("a4"))
        place.jobs.cancel("a5")
        assert place.jobs.get("a5").state == "cancelled" and place.jobs.resume("a5").detail.startswith("its token has")
        assert [place.jobs.get(name).state for name in ("a4", "a5", "a6")] == ["running", "queued", "queued"]
        rooms.set({"anna": None})
        until(lambda: place.posts("a5") and place.posts("a6"))
        for name in ("a4", "a5", "a6"):
            place.jobs.cancel(name)
