# ruff: noqa: RUF001 - texts in the scripts of other languages
"""How files become tables: where they begin, what their columns are, and what is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import openpyxl
import pytest

from aeon.documents.folder import Folder
from aeon.tables import taking
from aeon.tables.filling import Filling, Raw
from aeon.tools.database import Database

Rows = list[list[object]]


def load(folder: Path, content: str | bytes, name: str = "t.csv") -> Database:
    """The tables of one file of this content."""
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    database = Database.load(Folder(folder), [name])
    assert not database.skipped
    return database


def sheet(folder: Path, rows: Sequence[Sequence[object]], *merged: str) -> Database:
    """The tables of a workbook of one sheet with these rows, its first in row 1, and merged ranges."""
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append(row)
    for one in merged:
        book.active.merge_cells(one)
    book.save(folder / "t.xlsx")
    return Database.load(Folder(folder), ["t.xlsx"])


def rows_of(database: Database, table: str = "t") -> Rows:
    """All rows of a table."""
    found = database.plain_query(f"FROM {table}", 100_000)["rows"]
    assert isinstance(found, list)
    return [[*row] for row in found if isinstance(row, list)]


def columns(database: Database, place: int = 0) -> dict[str, str]:
    """The columns of a table with their types."""
    return dict(database.tables[place].columns)


def told(database: Database) -> str:
    """What is told of how the tables were read."""
    return " | ".join(database.notes)


@pytest.mark.requirement("T5")
class TestWhereATableStands:
    """Titles, notes, rows of names, tables one below the other."""

    TITLED = "Sales report 2025\nExported by the office\n\nShop,Month,Amount\nQuay,May,120.5\nMill,May,99.5\n"

    def test_titles_and_notes_are_left_out_and_told(self, tmp_path: Path) -> None:
        """They are named by their rows; nothing of the table is lost."""
        notes = "Figures of the last two years are estimates.\n"
        database = load(tmp_path, self.TITLED + notes)
        assert rows_of(database) == [["Quay", "May", 120.5], ["Mill", "May", 99.5]]
        title = "rows 1 to 2 left out (a title above it: 'Sales report 2025; Exported by the office')"
        assert f"names in row 4; {title}; row 7 left out (notes below it: 'Figures of the last" in told(database)

    def test_a_sheet_is_read_alike(self, tmp_path: Path) -> None:
        """Also where the table does not begin in the first column."""
        rows: Rows = [["", "Sales"], [], ["", "Shop", "Amount"], ["", "Quay", 120], ["", "Mill", 99]]
        database = sheet(tmp_path, rows)
        assert columns(database) == {"Shop": "VARCHAR", "Amount": "BIGINT"}
        assert rows_of(database) == [["Quay", 120], ["Mill", 99]]

    def test_names_in_several_rows_are_joined(self, tmp_path: Path) -> None:
        """A name over several columns stands before each of theirs; years are names, too."""
        text = ",Year ended,\n,2019,2018\n,m,m\nSales,433,685\nCosts,88,74\nTax,12,9\n"
        assert [*columns(load(tmp_path, text))][1:] == ["Year ended 2019 m", "Year ended 2018 m"]
        text = "Team,2019,2020\nArland,11,5\nBelmar,6,7\nCorso,3,12\n"
        assert columns(load(tmp_path, text)) == {"Team": "VARCHAR", "2019": "BIGINT", "2020": "BIGINT"}

    def test_a_table_without_names_is_told(self, tmp_path: Path) -> None:
        """No row of it is lost."""
        database = load(tmp_path, "Quay,120,7\nMill,99,8\nPark,130,9\nHill,101,4\n")
        assert len(rows_of(database)) == 4
        assert "it has no row of names" in told(database)

    def test_tables_one_below_the_other(self, tmp_path: Path) -> None:
        """Each has its own names; an empty row between rows of the same kinds parts nothing."""
        database = load(tmp_path, "Shop,Amount\nQuay,120\nMill,99\n\nName,Born,Town\nIda,1970,Rome\nOla,1980,Oslo\n")
        assert [[*columns(database, place)] for place in (0, 1)] == [["Shop", "Amount"], ["Name", "Born", "Town"]]
        database = load(tmp_path, "Shop,Amount\nQuay,120\nMill,99\n\nPark,7\nHill,8\n")
        assert len(database.tables) == 1 and len(rows_of(database)) == 4

    def test_a_missing_value_makes_no_note(self, tmp_path: Path) -> None:
        """The last row may lack its values, and the first below the names its label."""
        assert rows_of(load(tmp_path, "Shop,Amount\nQuay,120\nMill,\n")) == [["Quay", 120], ["Mill", None]]
        rows = rows_of(load(tmp_path, "Shop,Amount\n,-3\nMill,120\nPark,7\nHill,9\nQuay,12\n"))
        assert rows[0] == [None, -3] and len(rows) == 5


@pytest.mark.requirement("T5a")
class TestNumbers:
    """One convention for a column, and what decides on it."""

    @pytest.mark.parametrize(
        ("cells", "values"),
        [
            (["1.250", "980", "12.400"], [1250, 980, 12400]),
            (["1.250", "0.980", "12.400"], [1.25, 0.98, 12.4]),
            (["1.250", "1980", "12.400"], [1.25, 1980, 12.4]),
            (["1.250,5", "12"], [1250.5, 12]),
            (["9 000", "12 000", "850"], [9000, 12000, 850]),
            (["1'250.5", "12"], [1250.5, 12]),
            (["12,34,567", "99"], [1234567, 99]),
            (["\u22123", "+4", "(5)"], [-3, 4, -5]),
            (["١٢", "٣"], [12, 3]),
            (["12*", "7[a]"], [12, 7]),
        ],
    )
    def test_a_column_decides_for_itself(self, tmp_path: Path, cells: list[str], values: list[object]) -> None:
        """By what can be read in one way only, and by plain numbers beside it."""
        database = load(tmp_path, "k;v\n" + "".join(f"x;{cell}\n" for cell in cells))
        assert [row[1] for row in rows_of(database)] == values
        assert "open" not in told(database)

    def test_the_file_decides(self, tmp_path: Path) -> None:
        """Another column, or the delimiter of a program that writes decimal commas."""
        text = "k\ta\tb\n" + "".join(f"x\t{one}\t{two}\n" for one, two in (("1.250", "7,5"), ("2.100", "8,25")))
        assert [row[1] for row in rows_of(load(tmp_path, text, "t.tsv"))] == [1250, 2100]
        assert [row[1] for row in rows_of(load(tmp_path, "k;a\nx;1.250\ny;2.100\n"))] == [1250, 2100]
        assert [row[1] for row in rows_of(load(tmp_path, 'k,a\nx,"$(5,637)"\ny,"$1,200"\n'))] == [-5637, 1200]

    def test_what_is_open_is_told(self, tmp_path: Path) -> None:
        """With the other way to read it; two conventions in one column are no numbers."""
        assert "open: v: " in told(load(tmp_path, "k,v\nx,1.250\ny,2.100\n"))
        database = load(tmp_path, "k;v\nx;1.234,50\ny;1,234.50\n")
        assert columns(database)["v"] == "VARCHAR"
        assert "v: numbers in two conventions" in told(database)


@pytest.mark.requirement("T5b")
@pytest.mark.parametrize("mark", ["TBD", "n.a.", "—", "?", "k. A.", "未定"])
def test_cells_without_a_value(tmp_path: Path, mark: str) -> None:
    """Numbers stay numbers, and it is told how many cells hold none."""
    database = load(tmp_path, f"Item,Cost,Day\nRoof,1200,2025-01-02\nDoor,{mark},{mark}\nGutter,90,2025-03-01\n")
    assert columns(database) == {"Item": "VARCHAR", "Cost": "BIGINT", "Day": "DATE"}
    assert database.query("SELECT sum(Cost) FROM t") == 1290
    assert f"Cost: 1 cell without a value ({mark!r})" in told(database)


@pytest.mark.requirement("T5b")
def test_many_words_make_a_column_of_texts(tmp_path: Path) -> None:
    """A house number among names is no number."""
    database = load(tmp_path, "k,v\na,12\nb,Lodge\nc,Mill\nd,Hall\ne,7\n")
    assert columns(database)["v"] == "VARCHAR"


@pytest.mark.requirement("T5c")
class TestTotals:
    """Rows that are sums of others."""

    def test_a_total_stands_apart(self, tmp_path: Path) -> None:
        """In any language: the arithmetic says so. It can be asked for."""
        text = "Rang,Land,Gold,Silber\n1,Arland,11,5\n2,Belmar,6,7\n3,Corso,3,2\nGesamt,Gesamt,20,14\n"
        database = load(tmp_path, text)
        assert database.query("SELECT sum(Gold), count(*) FROM t") == {"sum(Gold)": 20, "count_star()": 3}
        assert columns(database)["Rang"] == "BIGINT"
        assert rows_of(database, "t_totals") == [[None, "Gesamt", 20, 14]]
        assert "totals" not in database.schema() and "totals" not in database.describe()
        assert "row 5 left out (the sum of others" in told(database)

    def test_subtotals_and_their_total(self, tmp_path: Path) -> None:
        """Each is the sum of the rows since the last one; the last row that of all."""
        rows = "North,Quay,10,4\nNorth,Mill,20,6\nNorth,,30,10\nSouth,Park,5,1\nSouth,Hill,7,2\nSouth,,12,3\n,,42,13\n"
        database = load(tmp_path, f"Region,Shop,Sales,Staff\n{rows}")
        assert database.query("SELECT sum(Sales) FROM t") == 42
        assert len(rows_of(database, "t_totals")) == 3

    def test_a_total_at_the_top_and_a_rounded_one(self, tmp_path: Path) -> None:
        """The first row may be the sum of all others, and sums may have been rounded."""
        database = load(tmp_path, "Land,Men,Women\nWorld,600,630\nAsia,350,370\nAfrica,250,260\n")
        assert len(rows_of(database)) == 2
        text = "Item,May,June\nRent,120.4,130.3\nFood,210.3,190.4\nFun,80.4,70.4\nAll,411.1,391.0\n"
        assert len(rows_of(load(tmp_path, text))) == 3

    def test_a_table_of_totals_has_its_own_cells_and_the_same_doubts(self, tmp_path: Path) -> None:
        """Cells without a value are those of the table before it; what is open of a column is open of its sum."""
        database = load(tmp_path, "k,v,w\na,120,1.250\nb,340,2.125\nc,TBD,3.500\nd,75,1.500\n,535,8.375\n")
        rows, sums = database.tables
        assert (rows.reading.columns[1].nothing, sums.reading.columns[1].nothing) == ((("TBD", 1),), ())
        assert rows.reading.doubts == sums.reading.doubts != ()

    def test_a_subtotal_among_rows_like_it(self, tmp_path: Path) -> None:
        """Where two columns with many digits agree, nothing else need say so; where they have few, it must."""
        database = load(tmp_path, "k,v,w\nGross,875.8,557.8\nOther,6.8,8.1\nBoth,882.6,565.9\nLess,2.0,2.2\n")
        assert [row[0] for row in rows_of(database, "t_totals")] == ["Both"]
        assert len(rows_of(load(tmp_path, "k,v,w\nAssets,35,31\nAccrued,6,6\nOther,29,25\n"))) == 3

    def test_no_row_is_a_total_by_chance(self, tmp_path: Path) -> None:
        """Small numbers add up easily; a row with all that the others have is none in the middle."""
        assert len(rows_of(load(tmp_path, "k,v\na,1\nb,2\nc,3\n"))) == 3
        text = "k,v,w\na,10,3\nb,20,4\nc,30,9\nd,41,8\n"
        assert len(rows_of(load(tmp_path, text))) == 4


@pytest.mark.requirement("T5d")
def test_merged_cells_are_filled(tmp_path: Path) -> None:
    """Down a column; across, a name of several columns is one of each."""
    rows: Rows = [
        ["Region", "Shop", "Sales"],
        ["North", "Quay", 10],
        ["", "Mill", 20],
        ["South", "Park", 5],
        ["", "Hill", 7],
    ]
    database = sheet(tmp_path, rows, "A2:A3", "A4:A5")
    assert database.query("SELECT sum(Sales) FROM t WHERE Region = 'North'") == 30
    assert "2 cells filled from merged ones" in told(database)


@pytest.mark.requirement("T5e")
def test_names_of_months_in_many_languages(tmp_path: Path) -> None:
    """A day is one in each of them."""
    days = ["3 maart 2026", "3 mars 2026", "3 марта 2026", "3 de marzo de 2026", "3. března 2026", "3 Μαρτίου 2026"]
    database = load(tmp_path, "k;d\n" + "".join(f"x;{day}\n" for day in days))
    assert database.query("SELECT DISTINCT d FROM t") == "2026-03-03"
    assert rows_of(load(tmp_path, "k,d\nx,2026年3月3日\ny,2026年12月24日\n"))[1] == ["y", "2026-12-24"]


@pytest.mark.requirement("T5e")
def test_days_whose_order_cannot_be_told_are_told(tmp_path: Path) -> None:
    """They stay texts."""
    database = load(tmp_path, "k,d\nx,03/04/2026\ny,05/06/2026\n")
    assert columns(database)["d"] == "VARCHAR"
    assert "d: days whose month cannot be told from the day" in told(database)


@pytest.mark.requirement("T5f")
@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "nom,n\nÉmile,3\nHélène,5\n"),
        ("cp1250", "miasto,n\nŁódź,67\nGdańsk,48\n"),
        ("cp1251", "город,n\nМосква,12\nКазань,1\n"),
        ("koi8_r", "город,n\nМосква,12\nКазань,1\n"),
        ("cp1253", "πόλη,πληθυσμός\nΑθήνα,3\nΠάτρα,2\nΘεσσαλονίκη,1\n"),
        ("cp1256", "المدينة,n\nالقاهرة,9\nالرياض,7\n"),
        ("cp932", "都市,n\n東京,1396\n大阪,275\n"),
        ("euc_jp", "都市,n\n東京,1396\n大阪,275\n"),
        ("gb18030", "城市,n\n北京,21\n上海,24\n广州,15\n"),
        ("big5", "城市,n\n臺北,2\n高雄,2\n"),
        ("euc_kr", "도시,n\n서울,9\n부산,3\n"),
        ("utf-16", "город,n\nМосква,12\n"),
    ],
)
def test_old_encodings(tmp_path: Path, encoding: str, text: str) -> None:
    """Names of columns and cells have their letters, in a small file as in a large one."""
    rows = [line.split(",") for line in text.splitlines()]
    database = load(tmp_path, text.encode(encoding))
    assert [*columns(database)] == rows[0]
    assert [row[0] for row in rows_of(database)] == [row[0] for row in rows[1:]]


@pytest.mark.requirement("T5g")
def test_stored_texts_are_never_changed(tmp_path: Path) -> None:
    """A name in short stays one, beside the name in full."""
    text = "Case,First name\n1,David A.\n2,David Allen\n3,I. Locke\n4,Ines Locke\n"
    database = load(tmp_path, text)
    assert [row[1] for row in rows_of(database)] == ["David A.", "David Allen", "I. Locke", "Ines Locke"]
    assert not database.notes


@pytest.mark.requirement("T5h")
def test_a_large_file_is_read_as_a_small_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its title, its names, its types and its odd cells."""
    head = "A title\n\nid;amount;day;code;share\n"
    rows = [f"{n};{n % 7}.{n % 1000:03d},5;{n % 28 + 1}.3.2025;{n:06d};{n % 90} %\n" for n in range(30_000)]
    rows[17_000] = "17000;n.a.;;017000; 5 % \n"
    small, large = tmp_path / "small", tmp_path / "large"
    small.mkdir()
    large.mkdir()
    less, more = load(small, head + "".join(rows[:100])), load(large, head + "".join(rows))
    assert columns(less) == columns(more)
    assert columns(more) == {
        "id": "BIGINT", "amount": "DECIMAL(28,1)", "day": "DATE", "code": "VARCHAR", "share": "BIGINT",
    }  # fmt: skip
    assert more.query("SELECT count(*) AS a, count(amount) AS b, max(share) AS c FROM t") == {
        "a": 30_000, "b": 29_999, "c": 89,
    }  # fmt: skip
    assert more.query("SELECT share FROM t WHERE id = 17000") == 5
    assert "names in row 3; row 1 left out" in told(more)
    assert "amount: numbers like 1.234,5, 1 cell without a value ('n.a.')" in told(more)


