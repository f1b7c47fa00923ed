"""Queries that are held against a second one, and quotations against a plain reading."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from approving import Approving

from aeon import Result, build
from aeon.assembly.proofs import proof_of
from aeon.calibration.cases import final_plan
from aeon.convergence.experience import kind_of
from aeon.llm.scripted import Reply, Scripted
from aeon.plan.programmer import Programmer
from aeon.plan.prompts import Asked, Form, Prompts
from aeon.plan.sources import LOOKUP, SQL, Sources
from aeon.runtime.ledger import Ledger
from aeon.schema import Agreement, Allowance, Derivation, LLMResponse, Plan, Task, Usage
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.supervisor import Supervisor
from aeon.tools import Tool, ToolRegistry
from aeon.tools.calculator import calculator
from aeon.tools.choose import choose
from aeon.tools.dates import dates
from aeon.tools.files import files
from aeon.tools.quote import QUOTE
from tests.second import is_second

pytestmark = pytest.mark.usefixtures("indexes")

SHELF = "Item,Kind,Left (kg),Sold?\nBrie,cow,4.5,yes\nTomme,goat,2,no\nChevre,goat,6.5,no\n"
RULES = "# Rules\n\nA place in the cellar costs 12 euros a month.\n\nMs Adler keeps the key.\n"
GOAT = "SELECT SUM(\"Left (kg)\") FROM shelf WHERE Kind = 'goat'"
ALSO = "SELECT SUM(CASE WHEN Kind = 'goat' THEN \"Left (kg)\" ELSE 0 END) FROM shelf"
ALL, MOST = 'SELECT SUM("Left (kg)") FROM shelf', 'SELECT MAX("Left (kg)") FROM shelf'
COOL = "The cellar is cool."
KILOS = "How many kilos of the goat shelf have we left?"
"""The host takes kilos for something to be counted, and so holds a right query to be at fault."""
BUILT_IN = [replace(one, offered=False) for one in (choose(), *dates())]


@pytest.fixture
def tools(tmp_path: Path) -> tuple[Tool, ...]:
    """The tools over a table and a text."""
    (tmp_path / "shelf.csv").write_text(SHELF)
    (tmp_path / "rules.md").write_text(RULES)
    return files(tmp_path)


def plan(
    tools: tuple[Tool, ...], question: str, *replies: Reply, calls: int = 6, twice: bool = True, context: str = ""
) -> tuple[Plan, Scripted]:
    """The plan for the question that comes of these replies, and the model."""
    model = Scripted(replies)
    programmer = Programmer(Supervisor(model), ToolRegistry([calculator(), *tools, *BUILT_IN]), twice=twice)

    async def planned() -> Plan:
        with Ledger(Allowance(calls=calls)):
            return await programmer.plan(Task(text=question, context=context), 12)

    return asyncio.run(planned()), model


def queries(made: Plan) -> list[str]:
    """The queries of a plan, without the host's quotes."""
    return [str((getattr(step.action, "arguments", None) or {}).get("query")) for step in made.steps]


@pytest.mark.requirement("T5")
@pytest.mark.parametrize("form", ["program", "rule", "query", "plain"])
def test_what_is_told_of_tables_begins_a_question(form: Form, tools: tuple[Tool, ...]) -> None:
    """It is fixed with what stands before it, so that an adapter may keep it; a context of the task goes before it."""
    registry = ToolRegistry([calculator(), *tools])

    def prompt(context: str = "") -> Prompt:
        about = asyncio.run(Sources(registry).about(KILOS))
        asked = Asked(Task(text=KILOS, context=context), 8, (SQL, LOOKUP), about, "", form=form)
        return Prompts(registry).of(asked)

    made = prompt()
    messages, characters = made.fixed_part
    assert messages == len(made.messages) - 1
    assert "Left (kg)" in made.user[:characters] and KILOS in made.user[characters:]
    of_tables = form in ("query", "plain")
    assert bool(prompt("We sell cheese.").fixed_part[1]) is of_tables, "the start must be the same for many questions"


