"""Workbooks as people keep them: what they say beside their values, and files that are none, or hardly."""

from __future__ import annotations

import datetime
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.worksheet.worksheet import Worksheet

from aeon.documents.folder import Folder
from aeon.tables.numberformats import shown_by
from aeon.tools.database import Database
from scripts.bench.hostile_files import formatted_rows
from tests.tables.test_reading import Rows, columns, rows_of, told

BOOKS = Path(__file__).parent / "books"


def book(
    folder: Path, rows: Rows, change: Callable[[Worksheet], None] = lambda _: None, name: str = "t.xlsx"
) -> Database:
    """The tables of a workbook of one sheet with these rows, which is changed before it is saved."""
    made = openpyxl.Workbook()
    assert made.active is not None
    for row in rows:
        made.active.append(row)
    change(made.active)
    made.save(folder / name)
    return Database.load(Folder(folder), [name])


def copied(folder: Path, source: str, name: str = "") -> Database:
    """The tables of one of the workbooks of other programs."""
    shutil.copy(BOOKS / source, folder / (name or source))
    return Database.load(Folder(folder), [name or source])


def reason(database: Database) -> str:
    """Why the one file has no table."""
    assert not database.tables
    ((_, why),) = database.skipped
    assert "\n" not in why
    return why


def rewritten(path: Path, part: str, change: Callable[[str], str]) -> None:
    """Change the text of one part of a workbook."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[part] = change(parts[part].decode()).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


@pytest.mark.requirement("T5w")
class TestFormulas:
    """They are never computed."""

    def test_one_without_a_saved_value_is_a_doubt(self, tmp_path: Path) -> None:
        """The cell holds nothing, and the column is told to lack it, with the places."""
        rows: Rows = [["Shop", "Sales", "Twice"], ["Quay", 1, "=B2*2"], ["Mill", 2, "=B3*2"], ["Sum", "=SUM(B2:B3)", 6]]
        database = book(tmp_path, rows)
        assert rows_of(database)[:2] == [["Quay", 1, None], ["Mill", 2, None]]
        twice = next(one for one in database.tables[0].reading.columns if one.name == "Twice")
        assert twice.doubt == "2 cells hold a formula without a saved value (C2, C3)" and not twice.is_plain
        assert "open: Sales: 1 cell holds a formula without a saved value (B4)" in told(database)
        (_, twice) = book(tmp_path, rows[:3]).tables[0].reading.columns[1:]
        assert (twice.kind, twice.is_plain) == ("text", False)

    def test_one_beside_the_table_is_told(self, tmp_path: Path) -> None:
        """Also where nothing else stands in its row or its column."""
        database = book(tmp_path, [["Shop", "Sales"], ["Quay", 1], ["Mill", 2], [], [None, "=SUM(B2:B3)", None, "=B2"]])
        assert "Sales: 1 cell holds a formula without a saved value (B5)" in told(database)
        assert "column D: 1 cell holds a formula without a saved value (D5)" in told(database)

    def test_a_saved_value_is_one(self, tmp_path: Path) -> None:
        """An empty text is one, too."""
        rows: Rows = [["Shop", "Sales", "Note"], ["Quay", "=1+1", '=IF(B2>9,1,"")'], ["Mill", "=1+2", "x"]]
        book(tmp_path, rows)

        def save(text: str) -> str:
            for formula, value in (("1+1", "2"), ("1+2", "3")):
                text = text.replace(f"<f>{formula}</f><v />", f"<f>{formula}</f><v>{value}</v>")
                text = text.replace(f"<f>{formula}</f><v></v>", f"<f>{formula}</f><v>{value}</v>")
            return text.replace('<c r="C2">', '<c r="C2" t="str">')

        rewritten(tmp_path / "t.xlsx", "xl/worksheets/sheet1.xml", save)
        database = Database.load(Folder(tmp_path), ["t.xlsx"])
        assert rows_of(database) == [["Quay", 2, None], ["Mill", 3, "x"]]
        assert not database.notes

    def test_a_zero_that_was_never_computed(self, tmp_path: Path) -> None:
        """Some programs save 0 for every formula, and ask that the workbook be computed when it is opened."""
        book(tmp_path, [["Shop", "Sales"], ["Quay", "=1+1"], ["Mill", 7]])

        def save(text: str) -> str:
            return text.replace("<f>1+1</f><v />", "<f>1+1</f><v>0</v>").replace(
                "<f>1+1</f><v></v>", "<f>1+1</f><v>0</v>"
            )

        rewritten(tmp_path / "t.xlsx", "xl/worksheets/sheet1.xml", save)
        database = Database.load(Folder(tmp_path), ["t.xlsx"])
        assert "Sales: 1 cell holds a formula whose saved 0 need not be its value (B2)" in told(database)
        rewritten(tmp_path / "t.xlsx", "xl/workbook.xml", lambda text: text.replace('fullCalcOnLoad="1"', ""))
        assert not Database.load(Folder(tmp_path), ["t.xlsx"]).notes

    def test_an_error_is_no_value(self, tmp_path: Path) -> None:
        """It is told where it stands."""
        database = book(tmp_path, [["Shop", "Sales"], ["Quay", "#DIV/0!"], ["Mill", 7], ["Park", 8]])
        assert database.query("SELECT count(Sales) FROM t") == 2
        assert "Sales: 1 cell holds an error instead of a value (B2)" in told(database)

    def test_a_sheet_of_them_alone(self, tmp_path: Path) -> None:
        """One line says why it has no table."""
        assert reason(book(tmp_path, [["=1+1"], ["=A1"]])) == "its cells hold formulas without saved values"


@pytest.mark.requirement("T5w")
class TestHidden:
    """What does not show when the workbook is opened."""

    def test_rows_and_columns_are_read_and_told(self, tmp_path: Path) -> None:
        """A hidden column or row that is empty is nothing to tell."""

        def hide(sheet: Worksheet) -> None:
            for row in (3, 4, 6, 10, 40):
                sheet.row_dimensions[row].hidden = True
            sheet.column_dimensions["B"].hidden = True
            sheet.column_dimensions["Z"].hidden = True

        rows: Rows = [["Shop", "Town", "Sales"], *(["Quay", "Oslo", number] for number in range(10, 18)), []]
        database = book(tmp_path, [*rows, ["Quay", "Oslo", 18], ["Quay", "Oslo", 19]], hide)
        assert len(rows_of(database)) == 10
        assert "rows 3 to 4, 6 are hidden; column B is hidden" in told(database)

    def test_a_sheet_is_read_and_told(self, tmp_path: Path) -> None:
        """Its numbers count; whoever asks knows that it does not show."""
        made = openpyxl.Workbook()
        assert made.active is not None
        made.active.append(["Shop"])
        hidden = made.create_sheet("Rates")
        for row in (["Code", "Rate"], ["A", 7], ["B", 19]):
            hidden.append(row)
        hidden.sheet_state = "veryHidden"
        made.save(tmp_path / "t.xlsx")
        database = Database.load(Folder(tmp_path), ["t.xlsx"])
        assert database.query("SELECT sum(Rate) FROM t_rates") == 26
        assert "(t_rates): the sheet is hidden" in told(database)


@pytest.mark.requirement("T5w")
def test_comments_are_told(tmp_path: Path) -> None:
    """With their places and how they begin, wherever they stand."""

    def comment(sheet: Worksheet) -> None:
        sheet["B2"].comment = Comment("without\nthe fair", "Ida")
        sheet["H9"].comment = Comment("to be checked", "Ola")

    database = book(tmp_path, [["Shop", "Sales"], ["Quay", 1], ["Mill", 2]], comment)
    assert "2 comments beside its cells (B2: 'without the fair', H9: 'to be checked')" in told(database)


@pytest.mark.requirement("T5w")
class TestNumberFormats:
    """A number is what the reader of the sheet sees, and what a CSV file of it would say."""

    @pytest.mark.parametrize(
        ("code", "cell", "text"),
        [
            ("0%", "0.12", "12%"),
            ("0.0%;[Red]-0.0%", "-0.335", "-33.5%"),
            ('#,##0.00 "€"', "1234.5", "1234.5 €"),
            ("#,##0.00\\ [$€-407];[Red]\\-#,##0.00\\ [$€-407]", "-7", "-7 €"),
            ('_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)', "-5", "-$5"),
            ("[$CHF-807]\\ #,##0", "12", "CHF12"),
            ("[$kr-41D] #,##0", "12", "12 kr"),
            ('0.0" kg"', "9.5", "9.5 kg"),
            ("0000", "42", "0042"),
            ("000\\-00", "1234567", "12345-67"),
            ('"C-"0000', "42", "C-0042"),
            ("yyyy", "2024-01-01", "2024"),
        ],
    )
    def test_what_a_format_decides(self, code: str, cell: str, text: str) -> None:
        """Percent, money, other units, leading zeros, years."""
        shown = shown_by(code)
        assert shown is not None and shown.text(cell) == text

    @pytest.mark.parametrize(
        "code",
        [
            "General", "0.00", "#,##0", '#,##0.0,,"M"', "0.00E+00", "# ?/?", "dd.mm.yyyy", "[h]:mm", "@", '"Q"0', "",
            "[>9]0;00", "[Red]0", "0.0_-", "yyyy-mm", "mmm yy", ";;;", '0"', "[", "\\",
        ],
    )  # fmt: skip
    def test_what_decides_nothing(self, code: str) -> None:
        """Also what is no format."""
        assert shown_by(code) is None

    def test_columns_are_those_of_the_same_csv(self, tmp_path: Path) -> None:
        """Value and unit; ids keep their zeros."""
        head: list[object] = ["Shop", "Share", "Price", "Id", "Year"]
        rows: Rows = [
            ["Quay", 0.12, 9.5, 42, datetime.date(2024, 5, 1)],
            ["Mill", 0.335, 12, 7, datetime.date(2023, 5, 1)],
        ]

        def style(sheet: Worksheet) -> None:
            for row in (2, 3):
                for column, code in ((2, "0.0%"), (3, '#,##0.00 "€"'), (4, "0000"), (5, "yyyy")):
                    sheet.cell(row, column).number_format = code

        database = book(tmp_path, [head, *rows], style)
        (tmp_path / "c.csv").write_text(
            "Shop;Share;Price;Id;Year\nQuay;12,0%;9,50 €;0042;2024\nMill;33,5%;12,00 €;0007;2023\n"
        )
        csv = Database.load(Folder(tmp_path), ["c.csv"])
        assert (
            rows_of(database)
            == rows_of(csv, "c")
            == [["Quay", 12, 9.5, "0042", 2024], ["Mill", 33.5, 12, "0007", 2023]]
        )
        assert database.tables[0].reading.units == csv.tables[0].reading.units == {"Share": "%", "Price": "€"}

    def test_the_point_of_a_stored_number_is_one(self, tmp_path: Path) -> None:
        """``1.234`` beside ``980`` are no thousands where both are stored as numbers; as texts they are."""
        assert rows_of(book(tmp_path, [["k", "v"], ["a", 1.234], ["b", 980]])) == [["a", 1.234], ["b", 980]]
        assert rows_of(book(tmp_path, [["k", "v"], ["a", "1.234"], ["b", 980]])) == [["a", 1234], ["b", 980]]


@pytest.mark.requirement("T5w")
class TestPivotTables:
    """The cells of a pivot table are a table."""

    def test_its_totals_are_totals(self, tmp_path: Path) -> None:
        """Also those that stand above what they sum, as the pivot table says."""
        database = copied(tmp_path, "pivots.xlsx")
        rows = rows_of(database, "pivots_pivotsheet2")
        assert [row[0] for row in rows] == [5, 10, 15, 20]
        assert len(rows_of(database, "pivots_pivotsheet2_totals")) == 3
        assert rows_of(database, "pivots_pivotsheet4_2") == [["blue", 75], ["yellow", 50]]
        assert rows_of(database, "pivots_pivotsheet4_2_totals") == [["Grand Total", 125]]


@pytest.mark.requirement("T5w")
class TestHostileParts:
    """Parts that are broken, or made to do harm."""

    ROWS: ClassVar[Rows] = [["Shop", "Sales"], ["Quay", 1], ["Mill", 2]]

    @pytest.mark.parametrize(
        ("part", "old", "new", "why"),
        [
            ("xl/styles.xml", "<styleSheet", '<!DOCTYPE s [<!ENTITY a "b">]><styleSheet', "a document type"),
            ("xl/comments/comment1.xml", "</comments>", "", "its XML is broken"),
            ("xl/worksheets/_rels/sheet1.xml.rels", "comment1.xml", "none.xml", "is missing"),
        ],
    )
    def test_what_cannot_be_seen_is_told(self, tmp_path: Path, part: str, old: str, new: str, why: str) -> None:
        """The values are read all the same."""
        book(tmp_path, self.ROWS, lambda sheet: setattr(sheet["A1"], "comment", Comment("x", "y")))
        rewritten(tmp_path / "t.xlsx", part, lambda text: text.replace(old, new, 1))
        database = Database.load(Folder(tmp_path), ["t.xlsx"])
        assert rows_of(database) == [["Quay", 1], ["Mill", 2]]
        assert "its formulas, formats, comments and hidden rows are not seen: " in told(database)
        assert why in told(database)

    def test_a_formula_of_an_extension_is_that_of_no_cell(self, tmp_path: Path) -> None:
        """Conditional formats keep theirs behind the cells."""
        book(tmp_path, [*self.ROWS, ["Park", 0]])
        extension = '<extLst><ext xmlns:m="urn:m"><m:f>A1</m:f></ext></extLst></worksheet>'
        rewritten(tmp_path / "t.xlsx", "xl/worksheets/sheet1.xml", lambda text: text.replace("</worksheet>", extension))
        assert not Database.load(Folder(tmp_path), ["t.xlsx"]).notes


@pytest.mark.requirement("T5w")
class TestHardlyWorkbooks:
    """Each gives what it holds, or one clear line."""

    def test_empty_ones(self, tmp_path: Path) -> None:
        """No cell, or charts alone."""
        assert reason(book(tmp_path, [])) == "none of its sheets holds a cell"
        made = openpyxl.Workbook()
        made.create_chartsheet("Chart")
        made.save(tmp_path / "chart.xlsx")
        assert reason(Database.load(Folder(tmp_path), ["chart.xlsx"])) == "none of its sheets holds a cell"

    def test_small_ones(self, tmp_path: Path) -> None:
        """One cell, names alone, texts alone."""
        assert columns(book(tmp_path, [["Shop"]])) == {"Shop": "VARCHAR"}
        database = book(tmp_path, [["Shop", "Sales"]])
        assert [*columns(database)] == ["Shop", "Sales"] and not rows_of(database)
        rows: Rows = [["Shop", "Town"], ["Quay", "Oslo"], ["Mill", "Rome"]]
        database = book(tmp_path, rows)
        assert len(rows_of(database)) + len(database.tables[0].reading.header) == 3

    def test_large_ones(self, tmp_path: Path) -> None:
        """Very many columns are refused; a sheet's formats take no room; many sheets are many tables."""
        wide: Rows = [[f"c{number}" for number in range(16_000)], [*range(16_000)]]
        assert reason(book(tmp_path, wide)) == "it has 16,000 columns; up to 2,048 are read"
        (tmp_path / "rows.xlsx").write_bytes(formatted_rows(50_000))
        assert len(rows_of(Database.load(Folder(tmp_path), ["rows.xlsx"]), "rows")) == 3
        made = openpyxl.Workbook()
        for number in range(40):
            sheet = made.create_sheet(f"M{number}")
            sheet.append(["Shop", "Sales"])
            sheet.append(["Quay", number])
        made.save(tmp_path / "many.xlsx")
        assert len(Database.load(Folder(tmp_path), ["many.xlsx"]).tables) == 40

    def test_one_with_a_password(self, tmp_path: Path) -> None:
        """It is no other fault."""
        assert reason(copied(tmp_path, "pass_protected.xlsx")) == "it is protected by a password"

    @pytest.mark.parametrize("source", ["date.xls", "date.xlsb"])
    def test_old_and_binary_ones(self, tmp_path: Path, source: str) -> None:
        """Days are days; hours above a day are hours."""
        rows = rows_of(copied(tmp_path, source), "date")
        assert rows == [["2021-01-01", 15], ["2021-01-02", 16], ["255:10:10", 17]]

    def test_one_of_another_office(self, tmp_path: Path) -> None:
        """OpenDocument."""
        assert rows_of(copied(tmp_path, "any_sheets.ods"), "any_sheets")[0] == [1, 2]

    def test_one_with_macros(self, tmp_path: Path) -> None:
        """They are never run."""
        assert rows_of(book(tmp_path, [["Shop", "Sales"], ["Quay", 1]], name="t.xlsm")) == [["Quay", 1]]

    @pytest.mark.parametrize(
        ("name", "content", "why"),
        [
            ("t.xlsx", b"Shop,Sales\nQuay,1\n", "it is a text by its content; .csv reads those"),
            (
                "t.xls",
                b"<html><body><table><tr><td>Quay</td></tr></table></body></html>",
                "it is a web page by its content",
            ),
            ("t.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 500, "it is no readable spreadsheet: "),
            ("t.ods", b"PK\x03\x04" + b"x" * 100, "it is no readable spreadsheet: "),
        ],
    )
    def test_names_that_mislead(self, tmp_path: Path, name: str, content: bytes, why: str) -> None:
        """The line says what the file is, where that can be told."""
        (tmp_path / name).write_bytes(content)
        assert why in reason(Database.load(Folder(tmp_path), [name]))

    def test_a_workbook_named_as_another_kind_is_read(self, tmp_path: Path) -> None:
        """By what it holds."""
        assert len(rows_of(copied(tmp_path, "date.xls", "t.xlsx"))) == 3

    @pytest.mark.parametrize("share", [0.3, 0.9])
    def test_one_that_is_cut_off(self, tmp_path: Path, share: float) -> None:
        """As a download that ended early."""
        data = (BOOKS / "pivots.xlsx").read_bytes()
        (tmp_path / "t.xlsx").write_bytes(data[: int(len(data) * share)])
        assert reason(Database.load(Folder(tmp_path), ["t.xlsx"])).startswith("it is no readable spreadsheet: ")

    def test_one_with_a_damaged_part(self, tmp_path: Path) -> None:
        """What cannot be unpacked is no value."""
        book(tmp_path, [["Shop", "Sales"], *(["Quay", number] for number in range(3_000))])
        data = bytearray((tmp_path / "t.xlsx").read_bytes())
        with zipfile.ZipFile(tmp_path / "t.xlsx") as archive:
            begin = archive.getinfo("xl/worksheets/sheet1.xml").header_offset + 2_000
        data[begin : begin + 200] = b"\x00" * 200
        (tmp_path / "t.xlsx").write_bytes(data)
        assert reason(Database.load(Folder(tmp_path), ["t.xlsx"])).startswith("it is no readable spreadsheet: ")


@pytest.mark.requirement("T5d")
def test_merged_names_stand_before_theirs(tmp_path: Path) -> None:
    """A name over several columns, and one over several rows."""

    def merge(sheet: Worksheet) -> None:
        sheet.merge_cells("A1:A2")
        sheet.merge_cells("B1:C1")

    rows: Rows = [["Shop", "2024", None], [None, "Sales", "Staff"], ["Quay", 120, 4], ["Mill", 99, 3]]
    assert [*columns(book(tmp_path, rows, merge))] == ["Shop", "2024 Sales", "2024 Staff"]


@pytest.mark.requirement("T5s")
class TestTablesBesideEachOther:
    """An empty column parts them where it is sure that it does."""

    OTHER: ClassVar[Rows] = [
        ["Shop", "Sales", None, "Code", "Rate"],
        ["Quay", 10, None, "A", 7],
        ["Mill", 20, None, "B", 19],
        ["Park", 40, None, None, None],
    ]

    def test_other_rows_are_those_of_another_table(self, tmp_path: Path) -> None:
        """Each has its own names, doubts and comments."""

        def comment(sheet: Worksheet) -> None:
            sheet["E2"].comment = Comment("reduced", "Ida")
            sheet["E3"] = "=2+2"

        database = book(tmp_path, self.OTHER, comment)
        assert rows_of(database, "t_1") == [["Quay", 10], ["Mill", 20], ["Park", 40]]
        assert rows_of(database, "t_2") == [["A", 7], ["B", None]]
        first, second = database.notes
        assert first == "t.xlsx (t_1): columns A to B, beside another table"
        assert "columns D to E, beside another table; 1 comment beside its cells (E2: 'reduced')" in second
        assert "open: Rate: 1 cell holds a formula without a saved value (E3)" in second

    def test_the_same_name_begins_each(self, tmp_path: Path) -> None:
        """As in a list that goes on at its right."""
        rows: Rows = [
            ["Shop", "Sales", None, "Shop", "Sales"],
            ["Quay", 10, None, "Hill", 5],
            ["Mill", 20, None, "Dale", 7],
        ]
        assert len(book(tmp_path, rows).tables) == 2

    def test_what_may_be_one_table_is_told(self, tmp_path: Path) -> None:
        """Rows that may belong together stay so; a single column apart is nothing to tell."""
        rows: Rows = [
            ["Shop", "Town", None, "Boss", "Sales"],
            ["Quay", "Oslo", None, "Ida", 5],
            ["Mill", "Rome", None, "Ida", 7],
        ]
        database = book(tmp_path, rows)
        assert len(database.tables) == 1
        assert len(book(tmp_path, [*rows, ["Park", "Bonn", None, None, None]], name="u.xlsx").tables) == 1
        assert "columns A to B and D to E stand apart and are read as one table" in told(database)
        assert not book(tmp_path, [["Item", "2024", None, "2023"], ["Rent", 5, None, 4], ["Food", 7, None, 6]]).notes

    def test_it_is_so_in_a_csv_file(self, tmp_path: Path) -> None:
        """Which a spreadsheet has written."""
        (tmp_path / "t.csv").write_text("Shop;Sales;;Code;Rate\nQuay;10;;A;7\nMill;20;;B;19\nPark;40;;;\n")
        database = Database.load(Folder(tmp_path), ["t.csv"])
        assert rows_of(database, "t_2") == [["A", 7], ["B", 19]]
