"""The queries that a search begins with besides the question: who words them, how many, and what of them is read."""

from __future__ import annotations

import pytest

from aeon.engines.research.choosing import own
from aeon.engines.research.effects import PlanQueries, Reflect
from aeon.engines.research.values import Aim, Finding, Queries, Query
from aeon.errors import AllowanceExhausted, EndpointFailed, EndpointRejected, Malformed
from aeon.llm.scripted import Reply
from aeon.schema import Task
from engines.research.reader import Reader, done, reflector
from engines.research.world import numbered

pytestmark = pytest.mark.requirement("R1")

BEES = "Who looks after the bees?"
WORDS = "1. school beekeeper\n- apiary keeper\nhives responsible person\nfourth query here"
OTHERS = ["school beekeeper", "apiary keeper", "hives responsible person"]


def planned(task: str, queries: Reply = WORDS, most: int = 6, calls: int = 9) -> tuple[Queries, Reader]:
    """The plan for a task by a model that writes these queries, and the model."""
    model = Reader(queries=queries)
    return done(reflector(model).plan(PlanQueries(task=Task(text=task), most=most)), calls), model


def test_a_question_without_names_begins_with_other_words_for_it() -> None:
    """Three that the model writes, each with its intent, behind the question; what it writes beyond is left out."""
    plan, model = planned(BEES)
    assert [one.text for one in plan.queries] == [BEES, *OTHERS]
    assert {one.intent for one in plan.queries[1:]} == {"other words that a text may have"}
    assert model.prompts == [BEES]


def test_a_search_begins_with_five_queries_at_most_where_the_model_words_some() -> None:
    """Names come last: some of ten queries are left for what follows."""
    plan, _ = planned("Was Ann Lee a mayor?")
    assert [one.text for one in plan.queries[1:]] == [*OTHERS, "Ann Lee"]


def test_the_first_of_two_that_are_compared_is_searched_for_in_other_words() -> None:
    """Beside the whole question: three queries at least, also where nothing has a name."""
    task = "Which was dearer, the infants' room or the iron hut?"
    sides = (
        "a = What did the infants' room cost?\nb = What did the iron hut cost?\n"
        'print("infants\' room" if a > b else "iron hut")'
    )
    model = Reader(words=sides, queries=WORDS)
    plan = done(reflector(model).plan(PlanQueries(task=Task(text=task), most=6)))
    assert plan.aim is not None and plan.aim.compared is not None
    assert [one.text for one in plan.queries] == ["What did the infants' room cost?", task, *OTHERS]
    assert model.prompts[-1] == "What did the infants' room cost?"


def test_a_tier_of_few_queries_keeps_them_for_what_follows() -> None:
    """Nobody is asked to word some; nor without a call."""
    for task, most in ((BEES, 3), (BEES, 5)):
        plan, model = planned(task, most=most)
        assert [one.text for one in plan.queries] == [task] and not model.requests
    plan, model = planned(BEES, calls=0)
    assert [one.text for one in plan.queries] == [BEES] and not model.requests


@pytest.mark.parametrize(
    "reply", ["", "bees", BEES, Malformed("no", "bad"), EndpointFailed("500"), AllowanceExhausted("tokens", "none")]
)
def test_a_model_that_words_nothing_costs_no_plan(reply: Reply) -> None:
    """What is empty, one word or the question again is no query, and a request that failed is none."""
    plan, _ = planned(BEES, reply)
    assert [one.text for one in plan.queries if one.text != BEES] == [] and plan.queries and plan.aim is not None


def test_an_endpoint_that_cannot_be_used_is_said_at_once() -> None:
    """It would be asked again for everything that follows."""
    with pytest.raises(EndpointRejected):
        planned(BEES, EndpointRejected("401"))


def test_behind_the_five_best_passages_of_a_question_comes_what_all_wordings_find() -> None:
    """What several of them find comes before what one does, and what a name finds comes last."""
    texts = [numbered(n, f"{n}.txt", f"Text {n}.") for n in range(1, 9)]
    found = {BEES: (1, 2, 3, 4, 5), "beekeeper": (7, 5), "apiary": (7, 6), "Ann Lee": (8, 1)}
    shown = [texts[n - 1].changed(query=query) for query, numbers in found.items() for n in numbers]
    assert [one.number for one in own(BEES, shown, 9, apart=("Ann Lee",))] == [1, 2, 3, 4, 5, 7, 6, 8]
    assert [one.number for one in own(BEES, shown, 3)] == [1, 2, 3]
    assert [one.number for one in own(BEES, shown[:5], 9)] == [1, 2, 3, 4, 5]
    assert own(BEES, [], 9) == []


def test_other_words_that_found_little_have_no_other_words() -> None:
    """Only what was looked up itself is worded otherwise: the task, a question, a description."""
    effect = Reflect(task=Task(text=BEES), round=1, asked=(), aim=Aim(question=BEES), most=5)
    span = "the keeper of the hives"
    before = (Finding(question=f"What is the name of {span}?"), Finding(question="Where are the hives?"))
    for text, worded in ((BEES, 1), ("apiary keeper", 0), (span, 1), ("Where are the hives?", 1)):
        model = Reader(words="Who is the keeper of the bees in the hives?")
        done(reflector(model).reflect(effect.changed(poor=(Query(text=text),), findings=before)))
        asked = [one.messages[-1].content for one in model.requests if "in other words" in one.messages[0].content]
        assert asked == [text] * worded
