"""The language of a text, the words that say what it is about, and their stems."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.language.words import COMMON, content_words, is_common, language_of, stem, stems

pytestmark = pytest.mark.requirement("T2", "L2")


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("How many orders were there in May?", "en"),
        ("Wie viele Kilometer fährt der Zug?", "de"),
        ("Combien coûte la location des vélos ?", "fr"),
        ("¿Cuánto cuesta el alquiler de las bicicletas?", "es"),
        ("die rates", "de"),
        ("", "en"),
        ("茶馆早上八点开门", "en"),
        ("12.5 Bananen", "en"),
    ],
)
def test_the_common_words_tell_the_language(text: str, tag: str) -> None:
    """The most of them; where there are none, the tag is that of English."""
    assert language_of(text) == tag


@pytest.mark.parametrize(
    ("tag", "forms"),
    [
        ("en", ("order", "orders", "Ordered", "ORDERING")),
        ("en", ("city", "cities")),
        ("en", ("class", "classes")),
        ("en", ("price", "prices", "priced", "pricing")),
        ("en", ("plan", "plans", "planned", "planning")),
        ("en", ("hire", "hired", "hiring")),
        ("de", ("Bestellung", "Bestellungen")),
        ("de", ("Kuchen", "kuchen")),
        ("fr", ("commande", "commandes", "commandé")),
        ("fr", ("location", "locations")),
        ("es", ("pedido", "pedidos")),
        ("es", ("bicicleta", "bicicletas")),
    ],
)
def test_the_forms_of_a_word_are_one(tag: str, forms: tuple[str, ...]) -> None:
    """Plural, past and progress have the stem of the word itself."""
    assert len({stem(form, tag) for form in forms}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("2023", "2024"), ("cat", "car"), ("staff", "stage"), ("ring", "ran"), ("king", "kind"), ("bed", "be")],
)
def test_different_words_stay_different(one: str, other: str) -> None:
    """Only plain endings are taken off, and no digit."""
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("How many days of leave does each employee have?", {"many", "days", "leave", "employee"}),
        ("What is the total revenue_total per city in 2024?", {"total", "revenue", "city", "2024"}),
        ("Wie viele Kilometer fährt der Zug?", {"viele", "kilometer", "fährt", "zug"}),
        ("Combien coûte la clé ?", {"combien", "coûte", "clé"}),
        ("¿Quién tiene la llave?", {"llave"}),
        ("is it I or 7?", set()),
        ("", set()),
        ("  ?!\n", set()),
    ],
)
def test_common_words_and_single_letters_are_left_out(text: str, words: set[str]) -> None:
    """Those of the text's language: what is left says what the text is about, in lower case."""
    assert content_words(text) == words
    assert stems(text) == {stem(word, language_of(text)) for word in words}


def test_a_word_that_is_common_in_one_language_may_say_much_in_another() -> None:
    """Unless the language is not known."""
    assert "die" in content_words("How many bees die?") and "die" not in content_words("Wo ist die Wabe?")
    assert "war" in content_words("die war was here", "en")
    assert is_common("Die") and not is_common("bees")


def test_common_words_are_few() -> None:
    """They are words of the grammar, each one word in lower case; none is a number."""
    for words in COMMON.values():
        assert 100 < len(words) < 250
        assert all(word == word.casefold() and word.isalpha() for word in words)


@given(st.text(max_size=60))
def test_any_text_has_words_that_can_be_compared(text: str) -> None:
    """Case does not count, and no stem is empty."""
    tag = language_of(text)
    assert stems(text) == {stem(word, tag) for word in content_words(text)}
    assert "" not in stems(text) and all(stem(word) == stem(word.casefold()) for word in content_words(text))
