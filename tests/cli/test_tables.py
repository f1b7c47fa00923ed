"""``aeon tables``: how the tables of a file or a folder are read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aeon.cli import tables
from aeon.llm.scripted import Scripted

from .conftest import Outcome

Aeon = Callable[..., Outcome]

pytestmark = pytest.mark.requirement("T5i")
SALES = """Sales 2025

Shop;Amount;Code
Quay;1.250,50 €;007
Mill;n.a.;012
Park;749,50 €;113
Hill;100,00 €;114
All;2.100,00 €;
"""


@pytest.fixture
def sales(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table with a title, amounts with a unit, a cell without a value and a total."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sales.csv").write_text(SALES)
    return tmp_path


def test_a_table_is_shown_whole(aeon: Aeon, sales: Path) -> None:
    """Where it stands, its columns, what was not plain, and the table of its totals."""
    shown = aeon("tables", "sales.csv")
    assert shown.code == 0 and shown.err == "" and shown.out.splitlines() == [
        "sales.csv: sales, 4 rows",
        "  names in row 3",
        "  row 1 left out (a title above it: 'Sales 2025')",
        "  row 8 left out (the sum of others, in a table of its own)",
        "    Shop    VARCHAR",
        "    Amount  DECIMAL    in €; numbers like 1.234,5, 1 cell without a value ('n.a.')",
        "    Code    VARCHAR    codes, as some begin with zeros",
        "    e.g. 'Quay', 1250.5, '007'",
        "sales.csv: sales_totals, 1 row",
        "  names in row 3",
        "  its rows are sums of rows of the table before it",
        "    Shop    VARCHAR",
        "    Amount  DECIMAL    in €; numbers like 1.234,5",
        "    Code    VARCHAR    codes, as some begin with zeros",
        "    e.g. 'All', 2100, NULL",
    ]  # fmt: skip


def test_as_json(aeon: Aeon, sales: Path) -> None:
    """One document with every guess; files that cannot be read are in it, and make the exit code 1."""
    (sales / "broken.xlsx").write_text("no workbook")
    (sales / "notes.txt").write_text("no table")
    shown = aeon("tables", ".", "--json")
    found = json.loads(shown.out)
    assert shown.code == 1
    (skipped,) = found["skipped"]
    assert skipped["file"] == "broken.xlsx" and skipped["reason"].startswith("it is no readable spreadsheet: ")
    first = found["tables"][0]
    assert (first["file"], first["table"], first["rows"], first["header"], first["totals"]) == (
        "sales.csv",
        "sales",
        4,
        [3],
        [8],
    )
    assert first["columns"][1] == {
        "name": "Amount", "kind": "number", "type": "DECIMAL(28,2)", "unit": "€", "numbers": "1.234,5", "days": None,
        "without_value": [{"text": "n.a.", "cells": 1}], "note": None, "open": None,
    }  # fmt: skip
    assert first["left_out"][0] == {"first": 1, "last": 1, "why": "a title above it", "text": "Sales 2025"}


@pytest.mark.parametrize(
    ("path", "reason"),
    [("none.csv", "there is no such file"), ("notes.txt", "no file of tables"), ("empty", "no file of tables")],
)
def test_what_has_no_tables_is_one_line(aeon: Aeon, sales: Path, path: str, reason: str) -> None:
    """Exit code 2."""
    (sales / "notes.txt").write_text("no table")
    (sales / "empty").mkdir()
    shown = aeon("tables", path)
    assert (shown.code, shown.out) == (2, "") and reason in shown.err and shown.err.count("\n") == 1


@pytest.mark.requirement("T5j")
def test_a_reading_is_written_once(aeon: Aeon, sales: Path) -> None:
    """Beside the file, to be corrected; a file that is there is never overwritten, and a folder has none."""
    written = aeon("tables", "sales.csv", "--write")
    assert written.code == 0 and written.err == "aeon: wrote sales.toml\n"
    text = (sales / "sales.toml").read_text()
    assert text.startswith('header = [3]\ntotals = [8]\n\n[columns."Shop"]\ntype = "text"\n')
    (sales / "sales.toml").write_text(text.replace("totals = [8]", "totals = []"))
    assert "sales.csv: sales, 5 rows\n" in aeon("tables", "sales.csv").out
    again = aeon("tables", "sales.csv", "--write")
    assert again.code == 2 and "exists already" in again.err
    assert aeon("tables", ".", "--write").code == 2


RAIN = "station,rain\nHill,1.250\nDale,3.400\nMoor,2.175\n"


@pytest.fixture
def rain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of which one column can be read in two ways, and one of days."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rain.csv").write_text(RAIN)
    (tmp_path / "days.csv").write_text("name,born\nAna,03/04/1990\nBo,05/06/1991\n")
    (tmp_path / "plain.csv").write_text("k,v\na,1\nb,2\n")
    return tmp_path


def by(monkeypatch: pytest.MonkeyPatch, *replies: str) -> Scripted:
    """A model that says so."""
    model = Scripted(replies, name="reader")
    monkeypatch.setattr(tables, "select", lambda name: model)
    return model


@pytest.mark.requirement("T5p")
class TestAsk:
    """What is open of a file, put to a model."""

    @pytest.mark.parametrize(
        ("file", "said", "stated", "shown"),
        [
            ("rain.csv", "3400", 'numbers = "1.234,5"', "BIGINT     numbers like 1.234,5"),
            ("rain.csv", "3.4", 'numbers = "1,234.5"', "rain     DECIMAL"),
            ("days.csv", "1990-03-04", 'days = "mdy"', "born  DATE"),
        ],
    )
    def test_what_a_model_says_twice_is_stated(
        self, aeon: Aeon, rain: Path, monkeypatch: pytest.MonkeyPatch, file: str, said: str, stated: str, shown: str
    ) -> None:
        """It sees the file as it stands, and the values in both orders; the file beside says whose reading it is."""
        model = by(monkeypatch, *[json.dumps({"1": said})] * 2)
        result = aeon("tables", file, "--ask")
        written = (rain / file).with_suffix(".toml").read_text()
        assert result.code == 0 and shown in result.out and "open:" not in result.out
        assert stated in written and written.startswith("# as reader reads it: ")
        first, second = (request.messages[-1].content for request in model.requests)
        assert (rain / file).read_text() in first and first != second

    @pytest.mark.parametrize("replies", [("3400", "3.4"), ("cannot be told",) * 2])
    def test_what_it_cannot_tell_stays_open(
        self, aeon: Aeon, rain: Path, monkeypatch: pytest.MonkeyPatch, replies: tuple[str, ...]
    ) -> None:
        """One that takes the value that comes first has told nothing."""
        by(monkeypatch, *[json.dumps({"1": said}) for said in replies])
        result = aeon("tables", "rain.csv", "--ask")
        assert (result.code, result.err) == (
            0,
            "aeon: rain.csv: nothing is open that a model could tell; nothing was written\n",
        )
        assert "open: 3.400" in result.out and not (rain / "rain.toml").exists()

    def test_where_nothing_is_open_nobody_is_asked(
        self, aeon: Aeon, rain: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """No model is loaded, and no file is written."""
        model = by(monkeypatch)
        assert aeon("tables", "plain.csv", "--ask").code == 0
        assert not model.requests and not (rain / "plain.toml").exists()

    def test_a_file_that_is_there_is_not_overwritten(
        self, aeon: Aeon, rain: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The user's own word counts; a folder has none."""
        model = by(monkeypatch)
        (rain / "rain.toml").write_text("")
        assert aeon("tables", "rain.csv", "--ask").code == 2
        assert "--ask is for one file" in aeon("tables", ".", "--ask").err
        assert not model.requests
