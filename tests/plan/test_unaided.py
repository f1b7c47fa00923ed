"""Plans that need no model: what a task says word for word, and nothing that would have to be understood."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from aeon.errors import EndpointUnreachable
from aeon.multipass.effects import DraftPlan
from aeon.plan.unaided import UnaidedPlanner, unaided
from aeon.schema import JsonObject, Task, TaskProfile, ToolCall
from aeon.tools import ToolRegistry
from aeon.tools.calculator import calculator
from aeon.tools.files import files

pytestmark = pytest.mark.requirement("E5g")


def call(task: str, tools: ToolRegistry) -> tuple[str, JsonObject] | None:
    """The tool and the arguments of the only step."""
    plan = unaided(task, tools)
    if plan is None:
        return None
    (step,) = plan.steps
    assert plan.answer == (step.id,) and isinstance(step.action, ToolCall) and step.action.arguments is not None
    return step.action.tool, step.action.arguments


@pytest.mark.parametrize(
    ("task", "expression"),
    [
        ("2 + 3 * 4", "2 + 3 * 4"),
        ("What is 15% of 2,480?", "15% of 2,480"),
        ("what's sqrt(2)?", "sqrt(2)"),
        ("How much is 1/3?", "1/3"),
        ("Calculate max(3, 4) - 1.", "max(3, 4) - 1"),
        ("7 * 6 =", "7 * 6"),
        ("1 / 0", "1 / 0"),
    ],
)
def test_a_calculation_is_done_as_it_stands(task: str, expression: str) -> None:
    """Also in a question that is nothing else; one without a value fails when it is done."""
    assert call(task, ToolRegistry([calculator()])) == ("calculator", {"expression": expression})


@pytest.mark.parametrize(
    "task",
    [
        "What is the capital of France?",
        "What is 15% of the turnover of 2,480?",
        "How many primes are there under 10 + 3?",
        "Is 2 + 2 the same as 4?",
        "2480",
        "e",
        "What is pi?",
        "Add 2 and 3",
        "What is 2 + 3, and why?",
    ],
)
def test_whatever_would_have_to_be_understood_is_none(task: str) -> None:
    """The whole task is a calculation, or nothing in it counts."""
    assert call(task, ToolRegistry([calculator()])) is None


def test_tables_are_asked_and_texts_are_found_word_for_word(tmp_path: Path) -> None:
    """A query that the tables can be asked, and a text in quotes; not without the folder, nor a query that fails."""
    (tmp_path / "cities.csv").write_text("city,pop\nOslo,700\nBergen,290\n")
    (tmp_path / "note.txt").write_text("The invoice 4711 was paid.\n")
    tools = ToolRegistry(files(tmp_path))
    query = "SELECT sum(pop) FROM cities"
    assert call(f"{query};", tools) == ("sql", {"query": query})
    assert call('"invoice 4711"', tools) == ("search_files", {"text": "invoice 4711"})
    assert call("find 'invoice 4711'", tools) == ("search_files", {"text": "invoice 4711"})
    for task in ("SELECT sum(nothing) FROM cities", "Select a good city", "find the invoice", "DROP TABLE cities"):
        assert call(task, tools) is None
    assert call(query, ToolRegistry([calculator()])) is call('"invoice"', ToolRegistry([calculator()])) is None


def test_a_task_that_needs_a_model_ends_the_run_with_a_line_that_says_so() -> None:
    """It is a failure that nothing can follow."""
    effect = DraftPlan(task=Task(text="Who was Ada Lovelace?"), profile=TaskProfile(), most_steps=3)
    with pytest.raises(EndpointUnreachable, match="this task needs one"):
        asyncio.run(UnaidedPlanner(ToolRegistry([calculator()])).draft(effect))
