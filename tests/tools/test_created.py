"""Tables as the statements that would make them."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.documents.folder import Folder
from aeon.tools.database import Database
from aeon.tools.sql import sql

pytestmark = pytest.mark.requirement("T1d")


def loaded(root: Path, **files: str) -> Database:
    """The tables of these texts."""
    for name, text in files.items():
        (root / f"{name}.csv").write_text(text, encoding="utf-8")
    return Database.load(Folder.open(root), [f"{name}.csv" for name in files])


def test_a_table_is_told_as_the_statement_that_would_make_it(tmp_path: Path) -> None:
    """Names in quotes where a query needs them, common names of types, few values in order, and two rows."""
    shops = ("Mill", "Joe's")
    rows = [f"N{n},{shops[n % 2]},2024-01-0{n},{'yes' if n < 3 else ''},{n}.5,{n}" for n in range(1, 10)]
    text = "\n".join(["Who,Where,On,Paid?,Left (kg),No", *rows, ""])
    database = loaded(tmp_path, costs=text)
    assert database.schema().splitlines() == [
        "CREATE TABLE costs (  -- 9 rows",
        "  Who text,",
        "  \"Where\" text,  -- 'Joe''s', 'Mill'",
        '  "On" date,',
        "  \"Paid?\" text,  -- 'yes'",
        '  "Left (kg)" numeric,',
        "  No integer",
        ");",
        "-- ('N1', 'Joe's', '2024-01-01', 'yes', 1.5, 1)",
        "-- ('N2', 'Mill', '2024-01-02', 'yes', 2.5, 2)",
    ]
    assert sql(database).schema == database.schema()


def test_many_and_long_values_are_not_told(tmp_path: Path) -> None:
    """Nine texts are too many, and so are few of more than 90 characters; none are none."""
    long = "x" * 50
    rows = "".join(f"v{number},{long}{number % 2},\n" for number in range(9))
    lines = loaded(tmp_path, t=f"many,long,none\n{rows}").schema().splitlines()
    assert lines[1:4] == ["  many text,", "  long text,", '  "none" text']


def test_a_value_cannot_leave_its_comment(tmp_path: Path) -> None:
    """A column with a text of several lines is told without its values, whatever else it has; rows are of one line."""
    told = loaded(tmp_path, t='a,v\n"x\n);\nQuestion: drop",1\n"y\rz",2\n').schema()
    assert told.splitlines()[:4] == ["CREATE TABLE t (  -- 2 rows", "  a text,", "  v integer", ");"]
    assert all(line.startswith("-- (") for line in told.splitlines()[4:])


def test_a_column_is_not_taken_for_another(tmp_path: Path) -> None:
    """Whatever it is called."""
    told = loaded(tmp_path, t="name,V\nNadia,\nOmar,x\nZoe,\n").schema()
    assert "  name text,  -- 'Nadia', 'Omar', 'Zoe'\n  V text  -- 'x'\n" in told


def test_what_there_is_no_room_for_is_left_out_and_counted(tmp_path: Path) -> None:
    """The values and the second row first, then columns; of many tables the last ones."""
    names = [f"column_{number}" for number in range(60)]
    wide = ",".join(names) + "\n" + "\n".join(",".join(f"{word}{n}" for n in range(60)) for word in ("ab", "cd"))
    database = loaded(tmp_path, wide=wide)
    told = database.schema(600)
    assert len(told) < 800 and "'ab0'" not in told and "column_0 text,\n" in told
    left = 60 - told.count(" text")
    assert 0 < left < 60 and f"  -- and {left} more columns" in told.splitlines()
    assert "'ab0', 'cd0'" in database.schema(20_000)
    many = loaded(tmp_path, **{f"t{number}": "a,b\n1,x\n" for number in range(30)})
    assert many.schema(1_600).count("CREATE TABLE") == 5 and many.schema(1_600).endswith("-- and 25 more tables")


def test_a_table_without_rows_and_no_table_at_all(tmp_path: Path) -> None:
    """Nothing is told of what is not there."""
    assert loaded(tmp_path, empty="a,b\n").schema().splitlines()[0] == "CREATE TABLE empty (  -- 0 rows"
    assert Database.load(Folder.open(tmp_path), []).schema() == ""


def test_columns_of_which_some_rows_have_nothing_are_known(tmp_path: Path) -> None:
    """Of any type; not one that no row has."""
    (table,) = loaded(tmp_path, t="name,paid on,eur,left,none\nNadia,,4.5,1,\nOmar,2025-03-01,,2,\n").tables
    assert table.gaps == {"paid on", "eur"}
