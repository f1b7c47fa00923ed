"""Which tables and columns a query uses."""

from __future__ import annotations

import duckdb
import pytest

from aeon.tools.queryuse import used_by

pytestmark = pytest.mark.requirement("T5m")


@pytest.mark.parametrize(
    ("query", "used"),
    [
        ("SELECT sum(takings) FROM sales", {"sales": ["takings"]}),
        ('SELECT max("Takings") FROM SALES', {"sales": ["takings"]}),
        ("SELECT count(*) FROM sales", {"sales": []}),
        ("SELECT * FROM sales", {"sales": None}),
        ("FROM sales", {"sales": None}),
        ("SELECT s.* FROM sales s", {"sales": None}),
        ("SELECT s FROM sales s", {"sales": None}),
        ("SELECT sales FROM sales", {"sales": None}),
        ("SELECT x FROM sales t(x, y)", {"sales": None}),
        ("SELECT #1 FROM sales", {"sales": None}),
        ("SELECT COLUMNS('t.*') FROM sales", {"sales": None}),
        ("SELECT count(*) FROM sales NATURAL JOIN shops", {"sales": None, "shops": None}),
        ("SELECT count(*) FROM sales JOIN shops USING (shop)", {"sales": ["shop"], "shops": ["shop"]}),
        ("SELECT town FROM shops WHERE shop IN (SELECT shop FROM sales WHERE takings > 2)",
         {"sales": ["shop", "takings", "town"], "shops": ["shop", "takings", "town"]}),
        ("WITH a AS (SELECT takings AS t FROM sales) SELECT max(t) FROM a", {"sales": ["t", "takings"]}),
        ("SELECT bin FROM histogram(sales, takings)", {"sales": None}),
        ("SUMMARIZE sales", {"sales": None}),
        ("SELECT 1", {}),
        ("PIVOT sales ON shop USING sum(takings)", None),
    ],
)  # fmt: skip
def test_what_a_query_uses(query: str, used: dict[str, list[str] | None] | None) -> None:
    """Names that are columns of no table that is asked do no harm; what may stand for any column stands for all."""
    with duckdb.connect() as connection:
        assert used_by(connection, query, ["sales", "shops"]) == used
