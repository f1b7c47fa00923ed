"""Conditions of a query on texts that a model made up: what the column has is told, and what is left is doubtful."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from aeon.llm.scripted import Scripted
from aeon.plan.again import spelt_out
from aeon.plan.programmer import Programmer
from aeon.plan.queries import query_of
from aeon.plan.sources import Sources
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Plan, Task
from aeon.supervisor.supervisor import Supervisor
from aeon.tools import ToolRegistry
from aeon.tools.calculator import calculator
from aeon.tools.files import files

pytestmark = [pytest.mark.usefixtures("indexes"), pytest.mark.requirement("T1b", "G4")]
VISITS = (
    "day,guest,minutes,status,room\n2026-03-02,Abel,30,came,1\n2026-03-03,Berg,20,came,2\n2026-03-04,Cole,45,no-show,2\n"
    "2026-03-05,Dahl,60,cancelled,1\n2026-03-06,Abel,15,no-show,3\n"
)
ROOMS = "room,floor,size\n1,1,20\n2,2,30\n3,2,25\n"
NO_ROW = "no row has status = 'absent'; values of status are: came, cancelled, no-show"


def plan(folder: Path, question: str, *programs: str, **texts: str) -> tuple[Plan, list[str]]:
    """The plan that comes of these programs, and what the model was asked; ``texts`` are files beside the tables."""
    folder = folder / "files"
    folder.mkdir()
    (folder / "visits.csv").write_text(VISITS)
    (folder / "rooms.csv").write_text(ROOMS)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text)
    model = Scripted(programs)
    programmer = Programmer(Supervisor(model), ToolRegistry([calculator(), *files(folder)]))

    async def planned() -> Plan:
        with Ledger(Allowance(calls=9)):
            return await programmer.plan(Task(text=question), 12)

    return asyncio.run(planned()), [request.messages[-1].content for request in model.requests]


def query(text: str) -> str:
    """The program of a query."""
    return f'print(sql("{text}"))'


def test_a_text_that_no_row_has_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    """It meant something by it, so it stays; what it takes of the column then is doubtful, since nobody said it."""
    made, asked = plan(
        tmp_path, "How many visits were missed?", query("SELECT COUNT(*) FROM visits WHERE status = 'missed'"),
        query("SELECT COUNT(*) FROM visits WHERE status = 'cancelled'"),
    )  # fmt: skip
    assert "(Mind: status is one of: came, cancelled, no-show)" in asked[1]
    assert [query_of(step) for step in made.steps] == ["SELECT COUNT(*) FROM visits WHERE status = 'cancelled'"]
    assert made.doubts == ("nobody spoke of 'cancelled'",)


def test_the_only_value_with_a_word_of_the_question_is_meant(tmp_path: Path) -> None:
    """No second call is made for it."""
    made, asked = plan(
        tmp_path, "How many guests didn't show up?", query("SELECT COUNT(*) FROM visits WHERE status = 'absent'")
    )
    assert [query_of(step) for step in made.steps] == ["SELECT COUNT(*) FROM visits WHERE status = 'no-show'"]
    assert not made.doubts and len(asked) == 1


def test_a_second_text_of_its_own_is_left_out_and_said(tmp_path: Path) -> None:
    """The query runs without it, and does not count as sure."""
    first = query("SELECT COUNT(*) FROM visits WHERE status = 'absent'")
    made, _ = plan(tmp_path, "How many visits were missed?", first, first)
    assert [query_of(step) for step in made.steps] == ["SELECT COUNT(*) FROM visits"]
    assert made.doubts == ("nobody spoke of 'absent'",)


def test_a_value_of_the_rows_that_are_shown_is_copied_though_a_text_has_it(tmp_path: Path) -> None:
    """The question says nothing of it."""
    made, _ = plan(
        tmp_path, "How many minutes were the visits in March in all?",
        query("SELECT SUM(minutes) FROM visits WHERE guest = 'Abel' AND MONTH(day) = 3"),
        house="Abel looks after the visits of the house. Minutes are written down by the door.",
    )  # fmt: skip
    assert [query_of(step) for step in made.steps] == ["SELECT SUM(minutes) FROM visits WHERE MONTH(day) = 3"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Who did not show up?", "status = 'no-show'"),
        ("Who was away?", ""),
        ("Who came, and who was a no-show?", ""),
    ],
)
def test_only_one_value_can_be_spelt_out(said: str, meant: str) -> None:
    """Two that the question speaks of leave it to the model."""
    assert spelt_out(NO_ROW, "status = 'absent'", said) == meant


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How much time was lost by late visits?", False),
        ("How many minutes did the visits take?", True),
        ("How many more minutes did no-shows take than others?", False),
    ],
)
def test_how_much_it_is_is_not_less_than_nothing(tmp_path: Path, question: str, told: bool) -> None:
    """A first query that takes more from less is told so; a loss or a difference may be below nothing."""
    wrong, right = query("SELECT 0 - SUM(minutes) FROM visits"), query("SELECT SUM(minutes) FROM visits")
    _, asked = plan(tmp_path, question, wrong, right)
    assert any("it gives less than nothing: turn the difference round" in text for text in asked) is told


def test_a_share_is_no_more_than_all(tmp_path: Path) -> None:
    """A first query that adds minutes up over rows is told how shares are counted; growth may be more."""
    wrong = query("SELECT SUM(minutes) * 100.0 / COUNT(*) FROM visits WHERE status = 'cancelled'")
    right = query("SELECT 100.0 * COUNT(*) FILTER (WHERE status = 'cancelled') / COUNT(*) FROM visits")
    made, asked = plan(tmp_path, "What percentage of the visits was cancelled?", wrong, right)
    assert "a share is at most 100 percent" in asked[1] and not made.doubts


def test_what_comes_in_several_rows_is_listed_once(tmp_path: Path) -> None:
    """Of names; how often each came is another question."""
    made, _ = plan(tmp_path, "Which guests came in March?", query("SELECT guest FROM visits WHERE MONTH(day) = 3"))
    assert query_of(made.steps[0]) == "SELECT DISTINCT v FROM (SELECT guest FROM visits WHERE MONTH(day) = 3) AS t(v)"


def test_an_ordinal_before_a_column_is_a_condition(tmp_path: Path) -> None:
    """Also where another table has the column."""
    made, _ = plan(tmp_path, "How many rooms are on the second floor?", query("SELECT COUNT(*) FROM rooms"))
    assert query_of(made.steps[0]) == "SELECT COUNT(*) FROM rooms WHERE floor = 2"


def test_a_thing_that_no_file_has_is_doubtful_where_the_query_is_about_what_is_named(tmp_path: Path) -> None:
    """The rows are those of the question, and the word may mean a column; without such rows it is refused."""
    query_of_abel = query("SELECT SUM(minutes) FROM visits WHERE guest = 'Abel'")
    made, _ = plan(tmp_path, "What is the tariff of the visits of Abel?", query_of_abel, query_of_abel)
    assert [query_of(step) for step in made.steps] == ["SELECT SUM(minutes) FROM visits WHERE guest = 'Abel'"]
    assert made.doubts == ("no file has 'tariff'",)


def test_only_what_is_compared_is_replaced() -> None:
    """Not a name that has the same letters, and also where the quotes are escaped."""
    program = "absent = sql('SELECT COUNT(*) FROM visits WHERE status = \\'absent\\'')"
    meant = "absent = sql('SELECT COUNT(*) FROM visits WHERE status = \\'no-show\\'')"
    assert spelt_out(NO_ROW, program, "Who did not show up?") == meant


def test_who_is_there_the_longest_is_asked_of_the_column_that_says_since_when(tmp_path: Path) -> None:
    """The model is told which, and how long something is remains another question."""
    (tmp_path / "team.csv").write_text("name,joined\nAbel,2019-03-01\nBerg,2015-05-01\n")
    sources = Sources(ToolRegistry([calculator(), *files(tmp_path)]))
    about = asyncio.run(sources.about("Who has been in the team the longest?"))
    assert sources.functions(about) == ("sql",) and about.notes(("sql",)) == "longest: the first by joined"
    assert not asyncio.run(sources.about("What is the longest name in the team?")).begun


@pytest.mark.parametrize(
    ("text", "writing"),
    [
        ("Who has the code for the door?", False),
        ("Who guided most parties on the list of last year?", False),
        ("How much is it altogether, according to our list?", False),
        ("Write a haiku.", True),
        ("Can you list five rivers of Asia?", True),
        ("Think of a town, then describe it.", True),
        ("I need a poem about rain.", True),
    ],
)
def test_a_list_that_somebody_has_asks_for_no_text(text: str, writing: bool, tmp_path: Path) -> None:
    """Only the person's own wish does."""
    (tmp_path / "team.csv").write_text("name,joined\nAbel,2019-03-01\n")
    assert asyncio.run(Sources(ToolRegistry(files(tmp_path))).about(text)).is_writing is writing