@pytest.mark.requirement("G4a")
@pytest.mark.parametrize("second", [GOAT, ALSO, f"SELECT Kind, {ALSO[7:]} WHERE Kind = 'goat' GROUP BY Kind"])
def test_what_two_queries_give_is_taken_whatever_the_host_holds_against_it(
    second: str, tools: tuple[Tool, ...]
) -> None:
    """Also in the same words: another prompt led to them. One may give one value more about it."""
    made, model = plan(tools, KILOS, GOAT, second)
    assert queries(made) == [GOAT] and made.agreement is not None and made.agreement.votes == 2
    assert [is_second(request) for request in model.requests] == [False, True]
    assert not [doubt for doubt in made.doubts if "COUNT" in doubt]
    assert kind_of(made).endswith("agreed")


@pytest.mark.requirement("G4a")
@pytest.mark.requirement("G4a", "G5")
@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("What is the barcode for the goat Tomme?", "barcode"),
        ("What's Chevre's barcode number?", "barcode"),
        ("In which drawer of the shelf is the Tomme?", "drawer"),
        ("How many holes has the Tomme on the shelf?", "holes"),
        ("What is the kind of the Tomme on the shelf?", ""),
    ],
)
def test_two_queries_do_not_clear_what_no_file_has_a_word_for(
    question: str, word: str, tools: tuple[Tool, ...]
) -> None:
    """Both may have taken another column for it: how much is left, for the barcode."""
    left = "SELECT \"Left (kg)\" FROM shelf WHERE Item = 'Tomme'"
    made, _ = plan(tools, question, left, left)
    assert made.agreement is not None and not made.agreement.disagrees
    assert made.doubts == ((f"no file has '{word}'",) if word else ())


@pytest.mark.requirement("G4a")
@pytest.mark.parametrize(
    ("question", "one"), [("How many kilos of goat are left?", True), ("What is left of goat?", False)]
)
def test_of_several_numbers_that_two_queries_give_it_is_the_sum_where_one_is_asked_for(
    question: str, one: bool, tools: tuple[Tool, ...]
) -> None:
    """Two prices are no answer to how much somebody paid; that both give these rows confirms their sum."""
    rows = "SELECT \"Left (kg)\" FROM shelf WHERE Kind = 'goat'"
    made, _ = plan(tools, question, rows, rows)
    assert queries(made) == [f"SELECT SUM(v) FROM ({rows}) AS t(v)" if one else rows]
    assert made.agreement is not None and not made.agreement.disagrees


@pytest.mark.requirement("G4a", "T1b")
def test_two_queries_that_leave_out_what_the_question_names_are_wrong_alike(tmp_path: Path) -> None:
    """Both add all things up: the host puts the bath towels in, and nothing confirms that."""
    (tmp_path / "linen.csv").write_text("Item,Have,Want\nBath towel,17,24\nNapkin,30,36\nBath mat,5,6\n")
    every = "SELECT SUM(Want) - SUM(Have) FROM linen"
    made, _ = plan(files(tmp_path), "How many bath towels must we buy to have as many as we want?", every, every, every)
    assert queries(made) == [f"{every} WHERE Item = 'Bath towel'"]
    assert made.agreement is None or made.agreement.disagrees


def test_of_two_queries_that_differ_the_one_at_no_fault_is_taken_and_the_other_said(tools: tuple[Tool, ...]) -> None:
    """The first where nothing is wrong with either; one that cannot run is no derivation."""
    question = "What is left on the shelf?"
    made, _ = plan(tools, question, ALL, MOST)
    assert queries(made) == [ALL]
    assert made.agreement == Agreement(
        derivations=(Derivation(method="query", text=f"print(sql({MOST!r}))", answer="6.5"),)
    )
    assert made.agreement.disagrees
    for first, second in (("SELECT price FROM shelf", ALL), (ALL, "SELECT price FROM shelf")):
        made, _ = plan(tools, question, first, second)
        assert queries(made) == [ALL] and made.agreement is None


