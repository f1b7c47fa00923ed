"""Reading a folder."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from aeon.errors import InputFileError, ToolArgumentError, ToolFailed
from aeon.tools import Tool, ToolRegistry
from aeon.tools.files import files

SALES = """date,region,product,amount
2024-01-01,North,Apple,"1,200.50"
2024-01-02,South,Pear,$300
2024-02-01,North,Pear,99.5
2024-02-02,East,Apple,n/a
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder of a table, texts, a binary file, a hidden one and links out of it."""
    root = tmp_path / "data"
    (root / "sub").mkdir(parents=True)
    (root / "sales.csv").write_text(SALES)
    (root / "notes.txt").write_text("First line\nThe Secret is here\n")
    (root / "sub" / "latin.txt").write_bytes("caf\xe9 secret".encode("latin-1"))
    (root / "sub" / "picture.bin").write_bytes(b"\x00\x01secret")
    (root / ".hidden").write_text("secret")
    (tmp_path / "outside.txt").write_text("secret of the outside")
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")
    (root / "up").symlink_to(tmp_path)
    return root


@pytest.fixture
def crowded(folder: Path) -> Path:
    """Add so many files, and a table of so many columns, that a tool's schema no longer lists their names."""
    for number in range(61):
        (folder / "sub" / f"more_{number:02}.txt").write_text("more")
    (folder / "wide.csv").write_text(",".join(f"c{number}" for number in range(61)) + "\n")
    return folder


def ask(folder: Path, name: str, **arguments: object) -> object:
    """Call one of the tools; a table is asked over all rows unless conditions are given."""
    if name == "table_query":
        arguments = {"where": "", **arguments}
    return asyncio.run(ToolRegistry(files(folder), 10**6).call(name, arguments)).value  # type: ignore[arg-type]


def choices(tool: Tool, parameter: str) -> object:
    """The values that a tool's parameter is limited to."""
    return tool.parameters["properties"][parameter].get("enum")  # type: ignore[index, call-overload, union-attr]


def test_all_are_safe(folder: Path) -> None:
    """Reading changes nothing and may overlap."""
    tools = files(folder)
    assert [t.name for t in tools] == ["list_files", "read_file", "search_files", "table_query"]
    assert all(t.parallel_safe and not t.side_effects for t in tools)


def test_a_folder_without_tables_has_no_table_tool(tmp_path: Path) -> None:
    """Nothing that is offered needs a table where there is none."""
    (tmp_path / "notes.txt").write_text("x")
    tools = files(tmp_path)
    assert [t.name for t in tools] == ["list_files", "read_file", "search_files"]
    assert tools[1].description == "Read one text file whole."


def test_a_table_is_asked_not_read(folder: Path) -> None:
    """Where there are tables and other files, the other files are what is read."""
    assert "sales.csv" not in files(folder)[1].hint
    with pytest.raises(ToolArgumentError, match="path: "):
        ask(folder, "read_file", path="sales.csv")
    assert ask(folder, "table_query", path="sales.csv", column="amount", operation="rows")


def test_names_are_those_of_the_folder(folder: Path) -> None:
    """The schemas take the folder's files, its tables and their columns, and nothing else."""
    _, reading, _, asking = files(folder)
    assert choices(reading, "path") == ["notes.txt", "sub/latin.txt", "sub/picture.bin"]
    assert choices(asking, "path") == ["sales.csv"]
    assert choices(asking, "column") == ["date", "region", "product", "amount"]


def test_many_names_are_not_listed(crowded: Path) -> None:
    """A schema stays small: more than sixty names are left out of it, and any name may be asked for."""
    _, reading, _, asking = files(crowded)
    assert (choices(reading, "path"), choices(asking, "column")) == (None, None)
    assert choices(asking, "path") == ["sales.csv", "wide.csv"]
    assert ask(crowded, "table_query", path="sales.csv", column=" AMOUNT", operation="sum") == 1600


