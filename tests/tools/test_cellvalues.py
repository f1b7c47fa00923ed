"""Which values of tables stand in a text: what is written there, and nothing that it might mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.documents.folder import Folder
from aeon.tools.cellvalues import values_named
from aeon.tools.database import Database

pytestmark = pytest.mark.requirement("E4", "L1", "T5o")
LAMPS = (
    "lamp,city,sold\ntable lamp,Cork,3\ntable,Porto,4\nO'Brien's,Zürich,5\n台灯,北京,6\nAlba,Hauptstraße,7\nALBA,-,8\n"
)


def named(folder: Path, text: str) -> list[tuple[str, str]]:
    """The values of a table of lamps in a text."""
    (folder / "lamps.csv").write_text(LAMPS, encoding="utf-8")
    return [*values_named(Database.load(Folder.open(folder), ["lamps.csv"]), text)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("How many table lamps in Cork?", [("lamp", "table"), ("city", "Cork")]),
        ("A table lamp for CORK", [("lamp", "table lamp"), ("city", "Cork")]),
        ("O'Brien's of zürich", [("lamp", "O'Brien's"), ("city", "Zürich")]),
        ("Was kostet 台灯 in Porto?", [("lamp", "台灯"), ("city", "Porto")]),
        ("Wer wohnt in der Hauptstraße?", [("city", "Hauptstraße")]),
        ("The skipper of Alba", [("lamp", "Alba")]),
        ("tables, corks and 3", []),
        ("", []),
        ("'; DROP SCHEMA lamps; --", []),
    ],
)
def test_values_are_whole_words_as_they_are_written(tmp_path: Path, text: str, values: list[tuple[str, str]]) -> None:
    """In the order of the text, in any case and script; the longer of two; no form of a word, and no number."""
    assert named(tmp_path, text) == values


def test_of_many_values_the_first_are_named(tmp_path: Path) -> None:
    """Six at most."""
    rows = "".join(f"w{number}\n" for number in range(12))
    (tmp_path / "words.csv").write_text(f"word\n{rows}")
    database = Database.load(Folder.open(tmp_path), ["words.csv"])
    found = values_named(database, " ".join(f"w{number}" for number in range(12)))
    assert [one.value for one in found] == [f"w{number}" for number in range(6)]


def test_a_question_does_not_look_through_the_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands in it was found out when they were loaded: no query is asked of them."""
    (tmp_path / "lamps.csv").write_text(LAMPS, encoding="utf-8")
    database = Database.load(Folder.open(tmp_path), ["lamps.csv"])
    monkeypatch.setattr("aeon.tools.database.isolated", None)
    assert [*values_named(database, "Table lamps of O'Brien's")] == [("lamp", "table"), ("lamp", "O'Brien's")]


def test_a_long_text_is_no_value(tmp_path: Path) -> None:
    """Up to 100 characters are looked for."""
    (tmp_path / "notes.csv").write_text(f"note\n{'a ' * 50}\n{'b ' * 51}\n")
    database = Database.load(Folder.open(tmp_path), ["notes.csv"])
    assert [len(one.value) for one in values_named(database, "a " * 50 + "b " * 51)] == [99]