@pytest.mark.requirement("G4a")
def test_two_queries_that_find_nothing_agree_on_nothing(tools: tuple[Tool, ...]) -> None:
    """Anything that is wrong finds nothing."""
    nothing = "SELECT COUNT(*) FROM shelf WHERE Kind IS NULL"
    made, _ = plan(tools, "How many rows of the shelf have no kind?", *[nothing] * 4)
    assert made.agreement is None or made.agreement.disagrees


@pytest.mark.requirement("G4a", "K12")
def test_a_second_query_needs_a_call_and_more_than_one_derivation(tools: tuple[Tool, ...]) -> None:
    """With one call there is the first one alone, and so where only one derivation is wanted."""
    for calls, twice in ((1, True), (6, False)):
        made, model = plan(tools, "What is left on the shelf?", ALL, calls=calls, twice=twice)
        assert (queries(made), made.agreement, len(model.requests)) == ([ALL], None, 1)


@pytest.mark.requirement("G4a")
@pytest.mark.parametrize(("read", "agrees"), [("Ms Adler", True), ("Adler keeps it", False), ("Mr Brown", False)])
def test_a_quotation_is_held_against_a_plain_reading(read: str, agrees: bool, tools: tuple[Tool, ...]) -> None:
    """Of more sentences, by a model that is neither told to cite nor that they may not say it."""
    made, model = plan(tools, "Who keeps the key?", 'print("Ms Adler")  # 2', read, context=COOL)
    assert [getattr(step.action, "tool", "") for step in made.steps] == [QUOTE]
    assert made.agreement is not None and made.agreement.derivations[0].agrees is agrees
    assert made.agreement.derivations[0].method == "reading" and is_second(model.requests[-1])
    made, _ = plan(tools, "Who keeps the key?", 'print("Ms Adler")  # 2', "not stated", context=COOL)
    assert made.agreement is None


@pytest.mark.requirement("G4a")
@pytest.mark.parametrize(("likelihood", "asked"), [(0.3, 1), (0.29, 2)])
def test_a_quotation_that_the_model_was_sure_of_is_read_once(
    likelihood: float, asked: int, tools: tuple[Tool, ...]
) -> None:
    """How likely its own words were tells as much."""
    first = LLMResponse(text='print("Ms Adler")  # 2', likelihood=likelihood, usage=Usage(calls=1))
    made, model = plan(tools, "Who keeps the key?", first, "Ms Adler", context=COOL)
    assert len(model.requests) == asked and made.likelihood == likelihood
    assert (made.agreement is None) is (asked == 1)


@pytest.mark.requirement("G4a")
def test_a_third_query_settles_nothing(tools: tuple[Tool, ...]) -> None:
    """Where two differ and both are at fault one is written once more; that they differ stays on record."""
    average = "SELECT AVG(\"Left (kg)\") FROM shelf WHERE Kind = 'goat'"
    made, model = plan(tools, KILOS, GOAT, average, ALSO)
    assert len(model.requests) == 3 and made.agreement is not None and made.agreement.disagrees


@pytest.mark.requirement("G4a")
def test_all_that_share_the_first_place_are_given(tools: tuple[Tool, ...]) -> None:
    """Both queries name one of them; that there are two a host can see."""
    first = 'SELECT Kind FROM shelf WHERE "Left (kg)" > 4 GROUP BY Kind ORDER BY COUNT(*) DESC LIMIT 1'
    made, _ = plan(tools, "Which kind is there most of, of what is over 4 kg?", first, first)
    assert made.agreement is not None and made.agreement.derivations[0].agrees
    assert "RANK()" in queries(made)[0].upper() or "DENSE_RANK" in queries(made)[0].upper()


