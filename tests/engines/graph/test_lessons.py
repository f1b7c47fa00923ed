"""Lessons in a run: looked for where a file is named, shown to every plan, and kept with how the run ended."""

from __future__ import annotations

from typing import Any

import pytest

from aeon.engines.graph.effects import NoteLesson, Recall
from aeon.engines.graph.view import VIEW
from aeon.multipass.effects import DraftPlan
from aeon.observability.lines import plain
from aeon.schema import Answer, Claim, Failure, Reading, StepResult
from aeon.schema.experience import Lesson, Lessons, Pattern
from engines.graph.world import World, call, planned

pytestmark = pytest.mark.requirement("E9b")
OLD = Lesson(id="run-0", task="How much was it?", outcome="failure", text="ask bad: no such table", similarity=0.9)
BAD, GOOD = planned(call("s1", "bad")), planned(call("s1", "good"))


def noted(world: World) -> Lesson:
    """The only lesson that was kept."""
    (effect,) = world.of("note_lesson")
    assert isinstance(effect, NoteLesson)
    return effect.lesson


@pytest.mark.parametrize("engine", ["graph", "loop"])
def test_lessons_are_shown_to_every_plan_and_named_in_the_result(engine: str) -> None:
    """With their outcome; the query says for which project and how similar."""
    world = World(BAD, GOOD, recall=Lessons(lessons=(OLD,)))
    result = getattr(world, engine)(experience="lessons", project="office", similarity=0.8)
    (recall,) = world.of("recall")
    assert isinstance(recall, Recall)
    assert (recall.project, recall.least, recall.most, recall.days) == ("office", 0.8, 5, 180)
    plans = world.of("plan")
    assert len(plans) == 2
    for one in plans:
        assert isinstance(one, DraftPlan)
        assert one.lessons == ("failure: How much was it? -> ask bad: no such table",)
    assert result.lessons == (OLD,) and noted(world).project == "office"


@pytest.mark.parametrize("engine", ["graph", "loop"])
def test_patterns_of_the_tasks_category_are_shown_to_every_plan_and_named_in_the_result(engine: str) -> None:
    """How often a way of doing such tasks ended well; the record and its report name them."""
    pattern = Pattern(category="MODERATE", tools=("sql", "calculator"), successes=4, failures=1)
    world = World(BAD, GOOD, recall=Lessons(patterns=(pattern,)))
    result = getattr(world, engine)(experience="lessons")
    (recall,) = world.of("recall")
    assert isinstance(recall, Recall) and recall.category == "MODERATE"
    told = "of 5 MODERATE tasks done with sql, calculator, 4 succeeded"
    assert [one.lessons for one in world.of("plan")] == [(told,)] * 2  # type: ignore[attr-defined]
    assert result.patterns == (pattern,)
    assert "MODERATE with sql, calculator: 4 succeeded, 1 failed" in plain(VIEW.ending(result))


def test_without_a_file_nothing_is_looked_for_and_nothing_kept() -> None:
    """Neither effect is issued."""
    world = World()
    world.graph()
    assert not {"recall", "note_lesson"} & set(world.phases)


def test_a_success_says_what_did_it() -> None:
    """The steps with their tools and arguments, under the run's id."""
    world = World(GOOD)
    world.graph(experience="lessons")
    assert noted(world) == Lesson(
        id="run-1", task="How much is it?", outcome="success", text="ask good [sql good]", category="MODERATE",
        tools=("sql",),
    )  # fmt: skip
    assert world.phases[-1] == "note_lesson"


@pytest.mark.parametrize("verdict", ["not_found", "contradicted"])
def test_an_answer_whose_claims_do_not_stand_is_a_failure(verdict: Any) -> None:
    """Though the verifier said yes."""
    seven = Reading(value="7", form="point")
    claim = Claim(id="c1", start=0, end=1, text="7", kind="number", reading=seven, verdict=verdict)
    world = World(GOOD, synthesize=Answer(text="7", claims=(claim,)))
    result = world.graph(experience="lessons")
    assert noted(world).outcome == "failure" and result.claims == ()


def test_a_partial_answer_is_a_failure_that_says_why() -> None:
    """What went wrong is what is learnt."""
    world = World(BAD)
    world.graph(experience="lessons")
    assert noted(world).outcome == "failure" and "no such table" in noted(world).text


@pytest.mark.parametrize("stopped", ["interrupt", "bypass"])
def test_a_run_of_unknown_worth_teaches_nothing(stopped: str) -> None:
    """One that was broken off, and a text that nobody checked."""
    complexity: Any = "BYPASS" if stopped == "bypass" else "MODERATE"
    world = World(complexity=complexity, execute=StepResult(output="Hello!"))
    world.interrupted_at = 3 if stopped == "interrupt" else None
    result = world.graph(experience="lessons")
    assert world.of("note_lesson") == [] and result.stop_reason in ("interrupted", "answered")


@pytest.mark.parametrize("phase", ["recall", "note_lesson"])
def test_a_file_that_breaks_costs_the_lessons_and_not_the_run(phase: str) -> None:
    """It is on record."""
    world = World(GOOD, **{phase: Failure(kind="tool", message="the lessons are damaged")})
    result = world.graph(experience="lessons")
    assert result.sufficient and [(one.phase, one.message) for one in result.degraded] == [
        (phase, "the lessons are damaged")
    ]


def test_what_was_mended_ended_well() -> None:
    """A failure on the way is told, and the lesson is a success."""
    world = World(BAD, GOOD)
    world.graph(experience="lessons")
    assert noted(world).outcome == "success" and "another name" in noted(world).text
