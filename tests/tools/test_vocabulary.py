"""Which words of a question the tables know."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.documents.folder import Folder
from aeon.documents.words import content_words
from aeon.errors import ToolFailed
from aeon.schema import JsonValue
from aeon.tools.database import Database
from aeon.tools.vocabulary import Vocabulary

pytestmark = pytest.mark.requirement("T1")
SALES = "day,city,product,revenue_total\n2024-03-01,Cork,Green Tea,10.5\n2024-04-02,O'Brien's Porto,Coffee,20\n"


def load(folder: Path, **tables: str) -> Database:
    """The tables of these CSV texts."""
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text)
    return Database.load(Folder.open(folder), [f"{name}.csv" for name in tables])


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    """The words of a table with dates."""
    return Vocabulary(load(tmp_path_factory.mktemp("tables"), sales=SALES))


@pytest.mark.parametrize(
    "word",
    ["sales", "sale", "city", "cities", "products", "revenue", "cork", "tea", "teas", "coffee", "o", "brien", "porto"],
)
def test_names_and_cells_are_known(vocabulary: Vocabulary, word: str) -> None:
    """Tables, columns and words of cells are known, also in another form and another case."""
    assert vocabulary.known([word]) == {word}
    assert vocabulary.known([word.upper()]) == {word.upper()}


def test_a_measure_is_known_by_its_short_form(tmp_path: Path) -> None:
    """Where a column has that as a word of its name."""
    words = Vocabulary(load(tmp_path, stages="day,km\n2026-07-11,312\n", tanks="tank,Holds (l)\nT1,900\n"))
    assert words.known(["kilometres", "litres", "kilos", "minutes"]) == {"kilometres", "litres"}


@pytest.mark.parametrize("word", ["march", "dec", "quarter", "week", "2024"])
def test_dates_are_known_where_there_are_dates(vocabulary: Vocabulary, word: str, tmp_path: Path) -> None:
    """A month and a year of its dates mean something to a table, and nothing to one without dates."""
    assert vocabulary.known([word]) == {word}
    assert not vocabulary.known(["1999"])
    assert not Vocabulary(load(tmp_path, shops="city,staff\nCork,4\n")).known([word])


def test_a_year_that_is_a_number_is_known_and_no_year_of_a_date(tmp_path: Path) -> None:
    """When something was built is no condition on the dates of another table, unless these have that year, too."""
    vessels = "vessel,built\nSolea,1998\nTern,2024\n"
    words = Vocabulary(load(tmp_path, sales=SALES, vessels=vessels))
    assert words.known(["1998", "2024", "1999"]) == {"1998", "2024"}
    assert words.named("Which was built in 1998?") == ()
    assert [one.condition for one in words.named("What came in 1999?")] == ["YEAR(day) = 1999"]
    assert [one.condition for one in words.named("What came in 2024?")] == ["YEAR(day) = 2024"]


def test_a_noun_is_known_by_its_singular(tmp_path: Path) -> None:
    """Where its plural is more than an "s"."""
    words = Vocabulary(load(tmp_path, guests="kind,count\nchild,4\n"))
    assert words.known(["children", "men", "childless"]) == {"children"}


@pytest.mark.parametrize("word", ["parking", "ork", "1899", "3024", "20245", "", "password", "')--", "%", ".*", "a b"])
def test_other_words_are_not_known(vocabulary: Vocabulary, word: str) -> None:
    """A part from the middle of a word is none, and no word is a pattern or a piece of a query."""
    assert not vocabulary.known([word])


@given(
    words=st.lists(
        st.text(max_size=12) | st.sampled_from(["Cork", "tea')", "cork", "[", "\\b", "\x00", "\u0131"]), max_size=4
    )
)
def test_any_words_are_only_looked_up(vocabulary: Vocabulary, words: list[str]) -> None:
    """What is known is among what was asked, whatever that was."""
    assert vocabulary.known(words) <= set(words)
    assert vocabulary.known(content_words(" ".join(words))) <= content_words(" ".join(words))


def test_a_table_of_numbers_has_no_cells_to_search(tmp_path: Path) -> None:
    """Only texts are searched; without any, names and dates are all there is."""
    numbers = Vocabulary(load(tmp_path, counts="n,m\n1,2\n"))
    assert numbers.known(["counts", "cork", "1"]) == {"counts"}


def test_what_takes_too_long_to_look_up_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that fails is no reason to fail the run."""
    database = load(tmp_path, shops="city,staff\nCork,4\n")

    def failing(query: str) -> JsonValue:
        raise ToolFailed("the query took longer than 10 s; ask for less at once")

    monkeypatch.setattr(database, "query", failing)
    assert Vocabulary(database).known(["cork", "staff"]) == {"staff"}


