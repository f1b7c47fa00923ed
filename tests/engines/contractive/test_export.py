"""A tree as a Mermaid flowchart, as a trace, and in lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aeon.engines.contractive.export import to_mermaid, to_trace
from aeon.engines.contractive.record import Contractive
from aeon.engines.contractive.values import Classes, Part, Parts, Reviewed, Samples
from aeon.engines.contractive.view import VIEW
from aeon.observability.lines import plain
from aeon.observability.trail import Trail
from aeon.schema import Outcome
from engines.contractive.world import World, parts, samples

pytestmark = pytest.mark.requirement("E3i")
HOSTILE = 'What is "a"]; click x <b>\x1b[2J?'


@pytest.fixture
def grown() -> Contractive:
    """A tree with two children, of which one is rejected, and a pruned question."""
    left = [samples("1", "1", "2", "2"), samples("1", "1", "1", "1")]

    def drawn(effect: Any) -> Samples:
        return left.pop(0) if effect.place == "1" else samples(*["7"] * effect.most)

    split = Parts(parts=(*parts(HOSTILE, "What is b?").parts, Part(question="Who invented it?", relevance=0.0)))
    replies = {"sample": drawn, "decompose": split, "review": Reviewed(score=0.9), "review 1.2": Reviewed(score=0.2)}
    return World(replies, roles={"peer": "other"}).run()


def test_the_flowchart_has_pruned_questions(grown: Contractive) -> None:
    """Dashed, with the reason; text can do nothing to it."""
    drawn = to_mermaid(grown)
    assert drawn.startswith("flowchart TD\n") and "node_1 --> node_1_1" in drawn
    assert "node_1 -.-> node_1_pruned_0" in drawn and "pruned: irrelevant" in drawn
    assert "uncertainty 0.50 to 0.00" in drawn and ":::failed" in drawn
    assert "<b>" not in drawn and "\x1b" not in drawn and '"a"' not in drawn
    assert VIEW.flowchart(Trail(engine="contractive/2", execution_id="x", result=grown)) == drawn


def test_the_trace_has_a_line_for_each_thing_that_happened(grown: Contractive) -> None:
    """As JSON Lines, node by node."""
    events = [json.loads(line) for line in to_trace(grown).splitlines()]
    assert [event["event"] for event in events if event["place"] == "1.1"] == ["node", "look", "candidate", "end"]
    assert {event["reason"] for event in events if event["event"] == "pruned"} == {"irrelevant", "rejected"}


def test_the_tree_stands_below_the_answer(grown: Contractive) -> None:
    """A line for each node and each pruned question, without control characters."""
    text = plain(VIEW.ending(grown))
    assert "3 nodes, 2 pruned" in text and "0.50 → 0.00 agreed" in text and "pruned: irrelevant 0.00" in text
    assert "\x1b" not in text and "It is 1." in VIEW.answer(grown)
    assert "3 nodes, 2 pruned" in plain(VIEW.report(Trail(engine="contractive/2", execution_id="x", result=grown)))


def test_effects_are_told_in_words() -> None:
    """What came of each, in a few of them."""
    said = [
        (samples("1", "2", unusable=1), "1; 2 (1 unusable)"),
        (Classes(places=(0, 1, 0), asked=1), "2 meanings, 1 pair asked"),
        (parts("What is a?"), "What is a?"),
        (Parts(), "nothing"),
        (Reviewed(score=0.35, issue="no unit"), "major revision (0.35): no unit"),
        (Reviewed(), "no score"),
    ]
    assert [VIEW.words(Outcome(value=value)) for value, _ in said] == [words for _, words in said]


def test_the_parts_of_a_result_are_its_nodes(grown: Contractive) -> None:
    """So that two runs are compared node by node."""
    assert list(grown.parts()) == ["node 1", "node 1.1", "node 1.2"]
