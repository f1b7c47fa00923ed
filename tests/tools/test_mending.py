"""Queries that evidently mean something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.documents.folder import Folder
from aeon.tools.database import Database
from aeon.tools.mending import mended
from aeon.tools.weekdays import listed

pytestmark = pytest.mark.requirement("T1a")

ROWS = "city,region,units,price\nPorto,West,3,2.50\nTurku,North,9,1.20\nPorto,West,1,4.00\nO'Hara,West,2,1.00\n"


@pytest.fixture
def shops(tmp_path: Path) -> Database:
    """A table in which each text stands in one column."""
    (tmp_path / "shops.csv").write_text(ROWS)
    (tmp_path / "towns.csv").write_text("town\nPorto\n")
    return Database.load(Folder.open(tmp_path), ["shops.csv", "towns.csv"])


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("SELECT count(*) FROM shops WHERE region = 'Porto'", "SELECT count(*) FROM shops WHERE \"city\" = 'Porto'"),
        ("SELECT 1 FROM shops WHERE \"region\"='turku'", "SELECT 1 FROM shops WHERE \"city\"='turku'"),
        ("SELECT 1 FROM shops WHERE city = 'Porto City'", "SELECT 1 FROM shops WHERE city = 'Porto'"),
        ("SELECT 1 FROM shops WHERE city LIKE 'por%'", "SELECT 1 FROM shops WHERE city ILIKE 'por%'"),
        ("SELECT city FROM shops WHERE 'Units' > 2", 'SELECT city FROM shops WHERE "units" > 2'),
        (
            "SELECT SUM('units') FROM shops WHERE 'city' = 'Porto'",
            'SELECT SUM("units") FROM shops WHERE "city" = \'Porto\'',
        ),
        ("SELECT 'city' FROM shops ORDER BY 'price' LIMIT 1", 'SELECT "city" FROM shops ORDER BY "price" LIMIT 1'),
        ("SELECT 'we LIKE it' FROM shops", "SELECT 'we LIKE it' FROM shops"),
        (
            "SELECT units AS \"would like\" FROM shops WHERE city LIKE 'por%'",
            "SELECT units AS \"would like\" FROM shops WHERE city ILIKE 'por%'",
        ),
        (
            "SELECT units FROM shops WHERE city = 'Porto' AND town = 'Porto'",
            "SELECT units FROM shops WHERE city = 'Porto'",
        ),
        (
            "SELECT units FROM shops WHERE town = 'Porto' AND city = 'Porto' AND units > 1",
            "SELECT units FROM shops WHERE city = 'Porto' AND units > 1",
        ),
        (
            "SELECT region AS town FROM shops WHERE town = 'Porto'",
            "SELECT region AS town FROM shops WHERE town = 'Porto'",
        ),
        ("SELECT units FROM shops WHERE town = 'Turku'", "SELECT units FROM shops WHERE \"city\" = 'Turku'"),
        ("SELECT AVG(price) / units FROM shops", "SELECT SUM(price) / SUM(units) FROM shops"),
        (
            "SELECT units, AVG(price) / units FROM shops GROUP BY units",
            "SELECT units, AVG(price) / units FROM shops GROUP BY units",
        ),
        (
            "SELECT city, region, MAX(price) FROM shops WHERE units > 1;",
            "SELECT city, region, price FROM shops WHERE units > 1 ORDER BY price DESC NULLS LAST LIMIT 1",
        ),
        ("SELECT city, min(price) FROM shops", "SELECT city, price FROM shops ORDER BY price ASC NULLS LAST LIMIT 1"),
        ("SELECT city, MAX(price) FROM shops GROUP BY city", "SELECT city, MAX(price) FROM shops GROUP BY city"),
        ("SELECT 1 FROM shops WHERE city = 'Hara'", "SELECT 1 FROM shops WHERE city = 'O''Hara'"),
        ("SELECT 1 FROM shops WHERE region = 'O''Hara'", "SELECT 1 FROM shops WHERE \"city\" = 'O''Hara'"),
        (
            "SELECT city FROM shops GROUP BY city ORDER BY units DESC LIMIT 1",
            "SELECT city FROM shops GROUP BY city ORDER BY SUM(units) DESC LIMIT 1",
        ),
        (
            "SELECT city FROM shops WHERE price > 1 ORDER BY units LIMIT 1",
            "SELECT city FROM shops WHERE price > 1 GROUP BY city ORDER BY SUM(units) LIMIT 1",
        ),
        (
            "SELECT city, units FROM shops ORDER BY units DESC LIMIT 1;",
            "SELECT city, SUM(units) AS units FROM shops GROUP BY city ORDER BY SUM(units) DESC LIMIT 1",
        ),
        (
            "SELECT SUM(units) FROM shops WHERE city = 'Porto' - SUM(units) FROM shops WHERE city = 'Turku'",
            "SELECT (SELECT SUM(units) FROM shops WHERE city = 'Porto') - "
            "(SELECT SUM(units) FROM shops WHERE city = 'Turku')",
        ),
        (
            "SELECT SUM(units) FROM shops WHERE city = 'Porto' / SELECT COUNT(*) FROM shops;",
            "SELECT (SELECT SUM(units) FROM shops WHERE city = 'Porto') / (SELECT COUNT(*) FROM shops)",
        ),
    ],
)
def test_what_was_evidently_meant_is_asked(shops: Database, query: str, meant: str) -> None:
    """A text is compared with the column that holds it, and groups are put in the order of a sum."""
    assert mended(shops, query) == meant
    shops.query(mended(shops, query))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT SUM(units) - COUNT(*) FROM shops",  # one query calculates
        "SELECT town FROM towns ORDER BY town LIMIT 1",  # each row has its own name
        "SELECT city FROM shops ORDER BY region LIMIT 1",  # no number to add
        "SELECT city, price FROM shops ORDER BY units LIMIT 1",  # another number is shown
        "SELECT city FROM shops ORDER BY units LIMIT 2",  # several rows are wanted
        "SELECT units FROM shops ORDER BY units LIMIT 1",  # a number is wanted
        "SELECT (SELECT SUM(units) FROM shops) - (SELECT COUNT(*) FROM towns)",  # two queries do
        "SELECT 1 FROM shops WHERE city = 'Porto'",  # it is right
        "SELECT 1 FROM shops WHERE region = 'Oslo'",  # nobody holds it
        "SELECT 1 FROM shops, towns WHERE region = 'Porto'",  # two columns hold it
        "SELECT 1 FROM shops WHERE colour = 'Porto'",  # there is no such column
        "SELECT 1 FROM shops WHERE units = '3'",  # it is no text
        "SELECT city, units FROM shops ORDER BY units",  # there are no groups
        "SELECT units FROM shops GROUP BY units ORDER BY units",  # each group has one
        "SELECT city, SUM(price) AS units FROM shops GROUP BY city ORDER BY units",  # the name is the query's own
        "SELECT city FROM shops GROUP BY city ORDER BY city",
        "SELECT city FROM shops WHERE region = 'units'",  # a text is what it is compared with
        "SELECT city FROM shops WHERE region IN ('units')",
        "SELECT 'of all' FROM shops",  # no column has this name
        "SELECT units FROM shops WHERE city = 'Turku' OR units > 1 AND town = 'Turku'",  # one or the other
        "SELECT units FROM shops WHERE NOT town = 'Porto' AND city = 'Porto'",  # it is denied
        "SELECT units FROM shops WHERE city = 'Porto' AND town = 'Porto 2'",  # another one
        "no query = 'Porto' at all",
        "",
    ],
)
def test_what_is_not_evident_stays_as_it_is(shops: Database, query: str) -> None:
    """It is refused, or answered, for what it says."""
    assert mended(shops, query) == query


STOCK = "product,kind\nlamp,table\nrug,floor\n"
SOLD = "product,city,units\nlamp,Cork,3\nrug,Cork,4\nlamp,Porto,5\n"
TABLE_LAMPS = """"product" IN (SELECT "product" FROM "stock" WHERE "kind" = 'table')"""


def test_a_day_that_is_compared_with_a_pattern_is_a_text(tmp_path: Path) -> None:
    """As the days of June, LIKE '2025-06%'; the pattern of a text stays one."""
    (tmp_path / "visits.csv").write_text("Day,Who,Paid\n2025-06-02,Ann,4\n2025-06-30,Bo,5\n2025-07-01,Bo,7\n")
    database = Database.load(Folder.open(tmp_path), ["visits.csv"])
    for column in ("Day", '"Day"', "v.Day"):
        query = f"SELECT SUM(Paid) FROM visits AS v WHERE {column} LIKE '2025-06%'"
        assert database.query(mended(database, query)) == 9
    assert database.query(mended(database, "SELECT SUM(Paid) FROM visits WHERE Day NOT LIKE '2025-06%'")) == 7
    assert database.query(mended(database, "SELECT SUM(Paid) FROM visits WHERE Who LIKE 'b%'")) == 12
    assert database.query(mended(database, 'SELECT SUM(Paid) FROM visits WHERE "visits"."Day" LIKE \'2025-07%\'')) == 7


@pytest.mark.parametrize(
    ("condition", "meant", "units"),
    [
        ("kind = 'table'", TABLE_LAMPS, 8),
        ("sold.kind = 'table' AND city = 'Cork'", f"{TABLE_LAMPS} AND city = 'Cork'", 3),
        ("product = 'table'", TABLE_LAMPS, 8),
        ("product = 'rug'", "product = 'rug'", 4),
    ],
)
def test_a_text_that_another_table_holds_is_asked_of_it(condition: str, meant: str, units: int, tmp_path: Path) -> None:
    """By the key that both have."""
    for name, text in (("stock", STOCK), ("sold", SOLD)):
        (tmp_path / f"{name}.csv").write_text(text)
    database = Database.load(Folder.open(tmp_path), ["stock.csv", "sold.csv"])
    query = mended(database, f"SELECT SUM(units) FROM sold WHERE {condition}")
    assert query == f"SELECT SUM(units) FROM sold WHERE {meant}" and database.query(query) == units


@pytest.mark.parametrize(
    ("query", "meant", "value"),
    [
        (
            "SELECT SUM(units) FROM sold WHERE weight > 2",
            'SELECT SUM(units) FROM sold JOIN "shelf" USING ("product") WHERE weight > 2',
            5,
        ),
        (
            "SELECT SUM(units * weight) FROM sold",
            'SELECT SUM(units * weight) FROM sold JOIN "shelf" USING ("product")',
            23,
        ),
        ("SELECT SUM(units) FROM sold WHERE city = 'weight'", "", None),
        ("SELECT SUM(units) AS weight FROM sold", "", None),
        ("SELECT product weight FROM sold WHERE city = 'Cork'", "", None),
        ("SELECT product AS weight FROM sold ORDER BY weight", "", None),
        (
            "SELECT DISTINCT weight FROM sold WHERE city = 'Porto'",
            'SELECT DISTINCT weight FROM sold JOIN "shelf" USING ("product") WHERE city = \'Porto\'',
            2,
        ),
        ("SELECT SUM(weight) FROM shelf", "", None),
        ("SELECT SUM(s.units * weight) FROM sold s, shelf", "", None),
    ],
)
@pytest.mark.requirement("T1b")
def test_a_column_of_another_table_is_reached_by_the_key(query: str, meant: str, value: object, tmp_path: Path) -> None:
    """A query of one table may name columns of just one other; names in texts, own names and joins are left alone."""
    (tmp_path / "sold.csv").write_text("product,city,units\nlamp,Cork,5\nrug,Cork,3\nrug,Porto,1\n")
    (tmp_path / "shelf.csv").write_text("product,weight\nlamp,3\nrug,2\nvase,2\n")
    database = Database.load(Folder.open(tmp_path), ["sold.csv", "shelf.csv"])
    assert mended(database, query) == (meant or query)
    assert not meant or database.query(meant) == value


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        (
            "SELECT SUM(cost) FROM jobs WHERE \"Done on\" <> '' AND \"Read on\" >= '2026-01-01'",
            "SELECT SUM(cost) FROM jobs WHERE \"Done on\" <> '' AND \"day\" >= '2026-01-01'",
        ),
        (
            'SELECT SUM(cost) FROM jobs WHERE YEAR("Read on") = 2026',
            'SELECT SUM(cost) FROM jobs WHERE YEAR("day") = 2026',
        ),
        ("SELECT SUM(cost) FROM jobs WHERE \"Done on\" = 'Read on'", ""),
        ("SELECT SUM(kwh) FROM meters WHERE day = '2026-01-01'", ""),
        ('SELECT SUM(cost) FROM jobs, meters WHERE "Read on" = day', ""),
    ],
)
@pytest.mark.requirement("T1b")
def test_days_of_another_table_are_those_of_its_own(query: str, meant: str, tmp_path: Path) -> None:
    """Where it has one column of days; two leave it open, and so does a query of both tables."""
    (tmp_path / "jobs.csv").write_text("day,Done on,cost\n2025-12-02,a Friday,5\n2026-01-03,,3\n2026-02-01,Monday,4\n")
    (tmp_path / "meters.csv").write_text("Read on,Sent on,kwh\n2026-01-01,2026-01-02,7\n2026-05-31,2026-06-01,9\n")
    database = Database.load(Folder.open(tmp_path), ["jobs.csv", "meters.csv"])
    assert mended(database, query) == (meant or query)
    assert not meant or database.query(meant) in (4, 7)


def test_a_column_whose_name_begins_as_a_day_of_another_table_stays_whole(tmp_path: Path) -> None:
    """``"Date in"`` is no ``Date``, which the repairs have."""
    (tmp_path / "repairs.csv").write_text("Date,Fault\n2026-01-15,belt\n")
    (tmp_path / "washes.csv").write_text("Ticket,Date in,Paid by\nS1,2026-03-02,cash\nS2,2026-02-02,cash\n")
    database = Database.load(Folder.open(tmp_path), ["repairs.csv", "washes.csv"])
    query = 'SELECT count(*) FROM washes WHERE MONTH("Date in") = 3 AND "Paid by" = \'cash\''
    assert mended(database, query) == query and database.query(query) == 1
    assert database.query(mended(database, query.replace('"Date in"', "Date"))) == 1


def test_rows_of_which_only_one_name_comes_twice_are_no_groups(tmp_path: Path) -> None:
    """The longest stay is one of them, though a guest came twice."""
    stays = "".join(
        f"{guest},{nights}\n" for guest, nights in [("Vos", 3), ("Vos", 4), *zip("ABCDEFGH", range(8), strict=True)]
    )
    (tmp_path / "stays.csv").write_text(f"guest,nights\n{stays}")
    query = "SELECT guest, nights FROM stays ORDER BY nights DESC LIMIT 1"
    assert mended(Database.load(Folder.open(tmp_path), ["stays.csv"]), query) == query


def test_a_column_of_another_table_without_a_key_is_not_reached(tmp_path: Path) -> None:
    """Where the other table has a value twice, or both share two columns, rows would be counted twice."""
    (tmp_path / "sold.csv").write_text("product,units\nlamp,5\nrug,3\n")
    (tmp_path / "shelf.csv").write_text("product,weight\nlamp,3\nlamp,2\n")
    query = "SELECT SUM(units) FROM sold WHERE weight > 2"
    assert mended(Database.load(Folder.open(tmp_path), ["sold.csv", "shelf.csv"]), query) == query
    (tmp_path / "shelf.csv").write_text("product,units,weight\nlamp,1,3\nrug,1,2\n")
    assert mended(Database.load(Folder.open(tmp_path), ["sold.csv", "shelf.csv"]), query) == query


def test_a_text_of_another_table_without_a_key_is_not(tmp_path: Path) -> None:
    """Two keys, none, or one that is not each row's own: nothing says which rows are meant."""
    for stock in (
        "maker,kind\nA,table\n",
        "product,kind\nlamp,table\nlamp,floor\n",
        "product,city,kind\nlamp,Rome,table\n",
    ):
        (tmp_path / "stock.csv").write_text(stock)
        (tmp_path / "sold.csv").write_text(SOLD)
        query = "SELECT SUM(units) FROM sold WHERE kind = 'table'"
        assert mended(Database.load(Folder.open(tmp_path), ["stock.csv", "sold.csv"]), query) == query


