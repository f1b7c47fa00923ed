"""The words that say what a text is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.documents.words import content_words, stem, stems

pytestmark = pytest.mark.requirement("T2")


@pytest.mark.parametrize(
    "forms",
    [
        ("order", "orders", "Ordered", "ORDERING"),
        ("city", "cities"),
        ("class", "classes"),
        ("fee", "fees"),
        ("tea", "teas"),
        ("price", "prices", "priced", "pricing"),
        ("employee", "employees"),
        ("pay", "paid", "payment", "payments", "paying"),
        ("bus",),
        ("take", "takes", "taking", "took", "taken"),
        ("plan", "plans", "planned", "planning"),
        ("hire", "hired", "hiring"),
        ("use", "uses", "used", "using"),
        ("bring", "brings", "brought", "bringing"),
        ("meeting", "meetings", "meet", "met"),
        ("thing", "things"),
        ("string", "strings"),
        ("go", "goes", "going", "went", "gone"),
        ("call", "called", "calling"),
        ("child", "children"),
        ("address",),
    ],
)
def test_the_forms_of_a_word_are_one(forms: tuple[str, ...]) -> None:
    """Plural, past and progress have the stem of the word itself."""
    assert len(set(map(stem, forms))) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rent", "rental"),
        ("2023", "2024"),
        ("cat", "car"),
        ("staff", "stage"),
        ("ring", "ran"),
        ("king", "kind"),
        ("bed", "be"),
    ],
)
def test_different_words_stay_different(one: str, other: str) -> None:
    """Only plain endings are taken off, and no digit."""
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("How many days of leave does each employee have?", {"leave", "employee"}),
        ("What is the total revenue_total per city in 2024?", {"revenue", "city", "2024"}),
        ("Wie viele Kilometer fährt der Zug?", {"kilometer", "fährt", "zug"}),
        ("is it I or 7?", set()),
        ("Who has not paid the rent yet, and has anybody already, or never even now?", {"paid", "rent"}),
        ("", set()),
        ("  ?!\n", set()),
    ],
)
def test_common_words_and_single_letters_are_left_out(text: str, words: set[str]) -> None:
    """What is left says what the text is about, in lower case."""
    assert content_words(text) == words
    assert stems(text) == {stem(word) for word in words}


@given(st.text(max_size=60))
def test_any_text_has_words_that_can_be_compared(text: str) -> None:
    """Case does not count, and no stem is empty."""
    assert stems(text) == {stem(word) for word in content_words(text)}
    assert "" not in stems(text) and all(stem(word) == stem(word.casefold()) for word in content_words(text))
