"""What a program leaves out of what its task says."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from aeon.plan.doubts import doubts
from aeon.plan.queries import asks_one, borrowed, invented, is_several, only_number, queried, summed, without_hundred
from aeon.schema import Action, JsonValue, Plan, Step, ToolCall, Writing
from aeon.tools.choose import CHOOSE
from aeon.tools.quote import QUOTE
from aeon.tools.tableinfo import Named

pytestmark = pytest.mark.requirement("T1b")


def sql(query: str) -> ToolCall:
    """A query."""
    return ToolCall(tool="sql", arguments={"query": query})


def calculated(expression: str) -> ToolCall:
    """A calculation."""
    return ToolCall(tool="calculator", arguments={"expression": expression})


def quoted(value: str | float) -> ToolCall:
    """A quotation."""
    return ToolCall(tool=QUOTE, arguments={"value": value, "source": "a.md", "start": 0, "end": 9})


def plan(*actions: Action) -> Plan:
    """A plan whose steps are all the answer."""
    steps = [Step(id=f"s{n}", description="a step", action=action) for n, action in enumerate(actions, 1)]
    return Plan(steps=tuple(steps), answer=tuple(step.id for step in steps))


CHOSEN = ToolCall(tool=CHOOSE, arguments={"condition": "$s1", "yes": "Cork", "no": "Porto"})


@pytest.mark.parametrize(
    ("question", "query", "named", "doubt"),
    [
        ("What did Cork take?", "SELECT SUM(r) FROM s WHERE city = 'Cork'", [("city", "Cork")], ""),
        ("What did cork take?", "SELECT SUM(r) FROM s WHERE city ILIKE '%cork%'", [("city", "Cork")], ""),
        ("What did Cork take?", "SELECT SUM(r) FROM s", [("city", "Cork")], "use city = 'Cork' too"),
        ("Boots, Cork?", "SELECT 1 FROM s WHERE c = 'Cork'", [("p", "boot"), ("c", "Cork")],
         "use p = 'boot' too"),
        ("What came in March?", "SELECT SUM(r) FROM s WHERE d BETWEEN '2024-03-01' AND '2024-03-31'", [], ""),
        ("What came in March?", "SELECT SUM(r) FROM s WHERE MONTH(d) = 3", [], ""),
        ("What came in March?", "SELECT SUM(r) FROM s WHERE MONTHNAME(d) = 'March'", [], ""),
        ("What came in January, less 5%?", "SELECT SUM(r) * (1 - 0.05) FROM s", [], "use January too"),
        ("What came in March?", "SELECT SUM(r) FROM s WHERE MONTH(d) = 4", [], "use March too"),
        ("What came in the first quarter, from January?", "SELECT SUM(r) FROM s WHERE QUARTER(d) = 1", [], ""),
        ("What may come?", "SELECT SUM(r) FROM s", [], ""),
        ("What came in May?", "SELECT SUM(r) FROM s", [], "use May too"),
        ("What came in March?", "SELECT SUM(r) FROM s WHERE d >= '2024-03-01'", [], "March has an end: use BETWEEN"),
        ("What came since March?", "SELECT SUM(r) FROM s WHERE d >= '2024-03-01'", [], ""),
        ("What came in March?", "SELECT r FROM s WHERE d='2024-03-01'", [], "March has more than one day: use BETWEEN"),
        ("What came on 1 March?", "SELECT SUM(r) FROM s WHERE d = '2024-03-01'", [], ""),
        ("What came on March 1st?", "SELECT SUM(r) FROM s WHERE d = DATE '2024-03-01'", [], ""),
        ("What came on the first day of March?", "SELECT SUM(r) FROM s WHERE d = '2024-03-01'", [], ""),
        ("Who came on Friday in March?", "SELECT w FROM s WHERE d = '2024-03-01'", [], ""),
        ("What came in March?", "SELECT SUM(r) FROM s WHERE d >= '2024-03-01' AND d < '2024-04-01'", [], ""),
        ("What came in 2023?", "SELECT SUM(r) FROM s", [], "use 2023 too"),
        ("What came in 2023?", "SELECT SUM(r) FROM s WHERE YEAR(d) = 2023", [], ""),
        ("How many over 750 euros?", "SELECT COUNT(*) FROM s WHERE r > 750", [], ""),
        ("How many over 750 euros?", "SELECT COUNT(*) FROM s", [], "use 750 too"),
        ("What is 2.5% of it?", "SELECT SUM(r) * 0.025 FROM s", [], ""),
        ("What is it, to 2 decimals?", "SELECT SUM(r) FROM s", [], ""),
        ("Who did not come?", "SELECT name FROM s", [], "the question says not: use a condition that means it"),
        ("Who was asked, whether or not they came?", "SELECT name FROM s", [], ""),
        ("Who did not come in May?", "SELECT name FROM s WHERE MONTH(d) = 5", [],
         "the question says not: use a condition that means it"),
        ("Who in Cork didn't come?", "SELECT name FROM s WHERE city = 'Cork'", [("city", "Cork")],
         "the question says not: use a condition that means it"),
        ("Who did not come?", "SELECT name FROM s WHERE came = 'no'", [], ""),
        ("Who did not come?", "SELECT name FROM s WHERE came IS NULL", [], ""),
        ("Who did not come?", "SELECT name FROM s WHERE state = 'away'", [], ""),
        ("Who came not more than once?", "SELECT name FROM s", [], ""),
        ("What came on 12 May?", "SELECT SUM(r) FROM s WHERE d = '2024-05-12'", [], ""),
        ("Is it more in May than in June?", "SELECT SUM(r) - SUM(r) FROM s WHERE MONTH(d) IN (5, 6)", [],
         "SUM(r) - SUM(r) is always 0"),
        ("Is it more in May than in June?", "SELECT SUM(r) FILTER (MONTH(d) = 5) - SUM(r) FILTER (MONTH(d) = 6) FROM s",
         [], ""),
    ],
)  # fmt: skip
def test_a_query_has_what_the_question_names(
    question: str, query: str, named: Sequence[tuple[str, str]], doubt: str
) -> None:
    """Values of the tables, months, years and numbers; what has no end, and what is always nothing."""
    values = [Named(column, value, f"{column} = '{value}'") for column, value in named]
    assert doubts(plan(sql(query)), question, values, (), "") == doubt


@pytest.mark.parametrize(
    ("action", "needed", "shown", "doubt"),
    [
        (sql("SELECT SUM(r) FROM s"), ["sql", "lookup"], "The rate is 7%.",
         "use the numbers of the sentences too"),
        (sql("SELECT SUM(r) * 0.93 FROM s"), ["sql", "lookup"], "The rate is 7%.", ""),
        (sql("SELECT SUM(r) FROM s WHERE d > '2024-07-01'"), ["sql", "lookup"], "The rate is 7%.",
         "use the numbers of the sentences too"),
        (sql("SELECT SUM(r) FROM s"), ["sql"], "The rate is 7%.", ""),
        (quoted(7), ["sql", "lookup"], "The rate is 7%.", "ask the tables too, with sql(...)"),
        (quoted(7), ["lookup"], "The rate is 7%.", ""),
    ],
)  # fmt: skip
def test_a_source_that_alone_knows_a_word_is_used(
    action: ToolCall, needed: Sequence[str], shown: str, doubt: str
) -> None:
    """A rule of the texts counts as used where its number stands in the query, but not in a date."""
    assert doubts(plan(action), "What is the rebate?", (), needed, shown) == doubt


@pytest.mark.parametrize(
    ("query", "doubt"),
    [
        ("SELECT SUM(r) * 0.93 FROM s", "use 'more than 400' of the rule too"),
        ("SELECT SUM(CASE WHEN r > 400 THEN r * 0.93 ELSE r END) FROM s", ""),
        ("SELECT 12 * COUNT(*) FROM s WHERE d > '2024-01-01'", "use 'at least 1,000' of the rule too"),
        ("SELECT 12 * COUNT(*) FROM s WHERE r >= 1000", ""),
        ("SELECT SUM(r) FROM s WHERE r < 140.5", "use '13' of the rule too"),
        ("SELECT COUNT(*) * 13 FROM s WHERE r < 140.5", ""),
        ("SELECT COUNT(*) * 8 FROM s", ""),
    ],
)
def test_the_condition_of_a_rule_is_not_lost(query: str, doubt: str) -> None:
    """A program that copies a number of a sentence has the limits that the sentence names too."""
    shown = (
        "Of more than 400 it is 7% off.\nFrom at least 1,000 it is 12 on top.\nOver 5.\n"
        "Post: below 140.50 it is 13. Else free. 8 of them stay."
    )
    told = f"{doubt}: CASE WHEN ... THEN ... ELSE ... END" if doubt else ""
    assert doubts(plan(sql(query)), "What is the rebate?", (), ["lookup"], shown) == told


@pytest.mark.parametrize(
    ("expression", "doubt"),
    [
        ("1240 * (60 - 20) / 4", "20 % is 20 / 100"),
        ("1240 * (60 - 20) / 100 / 4", ""),
        ("1240 * (0.6 - 0.2) / 4", ""),
        ("1240 * 0.4", "use 4 too"),
        ("(1240 - 800) / 4", "use 20 % too"),
        ("1240 * (1 - 0.2 - 0.4) / 4", ""),
    ],
)
def test_per_cent_and_numbers_of_a_sum(expression: str, doubt: str) -> None:
    """A number that is per cent is divided by a hundred, and none is left out."""
    question = "How long from 20 % to 60 % of 1240 litres at 4 litres a minute?"
    assert doubts(plan(calculated(expression)), question, (), (), "") == doubt


@pytest.mark.parametrize(
    ("actions", "decided"),
    [
        ([CHOSEN, calculated("3 - 2")], True),
        ([quoted("Cork"), calculated("3 - 2")], True),
        ([quoted("Cork"), quoted("Porto"), calculated("3 - 2")], False),
        ([calculated("3 - 2")], False),
        ([quoted(3)], False),
        ([sql("SELECT city FROM s")], True),
    ],
)
def test_a_question_for_one_of_two_things_is_decided(actions: Sequence[Action], decided: bool) -> None:
    """By a choice, by one name or by what a tool finds out; numbers or both names decide nothing."""
    for question in (
        "Is it Cork or Porto?",
        "Cork or Porto: how large is the larger one?",
        "Which is it, or none?",
    ):
        assert (doubts(plan(*actions), question, (), (), "") == "") is decided
    assert doubts(plan(*actions), "How much larger is Cork than Porto?", (), (), "") == ""


@pytest.mark.parametrize(
    ("actions", "compared"),
    [
        ([CHOSEN, calculated("3 - 2")], True),
        ([quoted("Cork"), calculated("3 - 2")], False),
        ([quoted("Cork")], False),
        ([calculated("3 - 2")], True),
        ([sql("SELECT city, 1 FROM s")], True),
    ],
)
def test_a_comparison_is_made_and_not_guessed(actions: Sequence[Action], compared: bool) -> None:
    """A name that is copied for the larger of two was chosen by nobody."""
    for question in (
        "Which city is larger, by what?",
        "Who has the shorter way?",
        "What is earlier?",
        "Who takes less?",
    ):
        assert (doubts(plan(*actions), question, (), (), "") == "") is compared
    assert doubts(plan(*actions), "Which city is it?", (), (), "") == ""
    either = doubts(plan(quoted("Cork"), calculated("3 - 2")), "Is Cork or Porto larger, and by how much?", (), (), "")
    assert either.startswith("compare the two values")


@pytest.mark.parametrize(
    ("actions", "whole"),
    [
        ([quoted("Cork"), calculated("3 - 2")], True),
        ([quoted("Cork")], False),
        ([calculated("3 - 2")], False),
        ([sql("SELECT SUM(a) FROM s")], False),
        ([sql("SELECT ROUND(SUM(a), 2) AS a FROM s")], False),
        ([sql("SELECT city, SUM(a) FROM s GROUP BY city")], True),
        ([sql("SELECT COUNT(*) FROM s")], False),
        ([sql("SELECT * FROM s")], True),
        ([Writing(task="Tell both.")], True),
    ],
)
def test_a_question_of_two_parts_has_two_answers(actions: Sequence[Action], whole: bool) -> None:
    """One value is half of it; a query may give both."""
    for question in ("Which city is it, and how much did it take?", "Who leads it and when is it?"):
        assert (doubts(plan(*actions), question, (), (), "") == "") is whole
    assert doubts(plan(*actions), "How much is it in this and that shop?", (), (), "") == ""


@pytest.mark.requirement("G4a")
@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("SELECT hive, SUM(kg) FROM s GROUP BY hive ORDER BY 2 DESC LIMIT 1", False),
        ("SELECT hive, ROUND(SUM(kg), 2) AS kg, COUNT(*) FROM s GROUP BY hive ORDER BY 2 LIMIT 1", False),
        ("SELECT hive, owner, SUM(kg) FROM s GROUP BY ALL ORDER BY 3 LIMIT 1", True),
        ("SELECT hive, MAX(owner) OVER () AS owner, owner FROM s", True),
        ("SELECT *, SUM(kg) OVER () FROM s", True),
        ("SELECT s.*, SUM(kg) OVER () FROM s", True),
    ],
)
def test_a_question_that_also_asks_who_gets_a_name_too(query: str, named: bool) -> None:
    """A sum beside the first name says of nobody who it is; a sum may be what the second part asks for."""
    who = "Which hive gave the most honey, and whose is it?"
    assert (doubts(plan(sql(query)), who, (), (), "") == "") is named
    assert named or "who" in doubts(plan(sql(query)), who, (), (), "")
    for other in ("Which hive gave the most honey, and how much?", "How much did the best one give, and whose is it?"):
        assert doubts(plan(sql(query)), other, (), (), "") == ""
    assert doubts(plan(sql(query)), "What was the most that one gave, and whose is it?", (), (), "") == ""


def test_a_plan_that_calls_nothing_is_not_doubted() -> None:
    """A text that is written leaves nothing out."""
    assert doubts(plan(Writing(task="A poem of 4 lines")), "A poem of 5 lines?", (), ("sql",), "") == ""


@pytest.mark.parametrize(
    ("result", "is_one"),
    [
        ([16, 32, 2], False),
        ([1.5, 2], False),
        ([82], True),
        (82, True),
        (["a", "b"], True),
        ([{"a": 1}, {"a": 2}], True),
    ],
)
def test_several_numbers_are_not_one(result: JsonValue, is_one: bool) -> None:
    """Rows were selected and not added."""
    assert is_several(result) is not is_one


@pytest.mark.parametrize(
    ("result", "column"),
    [
        ([{"cost": 70, "paid": "no"}, {"cost": 65.5, "paid": "yes"}], "cost"),
        ([{"cost": 70, "hours": 2}, {"cost": 65, "hours": 1}], ""),
        ([{"cost": 70, "paid": True}, {"cost": None, "paid": True}], ""),
        ([{"cost": 70, "paid": "no"}], ""),
        ([{"cost": 70, "paid": "no"}, 3], ""),
        ([1, 2], ""),
        (3, ""),
    ],
)
def test_rows_with_one_number_each_have_a_column_to_add_up(result: JsonValue, column: str) -> None:
    """What else they hold says which rows they are."""
    assert only_number(result) == column


def test_a_query_is_summed_where_it_stands() -> None:
    """The other steps stay as they are."""
    made = plan(sql("SELECT units FROM s"), sql("SELECT 1"), calculated("1 + 1"))
    assert summed(made, {"SELECT units FROM s": ""}) == plan(
        sql("SELECT SUM(v) FROM (SELECT units FROM s) AS t(v)"), sql("SELECT 1"), calculated("1 + 1")
    )
    assert summed(made, {}) == made
    rows = summed(plan(sql('SELECT "a b", c FROM s')), {'SELECT "a b", c FROM s': "a b"})
    assert rows == plan(sql('SELECT SUM("a b") FROM (SELECT "a b", c FROM s)'))


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("SELECT SUM(r) * 0.95 FROM s", "0.95 stands neither in the question nor in the sentences"),
        ("SELECT SUM(r) * 17 FROM s", "17 stands neither in the question nor in the sentences"),
        ("SELECT SUM(r) * 0.93 FROM s", ""),
        ("SELECT SUM(r) * (1 - 0.07) FROM s WHERE d > '2024-05-31' AND n > 3 LIMIT 5", ""),
        ("SELECT ROUND(SUM(r) / 12, 2) * 100 FROM s", ""),
        ("SELECT SUM(r) / 8 FROM s", ""),
    ],
)
def test_a_query_calculates_with_no_number_of_its_own(query: str, fault: str) -> None:
    """What it multiplies with was said, follows from per cent, or is of the calendar."""
    assert invented(plan(sql(query)), "What is it for 8 shops?\nIt is 7 percent off, on the 5th.") == fault


def test_whether_one_number_is_asked_for() -> None:
    """A total is one number; what is listed, or asked for each, is several."""
    assert asks_one("What do the jobs of May come to?") and not asks_one("Who came to the party?")
    assert asks_one("What do Ada's and Bo's jobs come to, both together?") and not asks_one("How many did both sell?")
    assert asks_one("How many units were sold?") and asks_one("bowl, units sold in May?")
    assert not asks_one("How many units were sold in each city?") and not asks_one("Who sold them?")


def test_the_queries_of_a_plan_are_those_that_need_nothing_else() -> None:
    """One that refers to an earlier step cannot be tried before it."""
    alone, later = sql("SELECT 1"), sql("SELECT $s1")
    made = Plan(
        steps=(
            Step(id="s1", description="a", action=alone),
            Step(id="s2", description="b", action=later, dependencies=("s1",)),
            Step(id="s3", description="c", action=calculated("1 + 1")),
        )
    )
    assert queried(made) == [{"query": "SELECT 1"}]


@pytest.mark.requirement("G4")
@pytest.mark.parametrize(
    ("query", "taken"),
    [
        ("SELECT SUM(r) * 0.94 FROM s", "0.94"),
        ("SELECT CASE WHEN r > 600 THEN r END FROM s", "600"),
        ("SELECT SUM(r) * 8 FROM s", ""),
        ("SELECT SUM(r) FROM s WHERE y = 2024 LIMIT 1", ""),
        ("SELECT SUM(r) FROM s WHERE c = '600'", ""),
        ("SELECT SUM(r) * 17 FROM s", ""),
    ],
)
def test_a_query_that_takes_a_number_from_a_text_is_doubtful(query: str, taken: str) -> None:
    """A number of the question, a usual one, a year or one that no text has is no rule's."""
    stated = "Orders of more than 600 euros get 6 percent off since 2024."
    expected = f"a query takes {taken} from a text" if taken else ""
    assert borrowed(plan(sql(query)), "What is it for 8 shops?", stated) == expected


