"""Tables from CSV text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.errors import ToolError, ToolFailed
from aeon.tools.tables import Table, answer


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_found(delimiter: str) -> None:
    """The usual delimiters need not be told."""
    table = Table.parse(f"a{delimiter}b\n1{delimiter}2\n3{delimiter}4\n")
    assert (table.columns, table.rows) == (("a", "b"), (("1", "2"), ("3", "4")))


def test_one_column_is_a_table() -> None:
    """A list of values under a header is a table."""
    assert answer(Table.parse("n\n1\n2\n"), "n", "sum") == 3


def test_ragged_rows_double_names_and_quotes() -> None:
    """Short rows are filled, long ones cut, names made unique, quotes and line breaks in cells kept."""
    table = Table.parse('a,a,,a_2\n1\n1,2,3,4,5\n\n"x ""y""","l1\nl2",,\n')
    assert table.columns == ("a", "a_2", "column_3", "a_2_2")
    assert table.rows == (("1", "", "", ""), ("1", "2", "3", "4"), ('x "y"', "l1\nl2", "", ""))


def test_sums_are_exact() -> None:
    """Ten cents ten times are one."""
    assert answer(Table.parse("n\n" + "0.1\n" * 10), "n", "sum") == 1


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


@given(
    st.text(alphabet='a1,;\t|"\n\r\x00 .'), st.sampled_from(["sum", "min", "max", "count", "list", "distinct", "mean"])
)
def test_any_text_is_a_table_or_a_tool_error(text: str, operation: str) -> None:
    """No text raises outside the error tree."""
    try:
        table = Table.parse(text)
        answer(table, table.columns[0], operation)  # type: ignore[arg-type]
    except ToolError:
        return
    assert all(len(row) == len(table.columns) for row in table.rows)
