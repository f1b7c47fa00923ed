"""What is read out of the XML of a workbook, and numbers that are stored as numbers."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from aeon.documents.folder import Folder
from aeon.tables.marks import Comment, Marks, Place, Span
from aeon.tables.partreaders import Comments, Pivot, Styles
from aeon.tables.sheetxml import SheetReader, SheetXml
from aeon.tables.xmlparts import Attributes, parse, place_of
from aeon.tools.database import Database
from tests.tables.test_reading import rows_of

pytestmark = pytest.mark.requirement("T5w")


def parsed(text: str, start: Callable[[str, Attributes], None], taken: Callable[[str], None] | None = None) -> None:
    """Read a text of XML."""
    parse(io.BytesIO(text.encode()), start, taken)


def sheet(cells: str, around: str = "{}", styles: tuple[int, ...] = ()) -> SheetXml:
    """What is found in a sheet with these rows."""
    reader = SheetReader(styles)
    parsed(around.format(f"<worksheet><sheetData>{cells}</sheetData></worksheet>"), reader.start)
    return reader.result()


class TestSheets:
    """Formulas, errors, formats, hidden rows and columns."""

    def test_cells_below_each_other_are_one_span(self) -> None:
        """However many they are."""
        rows = "".join(
            f'<row r="{n}"><c r="B{n}"><f>1</f></c><c r="C{n}" t="e"><v>#N/A</v></c></row>' for n in (2, 3, 7)
        )
        found = sheet(rows)
        assert found.formulas == {1: [Span(2, 3), Span(7, 7)]} and found.errors == {2: [Span(2, 3), Span(7, 7)]}

    def test_cells_without_a_place_stand_behind_each_other(self) -> None:
        """As some programs write them."""
        found = sheet("<row><c><v>1</v></c></row><row><c><v>1</v></c><c><f>A1</f></c></row><row hidden='1'><c/></row>")
        assert found.formulas == {1: [Span(2, 2)]} and found.hidden_rows == (Span(3, 3),)

    def test_styles_that_are_wanted(self) -> None:
        """Of numbers: texts, truths and errors have no format that decides."""
        cells = '<c r="A1" s="4"/><c r="B1" s="4" t="n"/><c r="C1" s="4" t="s"/><c r="D1" s="5"/><c r="E1"/>'
        assert sheet(f'<row r="1">{cells}</row>', styles=(4,)).formatted == {(0, 4): [Span(1, 1)], (1, 4): [Span(1, 1)]}

    @pytest.mark.parametrize("text", ["A", "7", "A0", "A01", "AAAA1", "Ä1", "A12345678", "A1B", ""])
    def test_what_names_no_cell(self, text: str) -> None:
        """It has no place."""
        assert place_of(text) is None

    def test_names_of_cells(self) -> None:
        """There and back."""
        assert place_of("B7") == Place(7, 1) and place_of("XFD1048576") == Place(1_048_576, 16_383)
        assert [Place(1, at).letters for at in (0, 25, 26, 701, 702, 16_383)] == ["A", "Z", "AA", "ZZ", "AAA", "XFD"]

    @pytest.mark.parametrize(
        "text", ["<!DOCTYPE a><a/>", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "<a>", "<a>&b;</a>", ""]
    )
    def test_what_is_refused(self, text: str) -> None:
        """Document types, entities, broken XML."""
        with pytest.raises(ValueError, match="its XML"):
            parsed(text, lambda *_: None)


class TestParts:
    """Styles, comments, pivot tables."""

    def test_styles(self) -> None:
        """Formats by the number of the style, not those of named styles; percent is one without being declared."""
        styles = Styles()
        xfs = '<xf numFmtId="0"/><xf numFmtId="9"/><xf numFmtId="170"/><xf/>'
        own = '<numFmts><numFmt numFmtId="170" formatCode="0000"/></numFmts>'
        parsed(f'<s>{own}<cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs>{xfs}</cellXfs></s>', styles.start)
        assert {number: shown.text("7") for number, shown in styles.shown.items()} == {1: "700%", 2: "0007"}

    def test_a_thread_is_one_comment(self) -> None:
        """With its answers; what is no place has none."""
        comments = Comments()
        thread = '<threadedComment ref="B2"><text>Is it right?</text></threadedComment>'
        answer = '<threadedComment ref="B2"><text>Yes.</text></threadedComment>'
        nowhere = '<comment ref="?"><text><r><t>lost</t></r></text></comment>'
        parsed(f"<c>{thread}{answer}{nowhere}</c>", comments.start, comments.text)
        assert comments.found == {Place(2, 1): "Is it right? Yes."}

    def test_rows_of_a_pivot_table(self) -> None:
        """A row above its parts is their sum; one that was folded up has no parts there, and is none."""
        pivot = Pivot()
        items = '<i><x/></i><i r="1"><x/></i><i r="1"><x/></i><i><x/></i><i t="grand"><x/></i>'
        parsed(
            f'<p><location ref="A3:B9" firstDataRow="1"/><rowItems>{items}</rowItems><colItems><i/></colItems></p>',
            pivot.start,
        )
        assert pivot.totals == [4, 8]


def test_what_is_told_of_many_is_short() -> None:
    """The first of them, and how many more there are."""
    comments = tuple(Comment(Place(row, 0), "see there") for row in range(1, 21))
    marks = Marks(
        unsaved={1: [Span(2, 900)]}, comments=comments, hidden_rows=tuple(Span(n, n) for n in range(2, 30, 2))
    )
    assert marks.doubt(1) == "899 cells hold a formula without a saved value (B2, B3, B4, B5, B6, and 894 more)"
    rows, texts = marks.notes
    assert rows == "rows 2, 4, 6, 8, 10, and 9 more are hidden"
    assert texts.startswith("20 comments beside its cells (A1: 'see there', ") and texts.endswith(", and 15 more)")
    assert marks.within(Span(1, 3), Span(0, 0)).doubt(1) == ""


def test_numbers_of_a_database_have_their_point(tmp_path: Path) -> None:
    """``1.234`` beside ``980`` are no thousands where both are numbers; texts may be."""
    connection = sqlite3.connect(tmp_path / "t.db")
    connection.execute("CREATE TABLE t(k TEXT, v REAL, w TEXT)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [("a", 1.234, "1.234"), ("b", 980.0, "980")])
    connection.commit()
    connection.close()
    assert rows_of(Database.load(Folder(tmp_path), ["t.db"])) == [["a", 1.234, 1234], ["b", 980, 980]]
