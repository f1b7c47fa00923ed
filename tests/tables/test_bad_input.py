# ruff: noqa: RUF001 - texts in the scripts of other languages
"""Delimited files as they should not be: each gives a reading with its doubts, or one clear line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from aeon.documents.folder import Folder
from aeon.errors import ToolFailed
from aeon.isolation.pool import isolated
from aeon.tools import filling
from aeon.tools.database import Database

from .test_reading import columns, load, rows_of, told

pytestmark = pytest.mark.requirement("T5l")


def skipped(folder: Path, content: str | bytes) -> str:
    """Why a file has no table, in one line."""
    (folder / "t.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    database = Database.load(Folder(folder), ["t.csv"])
    ((name, why),) = database.skipped
    assert name == "t.csv" and "\n" not in why and not database.tables
    return why


@pytest.mark.parametrize(
    ("content", "names", "rows"),
    [
        ("x\n", ["x"], []),
        ("a,b\n", ["a", "b"], []),
        ("name,city\nAda,Porto\nBo,Cork\n", ["name", "city"], [["Ada", "Porto"], ["Bo", "Cork"]]),
        ("\ufeffa,b\n1,2\n", ["a", "b"], [[1, 2]]),
        ("a,b\r1,2\r3,4\r", ["a", "b"], [[1, 2], [3, 4]]),
        ("a,b\r\n1,2\n3,4\r5,6\r\n", ["a", "b"], [[1, 2], [3, 4], [5, 6]]),
        ("a;b\n1,5;2,75\n3,25;4\n", ["a", "b"], [[1.5, 2.75], [3.25, 4]]),
        ("sep=;\na;b\n1,5;2\n", ["a", "b"], [[1.5, 2]]),
        ("\ufeffsep=\t\r\na\tb\r\n1\t2\r\n", ["a", "b"], [[1, 2]]),
        ("a,b,\n1,2,\n3,4,\n", ["a", "b"], [[1, 2], [3, 4]]),
        ("a,b\n1,2,\n3,4,\n", ["a", "b"], [[1, 2], [3, 4]]),
        ("a,a,A\n1,2,3\n", ["a", "a_2", "A_3"], [[1, 2, 3]]),
        ("k,d\na,2024-04-17\nb,23 Apr 2024\nc,1.3.24\n", ["k", "d"],
         [["a", "2024-04-17"], ["b", "2024-04-23"], ["c", "2024-03-01"]]),
    ],
)  # fmt: skip
def test_what_is_unusual_is_read(tmp_path: Path, content: str, names: list[str], rows: list[list[object]]) -> None:
    """One cell, a header alone, marks of the encoding, ends of lines, delimiters, names that are there twice."""
    database = load(tmp_path, content)
    assert [*columns(database)] == names
    assert rows_of(database) == rows


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("k;v\na;1.234,5\nb;1,234.5\n", "v: numbers in two conventions (1,234.5 and 1.234,5)"),
        ("k,d\na,01/02/2024\nb,03/04/2024\nc,5/6/2024\n", "d: days whose month cannot be told from the day"),
        ("a,b\n1\n1,2,3\n", "1 cell beyond the last column left out"),
        ('a,b\n1,"x\n2,y\n3,z\n', "line 2 opened a quote that is not closed: read as it stands"),
        ("shop,n\nA,1\nB,2\nitem,cost\nx,1.5\ny,2.5\n", "n: 1 cell without a value ('cost')"),
    ],
)
def test_what_is_in_doubt_is_told(tmp_path: Path, content: str, line: str) -> None:
    """Two conventions, days or months, rows of other lengths, a quote without an end, a header between rows."""
    assert line in told(load(tmp_path, content))


def test_three_tables_one_below_the_other(tmp_path: Path) -> None:
    """Each with its title and columns of its own."""
    text = "Sales\nshop,n\nA,1\nB,2\n\nCosts\nitem,cost,vat\nx,1.5,2\ny,2.5,3\n\nStaff\nname,role\nAda,boss\nBo,clerk\n"
    database = load(tmp_path, text)
    assert [[*columns(database, place)] for place in range(3)] == [
        ["shop", "n"], ["item", "cost", "vat"], ["name", "role"],
    ]  # fmt: skip
    assert rows_of(database, "t_3") == [["Ada", "boss"], ["Bo", "clerk"]]


def test_names_that_are_keywords_can_be_asked(tmp_path: Path) -> None:
    """A column may be called as a word of SQL."""
    database = load(tmp_path, "select,from,order\n1,2,3\n")
    assert database.query('SELECT "select" + "from" + "order" FROM t') == 6


class TestComments:
    """Rows that begin with the sign of a comment."""

    def test_before_the_names(self, tmp_path: Path) -> None:
        """However many cells they have: the names stand below them."""
        database = load(tmp_path, "# made by x\n# one, two, three\na,b,c\n10,20,30\n4,5,6\n")
        assert [*columns(database)] == ["a", "b", "c"]
        assert rows_of(database) == [[10, 20, 30], [4, 5, 6]]

    @pytest.mark.parametrize("text", ["# a,b,c\n10,20,30\n4,5,6\n7,8,9\n", "#id,name\nA1,Ada\nB2,Bo\n"])
    def test_names_may_begin_so(self, tmp_path: Path, text: str) -> None:
        """Where nothing below has the names of columns, the row with the sign has them."""
        assert [*columns(load(tmp_path, text))] == text.splitlines()[0].split(",")

    def test_between_and_below_the_rows(self, tmp_path: Path) -> None:
        """One of a single cell is no row, in a small file as in a large one, and that is told."""
        text = "a,b\n1,2\n# note\n3,4\n" + "5,6\n" * 300_000
        for content in (text[:40], text):
            database = load(tmp_path, content)
            assert database.query("SELECT count(*) - count(a) FROM t") == 0
            assert "row 3 left out (a comment)" in told(database)

    def test_values_may_begin_so(self, tmp_path: Path) -> None:
        """Where a row with the sign has more cells, none is a comment."""
        database = load(tmp_path, "tag,n\n#sun,3\n#rain\nfog,4\n")
        assert rows_of(database) == [["#sun", 3], ["#rain", None], ["fog", 4]]


class TestEncodings:
    """Encodings that nothing marks."""

    @pytest.mark.parametrize(
        ("encoding", "text"),
        [
            ("cp932", "名前;市\n太郎;東京\n"),
            ("cp1251", "Имя;Город\nАнна;Москва\nИван;Казань\n"),
            ("cp1256", "الاسم;n\nأحمد;1\nفاطمة;2\n"),
        ],
    )
    def test_a_few_letters_are_a_guess(self, tmp_path: Path, encoding: str, text: str) -> None:
        """Which is told."""
        database = load(tmp_path, text.encode(encoding))
        assert [*columns(database)] == text.splitlines()[0].split(";")
        assert f"read as {encoding}, a guess from few letters" in told(database)

    @pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16", "utf-32"])
    def test_wide_letters(self, tmp_path: Path, encoding: str) -> None:
        """With and without a mark at the beginning."""
        database = load(tmp_path, "a,b\n1,ü\n2,Ж\n".encode(encoding))
        assert rows_of(database) == [[1, "ü"], [2, "Ж"]]
        assert f"read as {encoding}" in told(database)

    def test_it_can_be_stated(self, tmp_path: Path) -> None:
        """And decides, also in a large file."""
        (tmp_path / "t.toml").write_text('encoding = "koi8-r"\n')
        data = "город,n\nМир,1\n".encode("koi8-r")
        for content in (data, data + b"x,2\n" * 300_000):
            database = load(tmp_path, content)
            assert rows_of(database)[0] == ["Мир", 1]
            assert "read as koi8-r" in told(database)

    @pytest.mark.parametrize(
        ("stated", "why"),
        [("utf-8", "it is no text in utf-8, as is stated"), ("utf-9", "t.toml: encoding: Value error, there is no")],
    )
    def test_a_wrong_one_is_refused(self, tmp_path: Path, stated: str, why: str) -> None:
        """In one line; the file is not read in another."""
        (tmp_path / "t.toml").write_text(f'encoding = "{stated}"\n')
        assert skipped(tmp_path, "名,市\n太郎,東京\n".encode("cp932")).startswith(why)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (b"\n \n", "it is empty"),
        (b"a,b\n1,x\x00y\n2,z\n", "it is a binary file, not text"),
        (",".join(f"c{n}" for n in range(16_000)) + "\n1\n", "it has 16,000 columns; up to 2,048 are read"),
        (b"a,b\n" + b"x" * 5_000_000 + b",1\n", "it is no readable table: a line has more than 2 MB"),
    ],
)
def test_what_is_no_table_is_one_line(tmp_path: Path, content: str | bytes, why: str) -> None:
    """Nothing, zero bytes, far too many columns, a line of many megabytes."""
    assert skipped(tmp_path, content) == why


class TestChanges:
    """A file that is written to while it is read."""

    @staticmethod
    def changing(monkeypatch: pytest.MonkeyPatch, path: Path, times: int, fails: bool = False) -> None:
        """Have the file change right after it was read, so many times."""
        left = [times]
        original = isolated

        def read(*arguments: Any, **more: Any) -> object:
            result = original(*arguments, **more)
            if left[0]:
                left[0] -= 1
                path.write_text("a,b\n" + "1,2\n" * (10 - left[0]))
                os.utime(path, ns=(left[0], left[0]))
                if fails:
                    raise ToolFailed("half a row")
            return result

        monkeypatch.setattr(filling, "isolated", read)

    @pytest.mark.parametrize("fails", [False, True])
    def test_it_is_read_again(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
        """As it is afterwards, also where the first reading came to nothing."""
        self.changing(monkeypatch, tmp_path / "t.csv", 1, fails)
        assert load(tmp_path, "a,b\n1,2\n").query("SELECT count(*) FROM t") == 10

    def test_one_that_goes_on_changing_is_not_read(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is named with the reason."""
        self.changing(monkeypatch, tmp_path / "t.csv", 9)
        assert skipped(tmp_path, "a,b\n1,2\n") == "it is not read: it changes while it is read"
