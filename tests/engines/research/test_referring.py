"""What a pronoun in the next question of a task means."""

from __future__ import annotations

import pytest

from aeon.engines.research.referring import referred


@pytest.mark.parametrize(
    ("question", "before", "answer", "meant"),
    [
        ("who built it?", "Which of the mills is older?", "the Red Mill", "who built the Red Mill?"),
        ("what is its height?", "Which mill is older?", "the Red Mill", "what is the Red Mill's height?"),
        ("who wrote it?", "What is the name of the play?", "Grey Morning", "who wrote Grey Morning?"),
        ("where did he go?", "Who was the first teacher?", "Otto Quint", "where did Otto Quint go?"),
    ],
)
def test_the_answer_is_meant_where_it_is_of_the_pronouns_kind(
    question: str, before: str, answer: str, meant: str
) -> None:
    """A person for one, a thing for a thing."""
    assert referred(question, before, answer) == meant


@pytest.mark.parametrize(
    ("question", "before", "answer", "meant"),
    [
        ("what is it made of?", "Who set up the present wheel?", "Piet", "what is the present wheel made of?"),
        ("who designed it?", "When was the bridge over the Orla opened?", "1904", "who designed the bridge?"),
        ("who paid for it?", "When was the present wheel set up?", "1906", "who paid for the present wheel?"),
        ("what does it sell?", "When does the old bakery open?", "at seven", "what does the old bakery sell?"),
        ("who has it?", "Where is the key of the boathouse kept?", "in a tin", "who has the key of the boathouse?"),
        ("who built it?", "What is the height of the mill?", "about twelve metres", "who built the mill?"),
        ("who sleeps in it?", "What colour is the old hut?", "red", "who sleeps in the old hut?"),
        (
            "what did she do then?",
            "Why did the teacher leave the town?",
            "a quarrel",
            "what did the teacher do then?",
        ),
        ("where did he go?", "When did Otto Quint stop?", "in spring", "where did Otto Quint go?"),
        ("when do they open?", "Where are the showers?", "behind the hall", "when do the showers open?"),
    ],
)
def test_else_what_the_question_before_is_about(question: str, before: str, answer: str, meant: str) -> None:
    """No "it" is the person who did something, and none is a date, a place or a reason."""
    assert referred(question, before, answer) == meant


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("who paid?", "Which mill is older?"),
        ("who built Red Inn before it?", "Which mill is older?"),
        ("who saw it?", "When did somebody call?"),
    ],
)
def test_a_question_without_a_pronoun_or_with_a_name_stays(question: str, before: str) -> None:
    """So does one whose pronoun nothing explains."""
    assert referred(question, before, "ten to 9") == question
