"""What a task is about, by what a folder knows of its words."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from aeon.plan.sources import LOOKUP, SQL, About, Sources
from aeon.tools.files import files
from aeon.tools.registry import ToolRegistry

pytestmark = pytest.mark.requirement("T3")


def about(folder: Path, text: str) -> tuple[About, tuple[str, ...]]:
    """What a text is about in the folder, and the sources that may answer it."""
    sources = Sources(ToolRegistry(files(folder)))
    found = asyncio.run(sources.about(text))
    return found, sources.functions(found)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of a table and two texts."""
    root = tmp_path / "shop"
    root.mkdir()
    (root / "sales.csv").write_text("day,city,units\n2024-03-01,Cork,4\n2024-04-02,Porto,5\n")
    (root / "terms.md").write_text("# Terms\n\nA rebate of 7 percent is given on large orders. Postage is 4 euros.\n")
    (root / "hours.txt").write_text("The shop in Cork closes at six on Friday.\n")
    return root


@pytest.mark.parametrize(
    ("text", "functions"),
    [
        ("How many units did Porto sell in March?", ("sql",)),
        ("How much is the postage?", ("lookup",)),
        ("What is the rebate on the units of Porto?", ("sql", "lookup")),
        ("Who is the landlord?", ("lookup",)),
        ("What is owed, in total?", ("sql", "lookup")),
        ("When does Cork close?", ("lookup",)),
        ("What is the rebate of Cork?", ("lookup",)),
        ("What is the rebate of Cork in all?", ("sql", "lookup")),
        ("What did Cork take on 2024-03-01?", ("sql",)),
        ("What postage did Cork take on 2024-03-01?", ("sql", "lookup")),
        ("Which city closes most often?", ("sql", "lookup")),
        ("How often did Cork close?", ("lookup",)),
        ("4 people share 12 pizzas. How many each?", ()),
        ("How many units of 4 or 5 did Porto sell?", ("sql",)),
    ],
)
def test_the_sources_that_may_answer(text: str, functions: tuple[str, ...], folder: Path) -> None:
    """What only one of them knows decides; a sum of its own numbers needs none."""
    assert about(folder, text)[1] == functions


@pytest.mark.parametrize(
    ("text", "functions"),
    [
        ("Which orders does nobody look after yet?", ("sql", "lookup")),
        ("How many orders are looked after?", ("sql", "lookup")),
        ("Who looks after large orders?", ("lookup",)),
        ("What time are orders looked after?", ("lookup",)),
    ],
)
def test_who_asks_for_rows_of_a_table_asks_the_table_too(text: str, functions: tuple[str, ...], tmp_path: Path) -> None:
    """Though the texts have the name of the table, and all other words of the question."""
    (tmp_path / "orders.csv").write_text("day,city,carer\n2024-03-01,Cork,Ann\n2024-04-02,Porto,\n")
    (tmp_path / "opening_times.csv").write_text("city,hour\nCork,9\n")
    (tmp_path / "terms.md").write_text("# Terms\n\nWe look after large orders, at no time of a feast.\n")
    assert about(tmp_path, text)[1] == functions


def test_a_folder_without_tables_or_without_texts(tmp_path: Path) -> None:
    """What is not there is not asked."""
    (tmp_path / "a.csv").write_text("city,units\nCork,4\n")
    assert about(tmp_path, "How many units has Cork?")[1] == ("sql",)
    (tmp_path / "a.csv").unlink()
    (tmp_path / "a.txt").write_text("Cork has 4 units.")
    found, functions = about(tmp_path, "How many units has Cork?")
    assert functions == ("lookup",) and found.named == () and found.needed == ("lookup",)


@pytest.mark.requirement("T4")
@pytest.mark.parametrize(
    ("text", "writing"),
    [
        ("Write a short note to customers because the shop closes early on Friday, in at most two sentences.", True),
        ("In one word: the mood of 'The shop in Cork closes at six on Friday'.", True),
        ("One word only, please: a rhyme on 'rebate'.", True),
        ("Explain the rebate in two sentences.", False),
        ("Summarise the terms in one line.", False),
        ("What is the list price of a lamp?", False),
        ("In no more than 20 words, what is a mortgage?", True),
        ("I need a test book: one JSON object, with title and author.", True),
        ("What is a mortgage?", False),
    ],
)
def test_a_text_that_has_nothing_to_do_with_the_files(text: str, writing: bool, folder: Path) -> None:
    """Words of form and words in quotation marks do not count; half of the others have to be in one passage."""
    assert about(folder, text)[0].is_writing is writing


def test_notes_name_values_and_words_that_no_file_has(folder: Path) -> None:
    """Four unknown words at most, in the order of the alphabet; values of tables only beside these."""

    def notes(text: str, *functions: str) -> str:
        return about(folder, text)[0].notes(functions or (SQL, LOOKUP))

    assert notes("How many units did Cork send?") == "named: city = 'Cork'; no file has: send"
    assert notes("How many units did Cork send?", LOOKUP) == "no file has: send"
    assert notes("How many units did Cork sell?") == "named: city = 'Cork'"
    assert notes("Rebate on lamps, rugs, beds, mugs, 12 cups?") == "no file has: beds, cups, lamps, mugs"
    assert notes("What is the rebate?") == ""
    assert notes("What was paid to Cork?") == "named: city = 'Cork'"


