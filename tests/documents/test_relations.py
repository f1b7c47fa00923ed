"""Sentences that say a value only in relation to another, or speak of something else."""

from __future__ import annotations

import pytest

from aeon.documents.relations import (
    Compared,
    compared_with,
    denied,
    no_superlative,
    other_clause,
    other_kind,
    other_subject,
)

pytestmark = pytest.mark.requirement("G3a")
SHED = "The new shed costs 310 euros a year, 45 euros more than the old one did."
BOILER = "The roof was repaired for 86,400 euros; the boiler cost 21,600 euros less than that."
BRANCHES = [
    "The Central branch opens at 9:00.",
    "The Riverside branch was opened in 1968 and has 41,000 books.",
    "Its head is Ines Falk.",
]


@pytest.mark.parametrize(
    ("question", "sentence", "value", "said"),
    [
        ("What did the old shed cost?", SHED, "310", "45 euros more than"),
        ("What does the new shed cost?", SHED, "310", ""),
        ("What does the new shed cost?", SHED, "45", "45 euros more than"),
        ("What does the new shed cost?", "It costs 450 euros, 45 euros more than before.", "450", ""),
        ("How much more does the new shed cost than the old one?", SHED, "45", ""),
        ("What is the difference between the sheds?", SHED, "45", ""),
        ("How much did the boiler cost?", BOILER, "21,600 euros", "21,600 euros less than"),
        ("How much did the roof cost?", BOILER, "86,400", ""),
        ("How old is Mia?", "Mia is 4 years older than Tom.", "4 years", "4 years older than"),
        ("What does a second one cost?", "One is 38 euros; a second one is 12 euros less.", "12", "12 euros less"),
        ("What does the first one cost?", "One is 38 euros; a second one is 12 euros less.", "38", ""),
        ("How long is the walk?", "The walk takes 3 hours, 2 km longer paths aside.", "3 hours", ""),
        ("How deep is the lake?", "The lake is 40 m deep.", "40", ""),
        ("How deep is the lake?", "", "", ""),
    ],
)
def test_a_difference_is_not_the_value_that_is_asked_for(question: str, sentence: str, value: str, said: str) -> None:
    """Nor is the value of one side that of the other; where the question compares, it may be both."""
    assert (compared_with(question, sentence, value) or Compared("")).said == said


@pytest.mark.parametrize(
    ("sentence", "value", "instead"),
    [
        ("Its quay is 140 metres long, 35 metres longer than that of Hale.", "140 metres", "140 - 35"),
        ("Its quay is 140 metres long, 35 metres shorter than that of Hale.", "140 metres", "140 + 35"),
        ("It was built in 1721, 35 years earlier than that of Hale.", "1721", ""),
        ("Its quay is 140 metres long, 35 metres longer than that of Hale.", "35 metres", ""),
    ],
)
def test_the_other_side_of_a_comparison_is_computed(sentence: str, value: str, instead: str) -> None:
    """Where the sentence has both numbers and it is plain which way they go."""
    found = compared_with("How long is the quay of Hale?", sentence, value)
    assert found is not None
    assert found.instead == instead


@pytest.mark.parametrize(
    ("question", "sentence", "kind"),
    [
        ("What does a return ticket to Skarn cost?", "A single adult ticket to Skarn costs 14 euros.", "return ticket"),
        ("What does a return ticket to Skarn cost?", "A ticket there and its return cost 14 euros.", ""),
        ("What does a season ticket to Skarn cost?", "A single adult ticket to Skarn costs 14 euros.", ""),
        ("What does a return ticket to Skarn cost?", "It costs 14 euros.", ""),
        ("Key deposit?", "The deposit of the hall is 90 euros.", "key deposit"),
        ("Key deposit?", "The deposit for each key is 9 euros.", ""),
        ("Hall deposit?", "The deposit for each key is 9 euros.", ""),
    ],
)
def test_of_which_kind_a_sentence_speaks(question: str, sentence: str, kind: str) -> None:
    """A ticket is no return ticket where another sentence has such."""
    others = (
        sentence,
        "The deposit for each key is 9 euros.",
        "A return ticket costs 20 % less than two single tickets.",
    )
    assert other_kind(question, sentence, others) == kind


