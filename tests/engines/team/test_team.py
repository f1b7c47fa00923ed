"""Teams: how a task is split and shared out, what the master sees, and what happens where no split is of use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aeon.assembly import combining
from aeon.assembly.build import build, resume
from aeon.assembly.registry import plugin
from aeon.assembly.runs import replay
from aeon.assembly.views import trail
from aeon.engines.team.config import TeamConfig
from aeon.engines.team.record import Team
from aeon.errors import UsageError
from aeon.llm.scripted import Scripted
from aeon.runtime.journal import Journal
from aeon.schema import Capabilities, Questions, Task
from engines.ensemble.world import Cast

pytestmark = pytest.mark.requirement("E6", "E6m")
TASK = "How many boxes more did Lyon order than Hull?"
PARTS = ("How many boxes did Lyon order?", "How many boxes did Hull order?")


def split(*questions: str) -> Scripted:
    """A model that splits every task into these."""
    return Scripted(lambda request: json.dumps({"questions": list(questions)}), Capabilities(json_mode=True))


def team(cast: Cast, journal: Journal | None = None, task: str | Task = TASK, **settings: Any) -> Team:
    """The result of a team of talkers: b works, a is the master."""
    result: Team = cast.run(combining.team, journal, task, **{"master": "a", "worker": "b", **settings})
    return result


def test_workers_answer_the_parts_and_the_master_the_task() -> None:
    """Each worker sees its part alone; the master sees what they said, marked as such."""
    cast = Cast({"a": "900", "b /2": "1200", "b /4": "300"}, split(*PARTS))
    result = team(cast, task=Task(text=TASK, context="All of it in May."))
    assert (result.answer, result.stop_reason, result.master) == ("900", "said", "a")
    assert [(job.question, job.answer, job.handed_on) for job in result.jobs] == [
        (PARTS[0], "1200", True), (PARTS[1], "300", True),
    ]  # fmt: skip
    (_, _, one, _), (_, _, other, _), (_, _, last, _) = cast.heard
    assert one == other == "All of it in May."
    assert f"Answer of another program, b, to this part of the task: {PARTS[0]} (it may be wrong" in last
    assert "\n1200\n" in last and last.endswith("\n300")
    assert {one.context for one in cast.tasks} == {"All of it in May."}  # which is searched and cited


@pytest.mark.parametrize("questions", [(), PARTS[:1], (TASK,), ("Who sells fish?", "What is love?")])
def test_a_task_that_is_not_split_goes_to_the_master_as_it_is(questions: tuple[str, ...]) -> None:
    """A single part, the task itself, or parts about something else are no split."""
    cast = Cast({"a": "900"}, split(*questions))
    result = team(cast)
    assert (result.answer, result.jobs) == ("900", ())
    assert [(name, context) for name, _, context, _ in cast.heard] == [("a", "")]


def test_parts_beyond_the_limit_are_left_out() -> None:
    """Whatever the splitter says."""
    many = [f"How many boxes did Lyon order on day {number}?" for number in range(1, 20)]
    result = team(Cast({"a": "900", "b": "1"}, split(*many)), parts=2)
    assert [job.question for job in result.jobs] == many[:2]


def test_what_a_worker_does_not_know_is_not_handed_on() -> None:
    """The master works on it itself."""
    cast = Cast({"a": "900", "b /2": "-", "b /4": "300"}, split(*PARTS))
    result = team(cast)
    assert [job.handed_on for job in result.jobs] == [False, True]
    assert "1200" not in cast.heard[-1][2] and "300" in cast.heard[-1][2]


def test_a_worker_that_asks_suspends_the_team_and_a_saved_one_replays(tmp_path: Path) -> None:
    """The question is that of the result."""
    cast, path = Cast({"a": "900", "b": "1"}, split(*PARTS)), tmp_path / "run.jsonl"
    options = {"b": {"asks": "Which Lyon?"}}
    waiting = team(cast, Journal(path), options=options, questions=Questions(unattended="suspend"))
    assert waiting.stop_reason == "waiting" and waiting.question is not None
    assert waiting.question.text == "Which Lyon?"
    assert replay(Journal.read(path), combining.team(cast.plugins()).engine) == waiting


@pytest.mark.requirement("E6n")
def test_the_master_knows_what_a_person_answered_a_worker(tmp_path: Path) -> None:
    """The answer stands in the master's task, though the master asks nothing itself."""
    cast, path = Cast({"a": "900", "b": "1"}, split(*PARTS)), tmp_path / "run.jsonl"
    options = {"b": {"asks": "Which Lyon?"}}
    team(cast, Journal(path), options=options, questions=Questions(unattended="suspend"))
    brought = combining.team(cast.plugins())
    ended: Team = resume(path, split(*PARTS), (), engine=brought, answer="that in France")
    last = [done.effect for batch in trail(Journal.read(path), brought.engine).batches for done in batch][-1]
    assert ended.answer == "900" and last.task.text == TASK
    assert [one.answer for one in last.task.clarifications] == ["that in France"]


def test_a_specialist_is_named_by_the_rules_of_the_router(tmp_path: Path) -> None:
    """For each part by itself; the rule is on record."""
    (tmp_path / "orders.txt").write_text("Lyon ordered 1200 boxes. Hull ordered 300 boxes.\n")
    brought = plugin("team")
    model = Scripted(lambda request: json.dumps({"questions": [PARTS[0], "How many are 17 and 24 boxes together?"]}))
    result: Team = build(model, (), TeamConfig(parts=2), engine=brought, files=tmp_path).execute(TASK)
    assert [(job.engine, job.rule) for job in result.jobs] == [("multi-pass", "texts"), ("multi-pass", "texts")]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"master": "lop"}, "master: no engine is called 'lop'"),
        ({"worker": "lop"}, "worker: no engine is called 'lop'"),
        ({"worker": "tutor"}, "worker: 'tutor' needs a folder to look at"),
        ({"budget": {"calls": 9}}, "budget.calls: 9 are too few for 4 members and what brings them together"),
    ],
)
def test_what_cannot_work_is_one_line(settings: dict[str, Any], message: str) -> None:
    """Before anything is asked."""
    brought = plugin("team")
    with pytest.raises(UsageError, match=message):
        build(Scripted([]), (), TeamConfig.model_validate(settings), engine=brought)