def test_columns_are_not_computed_from_dates(tmp_path: Path) -> None:
    """What a column counts is asked of its table."""
    made, asked = plan(
        tmp_path, "How many minutes did the visits of March last?", 'print(hours_between("2026-03-01", "2026-03-31"))',
        query("SELECT SUM(minutes) FROM visits WHERE MONTH(day) = 3"), house="Visits end at eight.",
    )  # fmt: skip
    assert "(Mind: ask the tables, with sql(query))" in asked[1]
    assert query_of(made.steps[0]) == "SELECT SUM(minutes) FROM visits WHERE MONTH(day) = 3"


def test_what_no_row_is_is_told_where_it_is_left_out(tmp_path: Path) -> None:
    """Nobody is "ill" in the column, so that all rows would pass for those who are not."""
    made, asked = plan(
        tmp_path, "How many visits were not by ill guests?", query("SELECT COUNT(*) FROM visits WHERE status != 'ill'"),
        query("SELECT COUNT(*) FROM visits WHERE status != 'cancelled'"),
    )  # fmt: skip
    assert "(Mind: status is one of: came, cancelled, no-show)" in asked[1]
    assert made.doubts == ("no row has status = 'ill'; values of status are: came, cancelled, no-show",)


def test_a_value_of_another_table_is_told_with_that_table(tmp_path: Path) -> None:
    """Who a guest is, the table of rooms does not know."""
    wrong = query("SELECT SUM(size) FROM rooms WHERE room = 'Abel'")
    right = query("SELECT SUM(minutes) FROM visits WHERE guest = 'Abel'")
    made, asked = plan(tmp_path, "How much is it for Abel in all?", wrong, right)
    assert "(Mind: 'Abel' is a guest of visits: ask that table)" in asked[1]
    assert "visits" in query_of(made.steps[0])
