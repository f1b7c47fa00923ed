"""Days of queries: those that nobody spoke of are left out, and those that are asked for are put in."""

from __future__ import annotations

import pytest

from aeon.plan.days import with_day, without_unsaid_days
from aeon.plan.queries import query_of
from aeon.schema import Plan, Step, ToolCall
from aeon.tools.tableinfo import TableInfo

pytestmark = pytest.mark.requirement("T1b")
TABLES = (
    TableInfo("sales", "s.csv", (("sold", "DATE"),), 3, (), days=(("sold", "2026-07-14 to 2026-09-26"),)),
    TableInfo("log", "l.csv", (("day", "DATE"),), 3, (), days=(("day", "2026-03-28 to 2026-07-11"),)),
    TableInfo(
        "loans", "o.csv", (), 3, (), days=(("out", "2026-01-02 to 2026-07-11"), ("back", "2026-01-09 to 2026-07-19"))
    ),
)


def plan(query: str) -> Plan:
    """A plan of one query."""
    return Plan(steps=(Step(id="s1", description="s1", action=ToolCall(tool="sql", arguments={"query": query})),))


def spanned(query: str, question: str) -> str:
    """The query without days that nobody spoke of."""
    return query_of(without_unsaid_days(plan(query), question, TABLES).steps[0])


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("SELECT max(n) FROM log WHERE day BETWEEN '2026-07-14' AND '2026-09-26'", "SELECT max(n) FROM log"),
        (
            "SELECT max(n) FROM log WHERE day BETWEEN '2026-07-14' AND '2026-09-26' AND hive = 'Ada' ORDER BY n",
            "SELECT max(n) FROM log WHERE hive = 'Ada' ORDER BY n",
        ),
        (
            "SELECT hive FROM log WHERE n > 3 AND \"day\" between '2026-03-28' and '2026-07-11' GROUP BY hive",
            "SELECT hive FROM log WHERE n > 3 GROUP BY hive",
        ),
        (
            "SELECT 1 FROM log WHERE (day BETWEEN '2026-03-28' AND '2026-07-11')",
            "SELECT 1 FROM log WHERE (TRUE)",
        ),
    ],
)
def test_the_span_of_a_table_is_no_condition(query: str, asked: str) -> None:
    """The model copies it from what it is told, of whichever table."""
    assert spanned(query, "Which hive had most this year, 2026?") == asked


@pytest.mark.parametrize(
    ("query", "question"),
    [
        ("SELECT 1 FROM log WHERE day BETWEEN '2026-03-28' AND '2026-07-11'", "How many from 28 March to 11 July?"),
        ("SELECT 1 FROM log WHERE day BETWEEN '2026-04-01' AND '2026-04-30'", "How many in April?"),
        ("SELECT 1 FROM log WHERE day BETWEEN '2026-06-01' AND '2026-08-31'", "How many this summer?"),
        ("SELECT 1 FROM log WHERE day BETWEEN '2026-01-01' AND '2026-12-31'", "How many this year?"),
        ("SELECT 1 FROM log WHERE weekday BETWEEN 'Mon' AND 'Fri'", "How many on weekdays?"),
        ("SELECT 1 FROM log WHERE day NOT BETWEEN '2026-04-01' AND '2026-04-30'", "Which are open?"),
    ],
)
def test_days_that_are_spoken_of_stay(query: str, question: str) -> None:
    """The question may mean just these."""
    assert spanned(query, question) == query


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("SELECT max(n) FROM log WHERE day BETWEEN '2026-07-01' AND '2026-09-30'", "SELECT max(n) FROM log"),
        (
            "SELECT max(n) FROM log WHERE weekday BETWEEN 'Mon' AND 'Fri' AND n > 1",
            "SELECT max(n) FROM log WHERE n > 1",
        ),
        (
            "SELECT id FROM log WHERE 'Paid on' NOT BETWEEN '2026-03-28' AND '2026-07-11'",
            "SELECT id FROM log WHERE 'Paid on' IS NULL",
        ),
    ],
)
def test_parts_of_a_year_that_nobody_spoke_of_are_left_out(query: str, asked: str) -> None:
    """What does not lie in the whole span of a column is empty there."""
    assert spanned(query, "Which of them this year, all in all?") == asked


MOST = "SELECT hive, MAX(n) AS most FROM {table} GROUP BY hive ORDER BY most DESC LIMIT 1"


@pytest.mark.parametrize(
    ("question", "query", "asked"),
    [
        ("Which hive had most, and on what day?", MOST.format(table="log"),
         'SELECT hive, n, "day" FROM log ORDER BY n DESC NULLS LAST LIMIT 1'),
        ("Which hive had least and when?",
         "SELECT hive, MIN(`n`) FROM log WHERE m > 1 GROUP BY hive ORDER BY 2 ASC LIMIT 1",
         'SELECT hive, `n`, "day" FROM log WHERE m > 1 ORDER BY `n` ASC NULLS LAST LIMIT 1'),
        ("Which hive had most?", MOST.format(table="log"), MOST.format(table="log")),
        ("Which hive had most, and when?", MOST.format(table="loans"), MOST.format(table="loans")),
        ("Which hive had least, and when?", MOST.format(table="log").replace("DESC", "ASC"),
         MOST.format(table="log").replace("DESC", "ASC")),
    ],
)  # fmt: skip
def test_the_day_of_the_most_is_that_of_its_row(question: str, query: str, asked: str) -> None:
    """Where the question asks for it and the table has one column of days."""
    assert query_of(with_day(plan(query), question, TABLES).steps[0]) == asked
