"""Questions for the first of all groups."""

from __future__ import annotations

import pytest

from aeon.plan.queries import query_of
from aeon.plan.ranks import ranked, unranked, with_name
from aeon.schema import Plan, Step, ToolCall
from aeon.tools.tableinfo import TableInfo

pytestmark = pytest.mark.requirement("T1")
GROUPS = "SELECT plot, MAX(rent) FROM plots GROUP BY plot"


def asked(query: str) -> Step:
    """A step with this query."""
    return Step(id="s1", description="answer", action=ToolCall(tool="sql", arguments={"query": query}))


@pytest.mark.parametrize(
    ("question", "query", "behind"),
    [
        ("Which plot has the highest rent?", GROUPS, " ORDER BY 2 DESC LIMIT 1"),
        ("Which plot has the lowest rent, and how much is it?", f"{GROUPS};", " ORDER BY 2 ASC LIMIT 1"),
        ("Who pays the most?", "SELECT t, sum(rent) AS r FROM p WHERE y = 1 GROUP BY t", " ORDER BY 2 DESC LIMIT 1"),
        ("What is the cheapest plot?", GROUPS, " ORDER BY 2 ASC LIMIT 1"),
        ("Which plots have which rent?", GROUPS, ""),
        ("Which three plots have the highest rent?", GROUPS, ""),
        ("What is the rent of each plot?", GROUPS, ""),
        ("Which plot has the most recent lease?", GROUPS, ""),
        ("Which plot has the highest rent?", f"{GROUPS} ORDER BY 2 DESC LIMIT 1", ""),
        ("Which plot has the highest rent?", f"{GROUPS} HAVING MAX(rent) > 3", ""),
        ("Which plot has the highest rent?", "SELECT plot, area, MAX(rent) FROM plots GROUP BY plot, area", ""),
        ("Which plot has the highest rent?", "SELECT MAX(rent) FROM plots", ""),
    ],
)
def test_one_group_is_given_where_one_is_asked_for(question: str, query: str, behind: str) -> None:
    """Where the query is plain; else it stays as it is."""
    (step,) = ranked(Plan(steps=(asked(query),)), question).steps
    assert query_of(step) == (query.rstrip(";") if behind else query) + behind


def test_a_query_that_is_not_plain_is_doubtful() -> None:
    """It gives all groups to a question for one."""
    many = asked("SELECT plot, area, MAX(rent) FROM plots GROUP BY plot, area")
    assert list(unranked("Which plot has the highest rent?", [many])) == [
        "only the first one is asked for: use ORDER BY and LIMIT 1"
    ]
    assert not list(unranked("Which plots are let?", [many]))
    assert not list(unranked("Which plot has the highest rent?", [asked(f"{GROUPS} ORDER BY 2 DESC LIMIT 1")]))


JOINED = TableInfo("crew", "crew.csv", (("name", "VARCHAR"), ("joined", "BIGINT"), ("age", "BIGINT")), 3, ())
LEASES = TableInfo("leases", "l.csv", (("plot", "VARCHAR"), ("day", "DATE"), ("until", "DATE")), 3, ())


@pytest.mark.parametrize(
    ("question", "query", "meant"),
    [
        ("Who has been in the crew the longest?", "ORDER BY joined DESC LIMIT 1", "ORDER BY joined ASC LIMIT 1"),
        ("Who has worked here the longest?", "ORDER BY c.joined DESC LIMIT 1", "ORDER BY c.joined ASC LIMIT 1"),
        ("Who has had a locker the longest?", "ORDER BY joined DESC LIMIT 1", "ORDER BY joined ASC LIMIT 1"),
        ("Who has been here the longest?", "WHERE joined = (SELECT MAX(joined) FROM crew)", None),
        ("Who has been here the shortest?", "ORDER BY joined LIMIT 1", "ORDER BY joined DESC LIMIT 1"),
        ("Who is the oldest?", "ORDER BY age DESC LIMIT 1", "ORDER BY age DESC LIMIT 1"),
        ("Which lease is the oldest?", "ORDER BY day DESC LIMIT 1", "ORDER BY day ASC LIMIT 1"),
        ("Which is the newest lease?", "ORDER BY day LIMIT 1", "ORDER BY day DESC LIMIT 1"),
        ("Which lease has been let the longest?", "ORDER BY until DESC LIMIT 1", "ORDER BY until DESC LIMIT 1"),
        ("Who joined last?", "ORDER BY joined DESC LIMIT 1", "ORDER BY joined DESC LIMIT 1"),
        ("Which has the longest name?", "ORDER BY joined DESC LIMIT 1", "ORDER BY joined DESC LIMIT 1"),
        ("Who has been here the longest?", "ORDER BY joined DESC", "ORDER BY joined DESC"),
    ],
)
def test_what_began_first_has_lasted_longest(question: str, query: str, meant: str | None) -> None:
    """Rows are put in the order of their beginning, by a date or a year; ages, ends and other questions stay."""
    (step,) = ranked(Plan(steps=(asked(f"SELECT name FROM t {query}"),)), question, (JOINED, LEASES)).steps
    assert query_of(step) == f"SELECT name FROM t {meant or query.replace('MAX', 'MIN')}"


@pytest.mark.parametrize(
    ("question", "query", "named"),
    [
        ("What's the biggest single cost in our budget?", "SELECT MAX(`Quote £`) FROM budget",
         'SELECT "Item", `Quote £` FROM budget ORDER BY `Quote £` DESC NULLS LAST LIMIT 1'),
        ("What was our smallest cost?", "SELECT MIN(\"Quote £\") AS m FROM budget WHERE Item <> 'a'",
         'SELECT "Item", "Quote £" FROM budget WHERE Item <> \'a\' ORDER BY "Quote £" ASC NULLS LAST LIMIT 1'),
        ("What is the highest quote?", "SELECT MAX(`Quote £`) FROM budget", ""),
        ("How high is the biggest cost?", "SELECT MAX(`Quote £`) FROM budget", ""),
        ("What is our biggest cost?", "SELECT MAX(rent) FROM plots", ""),
        ("What is our biggest cost?", "SELECT MAX(a) FROM budget GROUP BY b", ""),
    ],
)  # fmt: skip
def test_what_is_the_biggest_has_a_name(question: str, query: str, named: str) -> None:
    """The text in the first column of its row; not where a column is called so, nor where rows have no name."""
    tables = (
        TableInfo("budget", "b.csv", (("Item", "VARCHAR"), ("Quote £", "DECIMAL")), 3, ()),
        TableInfo("plots", "p.csv", (("id", "BIGINT"), ("rent", "DECIMAL")), 3, ()),
    )
    made = with_name(Plan(steps=(asked(query),)), question, tables)
    assert query_of(made.steps[0]) == (named or query)
