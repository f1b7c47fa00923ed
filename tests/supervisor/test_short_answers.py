"""Short answers read plainly: which say that nothing is stated, and which two are the same."""

from __future__ import annotations

import pytest

from aeon.supervisor.short_answers import bare, is_absent, is_echo, is_same

pytestmark = pytest.mark.requirement("G4a")

QUESTION = "What do the rules say of it?"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "not stated",
        "Not explicitly stated",
        "The sentences do not mention the price.",
        "It does not specify a time.",
        "There is no information on that",
        "It cannot be determined",
        "That isn't said",
        "not in the sentences",
        "unknown",
    ],
)
def test_a_refusal_is_no_answer(answer: str) -> None:
    """In whatever words the model has for it."""
    assert is_absent(answer)


@pytest.mark.parametrize(
    ("question", "answer", "echo"),
    [
        ("Who is responsible for us at Pemberly Import?", "Pemberly Import", True),
        ("Where is the box kept?", "It is kept there", True),
        ("Who is responsible for us at Pemberly Import?", "Mira Vanek", False),
        ("How many of the eight keys are there?", "seven keys", False),
        ("When are the eight keys due?", "8", False),
        ("Who is first, Ada or Bela?", "Ada", False),
        ("Is the box kept?", "the box", False),
    ],
)
def test_what_the_question_says_is_no_answer(question: str, answer: str, echo: bool) -> None:
    """Not where one of two is asked for, or a number that it does not say."""
    assert is_echo(question, answer) is echo


@pytest.mark.parametrize("answer", ["12 euros", "no", "not on Mondays", "Ms Nott", "nobody", "The knot is tied"])
def test_what_denies_something_is_an_answer(answer: str) -> None:
    """It says so, where a refusal says that nothing is said."""
    assert not is_absent(answer)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("38.5", "38.50 euros"),
        ("1200", "1,200 euros"),
        ("9", "nine months"),
        ("18:00", "6 pm"),
        ("18:00", "6:00 p.m."),
        ("7:45 pm", "7.45 pm"),
        ("Ms Adler", "Ms Adler signs it"),
        ("not on Monday", "Not on Mondays"),
        ("5%", "5 %"),
        ("28 April", "Tuesday 28 April"),
    ],
)
def test_the_same_answer_in_another_form(one: str, other: str) -> None:
    """Numbers count by their value, and one answer may have more words."""
    assert is_same(QUESTION, one, other) and is_same(QUESTION, other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Monday", "not on Monday"),
        ("12 euros", "12 euros for members, 30 for guests"),
        ("30", "8:30"),
        ("-5", "5"),
        ("12", "2025-04-12"),
        ("6 am", "6 pm"),
        ("Ms Adler", "Ms Eder"),
        ("", ""),
        ("5%", "5 euros"),
    ],
)
def test_another_answer_with_the_same_words(one: str, other: str) -> None:
    """A number more, or what one of them denies, makes another answer."""
    assert not is_same(QUESTION, one, other) and not is_same(QUESTION, other, one)


@pytest.mark.parametrize("reply", ["12 euros [3].", "12 euros", '"12 euros" (3)', " 12 euros [sentence 3] "])
def test_an_answer_is_bare(reply: str) -> None:
    """Without the numbers of sentences, quotes and a full stop."""
    assert bare(reply) == "12 euros"