@pytest.mark.parametrize(
    ("question", "query", "meant"),
    [
        ("The total, rounded to cents?", "SELECT SUM(r * 0.94) * 100 AS t FROM s", "SELECT SUM(r * 0.94) AS t FROM s"),
        ("What is the total?", "SELECT SUM(r)*100.0 FROM s", "SELECT SUM(r) FROM s"),
        ("What is the total?", "SELECT SUM(r) * 1000 FROM s", "SELECT SUM(r) * 1000 FROM s"),
        ("What is the total?", "SELECT SUM(r * 100 / 80) FROM s", "SELECT SUM(r * 100 / 80) FROM s"),
        ("What is it in cents?", "SELECT SUM(r) * 100 FROM s", "SELECT SUM(r) * 100 FROM s"),
        ("Which percentage is it?", "SELECT SUM(r) * 100 FROM s", "SELECT SUM(r) * 100 FROM s"),
        ("What do 100 of them cost?", "SELECT price * 100 FROM s", "SELECT price * 100 FROM s"),
    ],
)  # fmt: skip
def test_an_amount_is_not_counted_in_hundredths(question: str, query: str, meant: str) -> None:
    """Where nobody asks for a share or for cents."""
    changed = without_hundred(plan(sql(query)), question)
    assert changed == plan(sql(meant))


