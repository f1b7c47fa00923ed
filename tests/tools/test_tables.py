"""Tables from CSV text."""

from __future__ import annotations

import pytest

from aeon.errors import ToolFailed
from aeon.tools.tables import Table


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_found(delimiter: str) -> None:
    """The usual delimiters need not be told."""
    table = Table.parse(f"a{delimiter}b\n1{delimiter}2\n3{delimiter}4\n")
    assert (table.columns, table.rows) == (("a", "b"), (("1", "2"), ("3", "4")))


def test_ragged_rows_double_names_and_quotes() -> None:
    """Short rows are filled, long ones cut, names made unique, quotes and line breaks in cells kept."""
    table = Table.parse('a,a,,a_2\n1\n1,2,3,4,5\n\n"x ""y""","l1\nl2",,\n')
    assert table.columns == ("a", "a_2", "column_3", "a_2_2")
    assert table.rows == (("1", "", "", ""), ("1", "2", "3", "4"), ('x "y"', "l1\nl2", "", ""))


def test_objects_convert_plain_numbers_only() -> None:
    """An id with leading zeros stays a text."""
    assert Table.parse("id,n,t\n007,1.5,x\n7,-2,1e5\n").objects() == [
        {"id": "007", "n": 1.5, "t": "x"},
        {"id": 7, "n": -2, "t": "1e5"},
    ]


def test_no_table_is_a_failure() -> None:
    """An empty text holds no table."""
    with pytest.raises(ToolFailed, match="empty"):
        Table.parse(" \n")


@pytest.mark.parametrize(
    ("header", "first", "last"),
    [
        (["a"] * 400_000, "a", "a_400000"),
        (["x", *[""] * 399_999], "x", "column_400000"),
        ([*[f"a_{n}" for n in range(200_000)], *["a"] * 200_000], "a_0", "a_399998"),
    ],
    ids=["one name", "no name", "names that are taken"],
)
def test_a_header_that_repeats_a_name_is_read_in_one_go(header: list[str], first: str, last: str) -> None:
    """Each column gets a name of its own, however many of a name there are; trying all numbers anew took minutes."""
    columns = Table.parse(",".join(header) + "\n1").columns
    assert (columns[0], columns[-1], len(set(columns))) == (first, last, len(header))


def test_a_header_far_wider_than_the_rows_is_no_table() -> None:
    """Filled up, a small file of wide header and short rows would take the whole memory."""
    header = ",".join(f"c{n}" for n in range(3_000))
    with pytest.raises(ToolFailed, match="most of its 2,000 rows lack most of 3,000 columns"):
        Table.parse(header + "\n" + "1\n" * 2_000)
    assert Table.parse(header + "\n" + "1\n" * 300).rows[-1] == ("1", *[""] * 2_999)
