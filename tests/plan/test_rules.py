"""A rule of a text that is applied to a table: asked for as a program and as a query, compared, and quoted."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from aeon import build
from aeon.convergence.experience import kind_of
from aeon.llm.scripted import Scripted
from aeon.plan.citing import cited
from aeon.plan.evidence import Evidence
from aeon.plan.programmer import Programmer
from aeon.plan.queries import amounts, query_of, with_amounts
from aeon.plan.rules import by_row
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, JsonValue, Passage, Plan, Step, Task, ToolCall
from aeon.supervisor.supervisor import Supervisor
from aeon.tools import Tool, ToolRegistry
from aeon.tools.calculator import calculator
from aeon.tools.choose import choose
from aeon.tools.dates import dates
from aeon.tools.files import files
from aeon.tools.quote import QUOTE
from tests.second import agreeing

pytestmark = pytest.mark.usefixtures("indexes")

SALES = "order_id,day,city,revenue\nA1,2024-03-01,Cork,100\nA2,2024-03-02,Cork,500\nA3,2024-04-03,Cork,800\n"
TERMS = (
    "# Terms\n\nRebate: an order with a revenue of more than 450 euros gets 8 percent off the whole order.\n\n"
    "Postage: an order with a revenue below 150 euros is charged 7 euros for postage.\n"
)
QUESTION = "What do the Cork orders come to after the rebate in our terms?"
RIGHT = "SELECT SUM(CASE WHEN revenue > 450 THEN revenue * (1 - 0.08) ELSE revenue END) FROM sales WHERE city = 'Cork'"
SAME = "SELECT SUM(revenue - CASE WHEN revenue > 450 THEN revenue * 0.08 ELSE 0 END) FROM sales WHERE city = 'Cork'"
OTHER = "SELECT SUM(revenue) * 0.92 - 450 FROM sales WHERE city = 'Cork'"
HALF = "SELECT SUM(revenue) * (1 - 0.08) FROM sales WHERE city = 'Cork'"
BUILT_IN = [replace(one, offered=False) for one in (choose(), *dates())]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of a table and the rules for it."""
    root = tmp_path / "data"
    root.mkdir()
    (root / "sales.csv").write_text(SALES)
    (root / "terms.md").write_text(TERMS)
    return root


@pytest.fixture
def both(folder: Path) -> tuple[Tool, ...]:
    """The tools over both."""
    return files(folder)


def program(query: str) -> str:
    """A program that prints what a query gives."""
    return f"print(sql({query!r}))"


def plan(
    tools: tuple[Tool, ...],
    *replies: str,
    most: int = 12,
    calls: int = 5,
    question: str = QUESTION,
    twice: bool = False,
) -> tuple[Plan, Scripted]:
    """The plan for the question that comes of these replies, and the model."""
    model = Scripted(replies)
    programmer = Programmer(Supervisor(model), ToolRegistry([calculator(), *tools, *BUILT_IN]), twice=twice)

    async def planned() -> Plan:
        with Ledger(Allowance(calls=calls)):
            return await programmer.plan(Task(text=question), most)

    return asyncio.run(planned()), model


def does(made: Plan) -> list[tuple[str, JsonValue]]:
    """What each step does: its tool, and what that is given first."""
    calls = [step.action for step in made.steps if isinstance(step.action, ToolCall)]
    return [(call.tool, next(iter((call.arguments or {"": None}).values()))) for call in calls]


@pytest.mark.requirement("T1c", "G4")
@pytest.mark.parametrize(("first", "agrees"), [(SAME, True), (OTHER, False)])
def test_a_program_that_takes_a_number_from_a_text_is_derived_again_as_a_query(
    first: str, agrees: bool, both: tuple[Tool, ...]
) -> None:
    """The other stands beside the plan, with what it gives; where they differ, the query is the plan."""
    made, model = plan(both, program(first), RIGHT)
    assert made.agreement is not None
    (derivation,) = made.agreement.derivations
    other = ("query", program(RIGHT)) if agrees else ("program", program(first))
    assert (derivation.method, derivation.text, derivation.agrees) == (*other, agrees)
    assert made.agreement.disagrees is not agrees and made.doubts == ()
    assert "one DuckDB query" in model.requests[1].messages[0].content