@pytest.mark.parametrize(
    ("question", "expression", "meant"),
    [
        ("What does each pay for 100 km, rounded to cents?", "$s3 * 100", "$s3"),
        ("What does each pay, to the nearest cent?", "(4 + 5) * 100", "(4 + 5)"),
        ("What does each pay, rounded to cents?", "$s3 / 4", "$s3 / 4"),
        ("What does each pay, rounded to cents?", "round($s3)", "round($s3, 2)"),
        ("What does each pay, rounded to cents?", "round($s3 / 4)", "round($s3 / 4, 2)"),
        ("What does each pay, rounded to cents?", "round($s3 / 4, 2)", "round($s3 / 4, 2)"),
        ("What does each pay, rounded to euros?", "round($s3)", "round($s3)"),
        ("What does each pay in cents, rounded to cents?", "$s3 * 100", "$s3 * 100"),
        ("How much of 5 is 4?", "$s3 * 100", "$s3 * 100"),
    ],
)
def test_rounding_to_cents_is_not_counting_in_cents(question: str, expression: str, meant: str) -> None:
    """What the answer calculates is an amount."""
    assert without_hundred(plan(calculated(expression)), question) == plan(calculated(meant))


@pytest.mark.parametrize(
    ("actions", "whole"),
    [
        ([sql("SELECT MAX(pay), MIN(pay) FROM staff WHERE role IN ('a-b', 'c')")], False),
        ([sql("SELECT role, pay - 9 AS more FROM staff")], True),
        ([sql("SELECT 1 FROM a"), sql("SELECT 2 FROM a"), calculated("$s1 - $s2")], True),
    ],
)
def test_by_how_much_is_a_difference(actions: Sequence[Action], whole: bool) -> None:
    """Two values of a table are none."""
    doubt = "" if whole else "print the difference, too"
    assert doubts(plan(*actions), "Who earns more, and by how much?", (), (), "") == doubt


