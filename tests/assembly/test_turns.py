"""What a conversation keeps of its turns."""

from __future__ import annotations

import pytest

from aeon.assembly.turns import Turn, task_after
from aeon.engines.contractive.record import Contractive, Node
from aeon.schema import Bound

pytestmark = pytest.mark.requirement("E3l")


def test_the_latest_turns_that_fit_are_kept_in_order() -> None:
    """A conversation may be as long as it likes; its context is not."""
    turns = [Turn(f"question {number}", "x" * 90) for number in range(100)]
    task = task_after(turns, "And now?", 700)
    assert len(task.background) <= 700 and not task.unread
    for text in (task.context, task.earlier):
        assert "question 99" in text and "question 0\n" not in text
        assert text.index("question 98") < text.index("question 99")
    assert task_after([], "And now?").background == task_after([Turn("q", "a")], "And now?", 100).background == ""


def test_what_was_answered_is_no_context() -> None:
    """Claims rest on what the user said alone; the answers, and what trees found, stand apart from it."""
    task = task_after([Turn("How long is the pier?", "It is 40.8 m.", (("How deep?", "7.3 m"),))], "And now?")
    assert "How long is the pier?" in task.context
    for said in ("40.8", "7.3"):
        assert said in task.earlier and said not in task.context


def test_a_long_turn_is_cut() -> None:
    """So that the latest one is always there."""
    shown = task_after([Turn("q" * 9_000, "a" * 9_000)], "And now?").background
    assert 0 < len(shown) < 3_000 and "left out" in shown


def test_a_tree_leaves_the_answers_of_its_nodes() -> None:
    """Those that the peer rejected, or that have none, are left out."""
    nodes = (
        Node(place="1", question="How much?", stop="agreed", answer="7"),
        Node(place="1.1", question="How long?", stop="agreed", answer="3 hours"),
        Node(place="1.2", question="How wide?", stop="agreed", answer="2 m", rejected=True),
        Node(place="1.3", question="How high?", stop="unanswered"),
    )
    result = Contractive(
        execution_id="x", engine="contractive/1", answer="It is 7.", stop_reason="agreed", tree=nodes,
        bound=Bound(calls=1, tokens=1),
    )  # fmt: skip
    turn = Turn.of("How much?", result)
    assert turn.parts == (("How long?", "3 hours"),)
    lines = turn.answered.splitlines()
    assert lines == ["asked: How much?", "answered: It is 7.", "found on the way: How long? 3 hours"]