@pytest.mark.requirement("T1b")
def test_a_word_that_stands_there_in_other_words_is_not_called_unknown(folder: Path) -> None:
    """No file has "monday" or "landlord"; the text speaks of another day, and of nobody."""
    found, _ = about(folder, "When does the landlord close the shop on Monday?")
    assert found.unknown >= {"monday", "landlord"} and "monday" in found.akin
    assert found.notes((LOOKUP,)) == "no file has: landlord"


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("What did we take from the kettle in Oslo?", ("kettle", "Oslo")),
        ("How much did Cork get for the sold kettles?", ("kettles",)),
        ("Revenue of Cork, if the table has units?", ()),
        ("How many parking spaces does Cork have?", ()),
        ("How many orders did Cork have in 1999?", ("1999",)),
        ("How many orders did Cork have in May 1999?", ("1999",)),
        ("How many orders did Cork have before 1999?", ()),
        ("How many orders did Cork have until 1 May 1999?", ()),
        ("What did Cork make per elephant?", ("elephant",)),
        ("What was the best number of a solitary day in Cork?", ()),
        ("What did we take from the golden kettle in Cork?", ("kettle",)),
        ("What profit margin do we have in Cork?", ("margin",)),
        ("Which margin did Cork have?", ("margin",)),
        ("What turnover did Cork have?", ()),
        ("What postage margin do we have?", ()),
        ("How many units did the Cork shop ship in March?", ()),
        ("What does Cork have to repay for March?", ()),
        ("Did the Cork shop ship more kettles than Porto?", ()),
        ("Write a note on Cork.", ()),
    ],
)
def test_a_thing_that_no_file_has_stands_behind_its_preposition(
    text: str, things: tuple[str, ...], folder: Path
) -> None:
    """What is only a word of the question is none, nor is how something is."""
    assert about(folder, text)[0].unknown_things == things


def test_what_queries_give_is_tried(folder: Path) -> None:
    """Those that cannot run are left out."""
    sources = Sources(ToolRegistry(files(folder)))
    asked = [{"query": query} for query in ("SELECT units FROM sales ORDER BY day", "SELECT x FROM sales", "DROP")]
    assert asyncio.run(sources.values([dict(one) for one in asked])) == [(asked[0], [4, 5])]


@pytest.mark.requirement("T1b")
@pytest.mark.parametrize(
    ("columns", "text", "unknown"),
    [
        ("talk,minutes", "What is the average length of a talk?", set()),
        ("talk,speakers", "What is the average length of a talk?", {"length"}),
        ("talk,weight_kg", "What is the weight of the talk?", set()),
        ("talk,minutes", "What is the weight of the talk?", {"weight"}),
    ],
)
def test_what_is_measured_is_known_where_a_column_has_its_unit(
    tmp_path: Path, columns: str, text: str, unknown: set[str]
) -> None:
    """A column of minutes holds a length, though no file has that word."""
    (tmp_path / "talks").mkdir()
    (tmp_path / "talks" / "talks.csv").write_text(f"{columns}\nBees,3\nBirds,5\n")
    found, _ = about(tmp_path / "talks", text)
    assert found.unknown == unknown


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("What do all members pay per month?", ("sql",)),
        ("What do members pay for a guest per month?", ("sql", "lookup")),
    ],
)
def test_that_somebody_pays_needs_no_text(tmp_path: Path, text: str, needed: tuple[str, ...]) -> None:
    """Texts speak of paying, and of each month, whatever they are about."""
    (tmp_path / "gym").mkdir()
    (tmp_path / "gym" / "members.csv").write_text("member,fee\nAda,59\nBen,25\n")
    (tmp_path / "gym" / "rules.md").write_text("Lockers cost 5 euros per month. For a guest they pay 12 euros.\n")
    assert about(tmp_path / "gym", text)[0].needed == needed


def test_what_is_done_most_often_is_counted_in_a_table(folder: Path) -> None:
    """The texts alone know of closing; how often, only rows tell."""
    assert about(folder, "Which city closes most often?")[0].needed == ("sql",)
    assert about(folder, "Which shop closes at six?")[0].needed == ("lookup",)


@pytest.mark.parametrize(
    ("text", "things", "unmeasured"),
    [
        ("Which city is the most expensive?", (), ("expensive",)),
        ("Which city is the most successful in Norway?", ("Norway",), ("successful",)),
        ("Which city has the most equipment?", ("equipment",), ()),
        ("Which city is the coldest?", (), ("coldest",)),
        ("Which city has the forest?", ("forest",), ()),
        ("Which other city is there?", (), ()),
    ],
)
def test_what_is_most_so_is_no_thing(
    folder: Path, text: str, things: tuple[str, ...], unmeasured: tuple[str, ...]
) -> None:
    """No file has it, and yet a table may tell by its order; nobody knows by which column."""
    found, _ = about(folder, text)
    assert (found.unknown_things, found.unmeasured) == (things, unmeasured)


@pytest.mark.requirement("T1b")
def test_what_a_table_is_named_for_needs_no_text(tmp_path: Path) -> None:
    """The texts alone say "delivered", and deliveries are a table."""
    (tmp_path / "deliveries.csv").write_text("day,product,crates\n2026-01-02,Kale,4\n2026-01-03,Leek,5\n")
    (tmp_path / "terms.txt").write_text("Crates are delivered on Friday. The driver is paid by the hour.\n")
    assert about(tmp_path, "How many crates of kale were delivered?")[0].needed == ("sql",)
    assert about(tmp_path, "How many crates of kale does the driver bring?")[0].needed == ("sql", "lookup")
