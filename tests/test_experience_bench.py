"""The benchmark of lessons: its tasks and their answers, what is noted and shown, and what it makes of the runs."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest

from aeon.engines.graph.record import Worked
from aeon.engines.graph.values import Verdict
from aeon.experience import store
from aeon.llm.scripted import Reply, Scripted
from aeon.schema import Bound, LLMRequest, Plan, Step, ToolUse
from aeon.schema.experience import Lesson, Lessons
from aeon.testing.obliging import oblige
from tests.second import way_of

BENCH = str(Path(__file__).parents[1] / "scripts" / "bench")
sys.path.insert(0, BENCH)
try:
    from everyday_items import shown
    from everyday_scoring import score
    from experience_families import FAMILIES, HALVES, Instance, instance

    from scripts.bench import experience as bench
finally:
    sys.path.remove(BENCH)

pytestmark = pytest.mark.requirement("E9c")


WARNED = "Heed the lesson"
RESULT = re.compile(r"\nResult: (.+)\Z|\n(.+)\n</data>\nWrite the answer to the task")
"""What a model is asked to put into words."""


class Reader:
    """A model that reads a table by a lesson that it is shown; unless it heeds none, or there is none, it is trapped.

    Of lookalikes a lesson says the opposite: there it is trapped with one.
    """

    def __init__(self, tasks: list[Instance], heeds: bool = True) -> None:
        self._tasks, self._heeds = tasks, heeds
        self.llm = Scripted(self._reply)

    def _reply(self, request: LLMRequest) -> Reply:
        prompt = request.messages[-1].content
        if "complexity" in json.dumps(request.json_schema):
            return '{"complexity": "MODERATE"}'
        plans = self._heeds and "<data lessons>" in prompt and "steps" in json.dumps(request.json_schema)
        asked = prompt.partition("<data lessons>")[0]
        one = next((one for one in self._tasks if one.item.question in asked), None)
        if one is not None and plans:
            goals = [f"{how}: {one.item.question}" for how in ("Read the notes", WARNED)]
            return json.dumps({"steps": [{"goal": goal, "needs": [*range(1, n)]} for n, goal in enumerate(goals, 1)]})
        if one is None or request.json_schema or request.top_logprobs:
            return oblige(request)
        if result := RESULT.search(prompt):
            return f"It is {result[1] or result[2]}."
        warned = WARNED in prompt
        query = one.query if warned is (one.role != "lookalike") else one.naive
        return "not stated" if way_of(request) == "reading" else f"print(sql({json.dumps(query)}))"


def some(*roles: str) -> list[Instance]:
    """The tasks of two families."""
    return [one for one in bench.tasks("development", 1, 1, roles) if one.family in ("columns", "cents")]


def measured(path: Path, tasks: list[Instance], llm: Scripted) -> bench.Record:
    """The record of a measurement of these tasks, in this folder."""
    about = {"model": "scripted", "engine": "loop", "half": tasks[0].item.half, "seed": 1}
    record = bench.Record(path / "rows.jsonl", about, tasks)
    asyncio.run(bench.measure(llm, "loop", tasks, record))
    return record


def outcomes(record: bench.Record, role: str, arm: str) -> set[str]:
    """What became of the runs of a role in an arm."""
    rows = [row for row in record.rows if (row["role"], row["arm"]) == (role, arm)]
    assert rows
    return {"right" if row["right"] else "trapped" if row["trapped"] else row["why"] for row in rows}


@pytest.mark.parametrize("half", HALVES)
def test_a_right_answer_counts_and_the_answer_of_who_misreads_the_table_does_not(half: str) -> None:
    """In every family and role; the same seed gives the same task, and only the first one asks for what it asks."""
    for family in FAMILIES:
        first = instance(family, "first", half, 1)
        for number in range(1, 8):
            sibling, like = (instance(family, role, half, 1, number) for role in ("sibling", "lookalike"))
            same, other = (instance(family, "sibling", half, seed, number) for seed in (1, 2))
            assert sibling == same != other
            assert like.item.question == sibling.item.question != first.item.question
            assert like.files["notes.md"] != sibling.files["notes.md"] or family == "unit"
            for one in (first, sibling, like):
                assert score(one.item, f"It is {shown(one.item.expected[0])}.").right
                assert one.trap is not None and not score(one.item, f"It is {shown(one.trap)}.").right
        unrelated = instance(family, "unrelated", half, 1)
        assert unrelated.trap is None and score(unrelated.item, f"It is {shown(unrelated.item.expected[0])}.").right


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("embeds", [True, False])
def test_a_lesson_is_found_for_its_family_alone(half: str, embeds: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the embeddings where they are there, and by the words alone."""
    if not embeds:
        monkeypatch.setattr(store, "embedder", lambda: None)
    firsts = [instance(family, "first", half, 1).item.question for family in FAMILIES]
    for number in range(1, 6):
        for place, family in enumerate(FAMILIES):
            alike = instance(family, "sibling", half, 1, number).item.question
            scores = store.similarities(alike, firsts)
            assert [at for at, one in enumerate(scores) if one >= 0.7] == [place], (alike, scores)
            other = instance(family, "unrelated", half, 1, number).item.question
            assert max(store.similarities(other, firsts)) < 0.7