def test_long_and_unwritable_names_are_not_listed(tmp_path: Path) -> None:
    """Column names that would fill the prompt, or that no model can write, stay out of the schema."""
    for header in ("x" * 3_000, "a\x1bb"):
        (tmp_path / "table.csv").write_text(f"{header},n\n1,2\n")
        assert choices(files(tmp_path)[3], "column") is None


def test_columns_of_a_large_table_can_be_asked_for(tmp_path: Path) -> None:
    """A table too large to be read ahead does not lose its columns to the names of a small one."""
    (tmp_path / "small.csv").write_text("a\n1\n")
    (tmp_path / "large.csv").write_text("n\n" + "1000000\n" * 600_000)
    assert ask(tmp_path, "table_query", path="large.csv", column="n", operation="max") == {
        "value": 1_000_000,
        "row": {"n": 1_000_000},
        "rows_with_it": 600_000,
    }


def test_list_leaves_out_hidden_files_and_links_out(folder: Path) -> None:
    """Only what is in the folder is listed."""
    assert [entry["path"] for entry in ask(folder, "list_files")] == [  # type: ignore[attr-defined]
        "notes.txt",
        "sales.csv",
        "sub/latin.txt",
        "sub/picture.bin",
    ]


def test_hint_tells_the_columns(folder: Path) -> None:
    """A planner that never saw the folder learns names, columns and a first row."""
    hint = files(folder)[3].hint
    assert "sales.csv (141 bytes): 4 rows; columns: date, region, product, amount" in hint
    assert "first row: 2024-01-01, North, Apple, 1,200.50" in hint


def test_hint_is_bounded(tmp_path: Path) -> None:
    """Many files do not flood the prompt."""
    for number in range(200):
        (tmp_path / f"file_{number:03}.txt").write_text("x")
    hint = files(tmp_path)[1].hint
    assert len(hint) < 1300
    assert hint.splitlines()[-1].endswith("more files")


def test_empty_folder(tmp_path: Path) -> None:
    """An empty folder is no error."""
    assert files(tmp_path)[1].hint == ""
    assert ask(tmp_path, "list_files") == []


def test_missing_folder_and_file_as_folder(tmp_path: Path) -> None:
    """What is no folder is refused at once."""
    (tmp_path / "file").write_text("x")
    for path in ("missing", "file", "nul\x00"):
        with pytest.raises(InputFileError, match=r"cannot read the folder"):
            files(str(tmp_path / path))


def test_read_text(folder: Path) -> None:
    """UTF-8 is read as it is, other text as Latin-1."""
    assert ask(folder, "read_file", path="notes.txt") == "First line\nThe Secret is here\n"
    assert ask(folder, "read_file", path="sub/latin.txt") == "caf\xe9 secret"


def test_a_path_may_be_written_in_other_ways(crowded: Path) -> None:
    """Where any path may be asked for, one that comes back into the folder is as good as the shortest."""
    assert ask(crowded, "read_file", path="./sub/../notes.txt") == "First line\nThe Secret is here\n"


def test_read_cuts_a_large_file(tmp_path: Path) -> None:
    """A file above the cap is cut, never in the middle of a character, and marked."""
    (tmp_path / "large.txt").write_text("a" + "\xe9" * 200_000)
    text = str(ask(tmp_path, "read_file", path="large.txt"))
    assert text.startswith("a\xe9")
    assert text.endswith("\xe9… [cut: only the first 262,144 bytes were read]")


def test_binary_file_is_refused(folder: Path) -> None:
    """A binary file is no text."""
    with pytest.raises(ToolFailed, match="binary"):
        ask(folder, "read_file", path="sub/picture.bin")


OUTSIDE = ["../outside.txt", "/etc/passwd", "link.txt", "up/outside.txt", "sub/../../outside.txt", "..\\outside.txt"]
NO_FILE = ["", "sub", "sale.csv", "nul\x00", "x" * 10_000]


@pytest.mark.parametrize("path", OUTSIDE + NO_FILE)
def test_only_listed_paths_are_taken(folder: Path, path: str) -> None:
    """A path that is not one of the listed ones is refused."""
    with pytest.raises(ToolArgumentError, match="path: "):
        ask(folder, "read_file", path=path)
    with pytest.raises(ToolArgumentError, match="path: "):
        ask(folder, "table_query", path=path, column="amount", operation="count")


