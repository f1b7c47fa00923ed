"""Loading the tables of a folder."""

from __future__ import annotations

import csv
import datetime
import io
import json
import resource
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest
from absent import without
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.documents.folder import Folder
from aeon.errors import InputFileError, MissingExtraError, ToolFailed
from aeon.isolation.deadline import Deadline
from aeon.isolation.limits import MEGABYTE
from aeon.tables import delimited, quoting
from aeon.tables.naming import unique
from aeon.tools import batches
from aeon.tools.database import Database, TableInfo
from aeon.tools.files import Files
from scripts.bench import hostile_files

pytestmark = pytest.mark.requirement("T1")


def load(folder: Path, *names: str) -> Database:
    """Load these files, or all that there are."""
    source = Folder.open(folder)
    return Database.load(source, names or [name for name, _ in source.files()])


def table(folder: Path, content: str | bytes, name: str = "t.csv") -> TableInfo:
    """Load one table of this content."""
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    database = load(folder, name)
    assert not database.skipped
    return database.tables[0]


def cells(folder: Path, content: str | bytes, name: str = "t.csv") -> list[list[object]]:
    """Load one table and give its rows."""
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    rows = load(folder, name).query("SELECT * FROM t")
    rows = rows if isinstance(rows, list) else [rows]
    return [list(row.values()) if isinstance(row, dict) else [row] for row in rows]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_found(tmp_path: Path, delimiter: str) -> None:
    """The usual delimiters need not be told."""
    assert cells(tmp_path, f"a{delimiter}b\n1{delimiter}2\n3{delimiter}x\n") == [[1, "2"], [3, "x"]]