def test_what_is_asked_twice_is_no_difference() -> None:
    """Two queries that are the same have none; without a calculation they may both be printed."""
    one = sql("SELECT SUM(price) FROM s")
    assert doubts(plan(one, one, calculated("$s1 - $s2")), "What is it?", (), (), "") == "both queries are the same"
    assert doubts(plan(one, one), "What is it?", (), (), "") == ""


@pytest.mark.parametrize(
    ("question", "query", "doubt"),
    [
        ("What does it cost once the announced increase applies?", "SELECT price FROM s", "use the increase too"),
        ("What does it cost once the announced increase applies?", "SELECT price * 1.07 FROM s", ""),
        ("Which orders came with a discount?", "SELECT id FROM s WHERE discount = 'yes'", ""),
        ("What was the increase?", "SELECT price FROM s", ""),
    ],
)
def test_a_price_with_a_rise_in_it_is_calculated(question: str, query: str, doubt: str) -> None:
    """The price of today alone is another one, unless a column has what it is less or more."""
    assert doubts(plan(sql(query)), question, (), (), "") == doubt


@pytest.mark.parametrize(
    ("question", "stated", "doubt"),
    [
        ("It is three hours late. What does that cost?", "An hour costs 5 euros.", "use three hours too"),
        ("It is three hours late. What does that cost?", "Of three hours, one costs 5 euros.", ""),
        ("What do the three bikes cost?", "A bike costs 5 euros.", ""),
        ("Who was three hours late?", "Ana was late.", ""),
        ("What do two bikes cost?", "A bike costs 5 euros.", ""),
        ("What do seventy-three chairs cost?", "A chair costs 5 euros.", ""),
        ("What do thirty chairs cost?", "A chair costs 5 euros.", "use thirty chairs too"),
    ],
)
def test_a_number_in_words_is_used_where_money_is_asked_for(question: str, stated: str, doubt: str) -> None:
    """From three on: two things are often no number that is calculated with."""
    assert doubts(plan(calculated("5 + 0")), question, (), (), stated) == doubt


