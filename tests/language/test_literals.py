"""Values that stand in a text as words, and names in their language."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from aeon.language.literals import proper_names, stands_as_words
from aeon.language.words import stem, stems

pytestmark = pytest.mark.requirement("L2")


@pytest.mark.parametrize(
    ("value", "text", "there"),
    [
        ("no", "Yes, I know it.", False),
        ("no", "No, it is shut.", True),
        ("Dr. Adler", "The vet is DR. ADLER.", True),
        ("5", "It weighs 1.5 kg.", False),
        ("5", "It is -5 degrees.", False),
        ("5", "Room 3-5.", True),
        ("5", "All 15 are in.", False),
        ("1.5", "It weighs 1.5.", True),
        ("绿茶", "最贵的绿茶是龙井", True),
        ("12", "每人12元", True),
        ("", "anything", False),
    ],
)
def test_a_value_stands_as_words_or_not(value: str, text: str, there: bool) -> None:
    """Not within a word or a number; in scripts without spaces anywhere."""
    assert stands_as_words(value, text) is there


@pytest.mark.parametrize("name", ["Los Angeles", "La Paz", "Will Rogers"])
def test_a_name_keeps_a_word_that_is_common_in_another_language(name: str) -> None:
    """In an English text."""
    found = [one.text for one in proper_names(f"What is the best way to get to {name} by train?")]
    assert any(text.endswith(name.split()[-1]) for text in found)
    assert name in found or name.startswith("Will")


def test_stems_are_the_same_from_many_threads() -> None:
    """A stemmer has a state; each word is stemmed alone."""
    words = [f"{first}{second}ements" for first in ("condition", "place", "change") for second in "abcdefgh"]
    alone = [stem.__wrapped__(word, "fr") for word in words]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(20):
            assert list(pool.map(lambda word: stem.__wrapped__(word, "fr"), words)) == alone
    assert stems("orders of the orders") == {"order"}
