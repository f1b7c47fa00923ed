"""What is a value of an answer in any language, and what only looks like one."""

from __future__ import annotations

import pytest

from aeon.proof.figures import figures_of_answer

pytestmark = pytest.mark.requirement("G1", "G2")


def said(answer: str, *names: str) -> list[str]:
    """The texts of the values that are certain; a mark of a citation may name two calls."""
    return [one.text for one in figures_of_answer(answer, {1, 2}, names) if one.certain]


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("O0016 (25.2 kg), C-1042, NOVA-130", ["O0016", "25.2 kg", "C-1042", "NOVA-130"]),
        ("Leeds: 1.724,50 € gegenüber 760,50 – das sind 23,8 Prozent.", ["1.724,50 €", "760,50", "23,8 Prozent"]),
        ("1 724,50 ou 1'724.50, avant 10h30, le 15e jour", ["1 724,50", "1'724.50", "10h30", "15"]),
        ("2025年3月5日，营业额为3.5万元，14点30分，百分之23.8", ["2025年3月5日", "3.5万", "14点30分", "23.8"]),
        ("| Leeds |-345| 2,485 |", ["-345", "2,485"]),
        ("a 30-day return, “at no cost”, 「Nova 130」", ["30", "at no cost", "Nova 130"]),
        ("It costs EUR12 or 25 m3, since mid-2025.", ["EUR12", "25 m3", "mid-2025"]),
    ],
)
def test_values_are_read_in_any_notation(answer: str, texts: list[str]) -> None:
    """Numbers with what stands around them, dates, times, ids, quotations; no names and no words."""
    assert said(answer) == texts


@pytest.mark.parametrize(
    "answer",
    [
        "Leeds [1] and York [2.5], both [1, 2.5].",
        "1. Leeds\n2. York",
        "1、利兹\n2、约克",
        "## 2.1 Leeds\n\n**1)** York",
        "Schritt 1: Leeds\nSchritt 2: York",
        "| # | City |\n|---|---|\n| 1 | Leeds |\n| 2 | York |",
        "```python\nx = 99\n```",
        "See `x = 99` and minutes-2025.txt.",
        "H2O, B2B",
    ],
)
def test_marks_are_no_values(answer: str) -> None:
    """Citations, numbers of items, headings, labels and rows that count up, code, names of files."""
    assert said(answer) == []


def test_what_stands_in_code_signs_may_be_a_value() -> None:
    """An id alone, or text that is fenced without a language."""
    assert said("`O0016` weighs\n```\n25.2 kg\n```\n") == ["O0016", "25.2 kg"]


def test_the_name_of_a_source_is_no_value() -> None:
    """Its digits name a file that was read."""
    assert said("See plan 2025 for 12 months.", "plan 2025") == ["12 months"]


def test_the_day_that_begins_a_line_is_no_item() -> None:
    """A number of an item counts up from 1."""
    assert said("12. März: 3\n13. März: 4") == ["12. März", "3", "13. März", "4"]
