"""Lessons that lie or contradict each other, in whole runs over a file: the answer is right, or does not end well."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aeon import Conclusion, build
from aeon.engines.graph.config import GraphConfig, WorkConfig
from aeon.engines.graph.record import Worked
from aeon.experience.store import Experience
from aeon.llm.scripted import Reply, Scripted
from aeon.schema import LLMRequest
from aeon.schema.experience import Lesson, LessonOutcome
from aeon.testing.obliging import oblige
from tests.wordings import results_of

pytestmark = pytest.mark.requirement("E9b")
TASK = "What is the amount of Lyon?"
QUERY = "SELECT amount FROM sales WHERE city = 'Lyon'"
CONFIGS: dict[str, type[WorkConfig]] = {"loop": WorkConfig, "graph": GraphConfig}


def learnt(path: Path, *lessons: tuple[LessonOutcome, str]) -> str:
    """A file of these lessons about the task."""
    kept = Experience(str(path / "lessons.sqlite"))
    for number, (outcome, text) in enumerate(lessons):
        kept.keep(Lesson(id=f"run-{number}", task=TASK, outcome=outcome, text=text), 180)
    return str(path / "lessons.sqlite")


def run(
    engine: str, path: Path, lessons: str, says: Callable[[str], str], goals: tuple[str, ...] = ()
) -> tuple[Worked, Scripted]:
    """A run over a table in which Lyon has 7, on a model that ``says`` this to each prompt for a text.

    It plans these ``goals``, one behind the other.
    """
    folder = path / "files"
    folder.mkdir()
    (folder / "sales.csv").write_text("city,amount\nLyon,7\nPorto,9\n")

    def reply(request: LLMRequest) -> Reply:
        if "complexity" in json.dumps(request.json_schema):
            return '{"complexity": "MODERATE"}'
        if goals and "goal" in json.dumps(request.json_schema):
            return json.dumps({"steps": [{"goal": one, "needs": [*range(1, n)]} for n, one in enumerate(goals, 1)]})
        if request.json_schema or request.top_logprobs:
            return oblige(request)
        return says(request.messages[-1].content)

    model = Scripted(reply)
    config = CONFIGS[engine](experience=lessons)
    result: Conclusion = build(model, engine=engine, config=config, files=folder).execute(TASK)
    assert isinstance(result, Worked)
    return result, model


@pytest.mark.parametrize("engine", CONFIGS)
def test_a_lesson_that_lies_about_a_value_does_not_pass_it_off_as_found(engine: str, tmp_path: Path) -> None:
    """A model that believes it, and has the value in each goal that it plans, does not end well with it."""
    lessons = learnt(tmp_path, ("success", "the amount of Lyon is 4821"))
    goals = ("Note that the amount of Lyon is 4821.", "Say that the amount of Lyon is 4821.")
    result, model = run(engine, tmp_path, lessons, lambda asked: "print(4821)" if "4821" in asked else QUERY, goals)
    assert any("4821" in request.messages[-1].content for request in model.requests)
    assert [one.id for one in result.lessons] == ["run-0"]
    assert (result.stop_reason, result.sufficient) == ("rejected", False)
    assert "Not verified: s2_r1: 4821: stands nowhere." in result.answer
    assert not any(one.verdict == "supported" for one in result.claims)


@pytest.mark.parametrize("engine", CONFIGS)
def test_a_lesson_is_shown_to_the_planner_alone(engine: str, tmp_path: Path) -> None:
    """A model that would believe it wherever it sees it looks the value up: who does the steps sees no lesson."""
    lessons = learnt(tmp_path, ("success", "the amount of Lyon is 4821"))
    result, model = run(engine, tmp_path, lessons, lambda asked: "print(4821)" if "4821" in asked else QUERY)
    seen = [request for request in model.requests if "4821" in request.messages[-1].content]
    assert seen and all("goal" in json.dumps(request.json_schema) for request in seen)
    assert result.sufficient and result.answer == "7"
    assert {one.verdict for one in result.claims} == {"supported"}


@pytest.mark.parametrize("engine", CONFIGS)
def test_a_lesson_that_lies_does_not_change_the_words_of_an_answer(engine: str, tmp_path: Path) -> None:
    """A model that looks the value up and then says the lesson's gives the value that was looked up all the same."""
    lessons = learnt(tmp_path, ("success", "the amount of Lyon is 4821"))
    said = "The amount of Lyon is 4821."
    result, _ = run(engine, tmp_path, lessons, lambda asked: said if results_of(asked) else QUERY)
    assert result.sufficient and "7" in result.answer and "4821" not in result.answer
    assert {one.verdict for one in result.claims} == {"supported"}


@pytest.mark.parametrize("engine", CONFIGS)
def test_lessons_that_contradict_each_other_do_no_harm(engine: str, tmp_path: Path) -> None:
    """Both are shown, as what they are, and the answer rests on the file."""
    lessons = learnt(tmp_path, ("success", f"ask sales [sql {QUERY}]"), ("failure", f"ask sales [sql {QUERY}]"))
    said = "The amount of Lyon is 7."
    result, model = run(engine, tmp_path, lessons, lambda asked: said if results_of(asked) else QUERY)
    (shown,) = {text for one in model.requests if "<data lessons>" in (text := one.messages[-1].content)}
    assert f"\nsuccess: {TASK} -> ask sales" in shown and f"\nfailure: {TASK} -> ask sales" in shown
    assert result.sufficient and result.answer == "The amount of Lyon is 7."
    assert {one.id for one in result.lessons} == {"run-0", "run-1"}
