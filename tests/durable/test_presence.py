"""Who is taken for dead, and who may have a name: by counts, not by clocks."""

from __future__ import annotations

import pytest

from aeon.durable.presence import Presence, Watch
from aeon.errors import UsageError

from .conftest import Place

pytestmark = pytest.mark.requirement("X5f")


def test_a_count_that_stands_still_for_the_whole_patience_is_a_dead_worker() -> None:
    """Not earlier, and not if it counts on."""
    watch = Watch(patience=3)
    assert watch.dead({"a": 1, "b": 1}, now=0) == set()
    assert watch.dead({"a": 2, "b": 1}, now=1) == set()
    assert watch.dead({"a": 3, "b": 1}, now=2) == set()
    assert watch.dead({"a": 4, "b": 1}, now=3) == {"b"}


def test_time_in_which_nobody_could_look_does_not_count() -> None:
    """The database was away for a minute: nobody is dead for that."""
    watch = Watch(patience=3)
    assert watch.dead({"a": 1}, now=0) == set()
    assert watch.dead({"a": 1}, now=60) == set()
    assert watch.dead({"a": 2}, now=61) == set()


def test_a_worker_that_is_off_the_list_is_forgotten() -> None:
    """Its name begins anew."""
    watch = Watch(patience=2)
    watch.dead({"a": 1}, now=0)
    watch.dead({}, now=1)
    assert watch.dead({"a": 1}, now=2) == set()


def test_two_workers_cannot_have_one_name(place: Place) -> None:
    """The second is refused while the first counts; a name whose count stands still is free."""
    database = place.jobs.database
    first, second = Presence(database, "one"), Presence(database, "one")
    first.enter(["queue"])
    with pytest.raises(UsageError, match="one called 'one' is at work already"):
        second.enter(["queue"], pause=lambda seconds: first.beat(["queue"]))
    second.enter(["other"], pause=lambda seconds: None)
    assert place.jobs.workers() == {"one": ["other"]}


def test_a_worker_is_sure_for_half_the_patience(place: Place) -> None:
    """Until it counts again, it may have been taken for dead: then it calls no tool that changes the world."""
    assert not Presence(place.jobs.database, "new").sure
    for patience, sure in ((1000.0, True), (0.0, False)):
        worker = Presence(place.jobs.database, "one", patience=patience)
        worker.enter(["queue"], pause=lambda seconds: None)
        assert worker.sure is sure
        worker.beat(["queue"])
        assert worker.sure is sure


def test_a_worker_that_was_taken_for_dead_comes_back_on_the_list(place: Place) -> None:
    """With what it has; when it leaves, it is gone at once."""
    worker = Presence(place.jobs.database, "one")
    worker.enter(["queue"])
    worker.remove("one")
    worker.beat(["queue"])
    assert place.jobs.workers() == {"one": ["queue"]}
    worker.leave()
    assert place.jobs.workers() == {}
