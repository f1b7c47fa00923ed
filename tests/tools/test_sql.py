"""Asking tables with SQL."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import duckdb
import pytest

from aeon.documents.folder import Folder
from aeon.errors import ToolArgumentError, ToolFailed
from aeon.schema import JsonObject
from aeon.tools import ToolRegistry, database
from aeon.tools.database import Database
from aeon.tools.files import files
from aeon.tools.sql import sql
from aeon.tools.tablefile import TableFile

pytestmark = pytest.mark.requirement("T1")

SHOPS = """city,region,revenue,opened,"Unit Price",order,note
Rome,South,12.50,2024-01-31,0.10,1,a
rome,South,0.10,2024-02-29,0.20,2,b
Oslo,North,0.20,2024-03-01,0.10,3,
Bergen,North,1000000.05,2023-12-24,0.10,4,Straße
"""
SALES = "id,city,amount\n" + "".join(f"{n},{'Rome' if n % 2 else 'Oslo'},{n}.25\n" for n in range(1, 301))


@pytest.fixture(scope="module")
def shops(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Load two tables."""
    folder = tmp_path_factory.mktemp("shops")
    (folder / "shops.csv").write_text(SHOPS, encoding="utf-8")
    (folder / "sales.csv").write_text(SALES, encoding="utf-8")
    return Database.load(Folder.open(folder), ["shops.csv", "sales.csv"])


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("SELECT sum(revenue) FROM shops", 1000012.85),
        ("SELECT count(*) FROM shops", 4),
        ("SELECT city FROM shops ORDER BY revenue DESC LIMIT 2", ["Bergen", "Rome"]),
        ("SELECT city, revenue FROM shops WHERE note = 'a'", {"city": "Rome", "revenue": 12.5}),
        ("SELECT city, opened FROM shops WHERE region = 'north' ORDER BY 1", [
            {"city": "Bergen", "opened": "2023-12-24"}, {"city": "Oslo", "opened": "2024-03-01"}]),
        ("SELECT city FROM shops WHERE revenue > 5e9", []),
        ("SELECT max(note) FROM shops WHERE city = 'Oslo'", None),
        ("SELECT 0.1::DOUBLE + 0.2::DOUBLE", 0.3),
        ("SELECT 2::DOUBLE", 2),
        ("SELECT sum(revenue) / 3 FROM shops WHERE city = 'Oslo'", 0.0666666666667),
        ("SELECT 1234567890123.45::DOUBLE", 1234567890123.45),
        ("SELECT 1234567890123.45::DECIMAL(18,2)", 1234567890123.45),
        ("SELECT 12345678901234567890::HUGEINT * 10", 123456789012345678900),
        ("SELECT revenue * revenue * revenue FROM shops WHERE city = 'Bergen'", 1000000150000007500.000125),
        ("SELECT max(opened) - min(opened) FROM shops", 68),
        ("SELECT max(opened)::TIMESTAMP - min(opened)::TIMESTAMP FROM shops", 68),
        ("SELECT date_trunc('month', max(opened)) FROM shops", "2024-03-01"),
        ("SELECT TIMESTAMP '2024-01-01 10:30:00'", "2024-01-01T10:30:00"),
        ("SELECT TIME '10:30:00'", "10:30:00"),
        ("SELECT revenue > 1 FROM shops WHERE note = 'a'", True),
        ("SELECT 1/0", None),
        ("SELECT 1 % 0", None),
        ("SELECT 'inf'::DOUBLE", None),
        ("SELECT [1, 2.5] AS l, {'a': DATE '2024-01-02'} AS s", {"l": [1, 2.5], "s": {"a": "2024-01-02"}}),
        ("SELECT a.city, b.city FROM shops a JOIN shops b ON a.note = 'a' AND b.note = 'b'",
         {"city": "Rome", "city_2": "rome"}),
        ("WITH q AS (SELECT city AS c FROM shops) SELECT count(DISTINCT c) FROM Q", 3),
        ("  -- a remark\n (SELECT 1);; ", 1),
        ("FROM shops SELECT count(*)", 4),
        ("SELECT \"Unit Price\" + \"order\" FROM main.shops WHERE note = 'a'", 1.1),
    ],
)  # fmt: skip
def test_results_are_plain_values(shops: Database, query: str, value: object) -> None:
    """One cell is a value, one column a list, one row an object; numbers are exact, days are text, nothing is null."""
    result = shops.query(query)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ("city = 'ROME'", 2),
        ("city <> 'ROME'", 2),
        ("city IN ('ROME', 'oslo')", 3),
        ("city LIKE 'RO%'", 2),
        ("city NOT LIKE 'RO%'", 2),
        ("city ILIKE 'ro%' AND 'like' = 'LIKE'", 2),
        ("note LIKE '%STRAß%'", 1),
        ("city IN (SELECT 'ROME')", 2),
        ("city BETWEEN 'a' AND 'P'", 2),
    ],
)
def test_texts_are_compared_without_case(shops: Database, condition: str, count: int) -> None:
    """Upper and lower case do not matter in comparisons, groups and patterns."""
    assert shops.query(f"SELECT count(*) FROM shops WHERE {condition}") == count


