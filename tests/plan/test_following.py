"""Who it is of whom a text has but the number: of a ticket, of a hire."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from approving import Approving

from aeon.assembly.build import build
from aeon.llm.scripted import ALL_JSON, Reply, Scripted
from aeon.plan.programmer import Programmer
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Plan, Source, Task, ToolCall
from aeon.supervisor.answers import AnswerJudge
from aeon.supervisor.supervisor import Supervisor
from aeon.tools import ToolRegistry
from aeon.tools.calculator import calculator
from aeon.tools.choose import choose
from aeon.tools.dates import dates
from aeon.tools.files import files

pytestmark = [pytest.mark.requirement("T2h"), pytest.mark.usefixtures("indexes")]

MINUTES = (
    "Everyone is up to date but one: hire H-123 is two payments behind.\n\nA brooch lay in the bag of ticket S404.\n"
)
HIRES = "Hire no,Instrument,Hirer\nH-122,flute,Beatrix Lomond\nH-123,clarinet,Jonah Attwater\n"
TICKETS = "Order,Customer,Item\nS404,Kirsty Ballantine,mixed wash\nS405,The Plough Inn,table linen\n"
BEHIND, BROOCH = "Who is two payments behind?", "Whose bag was the brooch in?"
BUILT_IN = [replace(one, offered=False) for one in (choose(), *dates())]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Minutes that name a hire and a ticket, and the tables of both."""
    data = tmp_path / "data"
    data.mkdir()
    for name, text in (("minutes.txt", MINUTES), ("hires.csv", HIRES), ("tickets.csv", TICKETS)):
        (data / name).write_text(text)
    return data


@pytest.fixture(autouse=True)
def judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judges vouch for a sentence that says who is behind, and for no other."""

    async def score(_: AnswerJudge, question: str, cited: Sequence[Source], every: object) -> float:
        return 0.9 if "behind" in cited[0].text else 0.01

    async def given(_: AnswerJudge, question: str, answer: str, *__: object) -> float:
        return 0.9 if "H-123" in answer else 0.1

    monkeypatch.setattr(AnswerJudge, "score", score)
    monkeypatch.setattr(AnswerJudge, "given", given)


def plan(folder: Path, question: str, *replies: Reply) -> Plan:
    """The plan that comes of these replies."""
    tools = ToolRegistry([calculator(), *files(folder), *BUILT_IN])
    programmer = Programmer(Supervisor(Scripted(replies, ALL_JSON)), tools, twice=True)

    async def planned() -> Plan:
        with Ledger(Allowance(calls=9)):
            return await programmer.plan(Task(text=question), 12)

    return asyncio.run(planned())


def does(made: Plan) -> list[tuple[str, object]]:
    """Each tool with what it is given first."""
    calls = [step.action for step in made.steps if isinstance(step.action, ToolCall)]
    return [(call.tool, next(iter((call.arguments or {}).values()))) for call in calls]


NAMED = [("quote", "H-123"), ("sql", 'SELECT "Hirer" FROM "hires" WHERE "Hire no" = \'$s1\'')]
HELD = [("quote", "S404"), ("sql", 'SELECT "Customer" FROM "tickets" WHERE "Order" = \'$s1\'')]


def test_a_number_that_is_quoted_for_who_it_is_leads_to_the_name(folder: Path) -> None:
    """By the one row that has it, and the one name in that; it is as sure as the sentence."""
    made = plan(folder, BEHIND, "H-123")
    assert does(made) == NAMED and made.vouched == 0.9 and not made.doubts
    assert does(plan(folder, BEHIND, "hire H-123")) == NAMED
    assert does(plan(folder, "Which hire is two payments behind?", "H-123")) == NAMED[:1]


@pytest.mark.parametrize(
    "hires",
    [
        HIRES + "H-123,flute,Tilly Marchbank\n",
        HIRES.replace("clarinet", "Bass Clarinet"),
        HIRES.replace("Jonah Attwater", "jonah"),
        HIRES.replace("H-123", "H-124"),
    ],
)
def test_without_one_row_and_one_name_the_number_stays(hires: str, folder: Path) -> None:
    """Two rows, two names, or none: nobody guesses."""
    (folder / "hires.csv").write_text(hires)
    assert does(plan(folder, BEHIND, "H-123")) == NAMED[:1]


def test_where_nothing_else_is_found_the_sentence_with_the_number_leads_on(folder: Path) -> None:
    """As a guess: that the bag is the person's is not said."""
    made = plan(folder, BROOCH, "the bag", *['print("not stated")'] * 6)
    assert does(made) == HELD and made.doubts == ("who it is says the row of a number that a sentence has",)
    assert does(plan(folder, "Whose is the parrot?", "the bag", *['print("not stated")'] * 6)) != HELD


def test_a_name_that_was_read_is_no_guess_for_a_number(folder: Path) -> None:
    """Nor is what two queries give, though a sentence near to the question has a number."""
    (folder / "minutes.txt").write_text(f"{MINUTES}\nAnn Lee keeps the brooch of the bag of ticket S404.\n")
    made = plan(folder, "Who keeps the brooch of the bag?", "Ann Lee", *['print("not stated")'] * 6)
    assert does(made) not in (HELD, NAMED)
    program = "print(sql(\"SELECT Customer FROM tickets WHERE Item = 'table linen'\"))"
    assert does(plan(folder, "Which customer has table linen in the bag of the brooch?", "bag", *[program] * 6)) != HELD


@pytest.mark.requirement("G1", "G6b")
def test_the_answer_rests_on_the_sentence_and_the_row(folder: Path) -> None:
    """Both are steps of the run."""
    model = Approving(["H-123", "{r1} is behind."], ALL_JSON)
    result = build(llm=model, tools=("calculator", f"files={folder}")).execute(BEHIND)
    assert result.answer == "Jonah Attwater is behind."
    assert [(claim.text, claim.verdict, claim.support) for claim in result.claims if claim.kind == "name"] == [
        ("Jonah Attwater", "supported", "tool")
    ]
