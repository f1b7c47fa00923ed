"""How much more one thing has than another: the difference is formed by the host, of the column that a model meant."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from aeon.plan.comparing import difference
from aeon.plan.queries import query_of
from aeon.plan.sources import Sources
from aeon.tools import ToolRegistry
from aeon.tools.files import files

pytestmark = pytest.mark.requirement("T1b")
COURSES = (
    "course,weekday,minutes,places,since,first_day\n"
    "Yoga,Monday,60,18,2019,2026-03-02\nYoga,Friday,60,12,2021,2026-03-06\n"
    "Boxing,Monday,75,16,2015,2026-03-09\nZumba,Friday,55,25,2024,2026-03-27\n"
)
MEMBERS = "name,plan,fee\nAda,Gold,59\nBen,Basic,25\nCid,Gold,59\n"
MORE = "How many more places does Zumba have than Boxing?"


@pytest.fixture
def sources(tmp_path: Path, indexes: Path) -> Iterator[Sources]:
    """Two tables: courses, some twice, and members."""
    folder = tmp_path / "studio"
    folder.mkdir()
    (folder / "courses.csv").write_text(COURSES)
    (folder / "members.csv").write_text(MEMBERS)
    yield Sources(ToolRegistry(list(files(folder))))


def given(sources: Sources, question: str, program: str) -> object:
    """What the plan for the difference gives; ``None`` without one."""

    async def asked() -> object:
        plan = await difference(program, await sources.about(question), sources)
        return None if plan is None else (await sources.outcome(plan))[0]

    return asyncio.run(asked())


@pytest.mark.parametrize(
    "program",
    [
        "print(sql(\"SELECT places - places FROM courses WHERE course = 'Zumba' AND course = 'Boxing'\"))",
        "print(sql(\"SELECT places FROM courses WHERE course = 'Zumba'"
        " - places FROM courses WHERE course = 'Boxing'\"))",
        "z = sql(\"SELECT places FROM courses WHERE course = 'Zumba'\")\n"
        "b = sql(\"SELECT places FROM courses WHERE course = 'Boxing'\")\nprint(z - b)",
        "print(sql(\"SELECT places - (SELECT places FROM courses WHERE course = 'Zumba') FROM courses"
        " WHERE course = 'Boxing'\"))",
        "print(courses('Zumba')['places'] - courses('Boxing')['places'])",
        "# places of both\nprint(courses('Zumba').places - courses('Boxing').places)",
    ],
)
def test_whatever_way_it_is_written_the_difference_is_that_of_the_two(sources: Sources, program: str) -> None:
    """Programs as small models write them: most find nothing, do not parse, or take the first from the second."""
    assert given(sources, MORE, program) == 9


@pytest.mark.parametrize(
    ("question", "program", "difference"),
    [
        ("How many fewer places does Boxing have than Zumba?", "SELECT places FROM courses", 9),
        ("How many more places does Yoga have than Zumba?", "SELECT SUM(places) FROM courses", 5),
        ("How much longer is Boxing than Yoga?", "SELECT MAX(minutes) - MIN(minutes) FROM courses", 15),
        ("How many minutes shorter is Zumba than Boxing?", "SELECT minutes FROM courses", 20),
        ("How many years longer has Boxing been held than Zumba?", "SELECT since FROM courses", 9),
        ("How many days older is Boxing than Zumba?", "SELECT first_day FROM courses", 18),
        ("How many more members have the Gold plan than the Basic plan?", "SELECT SUM(fee) FROM members", 1),
        ("How many more minutes does Boxing have than Zumba?", "SELECT SUM(minutes * places) FROM courses", None),
        ("How many more minutes does Yoga have than Zumba?", "SELECT SUM(minutes * places) FROM courses", 425),
        ("How much more does Ada pay than Ben?", "SELECT fee FROM members WHERE name = 'Ada'", 34),
        ("How many more places does Yoga have on Monday than Zumba on Friday?", "SELECT places FROM courses", None),
        ("How many more places does Yoga have than Boxing on Monday?", "SELECT places FROM courses", 2),
    ],
)
def test_what_is_taken_of_each_follows_from_the_question(
    sources: Sources, question: str, program: str, difference: object
) -> None:
    """Rows are counted, amounts added, and one length is one; what began earlier has lasted longer."""
    assert given(sources, question, f'print(sql("{program}"))') == difference


@pytest.mark.parametrize(
    ("question", "program"),
    [
        (MORE, "SELECT places FROM courses WHERE minutes = 60"),  # on a condition that the question does not have
        (MORE, "SELECT AVG(places) FROM courses"),
        (MORE, "SELECT places FROM courses JOIN members ON 1 = 1"),
        (MORE, "SELECT weekday FROM courses"),
        (MORE, "SELECT places * minutes FROM courses"),  # not of one column alone
        (MORE, "SELECT SUM(places) - SUM(minutes) FROM courses"),
        (MORE, "SELECT MAX(places) FROM courses"),
        (MORE, "SELECT price FROM shop"),
        ("How many more places does Boxing have than Zumba?", "SELECT places FROM courses"),  # it has fewer
        ("How much longer is Yoga than Zumba, and Boxing than Yoga?", "SELECT minutes FROM courses"),
        ("How many places do Zumba and Boxing have?", "SELECT SUM(places) FROM courses"),
        ("How many more than 20 places does Zumba have?", "SELECT places FROM courses"),
        ("How many years longer has Boxing been held than Zumba?", "SELECT first_day FROM courses"),
        ("How much longer has Boxing been held than Zumba?", "SELECT since FROM courses"),  # in what?
    ],
)
def test_what_is_not_plain_is_left_to_the_program(sources: Sources, question: str, program: str) -> None:
    """Other conditions, tables and averages; a premise that is false; three things, or one."""
    assert given(sources, question, f'print(sql("{program}"))') is None


def test_the_plan_is_one_query(sources: Sources) -> None:
    """It reads as what is compared, and rests on no text."""

    async def asked() -> str:
        plan = await difference("SELECT places FROM courses", await sources.about(MORE), sources)
        assert plan is not None
        (step,) = plan.steps
        return query_of(step)

    assert asyncio.run(asked()) == (
        'SELECT (SELECT SUM("places") FROM "courses" WHERE course = \'Zumba\') - '
        '(SELECT SUM("places") FROM "courses" WHERE course = \'Boxing\')'
    )
