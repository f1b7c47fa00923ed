"""``aeon run --engine graph`` and ``--engine loop``: what they show, saved runs of them, lessons, and bad input."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Outcome
from .played_model import Model

Aeon = Callable[..., Outcome]
QUESTION = "What do 17 pens at 2.40 cost?"
pytestmark = pytest.mark.usefixtures("model")


@pytest.fixture
def planning(model: Model) -> Model:
    """A model that calls each task moderate."""
    model.words["complexity"] = "MODERATE"
    return model


@pytest.mark.requirement("E1a", "E2b", "E2f")
@pytest.mark.parametrize("name", ["graph/5", "loop/4"])
def test_a_run_is_shown_saved_replayed_and_traced(name: str, aeon: Aeon, planning: Model, tmp_path: Path) -> None:
    """The end says which way it took; the journal gives the report, the picture and lines of JSON."""
    saved, (engine, _, _) = str(tmp_path / "run.jsonl"), name.partition("/")
    ran = aeon("run", QUESTION, "--engine", engine, "--save", saved)
    assert ran.code in (0, 3) and "classify → plan → execute → verify → respond (MODERATE)" in ran.shown, ran
    assert aeon("replay", saved).code == 0
    assert "verdict" in aeon("history", saved).out
    assert "flowchart" in aeon("history", saved, "--format", "mermaid").out
    traced = aeon("history", saved, "--format", "ndjson")
    lines = [json.loads(line) for line in traced.out.splitlines()]
    assert (lines[0]["event"], lines[0]["engine"], lines[-1]["event"]) == ("run", name, "end")
    effects = [line for line in lines if line["event"] == "effect"]
    nodes = [(line["node"], line["phase"]) for line in effects]
    assert nodes[:3] == [("classify", "classify"), ("plan", "plan"), ("execute", "execute")]
    assert nodes[-1] == ("respond", "synthesize")
    assert [line["number"] for line in effects] == list(range(len(effects)))


@pytest.mark.requirement("E2f")
def test_any_engines_run_can_be_traced(aeon: Aeon, tmp_path: Path) -> None:
    """Also one that has not ended: then there is no end in it."""
    saved = tmp_path / "run.jsonl"
    aeon("run", QUESTION, "--save", str(saved))
    whole = [json.loads(line) for line in aeon("history", str(saved), "--format", "ndjson").out.splitlines()]
    assert whole[-1]["event"] == "end" and "node" not in whole[1]
    saved.write_bytes(b"".join(saved.read_bytes().splitlines(keepends=True)[:-2]))
    part = [json.loads(line) for line in aeon("history", str(saved), "--format", "ndjson").out.splitlines()]
    assert part and part[-1]["event"] != "end"


@pytest.mark.requirement("E9b")
def test_lessons_are_kept_and_the_history_names_those_that_were_used(
    aeon: Aeon, planning: Model, tmp_path: Path
) -> None:
    """The second run finds the first one's; a replay needs no file."""
    lessons, saved = tmp_path / "lessons.sqlite", str(tmp_path / "b.jsonl")
    learning = ("--tools", "calculator,dates", "--experience", str(lessons), "--save")
    first = aeon("run", QUESTION, "--engine", "graph", *learning, str(tmp_path / "a.jsonl"))
    assert first.code in (0, 3) and lessons.exists() and "lesson " not in first.shown
    second = aeon("run", "What do 18 pens at 2.40 cost?", "--engine", "loop", *learning, saved)
    number = json.loads(aeon("history", str(tmp_path / "a.jsonl"), "--format", "json").out)["execution_id"]
    assert f"lesson {number}" in second.shown, second.out
    lessons.unlink()
    assert aeon("replay", saved).code == 0 and f"lesson {number}" in aeon("history", saved).out


@pytest.mark.requirement("E9a")
def test_a_row_that_is_no_lesson_is_skipped_and_said_once(aeon: Aeon, planning: Model, tmp_path: Path) -> None:
    """The lessons beside it are used, and nothing of it is a failure."""
    lessons, saved = tmp_path / "lessons.sqlite", str(tmp_path / "b.jsonl")
    learning = ("--tools", "calculator,dates", "--experience", str(lessons), "--save")
    aeon("run", QUESTION, "--engine", "graph", *learning, str(tmp_path / "a.jsonl"))
    with sqlite3.connect(lessons) as db:
        columns = "(id, project, task, outcome, text, made)"
        db.execute(f"INSERT INTO lessons {columns} SELECT x'ff', project, x'ff', outcome, text, made FROM lessons")
    db.close()
    done = aeon("run", QUESTION, "--engine", "loop", *learning, saved)
    number = json.loads(aeon("history", str(tmp_path / "a.jsonl"), "--format", "json").out)["execution_id"]
    said = "1 lesson, 1 row skipped"
    assert done.err.count(said) == 1 and f"lesson {number}" in done.shown, done.out
    assert aeon("history", saved).out.count(said) == 1 and "Error" not in aeon("history", saved).out


@pytest.mark.requirement("E9b")
def test_without_a_file_nothing_is_learnt(aeon: Aeon, planning: Model, tmp_path: Path) -> None:
    """No lesson is looked for and none is kept."""
    saved = str(tmp_path / "run.jsonl")
    aeon("run", QUESTION, "--engine", "graph", "--save", saved)
    assert "lesson" not in aeon("history", saved, "--format", "effects").out


@pytest.mark.requirement("E2g", "E9a")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--set", "profile=staging"], ["profile", "'developer'", "'production'"]),
        (["--set", "max_reflections=-1"], ["max_reflections"]),
        (["--set", "step_seconds=0"], ["step_seconds"]),
        (["--max-passes", "3"], ["--max-passes", "graph"]),
        (["--experience", "FOLDER"], ["is a folder"]),
        (["--experience", "BROKEN"], ["no file of lessons"]),
        (["--experience", "NOWHERE"], ["unable to open"]),
    ],
)
def test_bad_input_is_one_clear_line(options: list[str], words: list[str], aeon: Aeon, tmp_path: Path) -> None:
    """Exit code 2, and nothing was run."""
    (tmp_path / "broken").write_text("no lessons " * 300)
    places = {"FOLDER": str(tmp_path), "BROKEN": str(tmp_path / "broken"), "NOWHERE": str(tmp_path / "x" / "y")}
    aeon("run", QUESTION, "--engine", "graph", *(places.get(one, one) for one in options)).complains(2, *words)


@pytest.mark.requirement("E9b")
def test_an_engine_without_lessons_says_so(aeon: Aeon, tmp_path: Path) -> None:
    """The multi-pass engine keeps none."""
    aeon("run", QUESTION, "--experience", str(tmp_path / "l")).complains(2, "--experience", "has no such setting")
