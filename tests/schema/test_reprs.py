"""What values show of themselves at a prompt, in a log or in a failing test: little, and what matters."""

from __future__ import annotations

import pytest

from aeon.assembly.build import build
from aeon.llm.scripted import Scripted
from aeon.schema import Budget, Config, Result
from aeon.schema.frozen import LONGEST_REPR
from aeon.testing.obliging import oblige

pytestmark = pytest.mark.requirement("P3d")


@pytest.fixture(scope="module")
def result() -> Result:
    """The result of a run with a long answer."""
    return build(Scripted(oblige)).execute("What do 17 pens at 2.40 cost?").changed(answer="word " * 1_000)


def test_a_result_shows_how_it_ended_and_the_beginning_of_its_answer(result: Result) -> None:
    """Stop reason, answer, claims, calls and seconds, in a line."""
    shown = repr(result)
    assert len(shown) < 300 and shown == str(result) and "\n" not in shown
    assert shown.startswith(f"Result({result.stop_reason}: 'word word")
    assert f"{len(result.claims)} claims supported" in shown
    assert f"{result.usage.calls} model calls, {result.seconds:.1f} s" in shown


def test_a_history_its_passes_and_their_steps_are_cut(result: Result) -> None:
    """However much a value holds, it shows a few lines of it."""
    history = result.history
    values = (history, *history.passes, *(step for one in history.passes for step in one.executed), history.task)
    assert all(len(repr(value)) <= LONGEST_REPR + 2 for value in values)
    assert repr(history).endswith("…)") and repr(history.task) == "Task(text='What do 17 pens at 2.40 cost?')"


def test_settings_show_what_is_not_the_default() -> None:
    """An empty pair of brackets is all the defaults."""
    assert repr(Config()) == "Config()"
    assert repr(Config(budget=Budget(calls=3))) == "Config(budget=Budget(calls=3))"