def test_groups_and_joins_do_not_mind_case(shops: Database) -> None:
    """Rome and rome are one group, and are joined."""
    assert shops.query("SELECT count(*) FROM (SELECT city FROM shops GROUP BY city)") == 3
    assert shops.query("SELECT count(*) FROM shops s JOIN sales USING (city) WHERE s.region = 'South'") == 300


@pytest.mark.parametrize(
    "query",
    [
        "CREATE TABLE x AS SELECT 1",
        "INSERT INTO shops SELECT * FROM shops",
        "UPDATE shops SET city = 'x'",
        "DELETE FROM shops",
        "DROP TABLE shops",
        "COPY shops TO '/tmp/aeon_test_out.csv'",
        "ATTACH '/tmp/aeon_test.db'",
        "PRAGMA version",
        "SET threads = 1",
        "CALL pragma_version()",
        "INSTALL httpfs",
        "EXPLAIN SELECT 1",
        "VALUES (1)",
        "DESCRIBE shops",
        "SHOW TABLES",
        "SELECT * FROM (DESCRIBE shops)",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE shops",
        "WITH x AS (INSERT INTO shops SELECT * FROM shops RETURNING *) SELECT * FROM x",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM \"read_csv\"('/etc/passwd')",
        "SELECT * FROM main.read_text('/etc/passwd')",
        "SELECT (SELECT content FROM read_text('/etc/passwd'))",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM 'shops.csv'",
        "SELECT * FROM query('SELECT 1')",
        "SELECT * FROM arrow_scan(1, 2, 3)",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM pg_settings",
        "SELECT * FROM information_schema.tables",
        "SELECT current_setting('temp_directory')",
        "SELECT getenv('HOME')",
        "SELECT sleep_ms(1000000)",
        "PIVOT shops ON city USING sum(revenue)",
        "",
        ";",
        "SELECT",
        "SELECT '\ud800'",
        "SELECT 1 \x00",
        "SELECT " + "(" * 5000 + "1" + ")" * 5000,
        "SELECT '" + "x" * 30_000 + "'",
    ],
)
def test_only_a_select_of_the_tables_is_run(shops: Database, query: str) -> None:
    """Whatever changes something or reaches beyond the tables is refused in one line, before it is run."""
    with pytest.raises(ToolArgumentError) as caught:
        shops.query(query)
    line = str(caught.value)
    assert 0 < len(line) <= 600
    assert "\n" not in line
    assert shops.query("SELECT count(*) FROM shops") == 4


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/*')",
        "COPY shops TO '/tmp/aeon_test_out.csv'",
        "ATTACH '/tmp/aeon_test.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET memory_limit = '100GB'",
    ],
)
def test_the_engine_itself_is_locked(shops: Database, statement: str) -> None:
    """Even a statement that got past the check of the query could reach no file and unlock nothing."""
    with TableFile(shops._scratch).session((), 10) as cursor, pytest.raises(duckdb.Error):
        cursor.execute(statement)
    assert not Path("/tmp/aeon_test_out.csv").exists()


def test_a_query_runs_where_nothing_can_be_written(shops: Database) -> None:
    """The transaction of a query is read-only."""
    with TableFile(shops._scratch).session((), 10) as cursor, pytest.raises(duckdb.Error, match="read-only"):
        cursor.execute("CREATE TABLE x AS SELECT 1")


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("SELECT sum(revenu) FROM shops", r"no column revenu; did you mean revenue\? shops has: city, region, revenue"),
        ("SELECT s.price FROM shops s", r"no column price; did you mean \"Unit Price\"\? shops has: .*\"order\""),
        ("SELECT city FROM shops WHERE region = \"South\"", r"no column South; .*single quotes: 'South'"),
        ("SELECT a FROM shop", r"no table shop; did you mean shops\? the tables are: shops, sales"),
        ("SELECT x.city FROM shops s", r"no table x"),
        ("SELECT total(revenue) FROM shops", r"no function total"),
        ("SELECT sum(city) FROM shops", r"sum\(VARCHAR\) does not work"),
        ("SELECT city FROM shops WHERE revenue > 'much'", r"Could not convert string \"much\""),
        ("SELECT city FROM shops WHERE city > 1", r"Cannot compare values of type VARCHAR"),
        ("SELECT city, revenue FROM shops GROUP BY city", r"column \"revenue\" must appear in the GROUP BY"),
        ("SELECT city FROM shops WHERE", r"does not parse: syntax error"),
        ("SELECT order FROM shops", r"does not parse: syntax error"),
        ("SELECT city FROM shops WHERE opened = '31.01.2024'", r"expected format is \(YYYY-MM-DD\)"),
    ],
)  # fmt: skip
def test_a_wrong_query_is_explained(shops: Database, query: str, line: str) -> None:
    """One line names what is wrong and what there is instead."""
    with pytest.raises(ToolArgumentError, match=line) as caught:
        shops.query(query)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("SELECT sum(revenue) FROM shops WHERE region = 'southern'",
         "no row has region = 'southern'; values of region are: North, South"),
        ("SELECT city, revenue FROM shops s WHERE lower(s.region) = 'west'", "no row has region = 'west'"),
        ("SELECT city FROM shops WHERE 'Paris' = city", "no row has city = 'Paris'"),
        ("SELECT sum(revenue), max(opened) FROM shops WHERE city IN ('Paris')", "no row has city = 'Paris'"),
        ("SELECT city FROM shops WHERE city LIKE '%aris%'", "no row has city LIKE '%aris%'"),
        ("SELECT max(opened) FROM (SELECT * FROM shops WHERE city = 'Paris')", "values of city are: Bergen, Oslo, R"),
    ],
)  # fmt: skip
def test_a_text_that_stands_nowhere_is_named(shops: Database, query: str, line: str) -> None:
    """Nothing is found where a text is compared that its column never holds: that is said, with what it does hold."""
    with pytest.raises(ToolArgumentError) as caught:
        shops.query(query)
    assert line in str(caught.value)


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("SELECT city FROM shops WHERE region = 'South' AND city = 'oslo'", []),
        ("SELECT sum(revenue) FROM shops WHERE city = 'Rome' AND revenue > 100", None),
        ("SELECT city FROM shops WHERE city = 'Rome' AND revenue > 100 AND NOT region = 'West'", []),
        ("SELECT city FROM shops WHERE revenue > 100 AND city <> 'Bergen' AND opened = '2024-01-01'", []),
        ("SELECT city FROM shops WHERE strftime(opened, '%Y') = '1999'", []),
    ],
)
def test_nothing_found_may_be_the_answer(shops: Database, query: str, value: object) -> None:
    """Where the texts stand in their columns, nothing is a result."""
    assert shops.query(query) == value


def test_many_values_give_the_nearest(tmp_path: Path) -> None:
    """Of many values those are listed that the text is like, and otherwise the first."""
    (tmp_path / "t.csv").write_text("name\n" + "".join(f"item {n:03}\n" for n in range(500)) + "Rotterdam\n")
    tables = Database.load(Folder.open(tmp_path), ["t.csv"])
    with pytest.raises(ToolArgumentError, match=r"the nearest values of name are: Rotterdam, …$"):
        tables.query("SELECT * FROM t WHERE name = 'Roterdam'")
    with pytest.raises(ToolArgumentError, match=r"values of name are: item 000, .*item 011, …$"):
        tables.query("SELECT * FROM t WHERE name = 'xyz'")


def test_an_endless_query_is_stopped(shops: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A query that takes too long is interrupted, and the next one runs."""
    monkeypatch.setattr(database, "_SECONDS", 0.5)
    start = time.perf_counter()
    with pytest.raises(ToolFailed, match=r"longer than 0.5 s"):
        shops.query("SELECT max(hash(range)) FROM range(1000000000000)")
    assert time.perf_counter() - start < 5
    assert shops.query("SELECT 1") == 1


def test_what_begins_when_the_time_is_over_is_stopped(shops: Database) -> None:
    """The time is that of all statements on a connection: one that begins after it is stopped at once."""
    start = time.perf_counter()
    with TableFile(shops._scratch).session((), 0.1) as cursor:
        time.sleep(0.4)
        with pytest.raises(duckdb.InterruptException):
            cursor.execute("SELECT count(*) FROM range(10000000000) a, range(10000000000) b")
    assert time.perf_counter() - start < 5
    assert shops.query("SELECT 1") == 1


@pytest.mark.requirement("T1a")
def test_a_query_that_took_too_long_is_not_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A query that is stopped when it is planned fails at once when it runs: it takes its time once."""
    monkeypatch.setattr(database, "_SECONDS", 0.5)
    monkeypatch.setenv("AEON_HOME", str(tmp_path / "home"))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "t.csv").write_text("a\n1\n")
    registry = ToolRegistry(files(tmp_path / "data"))
    arguments: JsonObject = {"query": "SELECT sum(a.range % 7) FROM range(1000000000000) a, t"}
    assert registry.check("sql", arguments) == []
    start = time.perf_counter()
    with pytest.raises(ToolFailed, match=r"longer than 0.5 s"):
        asyncio.run(registry.call("sql", arguments))
    assert time.perf_counter() - start < 0.4


def test_many_rows_are_refused(shops: Database) -> None:
    """Two hundred rows are given, more are not, and ten million do not fill the memory."""
    rows = shops.query("SELECT id FROM sales LIMIT 200")
    assert isinstance(rows, list)
    assert len(rows) == 200
    for query in ("SELECT id FROM sales", "SELECT * FROM range(10000000)"):
        with pytest.raises(ToolFailed, match=r"more than 200 rows; add LIMIT"):
            shops.query(query)


def test_too_much_memory_is_a_failure(shops: Database) -> None:
    """A query beyond the limit of memory fails, and the next one runs."""
    with pytest.raises(ToolFailed, match="needs too much"):
        shops.query("SELECT len(list(x)) FROM range(100000000) t(x)")
    assert shops.query("SELECT max(id) FROM sales") == 300


def test_threads_ask_at_once(shops: Database) -> None:
    """Many threads get their own results."""
    results: dict[int, object] = {}

    def ask(number: int) -> None:
        for _ in range(5):
            results[number] = shops.query(f"SELECT sum(amount) + {number} FROM sales")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: 45225 + number for number in range(8)}


def test_describe_tells_names_types_and_rows(shops: Database) -> None:
    """A planner sees what a query may name, as it has to be written, and what cells look like."""
    first, second = shops.describe().splitlines()
    assert first == (
        "shops(city VARCHAR, region VARCHAR, revenue DECIMAL, opened DATE 2023-12-24 to 2024-03-01, "
        '"Unit Price" DECIMAL, "order" BIGINT, note VARCHAR) 4 rows; '
        "e.g. ('Rome', 'South', 12.5, '2024-01-31', 0.1, 1, 'a')"
    )
    assert second == ("sales(id BIGINT, city VARCHAR, amount DECIMAL) 300 rows; e.g. (1, 'Rome', 1.25)")


def test_describe_is_bounded(tmp_path: Path) -> None:
    """Many tables and long cells do not flood a prompt, and what is left out is counted."""
    for number in range(40):
        (tmp_path / f"table_{number:02}.csv").write_text("a,b\n" + "x" * 5_000 + ",1\n")
    source = Folder.open(tmp_path)
    tables = Database.load(source, [name for name, _ in source.files()])
    for limit in (300, 2000):
        text = tables.describe(limit)
        assert len(text) <= limit
        assert f"and {40 - len(text.splitlines()) + 1} more tables" in text
    assert Database.load(source, []).describe() == ""


def test_the_tool_asks_the_tables(shops: Database) -> None:
    """The tool changes nothing, knows its tables, and gives a query's value or its error."""
    tool = sql(shops)
    assert (tool.name, tool.side_effects, tool.hint) == ("sql", False, shops.describe())
    assert list(tool.parameters["properties"]) == ["query"]  # type: ignore[arg-type]
    registry = ToolRegistry([tool])
    output = asyncio.run(registry.call("sql", {"query": "SELECT count(*) FROM shops"}))
    assert output.value == 4
    with pytest.raises(ToolArgumentError, match="sql: there is no table shop"):
        asyncio.run(registry.call("sql", {"query": "SELECT count(*) FROM shop"}))


@pytest.mark.requirement("W3d")
def test_where_a_text_stands_is_said(shops: Database) -> None:
    """Beside the values of the column that the query asked, as it is written there: with its case and accents."""
    for asked in ("Rome", "ROME", "Romé"):
        with pytest.raises(ToolArgumentError, match=rf"no row has note = '{asked}'; shops\.city has 'Rome'; "):
            shops.query(f"SELECT revenue FROM shops WHERE note = '{asked}'")
