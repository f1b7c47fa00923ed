"""Tasks and contexts that are longer than prompts show: the result says so, and so does the screen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Outcome
from .played_model import Model

Aeon = Callable[..., Outcome]
TASK = "What do 17 pens at 2.40 cost?"
ROWS = "\n".join(f"row {number}: pens {number}.40" for number in range(600))


@pytest.mark.parametrize(
    "asked", [("Write a summary of it.",), (TASK, "--thorough")], ids=["written", "calculated in steps"]
)
def test_a_context_that_no_prompt_shows_whole_is_said(
    aeon: Aeon, model: Model, tmp_path: Path, asked: tuple[str, ...]
) -> None:
    """One line names it, the result and its history hold it, and the answer does not count as good enough."""
    (tmp_path / "rows").write_text(ROWS)
    asked = (*asked, "--model", model.url, "--context", str(tmp_path / "rows"))
    done = aeon("run", *asked, "--save", str(tmp_path / "saved"))
    said = f"cut: prompts show 6,000 of the context's {len(ROWS):,} characters"
    assert done.code == 3
    assert [line.startswith(said) for line in done.shown.splitlines()].count(True) == 1
    assert said in aeon("history", str(tmp_path / "saved")).out
    document = aeon("run", *asked, "--json")
    unread = [{"part": "context", "characters": len(ROWS), "shown": 6_000}]
    assert document.code == 3 and document.document["unread"] == unread
    assert document.document["history"]["conclusion"]["unread"] == unread
    assert aeon("replay", str(tmp_path / "saved")).code == 0


def test_a_context_that_is_searched_is_not_cut(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """A step looked in all of it: what it does not say is not stated."""
    (tmp_path / "rows").write_text(ROWS)
    model.words["program"] = 'print("not stated")'
    done = aeon("run", "Who is the mayor of Cork?", "--model", model.url, "--context", str(tmp_path / "rows"))
    assert done.code == 3 and "not stated in what was searched: Who is the mayor of Cork?" in done.shown
    assert "cut:" not in done.shown and "40.8" not in done.shown


def test_a_task_that_no_prompt_shows_whole_is_said(aeon: Aeon, model: Model) -> None:
    """So it is for the task's own text, of which the model sees start and end with a mark between them."""
    task = f"What do 17 pens at 2.40 cost? {ROWS} And the last word is pens."
    done = aeon("run", task, "--model", model.url, "--thorough")
    assert done.code == 3 and f"of the task's {len(task):,} characters; " in done.shown
    briefed = [text for body in model.bodies if "TASK: " in (text := json.dumps(body))]
    assert briefed and all("the middle left out" in text and "the last word is pens" in text for text in briefed)


def test_what_every_prompt_shows_whole_is_not_mentioned(aeon: Aeon, model: Model, tmp_path: Path) -> None:
    """A context at the limit is whole, and so is a long text in a prompt that asks for one to be written."""
    (tmp_path / "rows").write_text(ROWS[:6_000])
    done = aeon("run", TASK, "--model", model.url, "--context", str(tmp_path / "rows"))
    assert done.code == 0 and "cut:" not in done.shown
    text = "Say in one sentence what this is about. " + "The pens are blue and of good quality. " * 120
    written = aeon("run", text, "--model", model.url, "--json")
    assert written.code == 0 and written.document["unread"] == []
    assert any(text.strip() in message["content"] for body in model.bodies for message in body["messages"])


def test_a_task_that_a_program_is_written_for_is_cut_in_its_middle(aeon: Aeon, model: Model) -> None:
    """The prompt for the program shows start and end with the same mark, and the whole of what is not longer."""
    for rows in (ROWS[:5_800], ROWS):
        model.bodies.clear()
        task = f"What do 17 pens at 2.40 cost? {rows} And the last word is pens."
        aeon("run", task, "--model", model.url)
        asked = [body["messages"][-1]["content"] for body in model.bodies]
        first = next(text for text in asked if text.startswith("Question: What do 17 pens"))
        assert first.rstrip().endswith("the last word is pens.")
        assert (task in first, "the middle left out" in first) == (rows != ROWS, rows == ROWS)
