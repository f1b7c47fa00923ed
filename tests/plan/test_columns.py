"""What a question says of columns, pieces and numbers of things, and a query leaves out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from aeon.plan.columns import lost_columns, moved, of_counts, of_single, per_column, unfilled
from aeon.plan.money import of_all_sold
from aeon.plan.pieces import of_pieces
from aeon.plan.queries import query_of
from aeon.schema import Plan, Step, ToolCall
from aeon.tools.tableinfo import Named, TableInfo

pytestmark = pytest.mark.requirement("T1b")
TABLES = (
    TableInfo("sales", "sales.csv", (("day", "DATE"), ("city", "VARCHAR"), ("units", "BIGINT")), 9, ()),
    TableInfo("shops", "shops.csv", (("city", "VARCHAR"), ("employees", "BIGINT"), ("floor_area", "BIGINT")), 2, ()),
)


def plan(*queries: str) -> Plan:
    """A plan of these queries."""
    calls = [ToolCall(tool="sql", arguments={"query": query}) for query in queries]
    steps = [Step(id=f"s{n}", description="a step", action=call) for n, call in enumerate(calls, 1)]
    return Plan(steps=tuple(steps), answer=tuple(step.id for step in steps))


@pytest.mark.parametrize(
    ("question", "query", "doubt"),
    [
        ("What did Bergen take per employee?", "SELECT SUM(r) / SUM(units) FROM sales", ["use shops.employees too"]),
        ("What did Bergen take per employee?", "SELECT SUM(r) / employees FROM sales JOIN shops", []),
        ("What is the rent for each floor area?", "SELECT SUM(rent) FROM shops", ["use shops.floor_area too"]),
        ("How many employees are there per cent?", "SELECT 1 FROM shops", []),
        ("What did Bergen take per month?", "SELECT SUM(r) FROM sales", []),
        ("What did Bergen take per employee?", "", []),
    ],
)
def test_what_a_question_counts_by_is_in_the_query(question: str, query: str, doubt: list[str]) -> None:
    """Where it is a column of a table."""
    made = plan(query) if query else Plan()
    assert list(per_column(made, question, (), TABLES)) == doubt


@pytest.mark.parametrize(
    ("query", "doubt"),
    [
        ("SELECT SUM(rent) * 2 FROM shops", ["use shops.employees too"]),
        ("SELECT SUM(employees) * 2 FROM shops", []),
        ("SELECT SUM(rent) * 3 FROM shops", []),
    ],
)
def test_what_a_rule_counts_by_is_in_the_query_that_applies_it(query: str, doubt: list[str]) -> None:
    """A rule is applied by its numbers: where these are of no rule, nothing is asked for."""
    rule = "A shop that opens late pays 2 euros to each employee."
    assert list(per_column(plan(query), "What do the shops pay?", (rule,), TABLES)) == doubt


WHISK = (Named("product", "whisk", "product = 'whisk'"),)
PRICE = "SELECT price * 1.07 FROM products WHERE product = 'whisk'"


@pytest.mark.parametrize(
    ("question", "query", "named", "times"),
    [
        ("What will 10 units of the whisk cost?", PRICE, (), 10),
        ("What do we pay for 25 whisks?", PRICE, WHISK, 25),
        ("What do we pay for 25 whisks?", PRICE, (), None),
        ("What will 10 units cost?", f"{PRICE} AND 10 > 1", (), None),
        ("What do orders of at least 10 units cost?", PRICE, (), None),
        ("What do more than 10 units cost?", PRICE, (), None),
        ("How many boxes of 10 units are there?", PRICE, (), None),
        ("What did 10 units cost?", "SELECT SUM(price) FROM products", (), None),
        ("What did 10 units cost?", "SELECT product, price FROM products", (), None),
    ],
)
def test_a_price_is_taken_as_often_as_there_are_pieces(
    question: str, query: str, named: Sequence[Named], times: int | None
) -> None:
    """Where the query gives that of one: no limit, no sum, and no second column."""
    wanted = f"SELECT {times} * v FROM ({query}) AS t(v)" if times else query
    assert query_of(of_pieces(plan(query), question, named).steps[0]) == wanted


def test_pieces_of_several_queries_are_left_alone() -> None:
    """Nobody knows of which."""
    two = plan(PRICE, PRICE)
    assert of_pieces(two, "What do 10 units cost?", ()) == two


@pytest.mark.parametrize(
    ("question", "query", "doubt"),
    [
        (
            "What did Bergen take in March?",
            "SELECT SUM(units) FROM trips",
            ["it asks for money: SUM(units * fare)"],
        ),
        ("How much did Bergen earn?", "SELECT SUM(units) FROM trips", ["it asks for money: SUM(units * fare)"]),
        ("How much did Bergen earn?", "SELECT COUNT(*) FROM trips", ["it asks for money: multiply by trips.fare"]),
        ("What did Bergen take in March?", "SELECT SUM(units * fare) FROM trips", []),
        ("What did Bergen take in March?", "SELECT SUM(units) FROM sales", []),
        ("How many units did Bergen take?", "SELECT SUM(units) FROM trips", []),
        ("What did Bergen take?", "SELECT SUM(n) FROM sales JOIN trips", ["it asks for money: SUM(n * fare)"]),
        (
            "Who sold the most in a single trip?",
            "SELECT who, SUM(units) FROM trips GROUP BY who ORDER BY 2 DESC LIMIT 1",
            ["each row is one trip: use ORDER BY and LIMIT 1 without GROUP BY and SUM"],
        ),
        ("Who sold the most in a single trip?", "SELECT who FROM trips ORDER BY units DESC LIMIT 1", []),
        (
            "Who sold the most at once?",
            "SELECT who FROM trips GROUP BY who ORDER BY SUM(units) DESC LIMIT 1",
            ["each row is one time: use ORDER BY and LIMIT 1 without GROUP BY and SUM"],
        ),
        ("Who sold the most on a single day?", "SELECT who, SUM(units) FROM trips GROUP BY who, day", []),
    ],
)
def test_money_and_single_rows_are_what_the_query_gives(question: str, query: str, doubt: list[str]) -> None:
    """What was taken is money where the table has any; the most of a single row is no sum."""
    trips = TableInfo("trips", "trips.csv", (("who", "VARCHAR"), ("units", "BIGINT"), ("fare", "DECIMAL")), 9, ())
    assert list(lost_columns(plan(query), question, (), (*TABLES, trips))) == doubt


@pytest.mark.parametrize(
    ("question", "query", "doubt"),
    [
        ("What did the coach cost, deposit and rest?", "what = 'coach deposit'", ["use what = 'coach rest' too"]),
        ("What did the coach cost, deposit and rest?", "what IN ('coach deposit', 'coach rest')", []),
        ("What did the coach cost, deposit and rest?", "what LIKE 'coach%'", []),
        ("What was the deposit of the coach?", "what = 'coach deposit'", []),
        ("What did coach and hostel cost, the deposit?", "what = 'coach deposit'", ["use what = 'hostel deposit' too"]),
        ("What did the music cost, and the rest?", "what = 'sheet music'", []),
    ],
)
def test_a_value_beside_one_that_is_asked_for_is_asked_for_too(question: str, query: str, doubt: list[str]) -> None:
    """Where the question has all of its words, and it has a word of the other one."""
    values = (("what", ("coach deposit", "coach rest", "hostel deposit", "sheet music")),)
    costs = TableInfo("costs", "costs.csv", (("what", "VARCHAR"), ("eur", "DECIMAL")), 9, (), values=values)
    assert list(lost_columns(plan(f"SELECT SUM(eur) FROM costs WHERE {query}"), question, (), (costs,))) == doubt


def test_the_first_of_single_rows_stays_a_row() -> None:
    """Empty cells are never the first; a question that does not say so may mean the groups."""
    made = plan("SELECT city FROM sales ORDER BY units DESC LIMIT 1")
    single = of_single(made, "Which city sold most in a single sale?", TABLES)
    assert query_of(single.steps[0]) == "SELECT city FROM sales ORDER BY units DESC NULLS LAST LIMIT 1"
    assert query_of(of_single(made, "Which city sold most at once?", TABLES).steps[0]).endswith("NULLS LAST LIMIT 1")
    assert of_single(made, "Which city sold most?", TABLES) == made


HIRE = (
    TableInfo("bikes", "bikes.csv", (("bike", "VARCHAR"), ("price", "BIGINT")), 5, ()),
    TableInfo("hires", "hires.csv", (("bike", "VARCHAR"), ("days", "BIGINT"), ("paid", "BIGINT")), 9, ()),
)


COURSES = (
    TableInfo("courses", "courses.csv", (("name", "VARCHAR"), ("students", "BIGINT"), ("fee", "BIGINT")), 6, ()),
)


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("SELECT SUM(fee) FROM courses", "SELECT SUM(fee * students) FROM courses"),
        (
            "SELECT name FROM courses GROUP BY name ORDER BY sum(fee) DESC LIMIT 1",
            "SELECT name FROM courses GROUP BY name ORDER BY SUM(fee * students) DESC LIMIT 1",
        ),
        ("SELECT SUM(fee * students) FROM courses", "SELECT SUM(fee * students) FROM courses"),
        ("SELECT SUM(students) FROM courses", "SELECT SUM(students) FROM courses"),
        ("SELECT MAX(fee) FROM courses", "SELECT MAX(fee) FROM courses"),
    ],
)
def test_the_price_of_one_is_multiplied_by_how_many_there_were(query: str, meant: str) -> None:
    """Where one column of the table says so, the model is not asked again."""
    assert query_of(of_all_sold(plan(query), "What did the courses bring in?", COURSES).steps[0]) == meant
    assert query_of(of_all_sold(plan(query), "What do the courses cost?", COURSES).steps[0]) == query


PARTS = (TableInfo("parts", "parts.csv", (("part", "VARCHAR"), ("stock", "BIGINT"), ("price", "DOUBLE")), 6, ()),)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("What are all inner tubes in stock worth together?", "SELECT SUM(price * stock) FROM parts"),
        ("What is our stock worth?", "SELECT SUM(price * stock) FROM parts"),
        ("What is the value of our whole inventory?", "SELECT SUM(price * stock) FROM parts"),
        ("What is a bell worth?", "SELECT SUM(price) FROM parts"),
    ],
)
def test_a_stock_is_worth_the_price_of_each_as_often_as_it_is_there(question: str, meant: str) -> None:
    """What one thing is worth is its price."""
    assert query_of(of_all_sold(plan("SELECT SUM(price) FROM parts"), question, PARTS).steps[0]) == meant


@pytest.mark.parametrize("money", ["cost", "amount", "price_eur"])
@pytest.mark.parametrize("count", ["persons", "guests", "nights", "seats"])
def test_the_price_of_a_booking_is_that_of_all_its_guests(money: str, count: str) -> None:
    """It is added up as it is."""
    table = TableInfo("bookings", "b.csv", (("guest", "VARCHAR"), (count, "BIGINT"), (money, "BIGINT")), 9, ())
    made, question = plan(f"SELECT SUM({money}) FROM bookings"), "What did the bookings bring in?"
    assert of_all_sold(made, question, (table,)) == made
    assert not list(lost_columns(made, question, (), (table,)))


@pytest.mark.parametrize(
    ("column", "question", "doubts"),
    [
        ("children", "What did the adults pay together?", ["it asks for money, which no column has"]),
        ("children", "How many adults came?", []),
        ("rent", "What did the adults pay together?", []),
    ],
)
def test_money_that_no_column_has_is_no_count(column: str, question: str, doubts: list[str]) -> None:
    """203 adults are not what they paid, which a price in a text would say."""
    table = TableInfo("days", "days.csv", (("day", "DATE"), ("adults", "BIGINT"), (column, "BIGINT")), 3, ())
    found = list(lost_columns(plan("SELECT SUM(adults) FROM days"), question, (), (table,)))
    assert found == doubts


def test_what_was_paid_is_money_and_no_yes_or_no() -> None:
    """Nor does a condition of money make it any."""
    table = TableInfo(
        "sold", "sold.csv", (("box", "VARCHAR"), ("crates", "BIGINT"), ("price", "DECIMAL"), ("paid", "VARCHAR")), 9, ()
    )
    question = "What has Cafe Mohn not paid yet?"
    for query, doubt in (
        ("SELECT box FROM sold WHERE paid = 'no'", "it asks for money: SUM(price)"),
        ("SELECT SUM(price) FROM sold WHERE paid = 'no'", "it asks what was taken: SUM(price * crates)"),
    ):
        assert list(lost_columns(plan(query), question, (), (table,))) == [doubt]
    assert not list(lost_columns(plan("SELECT box FROM sold"), "What has Cafe Mohn paid for?", (), (table,)))


@pytest.mark.parametrize(
    ("query", "doubt"),
    [
        ("SELECT SUM(fee) FROM courses", ["it asks what was taken: SUM(fee * students)"]),
        ("SELECT SUM(fee * students) FROM courses", []),
        ("SELECT MAX(fee) FROM courses", []),
    ],
)
def test_what_each_paid_is_taken_as_often_as_there_were(query: str, doubt: list[str]) -> None:
    """The fee of a course is that of one student."""
    assert list(lost_columns(plan(query), "What did the courses bring in?", (), COURSES)) == doubt


@pytest.mark.parametrize(
    ("question", "query", "doubt"),
    [
        ("What was taken in May?", "SELECT bike FROM hires", ["it asks for money: SUM(paid)"]),
        ("What was taken in May?", "SELECT SUM(days) FROM hires", ["it asks for money: SUM(paid)"]),
        ("What was taken in May?", "SELECT COUNT(*) FROM hires", ["it asks for money: SUM(paid)"]),
        ("What do the hires of Ada and Bo come to together?", "SELECT SUM(days) FROM hires",
         ["it asks for money: SUM(paid)"]),
        ("Whom did the hires come to know?", "SELECT SUM(days) FROM hires", []),
        ("What do the days of Ada come to in all?", "SELECT SUM(days) FROM hires", []),
        ("What was taken in May?", "SELECT SUM(paid) FROM hires", []),
        ("What was taken out of the shed?", "SELECT bike FROM hires", []),
        ("How much did tourers bring in?", "SELECT SUM(price) FROM bikes", ["it asks what was taken: SUM(hires.paid)"]),
        ("How much did tourers bring in?", "SELECT SUM(price * days) FROM bikes JOIN hires USING (bike)", []),
        ("How much did tourers cost?", "SELECT SUM(price) FROM bikes", []),
        ("Which bike brought in the most money?", "SELECT bike, SUM(days) AS paid FROM hires GROUP BY bike",
         ["it asks for money: SUM(paid)"]),
        ("Which bike earned most?", "SELECT bike FROM hires", ["it asks for money: SUM(paid)"]),
    ],
)  # fmt: skip
def test_what_was_taken_is_what_was_paid(question: str, query: str, doubt: list[str]) -> None:
    """Neither the things nor their prices, unless these are multiplied."""
    assert list(lost_columns(plan(query), question, (), HIRE)) == doubt


BOATS = (TableInfo("boats", "boats.csv", (("boat", "VARCHAR"), ("built", "BIGINT"), ("hours", "BIGINT")), 5, ()),)
FIRST = "the oldest boat is the first by built: use ORDER BY built and LIMIT 1"


@pytest.mark.parametrize(
    ("question", "query", "doubt"),
    [
        ("How many hours has the oldest boat sailed?", "SELECT MAX(hours) FROM boats", [FIRST]),
        ("How many hours has the oldest boat sailed?", "SELECT hours FROM boats ORDER BY built LIMIT 1", []),
        ("How many hours has the oldest sailor sailed?", "SELECT MAX(hours) FROM boats", []),
        ("How many hours have the boats sailed?", "SELECT SUM(hours) FROM boats", []),
        ("How many hours has the oldest boat sailed?", "", []),
    ],
)
def test_the_oldest_row_is_the_one_that_began_first(question: str, query: str, doubt: list[str]) -> None:
    """A query for it looks at when the rows of that table began."""
    assert list(lost_columns(plan(query), question, (), BOATS)) == doubt


@pytest.mark.parametrize(
    ("query", "counted"),
    [
        (
            "SELECT city FROM sales GROUP BY city ORDER BY SUM(day) DESC",
            "SELECT city FROM sales GROUP BY city ORDER BY COUNT(*) DESC",
        ),
        ('SELECT sum( "day" ) FROM sales', "SELECT COUNT(*) FROM sales"),
        ("SELECT SUM(taken_out) FROM loans", "SELECT COUNT(*) FROM loans"),
        ("SELECT SUM(units) FROM sales", "SELECT SUM(units) FROM sales"),
        ("SELECT SUM(city) FROM sales", "SELECT SUM(city) FROM sales"),
        ("SELECT MAX(day) FROM sales", "SELECT MAX(day) FROM sales"),
    ],
)
def test_days_are_counted_and_not_added_up(query: str, counted: str) -> None:
    """Texts stay, since their numbers may only be badly written."""
    loans = TableInfo("loans", "loans.csv", (("taken out", "DATE"),), 9, ())
    (step,) = of_counts(plan(query), (*TABLES, loans)).steps
    assert query_of(step) == counted


def test_what_one_costs_is_no_amount_that_is_added_up() -> None:
    """The hint is to multiply; an amount is added up."""
    for columns, query, doubt in (
        (("quantity", "unit_cost"), "SELECT SUM(quantity) FROM t", "SUM(quantity * unit_cost)"),
        (("hours", "eur_per_hour"), "SELECT SUM(hours) FROM t", "SUM(hours * eur_per_hour)"),
        (("hours", "Amt EUR"), "SELECT SUM(hours) FROM t", "SUM(Amt EUR)"),
    ):
        table = TableInfo("t", "t.csv", tuple((name, "DECIMAL") for name in columns), 9, ())
        assert list(lost_columns(plan(query), "How much did we earn in July?", (), (table,))) == [
            f"it asks for money: {doubt}"
        ]


def test_a_query_that_was_moved_to_another_table_than_is_spoken_of_is_told() -> None:
    """Band is a column of the bookings; who borrowed gear stands in the other table."""
    gear = TableInfo("gear_lent", "g.csv", (("Item", "VARCHAR"), ("Lent to", "VARCHAR")), 9, ())
    bookings = TableInfo("bookings", "b.csv", (("Band", "VARCHAR"),), 9, ())
    text, made = "SELECT Band FROM gear_lent GROUP BY Band", plan("SELECT Band FROM bookings GROUP BY Band")
    tables = (gear, bookings)
    said = moved(text, made, "Which band borrowed the most of our gear?", tables)
    assert said == "gear_lent has no such column, only Item, Lent to"
    assert not moved(text, made, "Which band was here most?", tables)
    assert not moved("SELECT Band FROM bookings", made, "Which band borrowed gear?", tables)


@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("Who has not paid yet?", 't."Paid on"'),
        ("Which tools haven\u2019t come back?", "t.Back"),
        ("Which ones have nobody looking after them?", 't."Paid on", t.Back, t.Carer'),
        ("Who has no remark?", "t.Remarks"),
        ("Who paid last?", ""),
        ("How many notes are there?", ""),
    ],
)
def test_where_a_question_asks_for_what_is_lacking_the_columns_with_gaps_are_told(question: str, columns: str) -> None:
    """Those that it has a word of, else all but remarks; a query for 0 or 'no' finds nothing there."""
    names = ("Who", "Paid on", "Back", "Carer", "Remarks")
    table = TableInfo("t", "t.csv", tuple((name, "VARCHAR") for name in names), 9, (), gaps=frozenset(names[1:]))
    assert unfilled(question, (table,)) == (f"-- NULL in some rows: {columns}" if columns else "")
    assert unfilled(question, (TableInfo("t", "t.csv", table.columns, 9, ()),)) == ""
