"""Numbers of tables that a proof can rest on: exact, by the values of a column and not its letters, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.documents.folder import Folder
from aeon.errors import ToolError
from aeon.tools.database import Database
from aeon.tools.look import look
from aeon.tools.measuring import TableQuery

pytestmark = pytest.mark.requirement("E4d")
pytest.importorskip("duckdb")
SALES = """region,amount,price,code,day,paid,big,fine,amount,amount_2
North,1,2.5,-3,01.03.2025,true,1000000000000001,1e-3,10,7
north,-4,2.50,12,02.03.2025,false,2,1.0e10,10,7
n/a,,2,n.k.,-,true,3,-1.0e10,10,7
"North, upper",-4,,007,02.03.2025,,4,2e-3,10,7
"""


@pytest.fixture(name="folder")
def folder_of_sales(tmp_path: Path) -> Folder:
    """A folder with a table."""
    (tmp_path / "sales.csv").write_text(SALES)
    return Folder.open(tmp_path)


def value(
    folder: Folder, column: str, aggregate: str, where: str = "", equals: str = "", table: str = "sales"
) -> object:
    """What a look gives for a query, and how far off it may be where it may be."""
    paths = [path for path, _ in folder.files()]
    return asked(look(folder, Database.load(folder, paths)), column, aggregate, where, equals, table)


def asked(tool: object, *said: str) -> object:
    """What this tool gives."""
    names = ("column", "aggregate", "where", "equals", "table")
    query = TableQuery.model_validate(dict(zip(names, said, strict=True)))
    seen = tool.call(action="query", query=query)  # type: ignore[attr-defined]
    return (seen["value"], seen["within"]) if seen["within"] else seen["value"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (("amount", "sum"), -7), (("amount", "count"), 3), (("price", "min"), 2), (("day", "min"), "2025-03-01"),
        (("big", "sum"), 10**15 + 10), (("code", "count"), 4), (("paid", "count"), 3), (("amount_2", "sum"), 28),
        (("amount_3", "sum"), 40), (("price", "avg"), (2.33333333333, pytest.approx(2.33e-11, rel=0.01))),
        (("price", "count", "price", "2.5"), 2), (("price", "count", "price", "2.500"), 2),
        (("price", "count", "price", "2.504"), 0), (("price", "count", "amount", "-4.0"), 1),
        (("amount", "count", "day", "2025-03-02"), 2), (("amount", "count", "day", "2025-03-02 10:00"), 0),
        (("amount", "count", "day", "2025-02-30"), 0),
        (("amount", "count", "paid", "TRUE"), 1), (("amount", "count", "region", "NORTH"), 2),
        (("amount", "sum", "region", "North, upper"), -4), (("amount", "count", "code", "7"), 0),
        (("amount", "sum", "region", "Nowhere"), None),
        (("fine", "sum"), (pytest.approx(0.003, abs=1e-5), pytest.approx(0.2, rel=0.01))),
    ],
)  # fmt: skip
def test_a_number_of_a_table(folder: Folder, query: tuple[str, ...], expected: object) -> None:
    """By values: 2.5 is 2.50; of two columns of one name the first is meant; sums of floats may be off."""
    assert value(folder, *query) == expected


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (("code", "min"), "no least"), (("code", "sum"), "no sum"), (("day", "sum"), "no sum"),
        (("paid", "max"), "no greatest"), (("amount", "count", "region", ""), "must be a text"),
        (("amount", "count", "region", "N/A"), "says that a value is missing"),
        (("amount", "count", "", "North"), "name the column"),
        (("amount", "count", "price", "two"), "a number such as"),
        (("amount", "count", "day", "02.03.2025"), "a day such as"), (("ghost", "sum"), "no column 'ghost'"),
        (("", "sum"), "no column"),
    ],
)  # fmt: skip
def test_what_a_table_does_not_say_is_refused(folder: Folder, query: tuple[str, ...], reason: str) -> None:
    """The order of letters is no least, and what no row can be is no condition: one line says why."""
    with pytest.raises(ToolError, match=reason):
        value(folder, *query)


def test_a_table_that_was_not_read_as_it_stands_gives_nothing(folder: Folder) -> None:
    """Cells beyond the header, a quote that is not closed, a number that may be another one."""
    for text, reason in (
        ("a,b\n1,2,3\n", "1 cell beyond"),
        ('a,b\n1,"x\n2,3\n', "not read as it stands: .*quote"),
        ("a,b\n1.250,3\n12.500,4\n", "a: 1.250 is read as 1.25; it may be 1250"),
        ("a,b\n1,3\nTBD,4\n3,5\n", "a: 1 cell without a value"),
        ("a,b\n10,30\n20,40\n31,50\n61,120\n", "row 5 left out"),
    ):
        (folder.root / "sales.csv").write_text(text)
        with pytest.raises(ToolError, match=reason):
            value(folder, "a", "sum")


def test_digits_that_cannot_be_told_are_not(folder: Folder) -> None:
    """A decimal of more than fifteen digits would be rounded; a whole number is not."""
    (folder.root / "sales.csv").write_text("a,b\n1234567890123456.25,12345678901234567890\n")
    with pytest.raises(ToolError, match="more digits"):
        value(folder, "a", "sum")
    assert value(folder, "b", "max") == 12345678901234567890


def test_a_column_that_has_become_one_of_texts_has_no_least_any_more(folder: Folder) -> None:
    """The file as it is now counts, not as it was when the run began."""
    tool = look(folder, Database.load(folder, ["sales.csv"]))
    assert asked(tool, "amount", "min", "", "", "sales") == -4
    (folder.root / "sales.csv").write_text("amount\n-4\nnone of it\n")
    with pytest.raises(ToolError, match="no least"):
        asked(tool, "amount", "min", "", "", "sales")


def test_a_table_is_never_taken_for_another_of_its_name(tmp_path: Path) -> None:
    """Of two files of one name each keeps its table, also where the other one is gone."""
    for name, number in (("a", 1), ("b", 2)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "sales.csv").write_text(f"n\n{number}\n")
    folder = Folder.open(tmp_path)
    tool = look(folder, Database.load(folder, ["a/sales.csv", "b/sales.csv"]))
    assert [asked(tool, "n", "sum", "", "", name) for name in ("sales", "sales_2")] == [1, 2]
    (tmp_path / "a" / "sales.csv").unlink()
    assert asked(tool, "n", "sum", "", "", "sales_2") == 2
    with pytest.raises(ToolError, match="any more"):
        asked(tool, "n", "sum", "", "", "sales")