def test_a_decimal_comma_is_no_delimiter(tmp_path: Path) -> None:
    """Where both a semicolon and a comma split all rows alike, commas belong to numbers."""
    assert cells(tmp_path, "city;price, EUR\nRome;1,5\nOslo;2,25\n") == [["Rome", 1.5], ["Oslo", 2.25]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_encodings_are_found(tmp_path: Path, encoding: str) -> None:
    """Texts keep their letters, with or without a byte order mark."""
    content = "Stadt;n\nKöln;1\nZürich;2\n".encode(encoding)
    assert table(tmp_path, content).columns[0] == ("Stadt", "VARCHAR")
    assert cells(tmp_path, content) == [["Köln", 1], ["Zürich", 2]]


def test_quotes_hold_delimiters_quotes_and_line_breaks(tmp_path: Path) -> None:
    """A quoted cell is one cell."""
    assert cells(tmp_path, 'a,b\n"x, ""y""","l1\nl2"\nz,w\n') == [['x, "y"', "l1\nl2"], ["z", "w"]]
    windows = 'a,b\r\n"l1\r\nl2",1\r\n"l3\nl4",2\r\n'
    assert cells(tmp_path, windows) == [["l1\r\nl2", 1], ["l3\nl4", 2]]


def test_a_quote_that_never_ends_swallows_no_rows(tmp_path: Path) -> None:
    """An inch sign at the beginning of a cell is taken as it is."""
    assert cells(tmp_path, 'a,b\n"5,1\nx,2\n') == [['"5', 1], ["x", 2]]


@pytest.mark.parametrize(
    ("text", "rows", "note"),
    [
        ('a,b\n"x,1\ny,2\n"z,3\nw,4\n', [['"x', 1], ["y", 2], ['"z', 3], ["w", 4]], "line 2 and 1 more opened"),
        ('a,b\n"x,1\ny,2"\nz,3\n', [['"x', "1"], ["y", '2"'], ["z", "3"]], "line 2 opened"),
        ('a,b\n"S, J",1\n"x,2\n"D, X",3\n', [["S, J", 1], ['"x', 2], ["D, X", 3]], "line 3 opened"),
        ('a,b\r\n"l1\r\nl2",1\r\n"x,2\r\ny,3\r\n', [["l1\r\nl2", 1], ['"x', 2], ["y", 3]], "line 4 opened"),
        ('sep=;\na;b\n"x;1\ny;2\n"z;3\n', [['"x', 1], ["y", 2], ['"z', 3]], "line 3 and 1 more opened"),
        ('a,b\n"x" ,1\n"l1\nl2",2\n', [["x", 1], ["l1\nl2", 2]], ""),
        ('a,b\n"say "hi" now",1\ny,2\n', [['say hi" now"', 1], ["y", 2]], ""),
    ],
)
def test_a_quote_that_is_not_closed_swallows_no_line_and_is_told(
    tmp_path: Path, text: str, rows: list[list[object]], note: str
) -> None:
    """Only its own line is read without quotes, and the line of what was found says which."""
    assert cells(tmp_path, text) == rows
    found = Files.open(tmp_path).found
    assert (f"{note} a quote that is not closed" in found) if note else "quote" not in found


def test_many_quotes_that_are_not_closed_are_read_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """No line is looked at more than a few times; reading on from each to the end of the file would take hours."""
    looked = 0

    class Counted(list[str]):
        def __getitem__(self, at: Any) -> Any:
            nonlocal looked
            looked += 1
            return super().__getitem__(at)

    lines = Counted(["a,b\n", *['"x,1\n', "y,2\n", "z,3\n"] * 2_000])
    assert [number for _, number in quoting.records(lines, ",")].count(0) == 4_001
    assert looked < 8 * len(lines)


def test_columns_beyond_what_is_held_are_refused_in_words(tmp_path: Path) -> None:
    """The reason names the limit, and not what the engine runs out of."""
    (tmp_path / "t.csv").write_text(",".join(["a"] * 16_385) + "\n1\n")
    assert load(tmp_path).skipped == (("t.csv", "it has 16,385 columns; up to 2,048 are read"),)


def test_ragged_rows_are_filled_and_cut(tmp_path: Path) -> None:
    """Missing cells are NULL; surplus ones are dropped, counted and mentioned."""
    assert cells(tmp_path, "a,b\n1\n1,2,3,,4\n") == [[1, None], [1, 2]]
    assert table(tmp_path, "a,b\n1\n1,2,3,,4\n").reading.surplus == 2
    assert "2 cells beyond the last column left out" in load(tmp_path, "t.csv").describe()


def test_headers_become_names(tmp_path: Path) -> None:
    """Double, empty and odd headers all give columns; case does not tell two apart, and an empty column has no name."""
    header = 'name,Name,,a_2,name,"x ""y""\nz",'
    names = [name for name, _ in table(tmp_path, f"{header}\n1,2,3,4,5,6,\n").columns]
    assert names == ["name", "Name_2", "column_3", "a_2", "name_3", 'x "y" z']
    assert load(tmp_path, "t.csv").query('SELECT "x ""y"" z" FROM t') == 6


def test_a_name_that_is_made_is_never_one_that_another_column_has(tmp_path: Path) -> None:
    """So each name of the header means its own column."""
    names = [name for name, _ in table(tmp_path, "a,a,,a_2,Column_3\n1,2,3,4,5\n").columns]
    assert names == ["a", "a_3", "column_3_2", "a_2", "Column_3"]


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["1", "-20", "n/a", ""], "BIGINT", [1, -20, None, None]),
        (["1.5", "2", "nan"], "DECIMAL(28,1)", [1.5, 2, None]),
        (["1,234.50", "12"], "DECIMAL(28,2)", [1234.5, 12]),
        (["1.234,50", "12,5"], "DECIMAL(28,2)", [1234.5, 12.5]),
        (["1 234,50", "12,5"], "DECIMAL(28,2)", [1234.5, 12.5]),
        (["1'234.50", "0.5"], "DECIMAL(28,2)", [1234.5, 0.5]),
        (["$1,200.50", "-$3", "7"], "DECIMAL(28,2)", [1200.5, -3, 7]),
        (["12,50 €", "1.000,00 €"], "DECIMAL(28,2)", [12.5, 1000]),
        (["(12.5)", "3", "+4"], "DECIMAL(28,1)", [-12.5, 3, 4]),
        (["12%", "7.5 %", "-"], "DECIMAL(28,1)", [12, 7.5, None]),
        (["1.5e-3", "2e+10"], "DOUBLE", [0.0015, 20_000_000_000]),
        (["٣", "١٢"], "BIGINT", [3, 12]),
        (["1,23,456", "99"], "BIGINT", [123456, 99]),
        (["12345678901234567890"], "HUGEINT", [12345678901234567890]),
        (["\u22125", ".5"], "DECIMAL(28,1)", [-5, 0.5]),
        (["true", "FALSE"], "BOOLEAN", [True, False]),
        (["2024-02-29", "2024-1-5"], "DATE", ["2024-02-29", "2024-01-05"]),
        (["29.02.2024", "1.3.2024"], "DATE", ["2024-02-29", "2024-03-01"]),
        (["29/02/2024", "01/03/2024"], "DATE", ["2024-02-29", "2024-03-01"]),
        (["02/29/2024", "01/03/2024"], "DATE", ["2024-02-29", "2024-01-03"]),
        (["3 Jan 2026", "14 February 2026"], "DATE", ["2026-01-03", "2026-02-14"]),
        (["Sat, 3. März 2026", "1st-Dec-2025"], "DATE", ["2026-03-03", "2025-12-01"]),
        (["Jan 3, 2026", "September 14th 2026"], "DATE", ["2026-01-03", "2026-09-14"]),
        (["29.02.24", "1.3.24"], "DATE", ["2024-02-29", "2024-03-01"]),
        (["2025-02-17", "03/03/2025"], "DATE", ["2025-02-17", "2025-03-03"]),
        (["2024-04-17", "23 Apr 2024", "1.3.24"], "DATE", ["2024-04-17", "2024-04-23", "2024-03-01"]),
        (["2024-02-29", "13/02/2024", "1/3/2024"], "DATE", ["2024-02-29", "2024-02-13", "2024-03-01"]),
        (["2024-02-29", "1/3/2024", "02/13/2024"], "DATE", ["2024-02-29", "2024-01-03", "2024-02-13"]),
        (["2024-02-29", "1/3/2024"], "VARCHAR", ["2024-02-29", "1/3/2024"]),
        (["2024-02-29", "13/02/2024", "02/13/2024"], "VARCHAR", ["2024-02-29", "13/02/2024", "02/13/2024"]),
        (["2024-02-29", "end of May"], "VARCHAR", ["2024-02-29", "end of May"]),
        (["2024-02-29 10:30", "2024-03-01T00:00:00Z"], "TIMESTAMP", ["2024-02-29T10:30:00", "2024-03-01"]),
    ],
)
def test_columns_of_one_form_get_its_type(tmp_path: Path, texts: list[str], kind: str, values: list[object]) -> None:
    """Numbers and dates are found where every cell that holds a value is written in the same way."""
    content = "k\tv\n" + "".join(f"x\t{text}\n" for text in texts)
    assert table(tmp_path, content).columns[1] == ("v", kind)
    assert [row[1] for row in cells(tmp_path, content)] == values