WARES = "product,category,code\nTable Lamp,table,X-1\nBoots,shoes,A1115\nsalad bowl,table,7\n,of the,\n"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What did we take in Cork?", (("city", "Cork"),)),
        ("cork: green tea?", (("city", "Cork"), ("product", "Green Tea"))),
        ("Green  teas of CORK", (("product", "Green Tea"), ("city", "Cork"))),
        ("What did O'Brien's Porto take?", (("city", "O'Brien's Porto"),)),
        ("Boot or salad bowls?", (("product", "Boots"), ("product", "salad bowl"))),
        ("The table lamp", (("product", "Table Lamp"),)),
        ("Order a1115, of the table", (("code", "A1115"),)),
        ("Order a1115, of the category table", (("code", "A1115"), ("category", "table"))),
        ("How many children and ladies came?", (("kind", "child"), ("kind", "lady"))),
        ("Wine glasses", (("kind", "wine glass"),)),
        ("Corkscrew, greenish, lamp, 7", ()),
        ("O'; DROP TABLE sales; --", ()),
        ("", ()),
    ],
)
def test_values_that_a_text_names(text: str, named: tuple[tuple[str, str], ...], tmp_path: Path) -> None:
    """Whole cells as whole words, in the order of the text; numbers and parts of others are none."""
    guests = "kind,count\nchild,4\nlady,5\nwine glass,6\n"
    found = Vocabulary(load(tmp_path, sales=SALES, wares=WARES, guests=guests)).named(text)
    assert tuple((one.column, one.value) for one in found) == named
    assert [one.condition for one in found] == [
        f"{name} = '{value.replace(chr(39), chr(39) * 2)}'" for name, value in named
    ]


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("What came in March?", ["MONTH(day) = 3"]),
        ("What came in march 2024?", ["MONTH(day) = 3", "YEAR(day) = 2024"]),
        ("What came in May?", ["MONTH(day) = 5"]),
        ("What may come?", []),
        ("What was opened in May 2020?", ['MONTH("opened on") = 5', 'YEAR("opened on") = 2020']),
        ("What came from March to May?", []),
        ("What came since March, after 2023?", []),
        ("What is left of March after the rebate?", ["MONTH(day) = 3"]),
        ("What came on 12 March 2024?", []),
        ("What came on March 12?", []),
        ("What came on 2024-03-01?", []),
        ("What came of the 2031 fee in March?", ["MONTH(day) = 3"]),
    ],
)
def test_months_and_years_that_a_text_names(text: str, conditions: list[str], tmp_path: Path) -> None:
    """One of each, of the column that the text names, else of the largest table; a day or a span is none."""
    shops = "city,opened on,fee 2031\nCork,2020-05-01,yes\n"
    found = Vocabulary(load(tmp_path, shops=shops, sales=SALES)).named(text)
    assert [one.condition for one in found] == conditions
    assert Vocabulary(load(tmp_path, shops="city\nCork\n")).named(text) == ()