@pytest.mark.requirement("T1c")
@pytest.mark.parametrize(("factor", "steps"), [("4", ["sql"]), ("7", ["lookup"])])
def test_what_only_a_rule_counts_is_counted_by_it(factor: str, steps: list[str], folder: Path) -> None:
    """No table knows of points; a query that takes what an order earns from the text counts them all the same."""
    (folder / "club.txt").write_text("Club points: each order earns 4 points. After two years they lapse.\n")
    query = program(f"SELECT COUNT(*) * {factor} FROM sales WHERE city = 'Cork'")
    made, _ = plan(files(folder), *[query] * 5, question="How many club points did the Cork orders earn?")
    assert [tool for tool, _ in does(made)] == steps


@pytest.mark.requirement("T1c", "G4")
@pytest.mark.parametrize("first", [RIGHT, RIGHT.replace(" THEN ", "  then ").replace(" > ", ">")])
def test_a_query_that_says_the_same_again_confirms_nothing(first: str, both: tuple[Tool, ...]) -> None:
    """It is on record, and counts neither for nor against the answer, whatever its spaces and capitals."""
    made, _ = plan(both, program(first), RIGHT)
    assert made.agreement is not None and made.doubts == ()
    assert [(one.method, one.agrees, one.repeats) for one in made.agreement.derivations] == [("query", True, True)]
    assert made.agreement.votes == 1 and not made.agreement.disagrees
    assert (
        kind_of(made.changed(steps=tuple(one.changed(status="complete") for one in made.steps))) == "sentence + table"
    )


@pytest.mark.requirement("G1", "T1c")
def test_what_a_query_takes_from_a_text_is_quoted(both: tuple[Tool, ...]) -> None:
    """The answer rests on the sentence too: the query refers to steps that quote it."""
    made, _ = plan(both, program(RIGHT), RIGHT)
    assert does(made) == [
        (QUOTE, 450),
        (QUOTE, 8),
        ("sql", RIGHT.replace("450", "$s1").replace("0.08", "($s2 * 0.01)")),
    ]
    assert made.steps[2].dependencies == ("s1", "s2") and made.answer == ("s3",)
    assert len(plan(both, program(RIGHT), RIGHT, most=2)[0].steps) == 1, "it has room for no quotation"


@pytest.mark.requirement("T1", "T1c")
def test_a_query_that_leaves_a_part_of_the_rule_out_is_told_so(both: tuple[Tool, ...]) -> None:
    """Once; where it still does, the doubt stays on the plan."""
    made, model = plan(both, program(HALF), HALF, RIGHT, program(HALF))
    assert "(Mind: use 'more than 450' of the rule too: CASE WHEN" in model.requests[2].messages[-1].content
    assert made.doubts == () and made.agreement is not None and made.agreement.disagrees
    made, model = plan(both, program(HALF), HALF, RIGHT, program(SAME))
    assert "(Mind: use 'more than 450' of the rule too: CASE WHEN" in model.requests[3].messages[-1].content
    assert made.doubts == () and made.agreement is not None and not made.agreement.disagrees
    made, _ = plan(both, program(HALF), HALF, HALF)
    assert made.doubts == ("use 'more than 450' of the rule too: CASE WHEN ... THEN ... ELSE ... END",)


@pytest.mark.requirement("T1", "T1c")
def test_a_program_that_is_whole_stands_before_a_query_that_is_not(both: tuple[Tool, ...]) -> None:
    """The better of the two is the plan, whichever was asked for first."""
    made, _ = plan(both, program(RIGHT), HALF, HALF)
    assert made.doubts == () and made.agreement is not None
    assert [one.method for one in made.agreement.derivations] == ["query"] and made.agreement.disagrees
    assert "CASE" in str(does(made)[-1][1])


@pytest.mark.requirement("T1", "T1c")
@pytest.mark.parametrize("reply", ["", "I do not know.", "DROP TABLE sales", "SELECT SUM(turnover) FROM sales"])
def test_without_a_query_that_runs_the_program_stands(reply: str, both: tuple[Tool, ...]) -> None:
    """It has what it takes from the text as a doubt; a program that does not run either is put to the texts."""
    made, _ = plan(both, program(RIGHT), reply, reply)
    assert "CASE" in str(does(made)[-1][1])
    assert made.agreement is None and made.doubts[0].endswith("from a text")
    made, _ = plan(both, program("SELECT SUM(turnover) FROM sales"), reply, reply, program("SELECT x FROM y"))
    assert [name for name, _ in does(made)] == ["lookup"]


