"""What is first: several that share the place are all given, and what makes one the hardest is not made up."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from aeon.llm.scripted import Scripted
from aeon.plan.programmer import Programmer
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, JsonValue, Plan, Task, ToolCall
from aeon.supervisor.supervisor import Supervisor
from aeon.tools import ToolRegistry
from aeon.tools.calculator import calculator
from aeon.tools.files import files

pytestmark = [pytest.mark.usefixtures("indexes"), pytest.mark.requirement("T1b")]
RIDES = (
    "ride,zone,minutes,price,inspected\nComet,North,4,6,2026-03-01\nWheel,North,12,4,2026-02-01\n"
    "Falls,South,12,6,2026-05-09\nTrain,South,9,,2026-01-20\n"
)


def plan(folder: Path, question: str, *programs: str) -> tuple[Plan, list[JsonValue]]:
    """The plan that comes of these programs, and what each of its steps without others gives."""
    (folder / "rides.csv").write_text(RIDES)
    tools = ToolRegistry([calculator(), *files(folder)])
    programmer = Programmer(Supervisor(Scripted([*programs])), tools)

    async def planned() -> tuple[Plan, list[JsonValue]]:
        with Ledger(Allowance(calls=9)):
            made = await programmer.plan(Task(text=question), 12)
        calls = [step.action for step in made.steps if isinstance(step.action, ToolCall) and not step.dependencies]
        return made, [(await tools.call(call.tool, call.arguments or {})).value for call in calls]

    return asyncio.run(planned())


@pytest.mark.parametrize(
    ("query", "given"),
    [
        ("SELECT ride FROM rides ORDER BY minutes DESC LIMIT 1", ["Falls", "Wheel"]),
        ("SELECT ride FROM rides ORDER BY minutes LIMIT 1;", "Comet"),
        ("SELECT ride FROM rides ORDER BY price DESC LIMIT 1", ["Comet", "Falls"]),
        ("SELECT ride FROM rides ORDER BY minutes DESC, inspected LIMIT 1", "Wheel"),
        ("SELECT zone FROM rides GROUP BY zone ORDER BY count(*) DESC LIMIT 1", ["North", "South"]),
        (
            "SELECT zone, COUNT(*) AS n FROM rides GROUP BY zone ORDER BY n DESC LIMIT 1",
            [{"n": 2, "zone": "North"}, {"n": 2, "zone": "South"}],
        ),
        ("SELECT MAX(minutes) FROM rides ORDER BY 1 LIMIT 1", 12),
        ("SELECT minutes FROM rides ORDER BY minutes DESC LIMIT 1", 12),
        ("SELECT ride FROM rides ORDER BY minutes DESC LIMIT 2", ["Falls", "Wheel"]),
        ("SELECT ride FROM (SELECT * FROM rides ORDER BY price LIMIT 1) ORDER BY minutes LIMIT 1", "Wheel"),
    ],
)
def test_all_that_share_the_first_place_are_given(tmp_path: Path, query: str, given: JsonValue) -> None:
    """One of them alone would be taken for the only one; a tie that the query breaks itself stays broken."""
    _, (found,) = plan(tmp_path, "Which ride takes longest, in minutes?", f'print(sql("{query}"))')
    assert (sorted(found, key=str) if isinstance(found, list) else found) == given


def test_a_row_that_a_sum_rests_on_stays_one(tmp_path: Path) -> None:
    """A calculation takes one number, whichever of those alike."""
    program = 'p = sql("SELECT price FROM rides ORDER BY minutes DESC LIMIT 1")\nprint(p * 3)'
    made, (found,) = plan(tmp_path, "What do 3 rides on the longest one cost?", program)
    assert len(made.steps) == 2 and found in (4, 6)


def test_more_than_a_few_alike_are_no_answer(tmp_path: Path) -> None:
    """Of ten that are first, the query's own one is taken."""
    rows = "".join(f"Ride {number},North,5,2,2026-01-{number:02}\n" for number in range(1, 11))
    (tmp_path / "more.csv").write_text("name,place,length,cost,day\n" + rows)
    query = "SELECT name FROM more ORDER BY cost LIMIT 1"
    _, (found,) = plan(tmp_path, "What is the name of the one of the least cost?", f'print(sql("{query}"))')
    assert isinstance(found, str)


@pytest.mark.parametrize(
    ("question", "column", "doubtful"),
    [
        ("Which ride is the scariest?", "minutes", True),
        ("What is the worst ride?", "minutes", True),
        ("Which ride is the longest?", "minutes", False),
        ("Which ride is the dearest?", "price", False),
    ],
)
def test_a_superlative_that_no_column_measures_is_doubtful(
    tmp_path: Path, question: str, column: str, doubtful: bool
) -> None:
    """It is answered by the column that the model takes for it, and nobody is told that this is certain."""
    made, found = plan(tmp_path, question, f'print(sql("SELECT ride FROM rides ORDER BY {column} DESC LIMIT 1"))')
    assert found and any("no file says what is" in doubt for doubt in made.doubts) is doubtful