@pytest.mark.parametrize(
    ("question", "condition", "doubt"),
    [
        ("Who replaces Theo?", "days_per_week < 5", "nobody spoke of days_per_week < 5"),
        ("Who works less than five days?", "days_per_week < 5", ""),
        ("Who works less than 5 days?", "days_per_week < 5", ""),
        ("Who works a whole week?", "days_per_week = 5", ""),
        ("Who works at all?", "days_per_week > 0", ""),
        ("Who came in 2019?", "since = 2019 AND MONTH(day) = 3", ""),
        ("Who may be an adult?", "age >= 18", ""),
        ("Who works two hours?", "minutes >= 120", ""),
        ("Who did their hours?", "hours < 18", "nobody spoke of hours < 18"),
    ],
)
def test_a_limit_that_nobody_spoke_of_is_doubtful(question: str, condition: str, doubt: str) -> None:
    """In digits, in words, in a sentence, or of a word such as adult; a year and a month are looked at apart."""
    query = sql(f"SELECT name FROM team WHERE {condition}")
    stated = "" if "whole" not in question else "A whole week has 5 days."
    assert doubts(plan(query), question, (), (), stated) == doubt


@pytest.mark.parametrize(
    ("question", "value", "stated", "whole"),
    [
        ("What does the visit cost, entry and tour together?", 35, "A tour costs 35 pounds.", False),
        ("What does the visit cost, entry and tour together?", "35 pounds", "A tour costs 35 pounds.", False),
        ("What does the visit cost, entry and tour together?", 35, "A tour costs 35 pounds, entry included.", False),
        ("What does the visit cost, entry and tour together?", 35, "Entry and tour cost 35 pounds together.", True),
        ("What does the tour cost?", 35, "A tour costs 35 pounds.", True),
        ("Who comes together with Anna?", "Theo", "Anna comes with Theo.", True),
    ],
)
def test_what_comes_together_is_more_than_one_price(question: str, value: str | int, stated: str, whole: bool) -> None:
    """Unless the sentence says that it is for all of it."""
    assert (doubts(plan(quoted(value)), question, (), (), stated) == "") is whole
