"""Model calls that are kept beside the journals of runs: bounded, and needed by no run."""

from __future__ import annotations

import sqlite3

import pytest

from aeon.assembly.noting import ModelCall
from aeon.durable import calls as module
from aeon.durable.calls import Calls, Notes
from aeon.schema import Message

from .conftest import Place

pytestmark = pytest.mark.requirement("X5b")


def call(number: int, text: str) -> ModelCall:
    """A call for an effect, with this prompt and reply."""
    return ModelCall(number=number, messages=(Message(role="user", content=text),), reply=text)


def test_a_call_is_there_before_its_outcome_and_as_often_as_it_was_made(place: Place) -> None:
    """Each think of a run has the one call that it made; a post has none."""
    with place.worker():
        place.submit("noted", rounds=2)
        place.reaches("noted", "ended")
    thoughts = [number for number, entry in place.jobs.journal("noted").entries.items() if entry.phase == "think"]
    assert {number: len(place.jobs.calls("noted", number)) for number in range(10)} == {
        number: int(number in thoughts) for number in range(10)
    }
    (made,) = place.jobs.calls("noted", thoughts[0])
    assert "Think of" in made.messages[-1].content and made.reply and made.usage.calls == 1


def test_so_many_calls_of_a_run_are_kept_and_so_much_of_each(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first ones, over all lives of the run; of long texts the beginning, with a mark."""
    monkeypatch.setattr(module, "MOST", 3)
    kept, long = Calls(place.jobs.database), "x" * module.LONGEST
    for life in (1, 2):
        notes = Notes(kept, "one")
        for _ in range(2):
            notes(call(life, f"{long}yz"))
        assert place.jobs.calls("one", life) == (), "not before it is written"
        notes.write()
    assert [len(place.jobs.calls("one", life)) for life in (1, 2)] == [2, 1]
    assert place.jobs.calls("one", 1)[0] == call(1, f"{long}… [2 more characters]")


def test_a_run_needs_no_call_that_was_noted(place: Place) -> None:
    """Where their table is gone, it ends all the same."""
    with sqlite3.connect(place.folder / "runs.sqlite") as file:
        file.execute("DROP TABLE aeon_calls")
    with place.worker():
        place.submit("without")
        place.reaches("without", "ended")
    assert place.posts("without") == [1]
