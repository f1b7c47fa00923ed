"""Conditions of queries: those that nobody named, and those that are left out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.plan.conditions import completed, excluded, misplaced, said_once, unsaid, without_unsaid
from aeon.schema import Plan, Step, ToolCall
from aeon.tools.tableinfo import Named, TableInfo

pytestmark = pytest.mark.requirement("T1b")
CORK, PORTO = Named("city", "Cork", "city = 'Cork'"), Named("city", "Porto", "city = 'Porto'")
MARCH, YEAR = Named("day", "March", "MONTH(day) = 3"), Named("day", "2024", "YEAR(day) = 2024")


def plan(*queries: str) -> Plan:
    """A plan of these queries."""
    calls = [ToolCall(tool="sql", arguments={"query": query}) for query in queries]
    return Plan(steps=tuple(Step(id=f"s{n}", description="q", action=call) for n, call in enumerate(calls, 1)))


@pytest.mark.parametrize(
    ("query", "named", "meant"),
    [
        ("SELECT SUM(r) FROM s", [CORK], "SELECT SUM(r) FROM s WHERE city = 'Cork'"),
        ("SELECT SUM(r) FROM s;", [MARCH, YEAR], "SELECT SUM(r) FROM s WHERE MONTH(day) = 3 AND YEAR(day) = 2024;"),
        ("SELECT SUM(r) FROM s WHERE n > 3", [CORK], "SELECT SUM(r) FROM s WHERE city = 'Cork' AND n > 3"),
        ("SELECT a FROM s GROUP BY a LIMIT 1", [CORK], "SELECT a FROM s WHERE city = 'Cork' GROUP BY a LIMIT 1"),
        ("SELECT a FROM s ORDER BY a", [CORK], "SELECT a FROM s WHERE city = 'Cork' ORDER BY a"),
        ("SELECT a FROM s WHERE City = 'x'", [CORK], "SELECT a FROM s WHERE City = 'x'"),
        ("SELECT a FROM s", [CORK, PORTO], "SELECT a FROM s"),
        ("SELECT a FROM s JOIN t ON s.x = t.x", [CORK], "SELECT a FROM s JOIN t ON s.x = t.x"),
        ("SELECT a FROM (SELECT a FROM s)", [CORK], "SELECT a FROM (SELECT a FROM s)"),
        ("SELECT a FROM s WHERE n = 1 OR n = 2", [CORK], "SELECT a FROM s WHERE n = 1 OR n = 2"),
        ("SELECT a FROM s", [], "SELECT a FROM s"),
        (
            "SELECT SUM(CASE WHEN r > 9 THEN r END) FROM s WHERE n > 3",
            [CORK],
            "SELECT SUM(CASE WHEN r > 9 THEN r END) FROM s WHERE city = 'Cork' AND n > 3",
        ),
        (
            "SELECT SUM(CASE WHEN city = 'Cork' THEN r END) FROM s",
            [CORK],
            "SELECT SUM(CASE WHEN city = 'Cork' THEN r END) FROM s",
        ),
    ],
)
def test_what_a_query_leaves_out_is_put_in(query: str, named: Sequence[Named], meant: str) -> None:
    """One value of a column, in a query of one table; whatever is less plain stays as it is."""
    assert completed(plan(query), "What came?", named) == plan(meant)


def test_a_table_without_the_column_is_not_narrowed() -> None:
    """What a query asks of a table that is not known is."""
    vessels = TableInfo("vessels", "vessels.csv", (("vessel", "VARCHAR"), ("built", "BIGINT")), 3, ())
    made = plan("SELECT seats FROM vessels WHERE built = 1998")
    assert completed(made, "What came?", [YEAR], [vessels]) == made
    assert completed(plan("SELECT r FROM s"), "What came?", [YEAR], [vessels]) != plan("SELECT r FROM s")


@pytest.mark.parametrize(
    "question", ["What share is Cork's?", "How much more than Cork?", "Cork minus the rest?", "% of Cork?"]
)
def test_a_comparison_is_not_narrowed(question: str) -> None:
    """There the value is one of the two sides."""
    made = plan("SELECT SUM(r) FROM s")
    assert completed(made, question, [CORK]) == made
    assert completed(plan("SELECT 1", "SELECT 2"), "What came?", [CORK]) == plan("SELECT 1", "SELECT 2")


@pytest.mark.parametrize(
    ("query", "question", "meant"),
    [
        (
            "SELECT SUM(c) FROM s WHERE bike LIKE 'B01%' AND bike IN (SELECT bike FROM b WHERE brand = 'Norrland')",
            "What did the Norrland bikes cost?",
            "SELECT SUM(c) FROM s WHERE bike IN (SELECT bike FROM b WHERE brand = 'Norrland')",
        ),
        ("SELECT c FROM s WHERE bike = 'B01'", "What did bike b01 cost?", "SELECT c FROM s WHERE bike = 'B01'"),
        ("SELECT c FROM s WHERE q = 'Q1'", "What came in the first quarter?", "SELECT c FROM s WHERE q = 'Q1'"),
    ],
)
def test_a_code_that_nobody_said_is_left_out(query: str, question: str, meant: str) -> None:
    """Such a code comes from the rows that the model was shown; those of quarters are said in words."""
    assert without_unsaid(plan(query), question) == plan(meant)


def test_a_text_that_stands_in_a_half_sentence_stays() -> None:
    """One word of it is enough, or the number of a code, or the name in it."""
    wine = plan("SELECT SUM(b) FROM s WHERE wine = 'Regent 2023'")
    assert unsaid(wine, "How many bottles of Regent?") == "" != unsaid(wine, "How many bottles?")
    made = plan("SELECT a FROM s WHERE p = 'green tea' AND c = 'A1115'")
    asked = "What came of tea in room 1115?"
    assert without_unsaid(made, asked) == made and unsaid(made, asked) == ""
    assert unsaid(made, "What came?") == "the question does not say 'green tea'"


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_query_is_read_without_an_error(query: str, said: str) -> None:
    """Texts of a model are no SQL for certain."""
    made = plan(query)
    assert len(completed(without_unsaid(made, said, [CORK]), said, [CORK]).steps) == 1


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("How much cheaper is it?", "SELECT price FROM s"),
        ("What was it on 12 January?", "SELECT price FROM s WHERE day = '2025-01-12'"),
        ("What was it on Christmas?", "SELECT price FROM s WHERE day = '2025-01-12'"),
        ("What was it on the first day?", "SELECT price FROM s WHERE day = '2025-01-12'"),
    ],
)
def test_a_day_that_nobody_spoke_of_is_left_out(question: str, meant: str) -> None:
    """It is one of the rows that the model was shown."""
    assert without_unsaid(plan("SELECT price FROM s WHERE day = '2025-01-12'"), question) == plan(meant)


@pytest.mark.parametrize(
    ("question", "text", "kept"),
    [
        ("What came in for April?", "Apr", True),
        ("What came in for Apr?", "April", True),
        ("Who is on duty on Wednesday evening?", "Wed", True),
        ("What came in for April?", "Mar", False),
        ("What came in?", "Apr", False),
    ],
)
def test_a_month_or_a_day_is_said_in_either_form(question: str, text: str, kept: bool) -> None:
    """A table has Apr where a question says April."""
    made = plan(f"SELECT SUM(r) FROM s WHERE m = '{text}'")
    assert without_unsaid(made, question) == (made if kept else plan("SELECT SUM(r) FROM s"))


@pytest.mark.parametrize(
    ("question", "kept"), [("What came of shady places?", True), ("What came of shade?", True), ("What came?", False)]
)
def test_a_yes_is_said_where_its_column_is_spoken_of(question: str, kept: bool) -> None:
    """The word itself is not in a question that asks for such rows."""
    made = plan("SELECT SUM(r) FROM s WHERE shade = 'yes'")
    assert without_unsaid(made, question) == (made if kept else plan("SELECT SUM(r) FROM s"))


RSVP = "SELECT COUNT(*) FROM guests WHERE Side = 'Owen' AND RSVP = 'yes' AND Staying_over = 'yes'"


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("How many from Owen's side have said yes so far?", RSVP.removesuffix(" AND Staying_over = 'yes'")),
        ("How many from Owen's side come and are staying over?", RSVP),
        ("How many have said yes and yes?", RSVP),
        ("How many have said yes to staying?", RSVP),
    ],
)
def test_a_yes_that_is_said_once_is_of_one_column(question: str, meant: str) -> None:
    """The first, where the question speaks of none of them."""
    assert said_once(plan(RSVP), question) == plan(meant)


TABLES = (
    TableInfo(
        "singers", "singers.csv", (("Name", "VARCHAR"), ("Food", "VARCHAR")), 9, (), values=(("Food", ("vegan",)),)
    ),
    TableInfo("bills", "bills.csv", (("To whom", "VARCHAR"), ("Amount", "INTEGER")), 9, ()),
)
CROLE = Named("Name", "Bettany Crole", "Name = 'Bettany Crole'")


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("SELECT SUM(Amount) FROM bills WHERE \"To whom\" = 'Bettany Crole'", True),
        ("SELECT Food FROM singers WHERE Name = 'Bettany Crole'", False),
        ("SELECT SUM(Amount) FROM bills JOIN singers USING (x) WHERE Name = 'bettany crole'", False),
        ("SELECT SUM(Amount) FROM bills WHERE \"To whom\" = 'The hotel'", False),
    ],
)
def test_a_value_is_asked_of_the_table_that_has_it(query: str, fault: bool) -> None:
    """No bill is addressed to a singer; the model is told where she stands."""
    told = "'Bettany Crole' is a Name of singers: ask that table" if fault else ""
    assert misplaced(plan(query), [CROLE], TABLES) == told
    also = Named("To whom", "Bettany Crole", "\"To whom\" = 'Bettany Crole'")
    assert misplaced(plan(query), [CROLE, also], TABLES) == "", "both tables have her"


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("SELECT COUNT(*) FROM singers WHERE Food != 'meat'", "no row has Food = 'meat'; values of Food are: vegan"),
        ("SELECT COUNT(*) FROM singers WHERE \"Food\" <> 'Vegan'", ""),
        ("SELECT COUNT(*) FROM singers WHERE Name != 'Ann'", ""),
        ("SELECT COUNT(*) FROM bills WHERE Food != 'meat'", ""),
    ],
)
def test_what_no_row_is_cannot_be_left_out(query: str, fault: str) -> None:
    """Of a column of few texts, which the model is told."""
    assert excluded(plan(query), TABLES) == fault
