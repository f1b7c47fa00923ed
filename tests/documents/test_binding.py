"""Which sentences of some texts a written one is made of."""

from __future__ import annotations

import pytest

from aeon.documents.binding import Bindings, bound
from aeon.schema import Source

pytestmark = pytest.mark.requirement("G1b")
TEXT = ("The roof costs 12,975 euros.", "Work starts on 4 August.", "The choir pays half.", "Dogs stay outside.")


@pytest.fixture
def sources() -> list[Source]:
    """Four sentences of a text, one after the other."""
    places = [sum(len(one) + 1 for one in TEXT[:number]) for number in range(len(TEXT))]
    return [
        Source(source="notes.txt", start=start, end=start + len(text), text=text)
        for start, text in zip(places, TEXT, strict=True)
    ]


def test_a_sentence_rests_on_those_that_have_its_words(sources: list[Source]) -> None:
    """One, or two where it says what two do; in the order of the text."""
    share, spans = Bindings(sources).of("Outside is where dogs stay.")
    assert share == 1 and [one.text for one in spans] == [TEXT[3]]
    share, spans = Bindings(sources).of("Work on the roof starts on 4 August and costs 12,975 euros.")
    assert share > 0.9 and [one.text for one in spans] == [TEXT[0], TEXT[1]]


def test_words_of_the_task_need_no_sentence(sources: list[Source]) -> None:
    """A text about the hall may name the hall."""
    bindings = Bindings(sources)
    assert (
        bindings.of("In Wendle hall the choir pays half.")[0]
        < bindings.of("In Wendle hall the choir pays half.", "Wendle hall")[0]
    )


@pytest.mark.parametrize(
    ("text", "rests"),
    [
        ("Climate change was discussed at length.", [0]),
        ("The choir pays half. Bananas are yellow fruit.", [1, 0]),
        ("- The choir pays half.\n- Dogs stay outside.", [1, 1]),
        ("Dear choir,\n\nthe choir pays half.\n\nBest regards", [1]),
        ("The following was said:\n\nThe choir pays half.", [1]),
        ("Please note that 40 euros are due.", [0]),
        ("Please note that bananas are subject to change.", [0]),
        ("Please do not hesitate to ask.", []),
        ("# Dogs and Zebras\n\n1. **Late Bookings**: The choir pays half.\n2. Pet Rules: Dogs stay outside.", [1, 1]),
        ("", []),
    ],
)
def test_sentences_of_a_text_are_bound_one_by_one(sources: list[Source], text: str, rests: list[int]) -> None:
    """Not those that are mere politeness or lead to a list; one with a number is never mere politeness."""
    assert [min(1, len(one.spans)) for one in bound(text, "Write it.", sources)] == rests


def test_a_label_is_no_part_of_what_is_said(sources: list[Source]) -> None:
    """It may be called what no sentence calls it."""
    text = "- **Late Bookings**: The choir pays half."
    (one,) = bound(text, "Write it.", sources)
    assert text[one.start : one.end] == "The choir pays half."


def test_nothing_to_rest_on() -> None:
    """Without sentences no word stands anywhere."""
    assert Bindings([]).of("The choir pays half.") == (0.0, ())
