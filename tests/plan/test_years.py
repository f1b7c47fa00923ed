"""Years that nobody named: the only one that the tables have is meant."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from aeon.plan.queries import query_of
from aeon.plan.years import in_years
from aeon.schema import Plan, Step, ToolCall
from aeon.tools.tableinfo import TableInfo

pytestmark = pytest.mark.requirement("T1b")


def query(text: str, question: str = "What came in April?", years: Sequence[int] = (2025,)) -> str:
    """The query of the plan that is made of one."""
    step = Step(id="s1", description="a step", action=ToolCall(tool="sql", arguments={"query": text}))
    days = tuple((f"d{year}", f"{year}-02-03 to {year}-11-12") for year in years)
    shops = TableInfo(
        "shops", "shops.csv", (("opened", "DATE"),), 1, (), days=(("opened", "2011-04-01 to 2011-04-01"),)
    )
    tables = [TableInfo("s", "s.csv", (), 9, (), days=days), shops]
    return query_of(in_years(Plan(steps=(step,), answer=("s1",)), question, tables).steps[0])


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("d BETWEEN '2026-04-01' AND '2026-04-30'", "d BETWEEN '2025-04-01' AND '2025-04-30'"),
        ("d >= '2026-04-01 00:00:00'", "d >= '2025-04-01 00:00:00'"),
        ("d LIKE '2026-04%'", "d LIKE '2025-04%'"),
        ("YEAR(d) = 2026 AND MONTH(d) = 4", "YEAR(d) = 2025 AND MONTH(d) = 4"),
        ("d <= '2024-02-29'", "d <= '2025-02-28'"),
        ("d = '2025-04-01'", "d = '2025-04-01'"),
        ("d BETWEEN '2025-12-01' AND '2026-01-31'", "d BETWEEN '2025-12-01' AND '2026-01-31'"),
        ("d = '2023-04-01' OR d = '2024-04-01'", "d = '2023-04-01' OR d = '2024-04-01'"),
        ("units > 2026", "units > 2026"),
    ],
)
def test_a_year_that_no_table_has_becomes_the_one_that_they_have(written: str, meant: str) -> None:
    """Not where the query has the right one too, or two of them; and numbers are no years."""
    assert query(f"SELECT SUM(r) FROM s WHERE {written}") == f"SELECT SUM(r) FROM s WHERE {meant}"


def test_a_year_that_was_said_or_cannot_be_known_stays() -> None:
    """The question names one, or the tables that are asked have several, or none."""
    written = "SELECT SUM(r) FROM s WHERE YEAR(d) = 2026"
    assert query(written, "What came in April 2026?") == written
    assert query(written, years=(2024, 2025)) == written
    assert query(written, years=()) == written
    joined = "SELECT SUM(r) FROM s JOIN shops ON s.c = shops.c WHERE YEAR(d) = 2026"
    assert query(joined) == joined


def test_a_span_over_new_year_is_of_both_years() -> None:
    """Then nobody knows which is meant."""
    call = ToolCall(tool="sql", arguments={"query": "SELECT * FROM s WHERE YEAR(d) = 2020"})
    step = Step(id="s1", description="a step", action=call)
    table = TableInfo("s", "s.csv", (), 9, (), days=(("d", "2024-11-02 to 2025-01-30"),))
    plan = Plan(steps=(step,), answer=("s1",))
    assert in_years(plan, "What came in April?", [table]) == plan