@pytest.mark.parametrize(
    ("question", "sentences", "other"),
    [
        ("Who is the head of the Central branch?", BRANCHES, "Riverside branch"),
        ("Who is the head of the Riverside branch?", BRANCHES, ""),
        ("Who is the head of the Central branch?", BRANCHES[:1], ""),
        ("Who is the head?", BRANCHES, ""),
        ("When does the Harbour shop open?", ["The Harbour shop is at the quay.", "It opens at 8:30."], ""),
        ("When does the Harbour shop open?", ["It opens at 8:30."], ""),
        ("Until when is the Brandt offer valid?", ["Brandt asks 61 euros.", "The offer ends on 3 May."], ""),
        ("When do the Central branches open?", ["Both the Riverside and the Central branch open at 8."], ""),
        ("Who heads the Central branch?", [], ""),
    ],
)
def test_whom_a_sentence_speaks_of(question: str, sentences: list[str], other: str) -> None:
    """The nearest name before the same noun says it; without one nothing is known."""
    assert other_subject(question, sentences) == other


HIRE = "A helmet is free; a child seat costs 6 euros a day and a trailer 11 euros."


@pytest.mark.parametrize(
    ("question", "value", "part"),
    [
        ("What is the price of a helmet?", "6 euros", "A helmet is free"),
        ("What is the price of a helmet?", "free", ""),
        ("What is the price of a child seat?", "6 euros", ""),
        ("What does the headgear cost?", "6 euros", ""),
        ("What does a seat cost for someone with a helmet?", "6 euros", ""),
    ],
)
def test_a_part_of_a_sentence_speaks_of_its_own(question: str, value: str, part: str) -> None:
    """The price behind the semicolon is that of what stands there."""
    assert other_clause(question, HIRE, value) == part


@pytest.mark.parametrize(
    "sentence",
    [
        "The helmet is old; it costs 6 euros.",
        "The helmet is old and the seat costs 6 euros.",
        "The helmet costs 6 euros; the seat costs 6 euros.",
        "The helmet is old, but 6 euros are asked for it.",
    ],
)
def test_a_part_that_takes_up_the_one_before_has_no_subject_of_its_own(sentence: str) -> None:
    """Nor has one without an article, nor is a value placed that stands in two parts."""
    assert other_clause("What does the helmet cost?", sentence, "6 euros") == ""


FARM = "It has 14 hectares, of which 9 are fields and the rest is meadow."
AGAINST = "Greta is against a second greenhouse; Jonas wants one for cucumbers."


@pytest.mark.parametrize(
    ("question", "value", "instead"),
    [
        ("How many hectares are meadow?", "9", "14 - 9"),
        ("How many hectares of meadow are there?", "14", "14 - 9"),
        ("How many hectares are fields?", "9", None),
        ("How many hectares has the farm?", "14", None),
    ],
)
def test_the_rest_is_what_is_left(question: str, value: str, instead: str | None) -> None:
    """Neither the whole nor the part that is named."""
    found = compared_with(question, FARM, value)
    assert (found.instead if found else None) == instead


@pytest.mark.parametrize(
    ("question", "value", "word"),
    [
        ("Who wants a second greenhouse?", "Greta", "against"),
        ("Who wants a second greenhouse?", "Jonas", ""),
        ("Who is against a second greenhouse?", "Greta", ""),
        ("Who grows cucumbers?", "Greta", ""),
        ("Who has one?", "Greta", ""),
        ("What does Greta want?", "greenhouse", ""),
    ],
)
def test_who_is_against_something_does_not_want_it(question: str, value: str, word: str) -> None:
    """Only the part of the sentence counts that has the value."""
    assert denied(question, AGAINST, value) == word


@pytest.mark.parametrize(
    ("question", "sentence", "lacks"),
    [
        ("Who has worked here longest?", "The farm is run by Greta Halm.", True),
        ("Who has worked here longest?", "Dina has been here longest.", False),
        ("Which ticket is the cheapest?", "A day ticket costs 9 euros, an evening ticket 5 euros.", False),
        ("What is the most that I can borrow?", "You can borrow up to 10 books.", False),
        ("Which is the latest day to cancel?", "Cancel before 4 May.", False),
        ("Who runs the farm?", "The farm is run by Greta Halm.", False),
        ("What is the longest river?", "The river is 9 km long.", True),
    ],
)
def test_who_is_first_is_said_or_can_be_compared(question: str, sentence: str, lacks: bool) -> None:
    """A sentence about one alone says nothing of it."""
    assert no_superlative(question, sentence) is lacks


def test_a_hostile_line_of_numbers_takes_no_time() -> None:
    """It is read once: such a line of 200,000 characters would else take days."""
    assert compared_with("How many are meadow?", "1," * 100_000, "1") is None
    assert compared_with("How many are meadow?", "1 of 2, " * 25_000, "1") is None