@pytest.mark.requirement("G4a")
def test_that_the_host_makes_the_same_of_two_queries_confirms_nothing(tools: tuple[Tool, ...]) -> None:
    """It leaves out what nobody said; as they stand, they give different things."""
    first, second = (f"SELECT COUNT(*) FROM shelf WHERE Kind = '{kind}'" for kind in ("cow", "goat"))
    made, _ = plan(tools, "How many eggs of the shelf have we left?", first, second, "not stated", "not stated")
    assert made.agreement is None or not made.agreement.derivations[0].agrees


@pytest.mark.requirement("G4a")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("SELECT Item FROM shelf WHERE Kind = 'goat'", "SELECT Item FROM shelf WHERE Kind = 'goat' LIMIT 1"),
        ('SELECT Item, "Left (kg)" FROM shelf', 'SELECT Item, 6.5 - "Left (kg)" + 4.5 FROM shelf'),
        ("SELECT 7 FROM shelf LIMIT 1", "SELECT 7 FROM shelf LIMIT 1"),
    ],
)
def test_a_row_more_other_pairs_and_what_no_table_gives_are_no_agreement(
    first: str, second: str, tools: tuple[Tool, ...]
) -> None:
    """One value more is, where both give one row."""
    made, _ = plan(tools, "Which goat items are on the shelf?", first, second, "not stated", "not stated", "not stated")
    assert made.agreement is None or not made.agreement.derivations[0].agrees


@pytest.mark.requirement("G4a", "G6")
def test_a_query_that_differs_is_in_the_record_of_the_pass_and_in_the_proof(tmp_path: Path) -> None:
    """The run ends in disagreement, and whoever counts runs finds it among these."""
    (tmp_path / "shelf.csv").write_text(SHELF)
    model = Approving([ALL, MOST, "It is {r1} kg."])
    result = build(llm=model, tools=["calculator", f"files={tmp_path}"]).execute("What is left on the shelf?")
    assert isinstance(result, Result) and result.stop_reason == "disagreement"
    record = result.history.passes[0].agreement
    assert record is not None and [one.answer for one in record.derivations] == ["6.5"]
    assert [one.id for one in proof_of(result).derivations] == ["d1", "d2"]
    assert kind_of(final_plan(result.history)).endswith("disagreed")


@pytest.mark.requirement("G4a")
def test_two_queries_that_add_up_prices_do_not_say_what_a_stock_is_worth(tmp_path: Path) -> None:
    """The host takes each as often as it is there, whatever both give."""
    (tmp_path / "parts.csv").write_text("part,stock,price_eur\ninner tube,34,6.50\nbell,15,3.20\n")
    query = "SELECT SUM(price_eur) FROM parts WHERE part = 'inner tube'"
    result = build(llm=Approving([query, query, *["They are worth {r1} euros."] * 6]), files=tmp_path).execute(
        "What are all inner tubes in stock worth together?"
    )
    assert "221" in result.answer and "6.5" not in result.answer


@pytest.mark.requirement("G4a")
def test_two_queries_that_add_up_prices_do_not_say_what_was_taken(tmp_path: Path) -> None:
    """One ticket cost 15, and 388 were sold; what was paid for a booking is no price of one."""
    (tmp_path / "tickets.csv").write_text("concert,sold,price_eur\nCarols,388,15\nRequiem,212,18\n")
    (tmp_path / "rooms.csv").write_text("room,guests,paid_eur\nBlue,4,150\nRed,2,80\n")
    for question, query, meant in (
        (
            "How much did the Carols concert take?",
            "SELECT SUM(price_eur) FROM tickets WHERE concert = 'Carols'",
            "5820",
        ),
        ("How much did the Blue room take?", "SELECT SUM(paid_eur) FROM rooms WHERE room = 'Blue'", "150"),
    ):
        model = Approving([query, query, *["It took {r1} euros."] * 6])
        assert meant in build(llm=model, files=tmp_path).execute(question).answer