@pytest.mark.parametrize("path", OUTSIDE)
def test_nothing_outside_is_read(crowded: Path, path: str) -> None:
    """No path and no link leads out of the folder."""
    with pytest.raises(ToolFailed, match="outside the folder"):
        ask(crowded, "read_file", path=path)


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_table_outside_is_read(crowded: Path, path: str) -> None:
    """No path and no link leads out of the folder to a table."""
    for number in range(61):
        (crowded / f"table_{number:02}.csv").write_text("a\n1\n")
    with pytest.raises(ToolFailed, match="outside the folder"):
        ask(crowded, "table_query", path=path, column="a", operation="count")


@pytest.mark.parametrize("path", NO_FILE)
def test_what_is_no_file_is_a_failure(crowded: Path, path: str) -> None:
    """A folder, a wrong name or an impossible one is a clear failure."""
    with pytest.raises(ToolFailed):
        ask(crowded, "read_file", path=path)


def test_wrong_name_lists_close_ones(crowded: Path) -> None:
    """A misspelt path gets the nearest."""
    with pytest.raises(ToolFailed, match=r"did you mean sales\.csv"):
        ask(crowded, "read_file", path="sale.csv")


def test_search_ignores_case_and_never_leaves(folder: Path) -> None:
    """Search gives path, line number and line, from text files of the folder only."""
    assert (
        ask(folder, "search_files", text="SECRET") == "notes.txt:2: The Secret is here\nsub/latin.txt:1: caf\xe9 secret"
    )
    assert ask(folder, "search_files", text="absent") == "no line contains 'absent'"


def test_search_is_capped(tmp_path: Path) -> None:
    """A common word gives a hundred lines and says that there are more."""
    (tmp_path / "many.txt").write_text("word\n" * 500)
    lines = str(ask(tmp_path, "search_files", text="word")).splitlines()
    assert len(lines) == 101
    assert lines[-1] == "… [cut: the search stopped after 100 lines]"


def test_search_for_nothing_is_refused(folder: Path) -> None:
    """An empty text is in every line."""
    with pytest.raises(ToolArgumentError):
        ask(folder, "search_files", text="")


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ({"column": "amount", "operation": "sum"}, 1600),
        ({"column": "amount", "operation": "mean"}, 1600 / 3),
        ({"column": "amount", "operation": "sum", "where": "region = north"}, 1300),
        ({"column": "amount", "operation": "sum", "where": "region == 'North'"}, 1300),
        ({"column": "date", "operation": "count", "where": "product != Pear"}, 2),
        ({"column": "date", "operation": "count", "where": "amount >= 300"}, 2),
        ({"column": "date", "operation": "count", "where": "amount > 300"}, 1),
        ({"column": "date", "operation": "count", "where": "amount > 9999"}, 0),
        ({"column": "date", "operation": "count", "where": "amount <= 99.5"}, 1),
        ({"column": "date", "operation": "list", "where": "date < 2024-02-01"}, ["2024-01-01", "2024-01-02"]),
        ({"column": "date", "operation": "count", "where": "date contains -02-"}, 2),
        ({"column": "amount", "operation": "sum", "where": "region = North and product = Pear"}, 99.5),
        (
            {"column": "amount", "operation": "sum", "where": 'region = "North" AND AMOUNT > 1,000; date < 2025-01-01'},
            1200.5,
        ),
        (
            {"column": "date", "operation": "rows", "where": "region = South"},
            [{"date": "2024-01-02", "region": "South", "product": "Pear", "amount": "$300"}],
        ),
        ({"column": "amount", "operation": "sum", "where": " "}, 1600),
        ({"column": "region", "operation": "distinct"}, ["North", "South", "East"]),
        (
            {"column": "amount", "operation": "max"},
            {
                "value": 1200.5,
                "row": {"date": "2024-01-01", "region": "North", "product": "Apple", "amount": "1,200.50"},
            },
        ),
        (
            {"column": "product", "operation": "min"},
            {
                "value": "Apple",
                "row": {"date": "2024-01-01", "region": "North", "product": "Apple", "amount": "1,200.50"},
                "rows_with_it": 2,
            },
        ),
        ({"column": "amount", "operation": "count", "group_by": "region"}, {"North": 2, "South": 1, "East": 1}),
        (
            {"column": "amount", "operation": "sum", "group_by": "product", "where": "region = North"},
            {"Apple": 1200.5, "Pear": 99.5},
        ),
    ],
)
def test_table_query(folder: Path, arguments: dict[str, object], value: object) -> None:
    """Each operation, comparison and grouping gives the exact answer."""
    assert ask(folder, "table_query", path="sales.csv", **arguments) == value


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"column": "product", "operation": "sum"}, "sum needs numbers, but column 'product' holds 'Apple'"),
        ({"column": "amount", "operation": "sum", "where": "region = West"}, "values are: North, South, East"),
        ({"column": "amount", "operation": "sum", "where": "product = Pear and region = East"}, "are: South, North"),
        ({"column": "amount", "operation": "sum", "where": "city = x"}, "no column 'city'"),
        ({"column": "amount", "operation": "max", "where": "region = East"}, "no row has a value"),
        ({"column": "amount", "operation": "sum", "group_by": "town"}, "no column 'town'"),
    ],
)
def test_table_query_failures_say_what_there_is(folder: Path, arguments: dict[str, object], text: str) -> None:
    """A wrong column or value gets the right ones."""
    with pytest.raises(ToolFailed, match=text):
        ask(folder, "table_query", path="sales.csv", **arguments)


