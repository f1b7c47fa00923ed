"""The everyday benchmark's generator and scorer: exact answers from a seed, and tolerant but strict judging."""

from __future__ import annotations

import csv
import datetime
import hashlib
import json
import re
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

BENCH = str(Path(__file__).parents[1] / "scripts" / "bench")
sys.path.insert(0, BENCH)
try:
    from everyday_items import COUNTS, EXACT, Constraint, Date, Item, Name, Number, month, number, shown
    from everyday_scoring import dates, numbers, score
    from everyday_tasks import make
finally:
    sys.path.remove(BENCH)

SEED = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("everyday")


@pytest.fixture(scope="module")
def items(folder: Path) -> list[Item]:
    return make(folder, SEED)


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_same_seed_makes_the_same_files_and_items(folder: Path, items: list[Item], tmp_path: Path) -> None:
    """Another seed makes others."""
    again = make(tmp_path / "again", SEED)
    assert again == items
    assert {f.name: f.read_bytes() for f in folder.iterdir()} == {
        f.name: f.read_bytes() for f in (tmp_path / "again").iterdir()
    }
    assert make(tmp_path / "other", SEED + 1) != items


@pytest.mark.parametrize("seed", range(12))
def test_every_seed_makes_all_kinds_and_halves(seed: int, tmp_path: Path) -> None:
    """Each kind has its number of different questions, and half of them belong to each half."""
    items = make(tmp_path, seed)
    assert Counter(item.kind for item in items) == COUNTS
    assert len({item.id for item in items}) == len({item.question for item in items}) == len(items)
    for kind, count in COUNTS.items():
        assert sum(item.half == "closing" for item in items if item.kind == kind) == count // 2


def test_more_word_problems_leave_the_first_ones_as_they_are(items: list[Item], tmp_path: Path) -> None:
    """The first 40 keep their texts, ids and halves; of 200, a hundred different ones are for closing."""
    more = make(tmp_path, SEED, word=200)
    assert more[: len(items)] == items
    words = [item for item in more if item.kind == "word"]
    assert len({item.id for item in words}) == len({item.question for item in words}) == 200
    assert sum(item.half == "closing" for item in words) == 100
    for item in words:
        assert score(item, ", ".join(map(shown, item.expected))).right, item


def test_the_first_word_problems_of_a_seed_never_change(items: list[Item]) -> None:
    """Figures that were published name a seed: its questions and halves are those of then."""
    words = [(item.id, item.half, item.question) for item in items if item.kind == "word"]
    digest = hashlib.sha256(json.dumps(words).encode()).hexdigest()
    assert digest[:16] == "29b4e9f075f3606b"


def test_the_folder_has_three_tables_and_twelve_short_texts(folder: Path, items: list[Item]) -> None:
    """The sales have 240 rows that fit the other tables, and each text has 60 to 250 words."""
    sales, shops, products = (rows(folder, name) for name in ("sales", "shops", "products"))
    assert len(sales) == 240
    assert {row["city"] for row in sales} <= {row["city"] for row in shops}
    assert {row["product"] for row in sales} <= {row["product"] for row in products}
    assert all(int(row["units"]) * Decimal(row["unit_price"]) == Decimal(row["revenue"]) for row in sales)
    texts = [file for file in folder.iterdir() if file.suffix in (".md", ".txt")]
    assert len(texts) == 12
    assert all(60 <= len(text.read_text().split()) <= 250 for text in texts)


def test_some_table_answers_are_found_again(folder: Path, items: list[Item]) -> None:
    """Sums, counts, shares and joins come out the same by another way."""
    sales, tables = rows(folder, "sales"), [item for item in items if item.kind == "tables"]
    staff = {row["city"]: int(row["staff"]) for row in rows(folder, "shops")}
    supplier = {row["product"]: row["supplier"] for row in rows(folder, "products")}
    checked = 0
    for item in tables:
        city = next((city for city in staff if city in item.question), "")
        firm = next((firm for firm in supplier.values() if firm in item.question), "")
        over = re.search(r"(?:more than|above €|over) ?(\d+)", item.question)
        if firm:
            right = sum(Decimal(row["revenue"]) for row in sales if supplier[row["product"]] == firm)
        elif city and re.search(r"staff|employee", item.question):
            right = sum(Decimal(row["revenue"]) for row in sales if row["city"] == city) / staff[city]
        elif city and over and re.search(r"orders", item.question):
            right = Decimal(sum(row["city"] == city and Decimal(row["revenue"]) > int(over[1]) for row in sales))
        else:
            continue
        checked += 1
        assert score(item, f"{right:.4f}").right, item
    assert checked >= 6


