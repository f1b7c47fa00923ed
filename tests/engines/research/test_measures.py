"""A short answer as a value that a program calculates with."""

from __future__ import annotations

import pytest

from aeon.engines.research.measures import day_of, measured, value_of

pytestmark = pytest.mark.requirement("T2d")


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("40 euros", "40"), ("1,200 euros", "1200"), ("12 markers", "12"), ("5 decks", "5"), ("17:30", "'17:30'"),
        ("3 May 2026", "'2026-05-03'"), ("2026-05-03", "'2026-05-03'"), ("24 October", ""), ("October 24th", ""),
        ("9 November at 18:30", ""), ("3 or 4", ""), ("none", ""),
    ],
)  # fmt: skip
def test_a_value_is_one_number_a_time_or_a_whole_date(said: str, value: str) -> None:
    """A day without its year is no number: 24 October less 9 November is not 15."""
    assert value_of(said) == value


def test_a_day_has_the_year_that_its_sentence_gives_it() -> None:
    """Without one it measures nothing."""
    whole, bare = "The fair is on 24 October 2026.", "The fair, on 24 October, brought in 212 euros."
    assert measured("24 October", whole) == ("'2026-10-24'", "day")
    assert measured("24 October", bare) is None and measured("212 euros", bare) == ("212", "euro")


@pytest.mark.parametrize(
    ("answer", "text", "day"),
    [
        ("8 April 2026", "Walk: 8 April 2026, 8 euros", "2026-04-08"),
        ("It is on April 8", "Walk: 8 April 2026, and 9 May 2026", "2026-04-08"),
        ("From 19 June 2026", "Its offer is valid until\n19 June 2026.", "2026-06-19"),
        ("8 April", "Walk: 8 April, every year", ""),
        ("8 April or 9 May", "Walk: 8 April 2026; 9 May 2026", ""),
        ("8 euros", "Walk: 8 April 2026, 8 euros", ""),
    ],
)
def test_a_day_has_the_year_of_its_sentence(answer: str, text: str, day: str) -> None:
    """Where one day is meant, and the sentence has its year."""
    assert day_of(answer, text) == day
