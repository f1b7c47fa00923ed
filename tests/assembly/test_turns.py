"""What a conversation keeps of its turns."""

from __future__ import annotations

import pytest

from aeon.assembly.turns import Turn, context_of
from aeon.engines.contractive.record import Contractive, Node
from aeon.schema import Bound

pytestmark = pytest.mark.requirement("E3l")


def test_the_latest_turns_that_fit_are_kept_in_order() -> None:
    """A conversation may be as long as it likes; its context is not."""
    turns = [Turn(f"question {number}", "x" * 90) for number in range(100)]
    context = context_of(turns, 500)
    assert len(context) <= 500 and "question 99" in context and "question 0\n" not in context
    assert context.index("question 98") < context.index("question 99")
    assert context_of([]) == context_of([Turn("q", "a")], 100) == ""


def test_a_long_turn_is_cut() -> None:
    """So that the latest one is always there."""
    context = context_of([Turn("q" * 9_000, "a" * 9_000)])
    assert 0 < len(context) < 2_500 and "left out" in context


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
    assert turn.text.splitlines() == ["asked: How much?", "answered: It is 7.", "found on the way: How long? 3 hours"]