@pytest.mark.requirement("T1", "G4")
def test_a_query_of_the_tables_stands_where_no_rule_can_be_applied(both: tuple[Tool, ...]) -> None:
    """Neither the program nor the query for a rule runs: what the plain query gives is not lost."""
    plain, broken = "SELECT SUM(revenue) FROM sales WHERE city = 'Cork'", "SELECT SUM(turnover) FROM sales"
    question = "What did the Cork orders of all sales come to, rebate or not?"
    replies = ("not stated", program(broken), plain, broken, broken, program(broken))
    made, _ = plan(both, *replies, calls=9, question=question, twice=True)
    assert [name for name, _ in does(made)] == ["sql"] and plain in str(does(made)[0][1])


@pytest.mark.requirement("T1", "T1c")
def test_a_month_is_no_number_of_a_rule(both: tuple[Tool, ...]) -> None:
    """Month 4 and "450 euros" have nothing to do with each other, so nothing is doubtful."""
    query = "SELECT SUM(CASE WHEN revenue < 150 THEN 7 ELSE 0 END) FROM sales WHERE city = 'Cork' AND MONTH(day) < 5"
    assert plan(both, program(query), query)[0].doubts == ()


@pytest.mark.requirement("T1", "T1c")
def test_a_number_is_no_percentage_unless_it_is_said_to_be_one(folder: Path) -> None:
    """2.50 euros have nothing to do with a limit of 150 units, although 1 + 150 / 100 is 2.5."""
    dear = "An order with a revenue of more than 450 costs 2.50 extra."
    (folder / "terms.md").write_text(f"# Rebate terms\n\n{dear}\nBelow 30 units we ask 150 euros.\n")
    query = "SELECT SUM(CASE WHEN revenue > 450 THEN 2.50 ELSE 0 END) FROM sales WHERE city = 'Cork'"
    assert plan(files(folder), program(query), query)[0].doubts == ()


@pytest.mark.requirement("T1", "T1c")
def test_a_program_may_lack_its_last_parenthesis(both: tuple[Tool, ...]) -> None:
    """What it means is evident; one that was cut off elsewhere is none."""
    made, _ = plan(both, f"print(round({program(RIGHT)[6:-1]})", RIGHT)
    assert made.agreement is not None and made.agreement.derivations[0].agrees
    assert plan(both, program(RIGHT)[:-1], RIGHT)[0].agreement is not None


@pytest.mark.requirement("T1c", "K12")
def test_a_rule_costs_no_call_that_is_not_there(both: tuple[Tool, ...]) -> None:
    """With one call there is the program alone, with two no query is asked for twice."""
    assert len(plan(both, program(RIGHT), calls=1)[1].requests) == 1
    assert len(plan(both, program(RIGHT), HALF, calls=2)[1].requests) == 2


@pytest.mark.requirement("G4", "G1", "T1c")
@pytest.mark.parametrize(("first", "plain", "stop"), [(SAME, SAME, "converged"), (OTHER, HALF, "disagreement")])
def test_a_run_on_a_rule(first: str, plain: str, stop: str, folder: Path) -> None:
    """Two queries that differ are no agreement; the sentence of the rule is among what the answer rests on."""
    model = agreeing([program(first), *([plain] if plain != first else []), RIGHT, "They come to {r1}."])
    result = build(llm=model, tools=("calculator", f"files={folder}")).execute(QUESTION)
    said = "They come to 1296." if stop == "converged" else "Perhaps: They come to 1296."
    assert (result.answer, result.stop_reason) == (said, stop)
    quotes = [step for step in result.history.passes[0].executed if "quote" in str(step.action)]
    assert [step.sources[0].text for step in quotes] == [TERMS.split("\n")[2]] * 2


