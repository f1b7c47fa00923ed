"""What programs give: values with the calls and the sentences that they rest on, or why there are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.tools import tool
from programs.world import NOTES, Folder

pytestmark = pytest.mark.requirement("W3")

QUERY = "print(sql('{}'))".format


def test_a_query_gives_its_rows_and_the_call(tmp_path: Path) -> None:
    """Under an id that claims can rest on."""
    ran = Folder(tmp_path).run("query", QUERY("SELECT price FROM items ORDER BY price DESC LIMIT 1"))
    (use,) = ran.uses
    assert ran.values == (119,) and ran.cites == ("s1.1",) and not ran.problem
    assert (use.id, use.tool) == ("s1.1", "sql") and "ORDER BY price" in str(use.arguments["query"])


@pytest.mark.requirement("L3", "T1")
@pytest.mark.parametrize(
    ("way", "text", "problem"),
    [
        ("query", QUERY("SELECT prise FROM items"), "prise"),
        ("query", QUERY("DROP TABLE items"), "SELECT"),
        ("query", QUERY("SELECT price FROM items WHERE"), ""),
        ("program", "while True: pass", "prints nothing"),
        ("program", "import os\nos.system('ls')", "prints nothing"),
        ("program", "x = y + 1\nprint(x)", "y has no value"),
        ("program", "print(sql(", "no program"),
        ("program", "I think that it costs 119.", "no program"),
        ("program", "print(777 * 2)", "777 stands in no sentence"),
        ("worked", "The chair costs something.", "no answer"),
        ("program", "print(f'{12 / 5:>10}')", "prints nothing"),
        ("program", "print(12 % -5)", "prints nothing"),
        ("program", "a = 'not stated'\n" + "a = f'{a}{a}'\n" * 30 + "print(sql(a))", "prints nothing"),
        ("program", "x = 12\n" * 2_000 + "print(x", "too long"),
        (
            "worked",
            "VAT: 348 * 0.19 = 64.32\nLeft: 348 - 64.32 = 283.68\nAnswer: 283.68",
            "does not add up: 348 - 64.32",
        ),
    ],
)
def test_what_cannot_run_says_why(tmp_path: Path, way: str, text: str, problem: str) -> None:
    """For the model, and nothing of it is changed or guessed."""
    ran = Folder(tmp_path).run(way, text)  # type: ignore[arg-type]
    assert not ran.values and not ran.absent and ran.problem and problem in ran.problem


@tool(side_effects=True)
def order(item: str) -> str:
    """Order something."""
    raise AssertionError(item)


@pytest.mark.requirement("W3a")
def test_a_program_changes_nothing() -> None:
    """A tool with side effects is not called."""
    ran = Folder(None, named={}, own=[order]).run("program", 'print(order("chair"))')
    assert "changes something" in ran.problem and not ran.uses


@pytest.mark.requirement("X3")
def test_a_call_has_the_same_key_whenever_it_is_made_again() -> None:
    """Another program of the same step, which asks for something else, has another one."""
    keys: list[str] = []

    @tool(side_effects=False)
    def ask(item: str, idempotency_key: str) -> str:
        """Ask for something."""
        keys.append(idempotency_key)
        return item

    folder = Folder(None, named={}, own=[ask])
    for item in ("chair", "chair", "lamp"):
        folder.run("program", f"print(ask({item!r}))")
    assert keys[0] == keys[1] != keys[2] and all(":s1.1:" in key for key in keys)


@pytest.mark.requirement("G1")
def test_a_value_of_a_text_is_quoted_from_its_sentence(tmp_path: Path) -> None:
    """And what is calculated with it rests on the calculator, which rests on the quotation."""
    folder = Folder(tmp_path)
    ran = folder.run("program", "fee = 4.90  # 1\nprint(fee * 2)", "What do two deliveries cost?")
    assert ran.values == (9.8,) and [use.tool for use in ran.uses] == ["quote", "calculator"]
    (lines,) = ran.uses[0].lines
    assert lines.texts == ("Delivery costs 4.90 euros.",) and set(ran.cites) == {"s1.1.1", "s1.2"}


def test_a_reading_points_at_the_sentence_that_it_stands_in(tmp_path: Path) -> None:
    """The sentence is a quotation, with where it stands in the text."""
    ran = Folder(tmp_path, named={"notes.txt": NOTES}).run("reading", "three years", "How long is the warranty?")
    (use,) = ran.uses
    (lines,) = use.lines
    (start, end) = lines.spans[0]
    assert ran.values == ("three years",) and ran.cites == ("s1.1.1",)
    assert NOTES[start:end] == lines.texts[0] == "The warranty on lamps is three years."


@pytest.mark.requirement("L3")
@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("section 5 (2)", "section 5 (2)"),
        ('"Section 5 (2)."', "Section 5 (2)"),
        ("14 days [1]", "14 days"),
        ("[1, 2] 14 days", "14 days"),
    ],
)
def test_numbers_in_brackets_are_kept_where_the_sentence_has_them(tmp_path: Path, said: str, value: str) -> None:
    """Else they are the numbers of the sentences that the model was shown."""
    text = "Section 5 (2) names the term. The term is 14 days."
    ran = Folder(tmp_path, named={"notes.txt": text}).run("reading", said, "Which term is it, and who says so?")
    assert ran.values == (value,) and len(ran.uses) == 1


@pytest.mark.parametrize(
    ("said", "question", "near"),
    [
        ("purple", "Which colour is the lamp?", ["The warranty on lamps is three years."]),
        ("They do not say it.", "Which colour is the lamp?", ["The warranty on lamps is three years."]),
        ("morado", "\u00bfDe qu\u00e9 color es?", []),
    ],
)
def test_a_reading_that_stands_nowhere_cites_nothing(tmp_path: Path, said: str, question: str, near: list[str]) -> None:
    """It is a candidate all the same: a judge sees it beside the sentence nearest to the question, where one is."""
    ran = Folder(tmp_path, named={"notes.txt": NOTES}).run("reading", said, question)
    assert len(ran.values) == 1 and not ran.cites and not ran.uses
    assert [text for lines in ran.near for text in lines.texts] == near


@pytest.mark.parametrize(
    ("way", "text"),
    [
        ("program", 'print("not stated")'),
        ("program", 'answer = "not stated"\nprint(answer)'),
        ("reading", "not stated"),
        ("query", QUERY("SELECT price FROM items WHERE price > 1000")),
        ("query", QUERY("SELECT SUM(price) FROM items WHERE price < 0")),
        ("query", QUERY("SELECT NULL, NULL FROM items")),
    ],
)
@pytest.mark.requirement("G5")
def test_nothing_found_is_a_result(tmp_path: Path, way: str, text: str) -> None:
    """No rows, rows of nothing, or the words that the prompt asks for."""
    ran = Folder(tmp_path).run(way, text)  # type: ignore[arg-type]
    assert ran.absent and not ran.values and "not stated in what was searched" in ran.problem


def test_rows_are_bounded(tmp_path: Path) -> None:
    """A million rows are cut where the byte cap of results is, and that is on record."""
    ran = Folder(tmp_path).run("query", QUERY("SELECT range AS n FROM range(1000000), items"))
    assert ran.problem or len(str(ran.values)) < 50_000


@pytest.mark.requirement("W5", "W3b", "T2c")
def test_a_text_is_written_from_what_is_there(tmp_path: Path) -> None:
    """A program that wants one gets the sentences looked up that it is to be written from."""
    folder = Folder(tmp_path, named={"notes.txt": NOTES})
    ran = folder.run("program", 'print(write("Write a note on delivery."))  # 1', "Write a note on delivery.")
    assert ran.writing == "Write a note on delivery." and ran.uses[0].tool == "read_texts"
    assert any("4.90" in text for lines in ran.uses[0].lines for text in lines.texts)
    alone = Folder(None, named={}).run("program", "Roses are red.", "Write a poem.")
    assert alone.writing == "Write a poem." and not alone.uses


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("40 * 2 = 80\nAnswer: 80 and 1,250.5", (80, 1250.5)),
        ("Ann is older.\nAnswer: Ann", ("Ann",)),
        ("In: 240 * 0.45 + 75 * 3.20 = 348\nVAT: 348 * 0.19 = 65.32\nAnswer: 348 and 65.32", (348, 66.12)),
        ("Answer: 12 apples", (12,)),
    ],
)
def test_a_worked_answer_gives_its_numbers(text: str, values: tuple[object, ...]) -> None:
    """Or its words, where it has none."""
    assert Folder(None, named={}).run("worked", text).values == values


def test_several_languages_in_one_folder(tmp_path: Path) -> None:
    """A sentence is found by where the answer stands, whatever it is written in."""
    named = {
        "a.txt": "Der Laden öffnet um 9:30 Uhr.",
        "b.txt": "محل الورد يفتح الساعة 10:15.",
        "c.txt": "商店在8:45开门。",
    }
    folder = Folder(tmp_path, named=named)
    for said, source in (("9:30", "a.txt"), ("10:15", "b.txt"), ("8:45", "c.txt")):
        ran = folder.run("reading", said, "When does it open?")
        assert [lines.source for use in ran.uses for lines in use.lines] == [source]


@pytest.mark.parametrize("name", ["$eur", "$s9", "$tag$", "5$"])
def test_a_dollar_sign_may_stand_in_a_query(tmp_path: Path, name: str) -> None:
    """Only what earlier calls gave is put in the place of a name behind one."""
    ran = Folder(tmp_path).run("query", QUERY(f"SELECT COUNT(*) FROM items WHERE item = \\'{name}\\'"))
    assert f"no row has item = '{name}'" in ran.problem


def test_all_that_is_printed_beside_a_result_is_printed(tmp_path: Path) -> None:
    """A number that the program has, too."""
    ran = Folder(tmp_path).run("program", "a = 5\nprint(a, a * 2)", "What is twice 5?")
    assert ran.values == (5, 10)


def test_a_text_is_written_from_what_was_looked_up_for_it(tmp_path: Path) -> None:
    """The calls are made first, and their results stand in what is to be written."""
    price = "p = sql('SELECT MAX(price) FROM items')\nprint(write(f'Tell Ada that it costs {p}.'))"
    ran = Folder(tmp_path).run("program", price)
    assert ran.writing == "Tell Ada that it costs 119." and [use.tool for use in ran.uses][:1] == ["sql"]


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("5", (5,)),
        ("5 boxes", (5,)),
        ("348 and 66.12", (348, 66.12)),
        ("\u22125", (-5,)),
        ("1/3", (pytest.approx(1 / 3),)),
        ("14:30", ("14:30",)),
        ("2024-03-05", ("2024-03-05",)),
        ("2.400 Euro", ("2.400 Euro",)),
        ("Anna, who is 12", ("Anna, who is 12",)),
        ("5\nCheck: 2 + 3 = 5", (5,)),
    ],
)
def test_a_worked_answer_is_what_its_last_line_says(tmp_path: Path, said: str, values: tuple[object, ...]) -> None:
    """Numbers where it begins with one and says nothing else; else its words."""
    assert Folder(tmp_path).run("worked", f"We add up.\n**Answer:** {said}").values == values


@pytest.mark.parametrize("lines", ["2x + 3 = 11\n11 - 3 = 8\n8 / 2 = 4", "3 / 4 = 75%\n75 * 4 / 75 = 4"])
def test_right_work_adds_up(tmp_path: Path, lines: str) -> None:
    """Letters are no numbers, and per cent are hundredths."""
    assert Folder(tmp_path).run("worked", f"{lines}\nAnswer: 4").values == (4,)


def test_an_id_is_no_operand(tmp_path: Path) -> None:
    """What a table has as text is never calculated with, and the line that the model is told names it."""
    folder = Folder(tmp_path, named={"orders.csv": "id,n\nE-5,3\nC-1042,4\n"})
    ran = folder.run("program", 'print(sql("SELECT id FROM orders WHERE n = 3") * 2)', "What is twice the order?")
    assert ran.problem == "calculator: $s1 is 'E-5', which is no number to calculate with"
    assert not ran.values