@pytest.mark.requirement("G4a")
@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Who is in arrears, and how much is it in all?", [["Jo Falk", "Ugo Marin"], 168]),
        ("Which holders are in arrears, and how much rent is that in total?", [["Jo Falk", "Ugo Marin"], 168]),
        (
            "Who is in arrears, and how much?",
            [[{"holder": "Jo Falk", "rent": 63}, {"holder": "Ugo Marin", "rent": 105}]],
        ),
        ("How much rent is in arrears in all?", [168]),
    ],
)
def test_who_it_is_stays_where_it_is_asked_how_much_it_is_in_all(
    tmp_path: Path, question: str, meant: list[object]
) -> None:
    """Rows of a name and a number are the names, and the sum; only a question for the sum alone gets that alone."""
    (tmp_path / "plots.csv").write_text("holder,rent,arrears\nJo Falk,63,yes\nPia Hahn,140,no\nUgo Marin,105,yes\n")
    query = "SELECT holder, rent FROM plots WHERE arrears = 'yes' ORDER BY holder"
    given = files(tmp_path)
    made, _ = plan(given, question, query, query)
    registry = ToolRegistry([*given])
    outputs = [asyncio.run(registry.call(SQL, {"query": one})).value for one in queries(made)]
    assert [sorted(one) if isinstance(one, list) and isinstance(one[0], str) else one for one in outputs] == meant


def test_two_queries_that_put_the_latest_first_do_not_say_who_is_there_the_longest(tmp_path: Path) -> None:
    """The host knows the order of a column that says since when, whatever both give."""
    (tmp_path / "members.csv").write_text("Member,Joined\nPaul Dix,2025-02-10\nAda Wren,2015-06-01\n")
    latest = "SELECT Member FROM members ORDER BY Joined DESC LIMIT 1"
    also = "SELECT Member FROM members WHERE Joined = (SELECT MAX(Joined) FROM members)"
    result = build(llm=Approving([latest, also, *["{r1} has."] * 6]), files=tmp_path).execute(
        "Who has been a member the longest?"
    )
    assert "Ada Wren" in result.answer and "Paul Dix" not in result.answer


@pytest.mark.requirement("G4a", "G5")
def test_two_queries_that_give_something_else_than_is_asked_for_confirm_nothing(tmp_path: Path) -> None:
    """Both add up the copies of two orders that come to something: the model is told, and then may say it right."""
    (tmp_path / "orders.csv").write_text("Customer,Copies,Amt EUR\nAda,3,87.60\nBo,80,76.00\nCy,2,5\n")
    copies = "SELECT SUM(Copies) FROM orders WHERE Customer IN ('Ada', 'Bo')"
    made, _ = plan(files(tmp_path), "What do the orders of Ada and Bo come to together?", copies, copies, copies)
    assert made.doubts and made.doubts[0].startswith("it asks for money")
    money = "SELECT SUM(\"Amt EUR\") FROM orders WHERE Customer IN ('Ada', 'Bo')"
    question = "What do the orders of Ada and Bo come to together?"
    assert not plan(files(tmp_path), question, money, money)[0].doubts
    made, model = plan(files(tmp_path), question, copies, copies, money)
    assert not made.doubts and "Amt EUR" in queries(made)[0] and "it asks for money" in last(model)
    most = "SELECT Copies FROM orders ORDER BY Copies DESC LIMIT 1"
    both = "SELECT Copies, Customer FROM orders ORDER BY Copies DESC LIMIT 1"
    made, model = plan(files(tmp_path), "How many copies were the most, and who had them?", most, most, both)
    assert "Customer" in queries(made)[0] and "it asks two things" in last(model)


def last(model: Scripted) -> str:
    """What the model was asked at last."""
    return model.requests[-1].messages[-1].content
