"""The questions of the bench: how many there are, that their answers are right, and how answers are judged."""

from __future__ import annotations

import datetime
import re
from itertools import permutations

import pytest

from aeon.bench.keywords import KEYWORD_TASKS
from aeon.bench.problems import FAMILIES, problems
from aeon.bench.question import Question, final, judged

pytestmark = pytest.mark.requirement("E8b")

EXACT = [family for family in FAMILIES if family not in ("unclear", "keywords")]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_thirty_different_questions_at_least(family: str) -> None:
    """The fixed tasks are thirty; of the others there are as many as are asked for, all different."""
    drawn = problems([family], 60, 3)
    assert len(drawn) == (30 if family == "keywords" else 60)
    assert len({(one.question.text, one.question.context) for one in drawn}) == len(drawn)


def test_the_same_seed_gives_the_same_questions_however_many_there_are() -> None:
    """Nor do they depend on the other families; the first of each family come first."""
    few, many = problems(["order"], 2, 5), problems([*FAMILIES], 4, 5)
    assert few == [one for one in many if one.family == "order"][:2]
    assert [one.family for one in many[: len(FAMILIES)]] == [*FAMILIES]
    assert problems(["order"], 2, 6) != few


def test_six_families_have_exact_answers_and_one_has_none_to_give() -> None:
    """Each exact question has an answer that counts as right in digits as in a sentence, and another that does not."""
    assert len(EXACT) >= 5
    for problem in problems(EXACT, 40, 2):
        question = problem.question
        assert judged(question, question.expected) == (True, 1.0)
        assert judged(question, f"So the result is **{question.expected}**.").right
        assert not judged(question, "Answer: 1234567").right
        assert not judged(question, question.expected, asked=True).right
    for problem in problems(["unclear"], 40, 2):
        assert judged(problem.question, "Which one do you mean", asked=True).right
        assert not judged(problem.question, "Answer: 17 euros").right


def test_people_are_in_the_order_that_the_comparisons_give() -> None:
    """Of all orders of the five people, one fits, and the answer has the place that is asked for in it."""
    places = ("the oldest", "the second oldest", "in the middle by age", "the second youngest", "the youngest")
    for problem in problems(["order"], 40, 4):
        pairs = re.findall(r"(\w+) is older than (\w+)\.", problem.question.text)
        fits = [
            order
            for order in permutations(problem.question.options)
            if all(order.index(a) < order.index(b) for a, b in pairs)
        ]
        place = next(n for n, words in enumerate(places) if problem.question.text.endswith(f"Who is {words}?"))
        assert len(fits) == 1 and fits[0][place] == problem.question.expected


def test_dates_are_those_of_the_calendar() -> None:
    """Counted a second way: day by day."""
    for problem in problems(["dates"], 80, 4):
        text, expected = problem.question.text, problem.question.expected
        if found := re.match(r"Which day is (\d+) days after (\S+)\?", text):
            day = datetime.date.fromisoformat(found[2])
            for _ in range(int(found[1])):
                day += datetime.timedelta(days=1)
            assert expected == str(day)
        if found := re.match(r"Today is (\w+)\. Which day of the week is it in (\d+) days\?", text):
            days = [*problem.question.options] * 16
            assert expected == days[days.index(found[1]) + int(found[2])]


def test_facts_stand_in_the_text_once() -> None:
    """The answer of a lookup is in its text, beside others of its kind."""
    for problem in problems(["lookup"], 40, 4):
        assert problem.question.context.count(problem.question.expected) == 1
        assert problem.question.context.count(".") >= 8


MONEY = Question("Ann buys 6 mugs at 1.20 euros each and pays with a 50 euro note. What is the change?", "42.80 euros")
SHOP = Question("Who is oldest?", "Ann", ("Ann", "Ben", "Cleo"))
DAY = Question("Which day is 3 days after 2026-03-11?", "2026-03-14")
CLOCK = Question("At what time does it arrive?", "12:22")


@pytest.mark.parametrize(
    ("question", "answer", "right"),
    [
        (MONEY, "42.8", True),
        (MONEY, "€42.80", True),
        (MONEY, "6 * 1.20 = 7.20\n50 - 7.20 = 42.80\nAnswer: 42.80 euros", True),
        (MONEY, "She gets 42.80 euros back from her 50 euro note.", True),
        (MONEY, "Answer: 7.20 euros", False),
        (MONEY, "42.80 kg", False),
        (MONEY, "50 euros", False),
        (MONEY, "", False),
        (SHOP, "Ann is older than Ben, and Ben is older than Cleo.", True),
        (SHOP, "Ben is not the oldest.\nAnn is.", True),
        (SHOP, "Annabel", False),
        (SHOP, "Older than Ann is Ben.", False),
        (DAY, "14 March 2026", True),
        (DAY, "March 14, 2026", True),
        (DAY, "The day 3 days after 2026-03-11 is 2026-03-15.", False),
        (DAY, "2026-03-11", False),
        (CLOCK, "It arrives at 12:22.", True),
        (CLOCK, "12:22 am", False),
    ],
)
def test_a_value_is_judged_in_any_notation(question: Question, answer: str, right: bool) -> None:
    """The last value of the expected kind counts; those that the question gives count only where no other is said."""
    assert judged(question, answer).right is right


def test_the_last_part_that_says_so_is_the_answer() -> None:
    """Else it is the whole text."""
    assert (final("Answer: 3\nNo. Final answer: 4"), final("It is 4.")) == ("4", "It is 4.")


def test_keyword_tasks_are_thirty_and_scored_by_the_share_that_is_found() -> None:
    """In any case, as whole words, one of several where there are several; right or wrong they are not."""
    assert len(KEYWORD_TASKS) == 30 and all(len(one.keywords) >= 2 for one in KEYWORD_TASKS)
    tide = KEYWORD_TASKS[0]
    assert judged(tide, "The MOON's gravitational pull makes the tides.") == (None, 1.0)
    assert judged(tide, "The moonlight does.") == (None, 0.0)
    assert judged(tide, "Because of the moon.").coverage == pytest.approx(1 / 3)
    assert judged(tide, "Which sea?", asked=True) == (False, 0.0)


@pytest.mark.parametrize(
    "answer", ["What does a mug cost?", "The price is not given.", "It depends on your needs.", "That cannot be said."]
)
def test_a_text_that_says_what_is_missing_asks_back(answer: str) -> None:
    """Where the task is unclear, that is right."""
    assert judged(Question("Which laptop should I buy?", unclear=True), answer).right


@pytest.mark.parametrize(
    "answer", ["Which laptop should I buy? A Dell.", "No answer was found: Which laptop should I buy?"]
)
def test_the_task_that_is_repeated_is_no_question_back(answer: str) -> None:
    """Its question mark is not the answer's."""
    assert not judged(Question("Which laptop should I buy?", unclear=True), answer).right