def test_every_expected_fact_is_in_its_text(folder: Path, items: list[Item]) -> None:
    """The figure, the name or the day that is expected stands in the text that the item names."""
    for item in items:
        if item.kind != "fact":
            continue
        text, value = " ".join((folder / item.note).read_text().split()), item.expected[0]
        if isinstance(value, Date):
            assert any((value.value.year, value.value.month, value.value.day) in ways for ways in dates(text)[0])
        elif isinstance(value, Number):
            assert value.value in {given.value for given in numbers(dates(text)[1])}
        else:
            assert value.text in text


def test_expected_names_are_in_the_files(folder: Path, items: list[Item]) -> None:
    """Every name that is expected, except months, is said somewhere in the folder."""
    said = " ".join(" ".join(file.read_text().split()) for file in folder.iterdir())
    names = [value for item in items for value in item.expected if isinstance(value, Name) and not value.others]
    assert names
    assert all(value.text in said for value in names)


def test_the_files_do_not_answer_what_is_absent(folder: Path, items: list[Item]) -> None:
    """The word that each absent question turns on stands in no file, and nothing is expected."""
    said = " ".join(file.read_text() for file in folder.iterdir()).casefold()
    absent = [item for item in items if item.kind == "absent"]
    assert all(item.note and item.note.casefold() not in said and not item.expected for item in absent)


def test_the_sentence_that_a_guess_quotes_is_no_part_of_it() -> None:
    """It makes a wrong guess no better, and a right one no worse."""
    asked = Item("x", "fact", "How long is the wait?", (Number(Decimal(9)),))
    assert score(asked, 'Perhaps: 9 weeks. "Bellamy asks 71 euros and needs 9 weeks."').right
    assert not score(asked, 'Perhaps: 71 euros. "Bellamy asks 71 euros and needs 9 weeks."').right


def test_the_expected_values_score_as_right(items: list[Item]) -> None:
    """An answer of just the expected values is right, and one with another number beside them is wrong."""
    for item in items:
        if item.kind in EXACT:
            answer = ", ".join(map(shown, item.expected))
            assert score(item, answer).right, (item, score(item, answer))
            assert score(item, f"It is {answer}.").right, item
            assert not score(item, f"{answer}, or 987654").right, item
            assert not score(item, "not stated").right, item


def asked(question: str, *expected: Number | Name | Date, **more: object) -> Item:
    return Item("x", str(more.pop("kind", "tables")), question, expected, **more)  # type: ignore[arg-type]


TOTAL = asked("What did Cork take in March?", number("1234.50"), also=(number(2025),))
SHARE = asked("What share, to one decimal?", number("21.32", 1), also=(number(400), number(1876)))
SMALL = asked("How many?", number(7))
BOTH = asked("Which city sold most, and how much?", Name("Cork"), number(90), rivals=("Cork", "Porto"))
PICK = asked("Kite Day or Book Circle: which is dearer?", Name("Kite Day"), number(3), rivals=("Book Circle",))
DAY = asked("When is the Kite Day?", Date(datetime.date(2026, 3, 5)), also=(number(30),))
MAY = asked("Which month was best?", month(5, 2025), rivals=("May", "June"))


@pytest.mark.parametrize(
    ("item", "answer", "right"),
    [
        (TOTAL, "1234.5", True),
        (TOTAL, "€1,234.50", True),
        (TOTAL, "1.234,50 EUR", True),
        (TOTAL, "1 234,50 €", True),
        (TOTAL, "In March 2025, Cork took in **1,234.50** euros (see sales.csv).", True),
        (TOTAL, "about 1,235 euros", True),
        (TOTAL, "1,240", False),
        (TOTAL, "1234.5, that is 17 more than before", False),
        (TOTAL, "-1234.50", False),
        (TOTAL, "", False),
        (SHARE, "21.3 %", True),
        (SHARE, "400 / 1876 * 100 = 21.32", True),
        (SHARE, "21%", False),
        (SHARE, "21.4", False),
        (SMALL, "Seven.", True),
        (SMALL, "1. Filter the rows.\n2. Count them.\nStep 3: the result is 7", True),
        (SMALL, "7.4", False),
        (SMALL, "17", False),
        (BOTH, "cork, with 90 euros", True),
        (BOTH, "Porto, 90", False),
        (BOTH, "Cork or Porto, 90", False),
        (BOTH, "Cork", False),
        (BOTH, "Corking 90", False),
        (PICK, "The Kite Day, by 3 euros", True),
        (PICK, "Compared to the Book Circle, the Kite Day is 3 euros dearer.", True),
        (PICK, "The Book Circle is 3 euros dearer than the Kite Day.", False),
        (asked("Kite Day or Book Circle?", Name("Kite Day", ("Kite",)), rivals=("Book Circle",)), "The Kite.", True),
        (DAY, "2026-03-05", True),
        (DAY, "on 5 March 2026, fee 30 euros", True),
        (DAY, "March 5th, 2026", True),
        (DAY, "05.03.2026", True),
        (DAY, "5 March", True),
        (DAY, "6 March 2026", False),
        (DAY, "5 March or 9 April 2026", False),
        (MAY, "May", True),
        (MAY, "2025-05", True),
        (MAY, "5", True),
        (MAY, "It may have been June", False),
        (MAY, "June", False),
    ],
)
def test_exact_answers_are_judged(item: Item, answer: str, right: bool) -> None:
    """Any common form of the expected values is right; another number, name or date makes an answer wrong."""
    assert score(item, answer).right is right, score(item, answer)


