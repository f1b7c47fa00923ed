"""What stands in where a model gives nothing usable."""

from __future__ import annotations

import pytest
from kernel.world import ENDPOINT_DOWN

from aeon.engines.research.effects import Cite
from aeon.engines.research.values import Queries, Reflection
from aeon.schema import Failure
from engines.research.world import (
    World,
    partly,
    seeking,
)

pytestmark = pytest.mark.requirement("R1")

DECLINED = Failure(kind="completion", message="the model declined")


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


def test_a_reflection_that_fails_leaves_the_answer_to_the_last_look() -> None:
    """What was found is there for it."""
    world = World(reflect=DECLINED, cite=partly)
    result = world.research()
    (cite,) = (effect for effect in world.effects if isinstance(effect, Cite))
    assert len(cite.sources.entries) == 3 and cite.answer == "" and not result.sufficient
    assert [one.phase for one in result.degraded] == ["reflect"]


@pytest.mark.requirement("R3")
def test_an_answer_that_cannot_be_worded_is_what_was_found_with_its_citations() -> None:
    """Nothing that the rounds found out is lost; it is not good enough, since nobody held it against its sources."""
    result = World(cite=DECLINED).research()
    assert (result.stop_reason, result.sufficient, result.short) == ("unsupported", False, "the harbour")
    assert result.answer == "the harbour [1]."
    assert [one.number for one in result.citations] == [1]
    assert [one.phase for one in result.degraded] == ["cite"]


@pytest.mark.requirement("R3")
def test_an_answer_that_could_not_be_made_is_no_finding_that_there_is_none() -> None:
    """Nobody looked, so the run does not say that the sources do not state it."""
    result = World(reflect=Reflection(), cite=DECLINED).research()
    assert (result.stop_reason, result.sufficient, result.short) == ("nothing_new", False, "")
    assert result.answer.startswith("No answer could be made (searched for: one; two; three)")


def test_an_endpoint_that_is_gone_before_the_answer_fails_the_run() -> None:
    """It can be resumed; until then, what was found stands there."""
    result = World(cite=ENDPOINT_DOWN).research()
    assert (result.stop_reason, result.sufficient) == ("failed", False)
    assert result.answer == "the harbour [1]."


@pytest.mark.parametrize("place", range(1, 8))
def test_an_interrupt_at_any_place_ends_in_an_answer(place: int) -> None:
    """With what there is by then."""
    result = World(interrupted_at=place, reflect=seeking).research()
    assert (result.stop_reason, result.sufficient) == ("interrupted", False) and result.answer
