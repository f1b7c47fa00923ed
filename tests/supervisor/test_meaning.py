"""What a host can tell of two answers, and what it leaves to a model."""

from __future__ import annotations

import pytest

from aeon.supervisor.meaning import same

pytestmark = pytest.mark.requirement("E3a")
MUCH, WHO, WHEN = "How much is it?", "Who wrote it?", "When was it?"
SAME = [
    (MUCH, "24.70 euros", "€24.70"),
    (MUCH, "12", "twelve"),
    (MUCH, "1,200", "1200 units"),
    (MUCH, "3 full and 2 left", "2 left, 3 full boxes"),
    (WHO, "Johanna Spyri", "Spyri"),
    (WHO, "the author", "author"),
    (WHEN, "3 May 2015", "May 3, 2015"),
    ("Is it open?", "Yes", "yes, it is open"),
    ("Who is older, Ann or Ben?", "Ann", "Ann."),
    ("Which?\nA) the cat\nB) the dog", "B", "(b) the dog"),
]
DIFFERENT = [
    (MUCH, "24.70", "25.70"),
    (MUCH, "-5", "5"),
    (MUCH, "18 eggs", "it cannot be known"),
    (WHO, "Johanna Spyri", "Astrid Lindgren"),
    (WHEN, "3 May 2015", "3 June 2015"),
    ("Is it open?", "No, it is not open", "Yes, it is open"),
    ("Who is older, Ann or Ben?", "Ann", "Ben"),
    ("Which?\nA) the cat\nB) the dog", "A", "B)"),
    (
        "How many boxes did Lyon order in May 2025?",
        "In May 2025 the branch in the city of Lyon ordered 1,200 boxes of paper.",
        "The branch in Lyon ordered a total of 300 boxes, all of these in May 2025.",
    ),
]
OPEN = [
    (WHO, "the valve opens when it is hot", "the valve does not open when it is hot"),
    (MUCH, "2 hours", "120 minutes"),
    (MUCH, "5 km", "5 miles"),
    (MUCH, "The train takes 2 hours to get there from Lyon", "To get there from Lyon the train takes 120 minutes"),
    (MUCH, "Ann has 300 euros more than Ben has in all of these years", "Ben has 300 euros more than Ann has in all"),
    (MUCH, "two times a year", "every six months"),
    (MUCH, "2 times a year", "twice a year"),
    (WHO, "twice a day", "in the morning and in the evening"),
    (MUCH, "at least 5", "no more than 5 and never fewer"),
    (WHO, "a dog", "Canine"),
    (WHO, "", ""),
]


@pytest.mark.parametrize(("question", "one", "other"), SAME)
def test_values_in_other_notations_are_the_same(question: str, one: str, other: str) -> None:
    """Numbers, dates, choices and names, in both orders."""
    assert same(question, one, other) is True and same(question, other, one) is True


@pytest.mark.parametrize(("question", "one", "other"), DIFFERENT)
def test_other_values_are_different(question: str, one: str, other: str) -> None:
    """However many words they share."""
    assert same(question, one, other) is False and same(question, other, one) is False


@pytest.mark.parametrize(("question", "one", "other"), OPEN)
def test_sentences_are_left_to_a_model(question: str, one: str, other: str) -> None:
    """Words that are shared, or not shared, decide nothing."""
    assert same(question, one, other) is None