FESTIVE = asked("When is the fair?", Date(datetime.date(2026, 3, 5)), also=(number(30),))
FIRST = asked("¿Desde cuándo?", Date(datetime.date(2026, 7, 1)))
MEMBERS = asked("¿Cuántos socios hay?", number(12))


@pytest.mark.parametrize(
    ("item", "answer", "right"),
    [
        (FESTIVE, "El 5 de marzo de 2026, 30 euros.", True),
        (FESTIVE, "el jueves 5 de marzo", True),
        (FIRST, "Desde el 1.º de julio de 2026", True),
        (FESTIVE, "el 5 de mayo de 2026", False),
        (FESTIVE, "el 5 de marzo de 2025", False),
        (FESTIVE, "el 5 de marzo o el 9 de abril", False),
        (FESTIVE, "en marzo de 2026", False),
        (MEMBERS, "el 12 de marzo", False),
        (MEMBERS, "En julio 12 socios", True),
        (FESTIVE, "Le 5 mars 2026, 30 euros.", True),
        (FESTIVE, "jeudi 5 mars", True),
        (FIRST, "à partir du 1er juillet 2026", True),
        (FESTIVE, "le 5 mai 2026", False),
        (FESTIVE, "le 5 mars 2025", False),
        (FESTIVE, "le 5 mars ou le 9 avril 2026", False),
        (FESTIVE, "Am 5. März 2026, 30 Euro.", True),
        (FESTIVE, "Donnerstag, 5. März", True),
        (FESTIVE, "5. 3. 2026", True),
        (FESTIVE, "am 6. März 2026", False),
        (FESTIVE, "am 5. Mai 2026", False),
        (FESTIVE, "am 5. März oder am 9. April", False),
        (FESTIVE, "vom 4. bis 5. März 2026", False),
        (FESTIVE, "活动在2026年3月5日举行。", True),
        (FESTIVE, "3月5号、门票30元", True),
        (FESTIVE, "二〇二六年三月五日", True),
        (FESTIVE, "2026년 3월 5일에", True),
        (FESTIVE, "活动在三月六日举行", False),
        (FESTIVE, "2025年3月5日", False),
        (FESTIVE, "3月5日或4月9日", False),
        (FESTIVE, "5日", False),
    ],
)
def test_days_of_other_languages_are_judged(item: Item, answer: str, right: bool) -> None:
    """A day written as in Spanish, French, German or Chinese is that day; another one makes an answer wrong too."""
    assert score(item, answer).right is right, score(item, answer)


RENT = asked("场地一年多少钱", number(2350))
GUESTS = asked("来了几位客人", number(7))
VEREIN = asked("Wie viele Mitglieder sind dabei?", number(7))


@pytest.mark.parametrize(
    ("item", "answer", "right"),
    [
        (RENT, "两千三百五十元", True),
        (RENT, "一年两千三百五。", True),
        (RENT, "场地费是2,350元。", True),
        (RENT, "一共0.235万元", True),
        (RENT, "10月起是2350元", True),
        (RENT, "两千三百零五元", False),
        (RENT, "场地费是2350元、也就是两千四百元", False),
        (RENT, "两千三百五十元或2400元", False),
        (RENT, "第2350号", False),
        (RENT, "几千元", False),
        (GUESTS, "来了七位客人。", True),
        (GUESTS, "七", True),
        (GUESTS, "一共7位、其中一位迟到", True),
        (GUESTS, "十分热闹、来了七位", True),
        (GUESTS, "来了八位客人", False),
        (GUESTS, "来了七位或八位", False),
        (GUESTS, "一共7位或12位", False),
        (GUESTS, "来了十七位", False),
        (GUESTS, "七八位", False),
        (GUESTS, "第七位", False),
        (GUESTS, "北斗七星", False),
        (VEREIN, "Sieben Mitglieder sind dabei.", True),
        (VEREIN, "Acht Mitglieder sind dabei.", False),
        (VEREIN, "Siebzehn Mitglieder sind dabei.", False),
        (VEREIN, "Es sind sieben oder acht.", False),
        (asked("How many?", number(11)), "An elf did it.", False),
    ],
)
def test_number_words_of_other_languages_are_judged(item: Item, answer: str, right: bool) -> None:
    """Figures and number words before a measure word are numbers, in German words too; a second one contradicts."""
    assert score(item, answer).right is right, score(item, answer)