@pytest.mark.parametrize(
    ("name", "meant"),
    [("Theo", "Theo Marx"), ("marx", "Theo Marx"), ("Lea", "Lea"), ("Mar", "Mar"), ("Ina Pohl", "Ina Pohl")],
)
def test_a_part_of_a_name_is_the_only_one_that_has_it(name: str, meant: str, tmp_path: Path) -> None:
    """Two who share it are not told apart, and a part of a word is none of a name."""
    (tmp_path / "team.csv").write_text("name,age\nTheo Marx,51\nLea Sand,22\nLea Ulm,47\nIna Pohl,34\n")
    team = Database.load(Folder.open(tmp_path), ["team.csv"])
    assert mended(team, f"SELECT age FROM team WHERE name = '{name}'") == f"SELECT age FROM team WHERE name = '{meant}'"


@pytest.mark.parametrize("text", ["the Porto shop", "Shop", "North Porto", "Porto City Hall"])
def test_a_name_with_more_than_the_words_of_its_table_is_another(shops: Database, text: str) -> None:
    """The shop of Porto may be any of several, and a shop none."""
    query = f"SELECT 1 FROM shops WHERE city = '{text}'"
    assert mended(shops, query) == query


@pytest.mark.parametrize(
    ("query", "given"),
    [
        ("SELECT SUM(units) / SUM(staff) FROM sales WHERE city = 'Porto'", 3.5),
        ("SELECT SUM(units) / staff AS u FROM sales WHERE city = 'Porto' AND MONTH(day) = 1", 2.0),
        ("SELECT SUM(units) / SUM(staff) * 100 FROM sales;", 275.0),
        ("SELECT SUM(units) / SUM(units) FROM sales WHERE city = 'Porto'", 1.0),
    ],
)
def test_a_sum_is_divided_by_a_column_of_another_table_once(tmp_path: Path, query: str, given: float) -> None:
    """Joined with each sale, a shop's staff would be counted as often as it sold."""
    (tmp_path / "sales.csv").write_text("day,city,units\n2026-01-05,Porto,4\n2026-02-05,Porto,3\n2026-01-09,Turku,4\n")
    (tmp_path / "staff.csv").write_text("city,staff\nPorto,2\nTurku,2\n")
    found = Database.load(Folder.open(tmp_path), ["sales.csv", "staff.csv"])
    assert found.query(mended(found, query)) == given


