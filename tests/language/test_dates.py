"""Dates as values, by the names of months of several languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.language.dates import read_days, same_day
from aeon.language.readings import MONTHS

pytestmark = pytest.mark.requirement("L2")


@pytest.mark.parametrize(
    ("value", "days"),
    [
        ("2024-02-29", {"2024-02-29"}),
        ("February 29, 2024", {"2024-02-29"}),
        ("29 February 2024", {"2024-02-29"}),
        ("29. Februar 2024", {"2024-02-29"}),
        ("29 février 2024", {"2024-02-29"}),
        ("3.4.98", {"1998-04-03"}),
        ("3.4.26", {"2026-04-03"}),
        ("1er mars 2024", {"2024-03-01"}),
        ("29 de febrero de 2024", {"2024-02-29"}),
        ("2024年2月29日", {"2024-02-29"}),
        ("27/07/2026", {"2026-07-27"}),
        ("29.2.2024", {"2024-02-29"}),
        ("3/4/2024", {"2024-04-03", "2024-03-04"}),
        ("2023-02-29", set()),
        ("29 February", set()),
        ("February 2024", set()),
        ("4 to 6 May 2024", set()),
        ("on 2024-02-29", set()),
        ("2024", set()),
        ("", set()),
    ],
)
def test_a_value_is_a_day_or_none(value: str, days: set[str]) -> None:
    """One date and nothing else; one that may be two days is both, one that is in no calendar none."""
    assert read_days(value) == days


def test_a_date_without_its_year_is_of_the_one_that_is_told() -> None:
    """Also the last of February, where that year has it."""
    assert read_days("29 février", 2024) == {"2024-02-29"} and read_days("29 February", 2023) == set()
    assert read_days("4 May 2020", 2024) == {"2020-05-04"}


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("It opens on 12 April 2025.", True),
        ("It opens on 12 April.", True),
        ("Am 12. April 2025 geht es los.", True),
        ("Le 12 avril, à midi.", True),
        ("El 12 de abril de 2025.", True),
        ("4月12日开门", True),
        ("It opened on 12 April 2024.", False),
        ("It opens in April 2025.", False),
        ("It opens on 21 April 2025.", False),
        ("From 10 to 14 April 2025.", False),
        ("", False),
    ],
)
def test_a_text_names_a_day_or_does_not(text: str, there: bool) -> None:
    """With its year or without, in whatever language; a month alone is no day."""
    assert same_day("2025-04-12", text) is there


def test_every_name_of_a_month_is_read() -> None:
    """Of each language, with a day before it."""
    for name, month in MONTHS.items():
        assert read_days(f"5 {name} 2025") == {f"2025-{month:02}-05"}


@given(st.text(max_size=40))
def test_any_text_is_read(text: str) -> None:
    """Nothing raises, and what is a day is in the calendar."""
    for day in read_days(text, 2024):
        assert len(day) == 10
    assert not same_day(text, text) or read_days(text)