@pytest.mark.parametrize(
    "texts",
    [
        ["007", "12"],
        ["+4915112345678", "+4915187654321"],
        ["555 123 456", "555 987 654"],
        ["1e5", "2a3"],
        ["$5", "€6"],
        ["1,5", "2.5"],
        ["01/02/2024", "03/04/2024"],
        ["29/02/2024", "02/29/2024"],
        ["3 Jan 2026", "4 Brumaire 2026"],
        ["30 Feb 2026"],
        ["2024-02-30"],
        ["1", "none of these"],
        ["(5", "6)"],
        ["1" * 39],
    ],
)
def test_other_columns_stay_texts(tmp_path: Path, texts: list[str]) -> None:
    """Codes, telephone numbers, mixed currencies, mixed forms and days that can be read in two ways are texts."""
    content = "k\tv\n" + "".join(f"x\t{text}\n" for text in texts)
    assert table(tmp_path, content).columns[1] == ("v", "VARCHAR")
    assert [row[1] for row in cells(tmp_path, content)] == texts


def test_missing_texts_are_null(tmp_path: Path) -> None:
    """Marks for no value are none, in texts as well; words that may be names are not such marks."""
    rows = cells(tmp_path, "k,v\n1,x\n2,N/A\n3,-\n4,NA\n5,null\n6,\n7,None\n")
    assert [row[1] for row in rows] == ["x", None, None, "NA", None, None, "None"]


