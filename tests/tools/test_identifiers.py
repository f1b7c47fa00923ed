"""Names of columns that a query has to quote, as models write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aeon.documents.folder import Folder
from aeon.tools.database import Database
from aeon.tools.identifiers import spelt
from aeon.tools.mending import mended
from aeon.tools.tableinfo import TableInfo

pytestmark = pytest.mark.requirement("T1b")
COLUMNS = (
    "Inv. no.", "Group", "Due back", "Insured for (£)", "Hours per week", "Allergies / to note", "order", "paid?",
    "due", "Price (EUR)", "100", "£/week", "£",
)  # fmt: skip
TABLES = (TableInfo("loans", "loans.csv", tuple((name, "VARCHAR") for name in COLUMNS), 3, ()),)
KEYWORDS = frozenset({"group", "order", "select", "from", "where"})


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("SELECT COUNT(*) FROM loans WHERE Group = 'Foxes'", "SELECT COUNT(*) FROM loans WHERE \"Group\" = 'Foxes'"),
        ("SELECT Group FROM loans GROUP BY Group", 'SELECT "Group" FROM loans GROUP BY "Group"'),
        ("SELECT l.Group FROM loans l ORDER BY order", 'SELECT l."Group" FROM loans l ORDER BY "order"'),
        ("SELECT Due back, due FROM loans", 'SELECT "Due back", due FROM loans'),
        ("SELECT due_back FROM loans WHERE x = 'Due back'", "SELECT \"Due back\" FROM loans WHERE x = 'Due back'"),
        ("SELECT inv_no, Inv. no. FROM loans", 'SELECT "Inv. no.", "Inv. no." FROM loans'),
        ("SELECT SUM(insured_for) FROM loans", 'SELECT SUM("Insured for (£)") FROM loans'),
        ("SELECT SUM(Insured for (£)) FROM loans", 'SELECT SUM("Insured for (£)") FROM loans'),
        ("SELECT SUM(Price), MAX(price_eur) FROM loans", 'SELECT SUM("Price (EUR)"), MAX("Price (EUR)") FROM loans'),
        ("SELECT Allergies / to note, paid FROM loans", 'SELECT "Allergies / to note", "paid?" FROM loans'),
        ('SELECT "Due back" FROM loans', 'SELECT "Due back" FROM loans'),
        ("SELECT SUM(`Price (EUR)`) FROM loans", 'SELECT SUM("Price (EUR)") FROM loans'),
        ("SELECT 'Price (EUR)' - 'Due back' FROM loans", 'SELECT "Price (EUR)" - "Due back" FROM loans'),
        ("SELECT order FROM loans WHERE due LIKE 'Due back'", "SELECT \"order\" FROM loans WHERE due LIKE 'Due back'"),
        ("SELECT 100 * COUNT(*) FROM loans", "SELECT 100 * COUNT(*) FROM loans"),
        ("SELECT SUM(£/week), MIN(£) FROM loans", 'SELECT SUM("£/week"), MIN("£") FROM loans'),
        ("SELECT due FROM loans ORDER BY due", "SELECT due FROM loans ORDER BY due"),
    ],
)
def test_names_are_quoted_as_the_tables_have_them(query: str, meant: str) -> None:
    """With blanks, underscores, another case or without a unit; clauses, texts and plain names stay."""
    assert spelt(TABLES, KEYWORDS, query) == meant
    assert spelt(TABLES, KEYWORDS, meant) == meant


def test_a_plain_name_goes_before_a_spelling_of_another() -> None:
    """A table may have both."""
    both = (TableInfo("t", "t.csv", (("due back", "DATE"), ("due_back", "DATE")), 3, ()),)
    assert spelt(both, KEYWORDS, "SELECT due_back FROM t") == "SELECT due_back FROM t"


@given(st.text(max_size=40), st.text(max_size=80))
@example(r"0\g", "SELECT 0")
def test_any_name_and_query_are_read(name: str, query: str) -> None:
    """Names come from files, and queries from models."""
    spelt((TableInfo("t", "t.csv", ((name, "VARCHAR"),), 1, ()),), KEYWORDS, query)


def test_a_name_with_a_backslash_is_taken_as_it_is() -> None:
    """It is no template for a replacement."""
    table = (TableInfo("t", "t.csv", ((r"old\1 price", "BIGINT"),), 1, ()),)
    assert spelt(table, KEYWORDS, r"SELECT old\1 price FROM t") == r'SELECT "old\1 price" FROM t'


def test_a_query_with_such_names_runs(tmp_path: Path) -> None:
    """A keyword as a column, and a name of several words."""
    (tmp_path / "children.csv").write_text(
        "Child,Group,Hours per week\nTobi,Foxes,30\nSade,Badgers,20\nFinn,Foxes,25\n"
    )
    database = Database.load(Folder.open(tmp_path), ["children.csv"])
    assert database.query(mended(database, "SELECT SUM(Hours per week) FROM children WHERE Group = 'Foxes'")) == 55


def test_the_family_of_a_child_is_that_of_its_row(tmp_path: Path) -> None:
    """A name that stands once in its table tells the column that both tables have; one that stands twice does not."""
    (tmp_path / "children.csv").write_text("child,family\nTobi,Ade\nSade,Ade\nFinn,Byrne\n")
    (tmp_path / "work.csv").write_text("family,hours\nAde,4\nByrne,5\nAde,3\n")
    query = "SELECT SUM(hours) FROM work WHERE family = 'Sade'"
    database = Database.load(Folder.open(tmp_path), ["children.csv", "work.csv"])
    assert database.query(mended(database, query)) == 7
    (tmp_path / "children.csv").write_text("child,family\nSade,Ade\nSade,Cole\nFinn,Ade\n")
    again = Database.load(Folder.open(tmp_path), ["children.csv", "work.csv"])
    assert mended(again, query) == query


def test_a_column_with_the_values_of_a_key_leads_to_its_row(tmp_path: Path) -> None:
    """The bills of an animal name it as its own table does; where one of them is no animal there, nothing changes."""
    (tmp_path / "animals.csv").write_text("Name,Home\nRex,Hale\nLuna,Moss\nBeau,Hale\n")
    (tmp_path / "bills.csv").write_text("Animal,Bill\nRex,40\nLuna,30\nBeau,5\nRex,2\n")
    query = "SELECT SUM(Bill) FROM bills WHERE Animal = 'Hale'"
    database = Database.load(Folder.open(tmp_path), ["animals.csv", "bills.csv"])
    assert database.query(mended(database, query)) == 47
    (tmp_path / "bills.csv").write_text("Animal,Bill\nRex,40\nSpike,30\n")
    again = Database.load(Folder.open(tmp_path), ["animals.csv", "bills.csv"])
    assert mended(again, query) == query


def test_a_query_of_the_wrong_table_is_one_of_the_right_one(tmp_path: Path) -> None:
    """Where another alone has all columns that it names, and its own lacks most of them."""
    (tmp_path / "cellar.csv").write_text("vessel,wine,litres\nT1,Solaris,300\n")
    (tmp_path / "orders.csv").write_text("customer,wine,paid on\nSeeblick,Solaris,2025-11-03\n")
    database = Database.load(Folder.open(tmp_path), ["cellar.csv", "orders.csv"])
    query = "SELECT paid_on FROM cellar WHERE customer = 'Seeblick' AND wine = 'Solaris'"
    assert database.query(mended(database, query)) == "2025-11-03"
    query = "SELECT litres FROM orders WHERE wine = 'Solaris'"
    assert " FROM orders" in mended(database, query)