SALES = "buyer,jars,Paid,Seen by us\nAnn,2,yes,x\nBo,3,,\nCem,1,yes,\nDee,4,,x\n"


@pytest.mark.parametrize(
    ("condition", "buyers"),
    [
        ("Paid = 'no'", ["Bo", "Dee"]),
        ("Paid <> 'yes'", ["Bo", "Dee"]),
        ("paid != 'No'", ["Ann", "Cem"]),
        ("Paid = ''", ["Bo", "Dee"]),
        ("Paid = 'yes'", ["Ann", "Cem"]),
        ("\"Seen by us\" = 'no'", ["Bo", "Cem"]),
        ("\"Seen by us\" = 'yes' AND sales.Paid = 'no'", ["Dee"]),
        ("\"Seen by us\" LIKE 'yes'", ["Ann", "Dee"]),
    ],
)
def test_no_is_nothing_in_a_column_that_has_but_yes(condition: str, buyers: list[str], tmp_path: Path) -> None:
    """A mark stands in some rows; the others are empty, and SQL finds none of them unlike the mark."""
    (tmp_path / "sales.csv").write_text(SALES)
    database = Database.load(Folder.open(tmp_path), ["sales.csv"])
    assert database.tables[0].marks == (("Paid", "yes"), ("Seen by us", "x"))
    assert "Paid VARCHAR 'yes' or NULL" in database.describe()
    assert database.query(mended(database, f"SELECT buyer FROM sales WHERE {condition} ORDER BY buyer")) == (
        buyers if len(buyers) > 1 else buyers[0]
    )