CLAY = asked("谁教陶艺", Name("李梅"), rivals=("王芳", "李梅芳"))
DEARER = asked("龙井还是碧螺春更贵", Name("龙井"), rivals=("碧螺春",))
SILENT = asked("李梅的电话是多少", kind="absent", rivals=("王芳",))


@pytest.mark.parametrize(
    ("item", "answer", "right"),
    [
        (CLAY, "陶艺课由李梅老师教。", True),
        (CLAY, "这两门课都由李梅教", True),
        (CLAY, "王芳教陶艺。", False),
        (CLAY, "李梅和王芳教陶艺。", False),
        (CLAY, "李梅芳教陶艺。", False),
        (DEARER, "龙井更贵。", True),
        (DEARER, "碧螺春也不便宜。龙井更贵。", True),
        (DEARER, "碧螺春更贵。", False),
        (SILENT, "not stated: 李梅的电话是多少", True),
        (SILENT, "not stated, 请问王芳吧", False),
        (SILENT, "not stated, 电话是5551234号", False),
        (asked("Is lunch included?", Name("included"), rivals=("not included",)), "It is not included.", False),
    ],
)
def test_names_without_spaces_around_them_are_judged(item: Item, answer: str, right: bool) -> None:
    """Chinese letters end no name, but what stands only within a rival's longer name is not said."""
    assert score(item, answer).right is right, score(item, answer)


PHONE = asked(
    "What is the phone number of Castor & Pine in 2024?", kind="absent", rivals=("Emil Quist", "Castor & Pine")
)


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("not stated", True),
        ("The phone number is not mentioned in any of the files.", True),
        ("I couldn't find a phone number for Castor & Pine.", True),
        ("There is no information about this in 2024.", True),
        ("It can't be determined from price-letter.txt.", True),
        ("This is not something that the files contain.", True),
        ("No phone number is given.", True),
        ("The files do not state it; call 555 1234.", False),
        ("It is not stated, but you can ask Emil Quist.", False),
        ("Emil Quist", False),
        ("0", False),
        ("I will look it up.", False),
        ("The files do not say: What is the phone number? (searched: minutes 12 March.txt, notes (8 Sept).md).", True),
    ],
)
def test_absent_answers_are_judged(answer: str, right: bool) -> None:
    """Only what says that it is not stated is right, and only if it gives nothing in its place."""
    assert score(PHONE, answer).right is right, score(PHONE, answer)


CODE = "def average(values):\n    return sum(values) / len(values)"


@pytest.mark.parametrize(
    ("constraint", "answer", "right"),
    [
        (Constraint("sentences", 2), "Bees collect nectar, e.g. from clover. It becomes honey!", True),
        (Constraint("sentences", 2), "Only one at 3.5 degrees", False),
        (Constraint("most sentences", 2), "One.", True),
        (Constraint("words", 4), "Well-known words, four here.", True),
        (Constraint("words", 3), "One two three four", False),
        (Constraint("lines", 2), "- towel\n\n- book", True),
        (Constraint("lines", 2), "Here are two:\n- towel\n- book", False),
        (Constraint("json", words=("name", "age")), '```json\n{"age": 3, "name": "Bo"}\n```', True),
        (Constraint("json", words=("name", "age")), '{"name": "Bo"}', False),
        (Constraint("json", words=("name",)), 'Here it is: {"name": "Bo"}', False),
        (Constraint("code", words=("average",)), f"```python\n{CODE}\n```", True),
        (Constraint("code", words=("average",)), CODE, True),
        (Constraint("code", words=("average",)), f"Here it is:\n```python\n{CODE}\n```", False),
        (Constraint("one word", 1), "**Shrink.**", True),
        (Constraint("one word", 1), "to shrink", False),
        (Constraint("holds", words=("parcel",)), "Your Parcel is here.", True),
        (Constraint("sentences", 1), "I cannot help with that.", False),
        (Constraint("sentences", 1), "  ", False),
    ],
)
def test_constraints_of_open_tasks_are_counted(constraint: Constraint, answer: str, right: bool) -> None:
    """What can be counted is, and a refusal or an empty answer keeps to nothing."""
    item = asked("Write.", kind="open", constraints=(constraint,))
    assert score(item, answer).right is right, score(item, answer)