def test_unknown_column_is_an_argument_error(folder: Path) -> None:
    """The schema knows the columns and names them."""
    with pytest.raises(ToolArgumentError, match=r"'amont' is not one of \['date', 'region', 'product', 'amount'\]"):
        ask(folder, "table_query", path="sales.csv", column="amont", operation="sum")


def test_unknown_column_is_a_failure_where_columns_are_many(crowded: Path) -> None:
    """Where the schema does not list the columns, the table does, with the nearest."""
    with pytest.raises(ToolFailed, match="columns are: date, region, product, amount; did you mean amount"):
        ask(crowded, "table_query", path="sales.csv", column="amont", operation="sum")


def test_column_of_another_table_is_a_failure(folder: Path) -> None:
    """A column that only another table has is told from those that this one has."""
    (folder / "towns.csv").write_text("town\nRome\n")
    with pytest.raises(ToolFailed, match="no column 'town'; the columns are: date, region, product, amount"):
        ask(folder, "table_query", path="sales.csv", column="town", operation="list")


def test_unreadable_condition_is_an_argument_error(folder: Path) -> None:
    """What is no condition is refused before anything is counted."""
    with pytest.raises(ToolArgumentError, match="'big ones' is no condition; write: city = Rome and weight >= 10"):
        ask(folder, "table_query", path="sales.csv", column="amount", operation="sum", where="big ones")


def test_a_value_may_hold_and(tmp_path: Path) -> None:
    """A value with *and* or ``&`` in it is found, quoted or not."""
    (tmp_path / "sales.csv").write_text("product,n\nsalt and pepper,1\nsalt,2\nR&D,4\n")
    for where, total in {
        "product = salt and pepper": 1,
        "product = 'salt and pepper' and n > 0": 1,
        "n > 0 and product = salt and pepper": 1,
        "product = salt and n < 3": 2,
        "product != 'salt and pepper'": 6,
        "product = R&D": 4,
    }.items():
        assert ask(tmp_path, "table_query", path="sales.csv", column="n", operation="sum", where=where) == total


def test_unknown_operation_is_an_argument_error(folder: Path) -> None:
    """The schema knows the operations."""
    with pytest.raises(ToolArgumentError, match="operation"):
        ask(folder, "table_query", path="sales.csv", column="amount", operation="total")
