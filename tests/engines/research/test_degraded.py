"""What stands in where a model gives nothing usable."""

from __future__ import annotations

from typing import Any

import pytest
from kernel.world import ENDPOINT_DOWN

from aeon.engines.research.effects import Cite
from aeon.engines.research.values import Queries, Reflection
from aeon.schema import Failure
from aeon.schema.effects import Effect
from engines.research.world import (
    World,
    answering,
    drafting,
    partly,
    seeking,
)

pytestmark = pytest.mark.requirement("R1")

DECLINED = Failure(kind="completion", message="the model declined")


def test_where_the_model_cannot_be_examined_the_run_says_so() -> None:
    """And not that a provider failed: none was asked."""
    result = World(find_providers=DECLINED).research()
    assert (result.stop_reason, result.detail) == ("search_failed", "the model declined")
    assert [one.phase for one in result.degraded] == ["find_providers"]


def test_a_plan_that_fails_leaves_the_task_as_the_query() -> None:
    """The degradation is on record."""
    world = World(plan_queries=DECLINED)
    result = world.research()
    assert world.rounds == [["Where is it?"]] and result.sufficient
    assert [one.phase for one in result.degraded] == ["plan_queries"]


def test_a_plan_without_queries_leaves_the_task_as_the_query() -> None:
    """So there is always something to search for."""
    world = World(plan_queries=Queries())
    world.research()
    assert world.rounds == [["Where is it?"]]


def test_a_reflection_that_fails_leaves_the_answer_to_be_made_of_all_that_was_found() -> None:
    """What was found is there for it."""
    world = World(reflect=DECLINED, cite=partly)
    result = world.research()
    (cite,) = (effect for effect in world.effects if isinstance(effect, Cite))
    assert len(cite.sources.entries) == 3 and cite.draft == () and not result.sufficient
    assert [one.phase for one in result.degraded] == ["reflect"]


@pytest.mark.requirement("R3")
def test_where_no_answer_can_be_made_that_of_the_reading_stands_in_with_its_citations() -> None:
    """Nothing that a small model found while it read is lost; it is not good enough, since nobody checked it."""
    result = World(reflect=drafting, cite=DECLINED).research()
    assert (result.stop_reason, result.sufficient) == ("unverified", False)
    assert result.answer == "It is near the harbour [1]."
    assert [one.number for one in result.citations] == [1]
    assert [one.phase for one in result.degraded] == ["cite"]


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("reflect", [Reflection(), answering])
def test_an_answer_that_could_not_be_made_is_no_finding_that_there_is_none(reflect: Any) -> None:
    """Nobody looked, so the run does not say that the sources do not state it; nor is it good enough."""
    result = World(reflect=reflect, cite=DECLINED).research()
    assert (result.stop_reason, result.sufficient) == ("nothing_new" if reflect != answering else "unverified", False)
    assert result.answer.startswith("No answer could be made (searched for: one; two; three)")


def test_the_likeliest_draft_stands_in() -> None:
    """Not the last one: a later round may doubt it more."""

    def less_and_less(effect: Effect, n: int) -> Reflection:
        sure = drafting(effect, n)
        (one,) = sure.draft
        likely = (0.2, 0.7, 0.4)[min(n, 2)]
        draft = (one.changed(text=f"It is likely at {likely}.", score=likely),)
        return seeking(effect, n).changed(draft=draft, confidence=likely)

    result = World(reflect=less_and_less, cite=DECLINED).research(max_iters=3)
    assert result.answer == "It is likely at 0.7 [1]."


def test_an_endpoint_that_is_gone_before_the_answer_fails_the_run() -> None:
    """It can be resumed; until then, what was found stands there."""
    result = World(reflect=drafting, cite=ENDPOINT_DOWN).research()
    assert (result.stop_reason, result.sufficient) == ("failed", False)
    assert result.answer == "It is near the harbour [1]."


@pytest.mark.parametrize("place", range(1, 8))
def test_an_interrupt_at_any_place_ends_in_an_answer(place: int) -> None:
    """With what there is by then."""
    result = World(interrupted_at=place, reflect=seeking).research()
    assert (result.stop_reason, result.sufficient) == ("interrupted", False) and result.answer
