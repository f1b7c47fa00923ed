"""Plans whose queries give one value: of a single row, of all rows alike, of money, of two that are not the same."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from aeon.llm.scripted import Scripted
from aeon.plan.programmer import Programmer
from aeon.plan.queries import query_of
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Plan, Task
from aeon.supervisor.supervisor import Supervisor
from aeon.tools import ToolRegistry
from aeon.tools.calculator import calculator
from aeon.tools.files import files

pytestmark = [pytest.mark.usefixtures("indexes"), pytest.mark.requirement("T1b")]
SHOWS = (
    "day,play,tickets,price,cancelled\n2025-01-11,Lear,300,20,no\n2025-01-12,Lear,280,20,no\n"
    "2025-02-01,Faust,400,30,no\n2025-02-02,Faust,0,30,yes\n"
)


def plan(folder: Path, question: str, *queries: str) -> tuple[Plan, Scripted]:
    """The plan that comes of these queries, and the model."""
    folder = folder / "files"
    folder.mkdir(exist_ok=True)
    (folder / "shows.csv").write_text(SHOWS)
    model = Scripted([f'print(sql("{query}"))' for query in queries])
    programmer = Programmer(Supervisor(model), ToolRegistry([calculator(), *files(folder)]))

    async def planned() -> Plan:
        with Ledger(Allowance(calls=9)):
            return await programmer.plan(Task(text=question), 12)

    return asyncio.run(planned()), model


@pytest.mark.parametrize(
    ("question", "query", "meant"),
    [
        (
            "Which play sold the most tickets in a single show?",
            "SELECT play FROM shows ORDER BY tickets DESC LIMIT 1",
            "SELECT play FROM shows ORDER BY tickets DESC NULLS LAST LIMIT 1",
        ),
        (
            "What is the price of Lear?",
            "SELECT price FROM shows WHERE play = 'Lear'",
            "SELECT DISTINCT v FROM (SELECT price FROM shows WHERE play = 'Lear') AS t(v)",
        ),
        (
            "Who sold tickets at a price of 20?",
            "SELECT play FROM shows WHERE price = 20",
            "SELECT DISTINCT v FROM (SELECT play FROM shows WHERE price = 20) AS t(v)",
        ),
        (
            "What do the tickets for Lear add up to?",
            "SELECT day, tickets FROM shows WHERE play = 'Lear'",
            "SELECT SUM(\"tickets\") FROM (SELECT day, tickets FROM shows WHERE play = 'Lear')",
        ),
        (
            "What is the price of each show of Lear?",
            "SELECT price FROM shows WHERE play = 'Lear'",
            "SELECT price FROM shows WHERE play = 'Lear'",
        ),
        (
            "What percentage of the tickets were for Faust?",
            "SELECT SUM(tickets) FILTER (WHERE play = 'Faust') / SUM(tickets) FROM shows",
            "SELECT DISTINCT ROUND(100 * v, 6) FROM (SELECT SUM(tickets) FILTER (WHERE play = 'Faust') / SUM(tickets)"
            " FROM shows) AS t(v)",
        ),
        (
            "What percentage of the tickets were for Faust?",
            "SELECT 100 * SUM(tickets) FILTER (WHERE play = 'Faust') / SUM(tickets) FROM shows",
            "SELECT 100 * SUM(tickets) FILTER (WHERE play = 'Faust') / SUM(tickets) FROM shows",
        ),
        (
            "How many shows were cancelled?",
            "SELECT COUNT(*) FROM shows",
            "SELECT COUNT(*) FROM shows WHERE cancelled = 'yes'",
        ),
    ],
)
def test_a_query_gives_what_is_asked_for(tmp_path: Path, question: str, query: str, meant: str) -> None:
    """Without asking the model again."""
    made, model = plan(tmp_path, question, query)
    assert [query_of(step) for step in made.steps] == [meant] and not made.doubts and len(model.requests) == 1


def test_what_a_play_took_is_money(tmp_path: Path) -> None:
    """The model is told so once, and a query that counts tickets again is doubtful."""
    tickets = "SELECT SUM(tickets) FROM shows WHERE play = 'Lear'"
    money = "SELECT SUM(tickets * price) FROM shows WHERE play = 'Lear'"
    made, model = plan(tmp_path, "What did Lear take?", tickets, money)
    assert [query_of(step) for step in made.steps] == [money] and not made.doubts
    assert model.requests[1].messages[-1].content.endswith("(Mind: it asks for money: SUM(tickets * price))")
    made, _ = plan(tmp_path, "What did Lear take?", tickets, tickets)
    assert made.doubts == ("it asks for money: SUM(tickets * price)",)


@pytest.mark.parametrize(
    ("question", "sign", "doubtful"),
    [
        ("What did Faust gain us?", "-", True),
        ("How much more than its tickets did the price of Faust come to?", "-", False),
        ("What did Faust gain us per ticket?", "/", False),
        ("What did Faust gain us?", "*", False),
    ],
)
def test_what_nobody_speaks_of_is_not_calculated(tmp_path: Path, question: str, sign: str, doubtful: bool) -> None:
    """What no file has is neither one column less another, nor one of them to a unit of the other."""
    query = f"SELECT SUM(tickets) {sign} SUM(price) FROM shows WHERE play = 'Faust'"
    made, _ = plan(tmp_path, question, query, query)
    assert any("nobody says" in doubt for doubt in made.doubts) == doubtful


def test_what_no_file_has_is_no_share_of_two_columns(tmp_path: Path) -> None:
    """A salary, made of the price of a ticket, is a guess; the files do not state it."""
    query = "SELECT SUM(price) / SUM(tickets) FROM shows WHERE play = 'Faust'"
    assert not query_of(plan(tmp_path, "What is the monthly salary in Faust?", query, query)[0].steps[0])
    assert query_of(plan(tmp_path, "What did Faust gain us per ticket?", query, query)[0].steps[0])


@pytest.mark.parametrize(
    ("question", "doubtful"),
    [
        ("What is the average price of a show?", True),
        ("What is the average price of each play?", False),
        ("Which play has the highest average price?", False),
    ],
)
def test_one_average_is_one_number(tmp_path: Path, question: str, doubtful: bool) -> None:
    """That of each play is an answer where each of them is asked for."""
    query = "SELECT AVG(price) FROM shows GROUP BY play ORDER BY 1 DESC"
    made, _ = plan(tmp_path, question, query, query)
    assert any("one average" in doubt for doubt in made.doubts) == doubtful


def test_the_first_few_rows_are_not_added_up_to_calculate_with(tmp_path: Path) -> None:
    """The last price less the last two is no rise; the first two alone may be asked for together."""
    last = "SELECT price FROM shows ORDER BY day DESC LIMIT"
    (tmp_path / "files").mkdir()
    made, _ = plan(tmp_path, "How much are the last two prices in all?", f"{last} 2")
    assert query_of(made.steps[0]) == f"SELECT SUM(v) FROM ({last} 2) AS t(v)"
    program = f'print(sql("{last} 1") - sql("{last} 2"))'
    model = Scripted([program, program])
    programmer = Programmer(Supervisor(model), ToolRegistry([calculator(), *files(tmp_path / "files")]))
    with Ledger(Allowance(calls=9)):
        made = asyncio.run(programmer.plan(Task(text="By how much did the price rise?"), 12))
    assert not any("SUM" in query_of(step) for step in made.steps)
