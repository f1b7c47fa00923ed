"""What can be looked up first in a question: spans of it, and nothing else."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.engines.research.phrases import descriptions, is_nested, questions

pytestmark = pytest.mark.requirement("R1a")


@pytest.mark.parametrize(
    ("question", "span"),
    [
        ("Where was the author of Heidi born?", "the author of Heidi"),
        ("When did the company that built the Millau Viaduct begin?", "the company that built the Millau Viaduct"),
        ("Who is the mayor of Ann Lee's birthplace?", "Ann Lee's birthplace"),
        ("Where was the man who wrote Hamlet born?", "the man who wrote Hamlet"),
        ("In what year did the author of The Salt Ledger die?", "the author of The Salt Ledger"),
        ("When did the woman who founded Oxfam in 1942 die?", "the woman who founded Oxfam in 1942"),
        ("Who leads the country bordering France in the south?", "the country bordering France"),
        ("Who directed the film Ann Lee and Bob Hill starred in?", "the film Ann Lee and Bob Hill starred"),
        ("Who is the chief of the company that owns Brooklands?", "the company that owns Brooklands"),
        ("Who leads the city Ann Lee moved to after the war?", "the city Ann Lee moved to after the war"),
        ("Is the author of Heidi still read in Bern?", "the author of Heidi"),
        ("Did Ann Lee's brother drown in the Sound?", "Ann Lee's brother"),
    ],
)
def test_a_description_with_a_name_can_be_looked_up_first(question: str, span: str) -> None:
    """It begins with an article or is what a name has."""
    assert span in descriptions(question)


@pytest.mark.parametrize(
    "question",
    [
        "When was Heidi born?",
        "Who is Ann Lee?",
        "",
        "the",
        "What is the capital?",
        "How old was the painter Ann Lee when she died?",
        "Who owns Levi's Stadium?",
        "Did the man driving the train survive the Hazel Cutting crash?",
        "Could you ever take the train all the way up to Perrach?",
    ],
)
def test_a_question_that_asks_for_one_thing_has_none(question: str) -> None:
    """There is nothing that would have to be known first, also where a name stands behind what its bearer is."""
    assert descriptions(question) == []


def test_a_description_does_not_end_with_a_possessive() -> None:
    """What it owns belongs to it."""
    assert descriptions("What is the price of the infants' room at Quendleby?") == ["the infants' room at Quendleby"]
    assert "the man who built Ann Lee's" not in descriptions("Where was the man who built Ann Lee's house born?")


def test_a_description_has_no_gap() -> None:
    """Where what is asked for was taken out of it, it describes nothing."""
    found = descriptions("Which saint is the parish church named after in the town that holds the Eel Fair?")
    painting = descriptions("How tall is the tower in Maud Tessaly's painting Grey Morning?")
    assert not {"Maud Tessaly's painting Grey Morning", "Maud Tessaly's painting"} & {*painting}  # it is its name
    assert "the town that holds the Eel Fair" in found and not any("after in" in span for span in found)


@given(st.text(alphabet=st.sampled_from("the an a of Anna's who? 1883,. \n\u00e4\u4e2d"), max_size=120))
def test_every_span_is_one_of_the_question(question: str) -> None:
    """Whatever the question is, no text is made up."""
    assert all(span and span in question for span in descriptions(question))


@pytest.mark.parametrize(
    ("task", "parts"),
    [
        ("Which is older, and who built it?", ["Which is older?", "who built it?"]),
        ("When was it built? Who built it?", ["When was it built?", "Who built it?"]),
        ("Who built the mill and the inn?", ["Who built the mill and the inn?"]),
        ("A? B? C? D? E? F?", ["A? B? C? D? E? F?"]),
        ("Tell me of the mill", ["Tell me of the mill"]),
        (
            "How many people does the town have where the founder of Red Inn was born?",
            ["How many people does the town where the founder of Red Inn was born have?"],
        ),
        ("What does the old town where Ann lives have?", ["What does the old town where Ann lives have?"]),
        ("When did the band hold that record?", ["When did the band hold that record?"]),
        (
            "What does the town have where St. Anne was born?",
            ["What does the town where St. Anne was born have?"],
        ),
    ],
)
def test_a_task_is_one_question_or_some(task: str, parts: list[str]) -> None:
    """At most four; what cannot be told apart stays whole."""
    assert questions(task) == parts


def test_a_clause_describes_further() -> None:
    """Only such a description is looked up in a second hop."""
    assert is_nested("the city where she died") and not is_nested("the capital of Spain")


@pytest.mark.parametrize(
    ("question", "spans"),
    [
        ("How much did the farmer of Norden get for the crop?", ["the farmer of Norden"]),
        ("How did the groundsman get rid of moles?", []),
        ("In what year did the author of The Salt Ledger die?", ["the author of The Salt Ledger"]),
        ("It stood by the Abbot. Who got it for the Abbey?", []),
    ],
)
def test_a_description_behind_a_did_ends_before_the_verb(question: str, spans: list[str]) -> None:
    """And none goes from one sentence into the next."""
    assert descriptions(question) == spans


@pytest.mark.parametrize("size", [600, 5_000])
def test_a_long_question_has_no_more_spans_than_words_allow(size: int) -> None:
    """The work grows with the words, not with their combinations."""
    random = Random(1)
    words = ["the " + "".join(random.choices("abcdefgh", k=6)) + " of Anna" for _ in range(size // 16)]
    assert len(descriptions(" ".join(words))) <= 18 * len(words)