@pytest.mark.parametrize(
    ("header", "first", "last"),
    [
        (["a"] * 400_000, "a", "a_400000"),
        (["x", *[""] * 399_999], "x", "column_400000"),
        ([*[f"a_{n}" for n in range(200_000)], *["A"] * 200_000], "a_0", "A_399998"),
    ],
    ids=["one name", "no name", "names that are taken"],
)
def test_columns_of_one_name_are_told_apart_in_one_go(header: list[str], first: str, last: str) -> None:
    """However many of a name there are; trying all numbers anew for each took minutes."""
    columns = unique(header, fold=str.lower)
    assert (columns[0], columns[-1], len(set(columns))) == (first, last, len(header))


def test_a_query_of_thousands_of_columns_of_one_name(tmp_path: Path) -> None:
    """Its columns are told apart in one go too."""
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    row = load(tmp_path).query(f"SELECT {','.join('a' for _ in range(8_000))} FROM t")
    assert isinstance(row, dict) and len(row) == 8_000 and list(row)[-1] == "a_8000"


def test_two_thousand_columns(tmp_path: Path) -> None:
    """A very wide table is loaded, and described in bounds."""
    width = 2_000
    rows = [[f"c{n}" for n in range(width)], [str(n) for n in range(width)]]
    (tmp_path / "t.csv").write_text("\n".join(",".join(row) for row in rows))
    database = load(tmp_path)
    assert len(database.tables[0].columns) == width
    assert database.query("SELECT c1999 + c1 FROM t") == 2_000
    assert len(database.describe(500)) <= 500
    assert "more columns" in database.describe(500)


