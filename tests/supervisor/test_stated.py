"""What speaks against the sentence that a short answer stands in, as far as words and numbers tell."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.schema import Source
from aeon.supervisor.short_reading import strange
from aeon.supervisor.stated import mistaken_unit, other_heading, rated

pytestmark = pytest.mark.requirement("T2d", "G3")


def sources(*said: tuple[str, str], name: str = "rules.md") -> list[Source]:
    """Sentences below their headings."""
    return [
        Source(source=name, start=100 * number, end=100 * number + len(text), text=text, heading=heading)
        for number, (heading, text) in enumerate(said)
    ]


@pytest.mark.parametrize(
    ("question", "answer", "sentence", "unit"),
    [
        ("What do the nights of the children cost?", "4.20", "It is 4.20 for each young person per night.", "night"),
        (
            "What will four nights in the guest room cost?",
            "18 euro",
            "It costs 18 euro a night, linen included.",
            "night",
        ),
        ("What does the guest room cost?", "18 euro", "It costs 18 euro a night, linen included.", ""),
        ("What does a night cost?", "18 euro", "It costs 18 euro a night, linen included.", ""),
        ("What will the whole camp cost?", "18 euro", "It costs 18 euro a night.", "night"),
        ("What is the rent for the whole house?", "2,540 euro", "It goes up to 2,540 euro a month.", ""),
        ("What are three months' rents for the house?", "2,540 euro", "It goes up to 2,540 euro a month.", "month"),
        ("What is the rent for the whole house a month?", "2,540 euro", "It goes up to 2,540 euro a month.", ""),
        ("What do the visits of the tuner cost?", "85 euro", "He charges 85 euro a visit.", "visit"),
        ("What do the visits of the tuner cost?", "85 euro", "He charges 285 euro a visit.", ""),
        ("What do three visits cost?", "85 euro", "85 euro is the price; each visit is paid at once.", ""),
        ("How many children are there?", "12", "12 a class is the most; children bring a cushion.", ""),
        ("Who pays for the nights?", "Ms Adler", "Ms Adler pays a night.", ""),
    ],
)
def test_what_is_said_for_each_is_not_what_all_come_to(question: str, answer: str, sentence: str, unit: str) -> None:
    """Where a question is for several of them, or for all; what one costs is asked for with its unit or without."""
    assert rated(question, answer, sentence) == unit


@pytest.mark.parametrize(
    ("answer", "sentence", "unit"),
    [
        ("300 euros", "Jonas will order 300 new crates at 3.10 euros each.", "EUR"),
        ("3.10 euros", "Jonas will order 300 new crates at 3.10 euros each.", ""),
        ("300", "Jonas will order 300 new crates at 3.10 euros each.", ""),
        ("12 weeks", "The 12 lessons are held over 8 weeks.", "week"),
        ("14 days", "It is 14 days in the shop and 30 days for what was ordered.", ""),
        ("2 weeks", "Goods are taken back within 14 days.", ""),
        ("30 euros", "Adults pay 30, children 15 euros.", ""),
        ("30 euros", "It is 30 for adults and 15 euros for children.", ""),
        ("30 euros", "There are 30 seats.", ""),
    ],
)
def test_a_number_of_one_thing_is_none_of_another(answer: str, sentence: str, unit: str) -> None:
    """Where the sentence gives something else in the unit of the answer; a bare number may be of any unit."""
    assert mistaken_unit(answer, sentence) == unit
    every = sources(("", sentence))
    said = list(strange(answer, "What is it?", every[0], every))
    assert said == ([f"its sentence gives this number of something else than {unit}"] if unit else [])


RULES = (
    ("Club rules", "Everybody is welcome."),
    ("Championship", "Who is 45 minutes late has lost."),
    ("League", "The default time is 30 minutes there."),
)


@pytest.mark.parametrize(
    ("question", "place", "heading"),
    [
        ("How late may someone be for a league board?", 1, "League"),
        ("How late may someone be for a league board?", 2, ""),
        ("How late may someone be in the league or the championship?", 1, ""),
        ("How late may someone be by the club rules?", 1, ""),
        ("How late may someone be?", 1, ""),
    ],
)
def test_a_sentence_below_another_heading_is_about_something_else(question: str, place: int, heading: str) -> None:
    """Where the question names one of the headings of the text, and not its own."""
    every = sources(*RULES)
    assert other_heading(question, every[place], every) == heading


def test_a_heading_of_another_text_or_none_says_nothing() -> None:
    """Another text has headings of its own; a sentence below none may be about anything."""
    (_, own, _), other = sources(*RULES), sources(*RULES, name="letter.md")
    own, *_ = sources(RULES[1])
    assert other_heading("Is it so in the league?", own, [own, *other]) == ""
    alone = own.changed(heading="")
    assert other_heading("Is it so in the league?", alone, [alone, *sources(*RULES)]) == ""


def test_each_reason_is_named() -> None:
    """Whoever reads the answer can tell how much to make of it."""
    every = sources(RULES[0], ("Camping", "It is 4 euros a night."), RULES[2])

    def against(question: str) -> Sequence[str]:
        return list(strange("4 euros", question, every[1], every))

    assert against("What do four nights of the league cost?") == [
        "its sentence says nothing of four nights",
        "its sentence says it for each night",
        "its sentence does not stand below 'League'",
    ]
    assert not against("What does camping cost?")


@given(st.text(), st.text(), st.text())
def test_any_texts_are_read(question: str, answer: str, sentence: str) -> None:
    """Questions come from people, answers from models, sentences from files."""
    assert isinstance(rated(question, answer, sentence), str)
    assert isinstance(mistaken_unit(answer, sentence), str)
