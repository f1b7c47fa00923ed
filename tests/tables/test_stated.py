"""Readings that are stated in a TOML file beside the tables, and what is wrong with some."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from aeon.documents.folder import Folder
from aeon.tables import stated
from aeon.tools.database import Database
from aeon.tools.files import Files

from .test_reading import columns, load, rows_of, sheet, told

pytestmark = pytest.mark.requirement("T5j")

SALES = """Report
Shop;Amount;Day
Quay;1.250;3/4/2026
Mill;-99;5/6/2026
Park;2.100;7/8/2026
All;3.350;
Source: the office
"""


def test_what_is_stated_decides(tmp_path: Path) -> None:
    """Rows of names, the last row, totals, numbers, days, units and cells without a value."""
    (tmp_path / "t.toml").write_text(
        'header = [2]\nlast = 6\ntotals = [6]\nnothing = ["-99"]\n'
        '[columns.Amount]\nnumbers = "1,234.5"\nunit = "t"\n[columns.Day]\ndays = "mdy"\n'
    )
    database = load(tmp_path, SALES)
    assert rows_of(database) == [
        ["Quay", 1.25, "2026-03-04"],
        ["Mill", None, "2026-05-06"],
        ["Park", 2.1, "2026-07-08"],
    ]
    assert rows_of(database, "t_totals") == [["All", 3.35, None]]
    assert "-- in t" in database.schema()
    assert "row 1 left out (as stated); row 7 left out (as stated)" in told(database)
    assert "read as t.toml states" in told(database)


def test_a_type_that_is_stated_is_taken(tmp_path: Path) -> None:
    """Numbers as texts, and a column as numbers in which few cells are."""
    text = "a,b\n1,x\n2,y\n3,7\n"
    assert columns(load(tmp_path, text)) == {"a": "BIGINT", "b": "VARCHAR"}
    (tmp_path / "tables.toml").write_text('["t.csv".columns.a]\ntype = "text"\n["t.csv".columns.b]\ntype = "number"\n')
    database = load(tmp_path, text)
    assert columns(database) == {"a": "VARCHAR", "b": "BIGINT"}
    assert rows_of(database) == [["1", None], ["2", None], ["3", 7]]


def test_no_totals_and_no_names(tmp_path: Path) -> None:
    """An empty list says that there are none."""
    (tmp_path / "t.toml").write_text("header = []\nfirst = 2\ntotals = []\n")
    database = load(tmp_path, "Shop,A,B\nQuay,10,4\nMill,20,6\nAll,30,10\n")
    assert [len(database.tables), len(rows_of(database))] == [1, 3]


def test_sheets_have_their_own(tmp_path: Path) -> None:
    """By their names."""
    (tmp_path / "t.toml").write_text("[sheets.Sheet]\nheader = [2]\n")
    assert [*columns(sheet(tmp_path, [["x", "y", "z"], ["a", "b", "c"], [1, 2, 3], [4, 5, 6]]))] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("heder = [2]", "t.toml: heder: Extra inputs are not permitted"),
        ("header = [0]", "t.toml: header.0: Input should be greater than or equal to 1"),
        ('numbers = "1.234"', "t.toml: numbers: Input should be '1,234.5'"),
        ("header = [", "t.toml: "),
        ("header = [40]", "its rows are not where they are stated to be"),
        ("totals = [40]", "row 40, which is stated to be a total, is none of its rows"),
        ('[columns.Shop]\ntype = "number"', "column 'Shop' is no number, as is stated"),
        ('[columns.Shop]\ntype = "day"', "column 'Shop' is no day, as is stated"),
        ('[columns.Amount]\ndays = "dmy"', "column 'Amount' is no day, as is stated"),
        ('[columns.Shop]\nnumbers = "1,234.5"', "column 'Shop' is no number, as is stated"),
        ('[columns.Price]\nunit = "t"', "there is no column 'Price', of which something is stated"),
    ],
)
def test_what_is_wrong_with_it_is_one_line(tmp_path: Path, text: str, reason: str) -> None:
    """The table is not read in another way than is stated."""
    (tmp_path / "t.toml").write_text(text)
    (tmp_path / "t.csv").write_text(SALES)
    database = Database.load(Folder(tmp_path), ["t.csv"])
    ((name, why),) = database.skipped
    assert name == "t.csv" and why.startswith(reason) and "\n" not in why


def test_the_file_is_no_useless_one(tmp_path: Path) -> None:
    """What states a reading is not named among the files that are skipped; another TOML file is."""
    for name, text in (("t.csv", "a,b\n1,2\n"), ("t.toml", "totals = []"), ("tables.toml", ""), ("other.toml", "")):
        (tmp_path / name).write_text(text)
    assert [name for name, _ in Files.open(tmp_path).skipped] == ["other.toml"]


def test_a_reading_that_is_written_is_read_alike(tmp_path: Path) -> None:
    """What `as_toml` writes states the same reading, whatever columns are called."""
    text = 'Shop;"Am""ount\tx";Day\nQuay;1.250 kg;3.4.2026\nMill;980 kg;15.6.2026\nAll;2.230 kg;\n'
    database = load(tmp_path, text)
    (tmp_path / "t.toml").write_text(stated.as_toml(database.tables[0].reading))
    again = load(tmp_path, text)
    assert [one.columns for one in again.tables] == [one.columns for one in database.tables]
    assert rows_of(again) == rows_of(database) and rows_of(again, "t_totals") == rows_of(database, "t_totals")


def test_several_units_are_written_and_read_alike(tmp_path: Path) -> None:
    """The column of units is not stated: it follows from the other one."""
    text = "k,v\na,$12\nb,40.5%\nc,$7\n"
    database = load(tmp_path, text)
    (tmp_path / "t.toml").write_text(stated.as_toml(database.tables[0].reading))
    assert rows_of(load(tmp_path, text)) == rows_of(database) == [["a", 12, "$"], ["b", 40.5, "%"], ["c", 7, "$"]]


def test_a_large_file_begins_where_it_is_stated(tmp_path: Path) -> None:
    """Rows between the names and the first row are left out there, too; a last row is refused in words."""
    rows = "".join(f"{n},{n % 7},{n * 3}\n" for n in range(150_000))
    (tmp_path / "t.toml").write_text("header = [1]\nfirst = 4\n")
    database = load(tmp_path, f"id,day,big\nx,y,z\nu,v,w\n{rows}")
    assert dict(database.tables[0].columns) == {"id": "BIGINT", "day": "BIGINT", "big": "BIGINT"}
    assert database.tables[0].rows == 150_000 and "rows 2 to 3 left out (as stated)" in told(database)
    (tmp_path / "t.toml").write_text("last = 40\n")
    ((_, why),) = Database.load(Folder(tmp_path), ["t.csv"]).skipped
    assert why == "'last' cannot be stated of a file of more than 1 MB"


def test_what_cannot_be_stated_is_refused_in_words(tmp_path: Path) -> None:
    """Of files whose columns have types, and of rows of a database."""
    (tmp_path / "t.toml").write_text("header = [2]\n")
    (tmp_path / "t.json").write_text('[{"a": 1}]')
    with sqlite3.connect(tmp_path / "t.db") as made:
        made.execute("CREATE TABLE t (a)")
    reasons = [why for _, why in Database.load(Folder(tmp_path), ["t.json", "t.db"]).skipped]
    assert reasons == [
        "t.toml: its columns have types already, and nothing can be stated",
        "its rows are those of a database, and cannot be stated",
    ]