def test_a_column_of_several_texts_or_without_gaps_has_no_mark(tmp_path: Path) -> None:
    """Nor has one of numbers, nor one of a long text."""
    rows = "a,b,c,d\nyes,yes,1,a text that is longer than a mark\nno,yes,,\n,yes,,\n"
    (tmp_path / "t.csv").write_text(rows)
    database = Database.load(Folder.open(tmp_path), ["t.csv"])
    assert database.tables[0].marks == ()
    query = "SELECT count(*) FROM t WHERE a <> 'no'"
    assert mended(database, query) == query


@pytest.mark.parametrize(
    ("condition", "meant"),
    [
        ("d BETWEEN 'Mon' AND 'Fri'", "d IN ('Mon', 'Tue', 'Wed', 'Thu', 'Fri')"),
        ("d between 'saturday' and 'monday'", "d IN ('saturday', 'sunday', 'monday')"),
        ("d BETWEEN 'May' AND 'June'", "d IN ('May', 'June')"),
        ("d BETWEEN 'A' AND 'F'", "d BETWEEN 'A' AND 'F'"),
        ("d BETWEEN 'Mon' AND 'Friday'", "d BETWEEN 'Mon' AND 'Friday'"),
    ],
)
def test_days_of_the_week_and_months_are_listed(condition: str, meant: str) -> None:
    """By letters Friday comes before Monday."""
    assert listed(f"SELECT 1 FROM t WHERE {condition}") == f"SELECT 1 FROM t WHERE {meant}"