@pytest.mark.requirement("T1", "T1c")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT a * 0.04 FROM t WHERE b > 550", {0.04, 550}),
        ("SELECT a FROM t WHERE MONTH(day) = 11 AND YEAR(day) = 2025 LIMIT 5", set()),
        ("SELECT a FROM t WHERE MONTH(day) BETWEEN 5 AND 9 AND MONTH(day) IN (5, 6)", set()),
        ("SELECT a FROM t WHERE EXTRACT(MONTH FROM day) = 11 AND day > '2025-11-05' AND \"5\" = 6", {6}),
        ("SELECT a FROM t5 WHERE b = '550' AND c = 2024 AND d = 100", set()),
    ],
)
def test_the_amounts_of_a_query(query: str, expected: set[float]) -> None:
    """Months, years, limits, texts and names are none."""
    assert {float(one) for one in amounts(query)} == expected


@pytest.mark.requirement("G1")
@pytest.mark.parametrize(
    ("said", "query", "expected"),
    [
        ("5 percent", "a * 0.05", "a * ($s1 * 0.01)"),
        ("5 percent", "a * 0.95", "a * (1 - $s1 * 0.01)"),
        ("5 percent", "a * 1.05", "a * (1 + $s1 * 0.01)"),
        ("5 percent", "a * 5 / 100", "a * $s1 / 100"),
        ("12.5 euros", "a * 12.5", "a * $s1"),
        ("6 percent", "a * 0.05", "a * 0.05"),
    ],
)
def test_how_a_number_of_a_query_comes_of_a_sentence(said: str, query: str, expected: str) -> None:
    """As it stands, or as the per cent that it was."""
    text = f"It is {said}."
    whole = Passage(source="rules.md", start=0, end=len(text), text=text, sentences=((0, len(text)),))
    evidence = Evidence([whole.model_dump(mode="json")])
    step = Step(id="s1", description="x", action=ToolCall(tool="sql", arguments={"query": query}), provides=("s1",))
    made = cited(Plan(steps=(step,), answer=("s1",)), evidence, "")
    assert does(made)[-1] == ("sql", expected) and made.answer == (made.steps[-1].id,)


def test_an_amount_that_is_not_changed_stays() -> None:
    """Nothing else of the query is touched."""
    query = "SELECT a * 5.50 FROM t WHERE b = '5'"
    assert with_amounts(query, lambda number: "") == query


@pytest.mark.requirement("T1c")
@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("SELECT SUM(revenue * (1 - 0.08)) AS t FROM sales WHERE city = 'Cork' AND revenue > 450",
         "SELECT SUM(CASE WHEN revenue > 450 THEN revenue * (1 - 0.08) ELSE revenue END) AS t FROM sales"
         " WHERE city = 'Cork'"),
        ("SELECT SUM(units * price * 0.92) FROM sales WHERE revenue > 450 AND city = 'Cork'",
         "SELECT SUM(CASE WHEN revenue > 450 THEN units * price * 0.92 ELSE units * price END) FROM sales"
         " WHERE city = 'Cork'"),
        ("SELECT SUM(units * price) * (1 - CASE WHEN revenue > 450 THEN 0.08 ELSE 0 END) FROM sales",
         "SELECT SUM((units * price) * (1 - CASE WHEN revenue > 450 THEN 0.08 ELSE 0 END)) FROM sales"),
        *[(same, same) for same in (
            "SELECT SUM(revenue * 0.92) FROM sales WHERE city = 'Cork' AND revenue > 20",
            "SELECT 7 * COUNT(*) FROM sales WHERE city = 'Cork' AND revenue < 150",
            "SELECT SUM(revenue) FROM sales WHERE city = 'Cork' AND revenue > 450",
            "SELECT SUM(revenue * 0.92) FROM sales WHERE revenue > 450",
            "SELECT SUM(revenue * 0.92) FROM (SELECT * FROM sales) WHERE city = 'Cork' AND revenue > 450",
        )],
    ],
)  # fmt: skip
def test_a_rule_is_applied_to_each_row(written: str, meant: str) -> None:
    """Rows below its limit stay as they are; a limit of the question, a count and a plain sum are what they are."""
    step = Step(id="s1", description="a step", action=ToolCall(tool="sql", arguments={"query": written}))
    plan_ = Plan(steps=(step,), answer=("s1",))
    assert query_of(by_row(plan_, "What do all orders over 20 come to?", TERMS).steps[0]) == meant
