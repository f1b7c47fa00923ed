"""Programs that need no model: what a task says word for word, and nothing that would have to be understood."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from aeon import Config, build
from aeon.errors import EndpointUnreachable
from aeon.multipass.effects import WritePrograms
from aeon.programs.unaided import UnaidedWriter, unaided
from aeon.schema import Step, Task, ToolLoop
from programs.world import Folder

pytestmark = pytest.mark.requirement("E5g")


@pytest.mark.parametrize("task", ["2 + 3 * 4", "15% of 2,480", "sqrt(2)", "1/3 =", "max(3, 4) - 1.", "1 / 0"])
def test_a_calculation_is_done_as_it_stands(task: str) -> None:
    """One without a value fails when it is done."""
    call = unaided(task, Folder(None, named={}).tools)
    assert call == {"tool": "calculator", "arguments": {"expression": task.rstrip("=. ")}}


@pytest.mark.parametrize(
    "task", ["What is 2 + 3?", "15% of the turnover of 2,480", "2480", "e", "Add 2 and 3", "Qu'est-ce que 2 + 3 ?", "¿"]
)
@pytest.mark.requirement("L1")
def test_whatever_would_have_to_be_understood_is_none(task: str) -> None:
    """The whole task is a calculation, or nothing in it counts; the run ends with a line that says so."""
    tools = Folder(None, named={}).tools
    assert unaided(task, tools) is None
    step = Step(id="s1", description=task, action=ToolLoop(form="program"))
    with pytest.raises(EndpointUnreachable, match="T0 asks no model"):
        asyncio.run(UnaidedWriter(tools).write(WritePrograms(task=Task(text=task), step=step)))


def test_tables_are_asked_and_texts_are_found_word_for_word(tmp_path: Path) -> None:
    """A query that the tables can be asked, and a text in quotes; not without the folder, nor a query that fails."""
    tools = Folder(tmp_path).tools
    query = "SELECT sum(price) FROM items"
    assert unaided(f"{query};", tools) == {"tool": "sql", "arguments": {"query": query}}
    assert unaided('"Ms Adler"', tools) == {"tool": "search_files", "arguments": {"text": "Ms Adler"}}
    for task in ("SELECT sum(nothing) FROM items", "Select a good item", "find the chair", "DROP TABLE items"):
        assert unaided(task, tools) is None


def test_a_run_without_a_model_is_a_run(tmp_path: Path) -> None:
    """With claims, and no call."""
    Folder(tmp_path)
    made = build(config=Config(model_tier="T0"), files=str(tmp_path))
    result = made.execute("SELECT sum(price) FROM items")
    assert "198.9" in result.answer and result.usage.calls == 0 and result.converged
    assert [claim.verdict for claim in result.claims] == ["supported"]