def test_a_header_alone_is_an_empty_table(tmp_path: Path) -> None:
    """A table without rows has columns, and counts none."""
    found = table(tmp_path, "a,b\n")
    assert found == TableInfo("t", "t.csv", (("a", "VARCHAR"), ("b", "VARCHAR")), 0, (), found.reading)
    assert load(tmp_path).query("SELECT count(*) FROM t") == 0


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("t.csv", b"", "empty"),
        ("t.csv", b" \n\n", "empty"),
        ("t.csv", b"\x00\x01\x02", "binary"),
        ("t.csv", b"x" * 1_100_000, "field"),
        ("t.csv", b",".join(b"c%d" % n for n in range(2_000)) + b"\n1" * 600, "lack most of 2,000 columns"),
        ("t.json", b"{'a': 1", "no readable table"),
        ("t.jsonl", b'{"a": 1}\n{"a": \n', "no readable table"),
        ("t.parquet", b"PAR1 or not", "no readable table"),
        ("t.xlsx", b"PK or not", "spreadsheet"),
        ("t.db", b"no database", "SQLite"),
        ("t.sqlite", b"SQLite format 3\x00" + b"x" * 200, "database"),
        ("t.txt", b"a,b\n1,2\n", "no kind of table"),
    ],
)
def test_what_is_no_table_is_skipped(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    """A file that holds no table does not hinder the others, and is listed with the reason."""
    (tmp_path / name).write_bytes(content)
    (tmp_path / "good.csv").write_text("a\n1\n")
    database = load(tmp_path)
    assert [path for path, _ in database.skipped] == [name], database.skipped
    assert [info.name for info in database.tables] == ["good"]
    assert reason in database.skipped[0][1]
    assert str(tmp_path) not in database.skipped[0][1]
    assert "\n" not in database.skipped[0][1]


def test_files_outside_are_not_read(tmp_path: Path) -> None:
    """Neither a path nor a link leaves the folder, and a file that is not there is said to be missing."""
    root = tmp_path / "data"
    root.mkdir()
    (tmp_path / "secret.csv").write_text("a\n1\n")
    (root / "link.csv").symlink_to(tmp_path / "secret.csv")
    database = load(root, "link.csv", "../secret.csv", str(tmp_path / "secret.csv"), "missing.csv")
    assert database.tables == ()
    assert [("outside" in reason, "no file" in reason) for _, reason in database.skipped] == [(True, False)] * 3 + [
        (False, True)
    ]


def test_table_names(tmp_path: Path) -> None:
    """Tables are named like their files, as names that need no quotes and are there once."""
    (tmp_path / "sub").mkdir()
    names = ["Sales 2024.csv", "2024.csv", "order.csv", "sub/sales-2024.tsv", "Größe.csv", "!.csv"]
    for name in names:
        (tmp_path / name).write_text("a\n1\n")
    database = load(tmp_path, *names)
    found = [info.name for info in database.tables]
    assert found == ["sales_2024", "t_2024", "t_order", "sales_2024_2", "größe", "t_table"]
    assert [database.query(f"SELECT a FROM {name}") for name in found] == [1] * len(found)


@pytest.mark.parametrize("name", ["tables", "databases", "variables", "schemas", "all"])
def test_a_file_may_be_called_as_what_describe_lists(tmp_path: Path, name: str) -> None:
    """Its columns are its own."""
    (tmp_path / f"{name}.csv").write_text("a,b\n1,x\n")
    (tmp_path / f"{name}.json").write_text('[{"c": 1}]')
    database = load(tmp_path, f"{name}.csv", f"{name}.json")
    assert [dict(one.columns) for one in database.tables] == [{"a": "BIGINT", "b": "VARCHAR"}, {"c": "BIGINT"}]


def test_a_name_with_wildcards_is_one_file(tmp_path: Path) -> None:
    """A name such as ``*.json`` reads that file only."""
    for name in ("[ab].json", "a.json", "*.json"):
        (tmp_path / name).write_text(json.dumps([{"name": name}]))
    database = load(tmp_path, "[ab].json", "*.json")
    assert [info.sample for info in database.tables] == [(("'[ab].json'",),), (("'*.json'",),)]


def test_json_of_all_shapes(tmp_path: Path) -> None:
    """A list of objects, lines of objects, and lists within an object are tables."""
    (tmp_path / "list.json").write_text('[{"a": 1, "b": "x"}, {"a": 2.5}]')
    (tmp_path / "lines.jsonl").write_text('{"a": 1, "d": "2024-01-02"}\n{"a": 2}\n')
    (tmp_path / "wrapped.json").write_text('{"rows": [{"a": 1}, {"a": 2}]}')
    (tmp_path / "several.json").write_text('{"x": [{"a": 1}, {"a": 2}], "y": [{"b": 3}], "title": "t"}')
    database = load(tmp_path, "list.json", "lines.jsonl", "wrapped.json", "several.json")
    assert not database.skipped
    assert [info.name for info in database.tables] == [
        "list", "lines", "wrapped", "several_x", "several_y", "several",
    ]  # fmt: skip
    assert database.query("SELECT sum(a) FROM list") == 3.5
    assert database.query("SELECT d FROM lines WHERE a = 1") == "2024-01-02"
    assert database.query("SELECT sum(a) FROM wrapped") == 3
    assert database.query("SELECT (SELECT sum(a) FROM several_x) + b FROM several_y") == 6
    assert database.query("SELECT title FROM several") == "t"


def test_parquet(tmp_path: Path) -> None:
    """A Parquet file is a table with its own types."""
    duckdb.connect().execute(f"COPY (SELECT 1.25::DECIMAL(9,2) AS a, DATE '2024-01-02' AS d) TO '{tmp_path}/p.parquet'")
    assert load(tmp_path).tables[0].columns == (("a", "DECIMAL(9,2)"), ("d", "DATE"))


def test_spreadsheets(tmp_path: Path) -> None:
    """Each sheet is a table; titles above and faults in cells are no part of it."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Umsatz"
    for row in (["Umsatz 2024"], [], ["Name", "Wert", "Tag", "plz"]):
        sheet.append(row)
    sheet.append(["a", 0.1 + 0.2, datetime.datetime(2024, 1, 2), "007"])
    sheet.append(["b", "#N/A", None, "010"])
    book.create_sheet("Empty")
    book.create_sheet("More").append(["x"])
    book.save(tmp_path / "book.xlsx")
    first, second = load(tmp_path).tables
    assert (first.name, second.name, first.rows, second.rows) == ("book_umsatz", "book_more", 2, 0)
    assert [kind for _, kind in first.columns] == ["VARCHAR", "DECIMAL(28,1)", "DATE", "VARCHAR"]
    assert first.sample == (("'a'", "0.3", "'2024-01-02'", "'007'"), ("'b'", "NULL", "NULL", "'010'"))


def test_sqlite(tmp_path: Path) -> None:
    """Each table of a SQLite database is a table; the file is not changed, and nothing is left beside it."""
    connection = sqlite3.connect(tmp_path / "base.db")
    connection.executescript(
        "CREATE TABLE \"a b\"(n INTEGER, t TEXT); INSERT INTO \"a b\" VALUES (1, 'x'), (NULL, 'y');"
        "CREATE TABLE u(r REAL, b BLOB); INSERT INTO u VALUES (1.5, x'41')"
    )
    connection.close()
    before = (tmp_path / "base.db").read_bytes()
    database = load(tmp_path)
    assert [(info.name, info.rows) for info in database.tables] == [("base_a_b", 2), ("base_u", 1)]
    assert database.query("SELECT sum(n) FROM base_a_b") == 1
    assert database.query("SELECT * FROM base_u") == {"r": 1.5, "b": "A"}
    assert (tmp_path / "base.db").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["base.db"]


def test_a_database_of_very_many_tables_is_refused_in_words(tmp_path: Path) -> None:
    """Each is found among all others, which takes minutes for some thousands."""
    with sqlite3.connect(tmp_path / "base.db") as connection:
        for number in range(501):
            connection.execute(f"CREATE TABLE t{number}(a)")
    connection.close()
    assert load(tmp_path).skipped == (("base.db", "the database has 501 tables; up to 500 are read"),)


def test_a_value_that_a_database_makes_of_nothing_is_bounded(tmp_path: Path) -> None:
    """A column that is computed may make gigabytes of a file of some kilobytes."""
    with sqlite3.connect(tmp_path / "base.db") as connection:
        connection.execute("CREATE TABLE t(a, b GENERATED ALWAYS AS (hex(zeroblob(30000000))) VIRTUAL)")
        connection.execute("INSERT INTO t(a) VALUES (1)")
    connection.close()
    (skipped,) = load(tmp_path).skipped
    assert skipped == ("base.db", "it is no readable database: string or blob too big")


def test_large_files_are_read_by_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above a size DuckDB reads the delimited text itself; above another the file is skipped."""
    monkeypatch.setattr(batches, "_MAX_READ", 10)
    monkeypatch.setattr(batches, "_MAX_FILE", 100_000)
    (tmp_path / "a.csv").write_text("name;n\n" + "x;1\n" * 1000 + "n/a;2\n")
    (tmp_path / "l.csv").write_bytes("name,n\nKöln,1\nRom,2\n".encode("latin-1"))
    (tmp_path / "z.csv").write_bytes(b"n\n" + b"1\n" * 60_000)
    database = load(tmp_path)
    assert [path for path, _ in database.skipped] == ["z.csv"]
    assert database.query("SELECT sum(n), count(name) FROM a") == {"sum(n)": 1002, 'count("name")': 1000}
    assert database.query("SELECT n FROM l WHERE name = 'köln'") == 1


def test_scratch_files_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What passes through the disk is gone when the tables are."""
    (tmp_path / "a.csv").write_text("a\n1\n")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    database = load(tmp_path, "a.csv")
    there = {path.name for path in scratch.rglob("*") if path.is_file()}
    assert there == {"memory.duckdb", "tables.json", "values.duckdb"}
    del database
    assert list(scratch.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the system ends a file that grows too long")
@pytest.mark.parametrize("room", [4_096, 40_000])
def test_a_full_disk_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """Where the tables cannot be written, that is said, and nothing of them is left."""
    (tmp_path / "a.csv").write_text("n,a\n" + "".join(f"{n},text {n * 7919 % 10007}\n" for n in range(20_000)))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        with pytest.raises(InputFileError, match=r"^the tables cannot be kept in .*scratch: .*Could not write file"):
            load(tmp_path, "a.csv")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(("module", "name"), [("duckdb", "a.csv"), ("python_calamine", "a.xlsx")])
def test_missing_extra(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, module: str, name: str
) -> None:
    """Without the optional packages one line says what to install."""
    (tmp_path / name).write_text("a\n1\n")
    monkeypatch.setitem(sys.modules, module, None)
    with (
        without(module, tmp_path_factory.mktemp("modules")),
        pytest.raises(MissingExtraError, match=r"pip install 'aeon-orchestrator\[tables\]'"),
    ):
        load(tmp_path)


@pytest.mark.requirement("T1e")
class TestHostile:
    """Files that take far more than their size lets one think, beside one that is sound."""

    @pytest.mark.parametrize(
        ("name", "make", "reason"),
        [
            (
                "line.csv",
                lambda: hostile_files.one_line(3_000_000),
                "it is no readable table: a line has more than 2 MB",
            ),
            (
                "cells.db",
                lambda: hostile_files.cells(220, 900_000),
                "it is not read: it took more than 208 MB to read",
            ),
            (
                "worked.db",
                lambda: hostile_files.generated_cells(20, 900_000),
                "its tables are far larger than the file",
            ),
            ("deep.json", lambda: b"[" * 200_000, "it is not read: it took more than 208 MB to read"),
        ],
    )
    def test_a_hostile_file_is_one_line(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, make: Callable[[], bytes], reason: str
    ) -> None:
        """A file that takes too much is named with the reason, and the tables of the other are there."""
        for limit in ("_MEMORY_A_BYTE", "_SECONDS_A_MEGABYTE", "_OUTPUT_A_BYTE"):
            monkeypatch.setattr(batches, limit, 0)
        monkeypatch.setattr(batches, "_MEMORY", 208 * MEGABYTE)
        monkeypatch.setattr(batches, "_BESIDE_ENGINE", 60 * MEGABYTE)
        monkeypatch.setattr(batches, "_SECONDS", 20.0)
        monkeypatch.setattr(batches, "_OUTPUT", (512 if name == "cells.db" else 12) * MEGABYTE)
        monkeypatch.setattr(batches, "_MAX_READ", MEGABYTE if name == "line.csv" else 64 * MEGABYTE)
        (tmp_path / name).write_bytes(make())
        (tmp_path / "sound.csv").write_text("town,people\nOslo,700\n")
        database = load(tmp_path)
        ((skipped, why),) = database.skipped
        assert skipped.startswith(name)
        assert why.startswith(reason)
        assert database.query("SELECT people FROM sound") == 700

    def test_empty_rows_are_nothing(self, tmp_path: Path) -> None:
        """A spreadsheet whose rows hold a format and nothing else has the rows that hold something."""
        (tmp_path / "rows.xlsx").write_bytes(hostile_files.formatted_rows(150_000))
        database = load(tmp_path)
        assert [(one.name, one.rows) for one in database.tables] == [("rows", 3)]

    def test_a_time_for_all_files(self, tmp_path: Path) -> None:
        """When the time is over, no file is read any more, and each is named."""
        (tmp_path / "sound.csv").write_text("town,people\nOslo,700\n")
        database = Database.load(Folder.open(tmp_path), ["sound.csv"], Deadline(0))
        assert database.skipped == (("sound.csv", "it is not read: there was no time left to read it"),)


_TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from(list('",;|\n')), max_size=12)
_NUMBERS = st.decimals(min_value=-(10**9), max_value=10**9, places=2)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(_TEXTS, _NUMBERS), min_size=1, max_size=20),
    st.sampled_from(",;\t|"),
    st.sampled_from([str, "{:,}".format, lambda n: f"{n:,}".translate(str.maketrans(",.", ".,"))]),
)
def test_sums_survive_any_way_of_writing(
    rows: list[tuple[str, Decimal]], delimiter: str, write: Callable[[Decimal], str]
) -> None:
    """A table written with any delimiter and marks gives back the exact sum, the rows and the texts."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows([["name", "value"], *((name, write(n)) for name, n in rows)])
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "t.csv").write_text(text.getvalue(), encoding="utf-8", newline="")
        database = load(Path(folder))
        assert database.query("SELECT count(*) FROM t") == len(rows)
        assert database.query("SELECT sum(value) FROM t") == float(sum(number for _, number in rows))


@settings(max_examples=40)
@given(st.text(alphabet='a1,;\t|"\n\r\x00 .-/%€', max_size=60), st.sampled_from(["csv", "tsv", "json", "jsonl"]))
def test_any_text_is_a_table_or_skipped(text: str, suffix: str) -> None:
    """No file makes loading fail."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, f"t.{suffix}").write_text(text, encoding="utf-8", newline="")
        database = load(Path(folder))
        assert bool(database.tables) != bool(database.skipped)
        assert isinstance(database.describe(), str)


@given(st.binary(max_size=60))
def test_any_bytes_decode_or_are_no_text(data: bytes) -> None:
    """Bytes are text in one of the known encodings, or said to be none."""
    try:
        text, encoding = delimited.decode(data)
    except ToolFailed:
        return
    assert data.decode(encoding) == text