@pytest.mark.requirement("T6")
class TestKinds:
    """Codes and units."""

    @pytest.mark.parametrize(
        "cells", [["007", "012"], ["C-1042", "C-1043"], ["555 123 456", "555 987 654"], ["1e5", "2e7"]]
    )
    def test_codes_stay_texts(self, tmp_path: Path, cells: list[str]) -> None:
        """As they are written."""
        database = load(tmp_path, "k,v\n" + "".join(f"x,{cell}\n" for cell in cells))
        assert [row[1] for row in rows_of(database)] == cells

    def test_a_unit_stays_with_its_numbers(self, tmp_path: Path) -> None:
        """The model is told it."""
        database = load(tmp_path, "k;w;p;s\nx;12 kg;€ 1.234,50;18 %\ny;9,5 kg;€ 7,00;20 %\n")
        assert rows_of(database) == [["x", 12, 1234.5, 18], ["y", 9.5, 7, 20]]
        schema = database.schema()
        assert all(text in schema for text in ("-- in kg", "-- in €", "-- in %"))

    def test_several_units_stand_beside(self, tmp_path: Path) -> None:
        """Each row says its own; amounts in several currencies have no sum."""
        database = load(tmp_path, "k,v\na,$12\nb,40.5%\nc,$7\n")
        assert rows_of(database) == [["a", 12, "$"], ["b", 40.5, "%"], ["c", 7, "$"]]
        assert [*columns(database)] == ["k", "v", "v unit"]
        assert columns(load(tmp_path, "k,v\na,$12\nb,€40\n"))["v"] == "VARCHAR"

    def test_units_that_convert_are_converted(self, tmp_path: Path) -> None:
        """Into the one of most rows, or another in which all are exact; the cells stand beside as they are written."""
        database = load(tmp_path, "k,w\na,12 kg\nb,500 g\nc,1.5 t\nd,3 kg\n")
        assert columns(database) == {"k": "VARCHAR", "w": "DECIMAL(28,4)", "w as written": "VARCHAR"}
        assert database.query("SELECT sum(w) FROM t") == 1515.5
        assert database.query("SELECT w, \"w as written\" AS said FROM t WHERE k = 'b'") == {"w": 0.5, "said": "500 g"}
        assert "-- in kg" in database.schema()
        assert "w: converted into kg (g, kg, t)" in told(database)
        assert [row[1] for row in rows_of(load(tmp_path, "k,t\na,50 min\nb,2 h\nc,3 h\n"))] == [50, 120, 180]
        (tmp_path / "t.toml").write_text('[columns.w]\nunit = "g"\n')
        assert [row[1] for row in rows_of(load(tmp_path, "k,w\na,12 kg\nb,500 g\nc,3 kg\n"))] == [12000, 500, 3000]

    @pytest.mark.parametrize("cells", ["12 kg,500 g,3", "12 km,500 m,3 kg", "$1,50 cent,$2", "3 Stk,2 Pkg,1 Stk"])
    def test_other_units_stand_beside(self, tmp_path: Path, cells: str) -> None:
        """Numbers without a unit, of different kinds, of money, or in units that nobody knows are not converted."""
        database = load(tmp_path, "k;w\n" + "".join(f"x;{cell}\n" for cell in cells.split(",")))
        assert [*columns(database)] == ["k", "w", "w unit"]
        assert [row[1] for row in rows_of(database)] == [
            int("".join(filter(str.isdigit, cell))) for cell in cells.split(",")
        ]

    def test_hours_or_minutes_stay_texts_and_are_told(self, tmp_path: Path) -> None:
        """Whether 5:36 is a duration, and of what, cannot be known."""
        database = load(tmp_path, "k,t\na,5:36\nb,12:04\nc,0:59\n")
        assert [row[1] for row in rows_of(database)] == ["5:36", "12:04", "0:59"]
        assert "t: texts like 5:36, which may be times of day" in told(database)