@pytest.mark.parametrize("half", HALVES)
def test_who_heeds_lessons_is_right_on_siblings(half: str, tmp_path: Path) -> None:
    """A sibling is shown the lesson of its family, and no other; without lessons the model is trapped."""
    tasks = bench.tasks(half, 1, 1, ["sibling"])
    record = measured(tmp_path, tasks, Reader(tasks).llm)
    assert len(record.rows) == 3 * len(FAMILIES)
    assert outcomes(record, "first", "without") == outcomes(record, "sibling", "without") == {"trapped"}
    assert outcomes(record, "sibling", "with") == {"right"}
    for row in record.rows:
        assert [one["id"] for one in row["shown"]] == [f"{row['family']}-first-1"] * (row["arm"] == "with")


def test_lookalikes_mislead_and_unrelated_tasks_are_as_they_were(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a lookalike the opposite of the lesson holds; unrelated tasks are shown none. The table says both."""
    tasks = some("lookalike", "unrelated")
    record = measured(tmp_path, tasks, Reader(tasks).llm)
    assert outcomes(record, "lookalike", "without") == {"right"}
    assert outcomes(record, "lookalike", "with") == {"trapped"}
    assert outcomes(record, "unrelated", "without") == outcomes(record, "unrelated", "with") == {"right"}
    bench.table(record.rows)
    bench.differences(record.rows)
    printed = capsys.readouterr().out
    assert "2 of 2, 2 of their family" in printed and "cents-first-1          success (by aeon; was wrong)" in printed
    assert "lookalike  right    -100.0% [-100.0%, -100.0%] of 2 families" in printed
    assert "unrelated  right    +0.0% [+0.0%, +0.0%] of 2 families" in printed
    assert "unrelated  tokens   +0 [+0, +0] of 2 families" in printed


def test_who_heeds_no_lesson_gains_nothing(tmp_path: Path) -> None:
    """Though lessons are shown."""
    tasks = some("sibling")
    record = measured(tmp_path, tasks, Reader(tasks, heeds=False).llm)
    assert outcomes(record, "sibling", "with") == outcomes(record, "sibling", "without") == {"trapped"}


def test_a_measurement_that_was_broken_off_continues_with_the_same_lessons(tmp_path: Path) -> None:
    """Nothing on record is done again, and answers on record are judged anew."""
    tasks = some("sibling")
    measured(tmp_path, tasks[:3], Reader(tasks).llm)
    lines = (tmp_path / "rows.jsonl").read_text().replace('"right": true', '"right": false')
    (tmp_path / "rows.jsonl").write_text(lines)
    record = measured(tmp_path, tasks, Reader(tasks).llm)
    assert outcomes(record, "sibling", "with") == {"right"}
    again = Scripted([])
    assert measured(tmp_path, tasks, again).rows == record.rows and again.requests == []


def test_where_aeon_notes_nothing_the_scoring_says_how_a_first_attempt_ended() -> None:
    """With the steps and the last no, as in a lesson of Aeon's; what Aeon notes is kept as it is."""
    one = instance("cents", "first", "development", 1)
    use = ToolUse(id="s1.1", tool="sql", arguments={"query": "Q"}, output=1)
    step = Step(id="s1", description="ask", status="complete", uses=(use,))
    verdicts = (Verdict(says="no", reason="too much"), Verdict())
    for value, outcome in ((one.item.expected[0], "success"), (one.trap, "failure")):
        assert value is not None
        result = Worked(
                execution_id="run-1", engine="loop/1", answer=f"It is {shown(value)}.", stop_reason="unverified",
                bound=Bound(calls=9, tokens=9, cost=None), plans=(Plan(steps=(step,)),), verdicts=verdicts,
            )  # fmt: skip
        lesson, told_by = bench.lesson_of(one, result, Lessons())
        assert (lesson.outcome, lesson.text, told_by) == (outcome, "ask [sql Q]; too much", "scoring")
        own = Lesson(id="run-1", task=one.item.question, outcome="success", text="own")
        assert bench.lesson_of(one, result, Lessons(lessons=(own,))) == (own, "aeon")
