"""Months that a question asks for, where a query groups by days."""

from __future__ import annotations

import pytest

from aeon.plan.months import in_months
from aeon.plan.queries import query_of
from aeon.schema import Plan, Step, ToolCall
from aeon.tools.tableinfo import TableInfo

pytestmark = pytest.mark.requirement("T1b")
TABLES = (TableInfo("sales", "sales.csv", (("day", "DATE"), ("city", "VARCHAR"), ("units", "BIGINT")), 9, ()),)
BEST = "In which month did Cork sell the most?"
OF_MONTHS = (
    "SELECT strftime(day, '%B %Y') AS m, SUM(units) FROM s GROUP BY strftime(day, '%B %Y') ORDER BY 2 DESC LIMIT 1"
)


def meant(query: str, question: str = BEST, tables: tuple[TableInfo, ...] = TABLES) -> str:
    """The query of a plan of one, as it is meant."""
    step = Step(id="s1", description="q", action=ToolCall(tool="sql", arguments={"query": query}))
    return query_of(in_months(Plan(steps=(step,), answer=("s1",)), question, tables).steps[0])


@pytest.mark.parametrize("day", ["DATE(day)", "CAST(day AS DATE)", "day", "date( day )"])
def test_days_are_grouped_by_month(day: str) -> None:
    """However the day is written."""
    query = f"SELECT {day} AS m, SUM(units) FROM s GROUP BY {day} ORDER BY 2 DESC LIMIT 1"
    assert meant(query) == OF_MONTHS


@pytest.mark.parametrize(
    ("query", "question"),
    [
        ("SELECT MONTH(day), SUM(units) FROM s GROUP BY MONTH(day)", BEST),
        ("SELECT strftime(day, '%m') FROM s GROUP BY 1", BEST),
        ("SELECT day FROM s ORDER BY units DESC LIMIT 1", BEST),
        ("SELECT city, SUM(units) FROM s GROUP BY city", BEST),
        ("SELECT day, SUM(units) FROM s GROUP BY day", "On which day did Cork sell the most?"),
    ],
)
def test_what_is_no_group_of_days_stays(query: str, question: str) -> None:
    """Months already, rows, groups of something else, and questions for a day."""
    assert meant(query, question) == query


def test_without_dates_nothing_is_grouped() -> None:
    """A column of that name may hold anything."""
    query = "SELECT day, SUM(units) FROM s GROUP BY day"
    assert meant(query, BEST, (TableInfo("s", "s.csv", (("day", "VARCHAR"),), 9, ()),)) == query