@given(st.text(max_size=60))
def test_any_text_names_values_or_none(vocabulary: Vocabulary, text: str) -> None:
    """Whatever stands in it is looked for as it is, and is no part of a query."""
    cells = {("city", "Cork"), ("city", "O'Brien's Porto"), ("product", "Green Tea"), ("product", "Coffee")}
    assert {(one.column, one.value) for one in vocabulary.named(text) if one.column != "day"} <= cells


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("How many shows were cancelled?", ["cancelled = 'Yes'"]),
        ("How many shows were not cancelled?", ["cancelled = 'No'"]),
        ("How many are in stock?", ["in_stock = true"]),
        ("Was the first show cancelled?", []),
        ("How many shows were there?", []),
    ],
)
def test_a_column_of_yes_and_no_is_named_by_its_name(question: str, named: list[str], tmp_path: Path) -> None:
    """It is a condition; of a question whether it is so it is what is asked."""
    shows = "show,cancelled,in_stock\nFaust,Yes,true\nLear,No,false\nIris,No,true\n"
    words = Vocabulary(load(tmp_path, shows=shows))
    assert [one.condition for one in words.named(question)] == named


@pytest.mark.parametrize(
    ("question", "unpaid"),
    [
        ("How much do I still owe all the tradesmen?", True),
        ("What is outstanding?", True),
        ("How much has not come in yet?", True),
        ("How much has not yet come in?", True),
        ("How much have we still to pay?", True),
        ("How much money are we still waiting for?", True),
        ("Who is behind with the rent?", True),
        ("What do the jobs come to, paid or not?", False),
        ("How much do the jobs come to?", False),
        ("Does the roofer owe us anything?", False),
    ],
)
def test_what_is_owed_is_not_paid_yet(question: str, unpaid: bool, tmp_path: Path) -> None:
    """A question need not say the word of the column; paid or not are all of them."""
    words = Vocabulary(load(tmp_path, jobs="job,Paid?,cancelled\nroof,yes,no\nsink,no,no\npump,no,yes\n"))
    assert [one.condition for one in words.named(question)] == ["\"Paid?\" = 'no'"] * unpaid


def test_what_is_owed_leaves_other_columns_as_they_are(tmp_path: Path) -> None:
    """A cancelled job may be unpaid."""
    words = Vocabulary(load(tmp_path, jobs="job,Paid?,cancelled\nroof,yes,no\nsink,no,no\npump,no,yes\n"))
    named = words.named("How much do we still owe for cancelled jobs?")
    assert [one.condition for one in named] == ["\"Paid?\" = 'no'", "cancelled = 'yes'"]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What did booking 9 cost?", ["booking = 9"]),
        ("What did booking no. 9 cost?", ["booking = 9"]),
        ("What did order 17 cost?", ["order_id = 17"]),
        ("What did booking 8 cost?", []),
        ("How many bookings had 9 nights?", []),
        ("What did nights 4 cost?", []),
        ("What came of bookings 9.5?", []),
        ("Who stayed on the third night?", []),
        ("What did the fourth nights cost?", ["nights = 4"]),
    ],
)
def test_a_row_is_named_by_its_number(question: str, named: list[str], tmp_path: Path) -> None:
    """A number behind the name of a column that numbers its rows, and has it."""
    bookings = "booking,order_id,nights\n1,17,4\n9,18,4\n"
    words = Vocabulary(load(tmp_path, bookings=bookings))
    assert [one.condition for one in words.named(question)] == named


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("How many from Owen's side have said yes so far?", ["side = 'Owen'"]),
        ("How many said yes to staying over?", ["\"staying over\" = 'yes'"]),
    ],
)
def test_a_yes_of_several_columns_is_of_the_one_that_is_spoken_of(
    question: str, named: list[str], tmp_path: Path
) -> None:
    """Of one column it needs no name."""
    guests = "name,side,rsvp,staying over\nAda,Owen,yes,yes\nBo,Nadia,no,\nCem,Owen,yes,\n"
    words = Vocabulary(load(tmp_path, guests=guests))
    assert [one.condition for one in words.named(question)] == named