@pytest.mark.requirement("T5c")
class TestNoTotals:
    """Rows that add up, and are no totals."""

    def test_votes_add_up_by_chance(self, tmp_path: Path) -> None:
        """Columns of few different numbers do so in many rows of a long table."""
        votes = [(n % 2, n % 3 == 0, (n // 2) % 2, n % 5 == 0) for n in range(90)]
        rows = "".join(f"case {n},{a},{int(b)},{c},{int(d)}\n" for n, (a, b, c, d) in enumerate(votes))
        assert len(rows_of(load(tmp_path, f"k,v,w,x,y\n{rows}"))) == 90

    def test_a_row_that_comes_again_behind_an_empty_one(self, tmp_path: Path) -> None:
        """One number alone is no sum."""
        rows = "a,31,24,15,46,57\nb,,,,,\nc,31,24,15,46,58\nd,5,9,11,2,3\n"
        assert len(rows_of(load(tmp_path, f"k,v,w,x,y,z\n{rows}"))) == 4


@pytest.mark.requirement("T5")
def test_a_first_row_of_questions_over_one_of_parts(tmp_path: Path) -> None:
    """Names of few columns over those of parts are names, also where a column of numbers has one above alone."""
    head = "id,Which did you see?,,,Please rank them,,,Which is best?\n,Saw A,Saw B,Saw C,Rank A,Rank B,Rank C,Why\n"
    rows = "".join(f"{70_000 + n},yes,,no,{n % 3 + 1},{n % 2 + 1},3,so {n}\n" for n in range(12))
    table = columns(load(tmp_path, head + rows))
    assert [*table][:2] == ["id", "Which did you see? Saw A"]
    assert table["Please rank them Rank A"] == "BIGINT"


@pytest.mark.requirement("T5e")
def test_years_of_two_digits(tmp_path: Path) -> None:
    """They are those of 1969 to 2068, as computers have it, and that is told."""
    database = load(tmp_path, "k,d\na,1/31/99\nb,2/28/04\n")
    assert [str(row[1]) for row in rows_of(database)] == ["1999-01-31", "2004-02-28"]
    assert "d: years of two digits are from 1969 to 2068" in told(database)


@pytest.mark.requirement("T6")
@pytest.mark.parametrize("cells", ["2013FAIL,2013PASS,2014FAIL", "01,2A,2B", "12X,15Y,17X"])
def test_codes_of_numbers_and_letters(tmp_path: Path, cells: str) -> None:
    """Capitals right behind numbers are no units of them; small letters may be, as in 1st."""
    database = load(tmp_path, "k,v\n" + "".join(f"x,{cell}\n" for cell in cells.split(",")))
    assert columns(database)["v"] == "VARCHAR"
    for few in ("1st,2nd,3rd", "1й,2я,3е", "5個,3箱,7枚"):
        named = "".join(f"x,{cell}\n" for cell in few.split(","))
        assert columns(load(tmp_path, f"k,v\n{named}"))["v"] == "BIGINT"


@pytest.mark.requirement("T6")
def test_some_with_a_percent_sign(tmp_path: Path) -> None:
    """Which ones stands in a column beside; nothing of that is open."""
    database = load(tmp_path, "k,v\nSales,120\nCosts,80\nMargin,33%\n")
    assert rows_of(database) == [["Sales", 120, None], ["Costs", 80, None], ["Margin", 33, "%"]]
    assert not database.tables[0].reading.doubts


@pytest.mark.requirement("T5f")
def test_few_letters_of_a_large_text_are_latin(tmp_path: Path) -> None:
    """A text in another script has more of them."""
    rows = "".join(f"row {n},{n}\n" for n in range(2_000))
    (tmp_path / "t.csv").write_bytes(f"k,v\n{rows}".encode() + b"Caf\xe9 \x8c\xe6,7\n")
    database = Database.load(Folder.open(tmp_path), ["t.csv"])
    assert "read as" not in told(database)


@pytest.mark.requirement("T5h")
def test_rows_that_are_taken_over_in_parts_keep_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is there once, with its day, which another table has."""
    monkeypatch.setattr(taking, "_SORTED", 3)
    with duckdb.connect() as connection:
        fill = Filling(connection, tmp_path, duckdb.Error)
        named = [(1, ["n", "d"])]
        rows = [(at, [str(at), f"{at}.2.2026"]) for at in range(2, 12)]
        taking.take(connection, fill.stream(iter([*named, *rows]), Raw()), "made")
        made = connection.execute("SELECT n, day(d) FROM made").fetchall()
    assert made == [(at, at) for at in range(2, 12)]


@pytest.mark.requirement("T5")
def test_a_single_row_behind_an_empty_one_is_of_the_table(tmp_path: Path) -> None:
    """Also where it is the sum of all; a note is none."""
    text = "k,v,w\na,120,31\nb,340,57\nc,75,44\n\n,535,132\n\nSource: the town\n"
    database = load(tmp_path, text)
    assert rows_of(database, "t_totals") == [[None, 535, 132]]
    assert "row 8 left out (notes below it: 'Source: the town')" in told(database)
    assert len(rows_of(load(tmp_path, "k,v\na,120\nb,340\n\nc,75\n"))) == 3


@pytest.mark.requirement("T5")
def test_a_first_row_that_is_counted_is_none_of_names(tmp_path: Path) -> None:
    """Numbers of one digit in it are no names of those of two below; years over counts are."""
    rows = "".join(f"{n},town {n}\n" for n in range(1, 30))
    database = load(tmp_path, rows)
    assert (database.tables[0].rows, "it has no row of names" in told(database)) == (29, True)
    years = load(tmp_path, "what,2018,2019\nSales,17,2019\nCosts,5,2020\n")
    assert [*columns(years)] == ["what", "2018", "2019"]
