"""The run from top to bottom: rounds, every row of the table, searches that fail, limits, and what stands in."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from kernel.world import ENDPOINT_DOWN

from aeon.engines.research.effects import Cite, PlanQueries, Reflect
from aeon.engines.research.rules import TABLE
from aeon.engines.research.values import Cited, Finding, Reflection
from aeon.schema import Claim, Reading, Usage
from aeon.schema.effects import Effect
from engines.research.world import (
    World,
    answering,
    cited,
    document,
    found,
    once,
    partly,
    problem,
    queries,
    seeking,
)

pytestmark = pytest.mark.requirement("R1")


def same(*names: str) -> Any:
    """Searches that find these texts, whatever is asked."""
    return lambda effect, n: found(*names, provider=effect.provider)


def test_a_run_plans_searches_all_at_once_reflects_and_cites() -> None:
    """The queries of a round are one batch, and an answer after the first round ends it."""
    world = World()
    result = world.research()
    assert world.phases == ["find_providers", "plan_queries", "search", "search", "search", "reflect", "cite"]
    assert len(world.batches) == 5
    assert (result.stop_reason, result.sufficient, result.answer) == ("sufficient", True, "It is near the harbour [1].")
    assert [source.number for source in result.sources] == [1, 2, 3]
    assert [source.number for source in result.citations] == [1]
    assert [(one.number, one.passages, one.sources, one.sufficient) for one in result.rounds] == [(1, 3, 3, True)]


def test_the_queries_of_a_reflection_are_those_of_the_next_round() -> None:
    """Nothing is planned anew, and no other queries are asked."""
    world = World(reflect=lambda effect, n: seeking(effect, n) if n < 2 else answering(effect, n))
    result = world.research(tier="deep")
    assert world.rounds == [["one", "two", "three"], ["more 0", "other 0"], ["more 1", "other 1"]]
    assert world.phases.count("plan_queries") == 1
    assert result.stop_reason == "sufficient" and len(result.rounds) == 3


def test_a_query_is_asked_once_however_it_is_written() -> None:
    """Case, spaces and a question mark make no other query."""
    again = Reflection(queries=queries("One?", " TWO ", "four"))
    world = World(reflect=once(again, answering))
    world.research()
    assert world.rounds[1] == ["four"]


def test_each_query_goes_to_every_local_provider_and_to_the_first_of_the_web() -> None:
    """The second of the web is for when the first fails."""
    world = World(local=("shelf", "attic"), web=("web", "spare"))
    world.research()
    assert [(one.query, one.provider) for one in world.searches[:3]] == [
        ("one", "shelf"), ("one", "attic"), ("one", "web"),
    ]  # fmt: skip
    assert {one.provider for one in world.searches} == {"shelf", "attic", "web"}


def test_a_reflection_is_shown_the_latest_round_and_the_findings_of_all() -> None:
    """Older passages are not shown again: what was found out from them is."""
    first = Finding(question="Who?", answer="Anna", asked=False)
    told = Reflection(findings=(first,), queries=queries("four"))
    world = World(reflect=once(told, answering))
    result = world.research()
    one, two = (effect for effect in world.effects if isinstance(effect, Reflect))
    assert [shown.query for shown in one.shown] == ["one", "two", "three"] and one.new == 3
    assert [shown.query for shown in two.shown] == ["four"] and two.findings == (first,)
    assert [round_.compacted for round_ in result.rounds] == [0, 3]


def test_a_query_with_few_hits_is_named_to_the_reflection() -> None:
    """So that it is worded otherwise; one that nobody could search for is none of them."""
    world = World(search=lambda effect, n: found("a", "b", "c") if effect.query == "one" else found("d"))
    world.research()
    (effect,) = (each for each in world.effects if isinstance(each, Reflect))
    assert [query.text for query in effect.poor] == ["two", "three"]
    failed = World(local=(), web=("web",), search=lambda effect, n: problem(retryable=False) if n == 1 else found("d"))
    failed.research(few_results=1)
    (effect,) = (each for each in failed.effects if isinstance(each, Reflect))
    assert [query.text for query in effect.poor] == []


def half(effect: Effect, n: int) -> Cited:
    """An answer that its sources support in part."""
    answer = cited(effect, n)
    return answer.changed(sentences=tuple(one.changed(verdict="partial") for one in answer.sentences))


ENDINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "sufficient": ({}, {}),
    "not_stated": ({"cite": Cited(text="The sources do not say.")}, {}),
    "partly_supported": ({"cite": half}, {}),
    "misconfigured": ({"local": (), "web": ("web",), "search": problem("configuration", retryable=False)}, {}),
    "search_failed": ({"local": ()}, {}),
    "rounds_exhausted": ({"reflect": seeking}, {"max_iters": 2, "max_queries": 50}),
    "queries_exhausted": ({"reflect": seeking}, {"max_queries": 5}),
    "nothing_new": ({"reflect": Reflection()}, {}),
    "calls_exhausted": ({"reflect": seeking}, {"tier": "deep", "budget": {"calls": 10}, "reserve": {"tokens": 0}}),
    "tokens_exhausted": ({"reflect": seeking}, {"tier": "deep", "budget": {"tokens": 500}}),
    "seconds_exhausted": ({"reflect": seeking}, {"tier": "deep", "budget": {"seconds": 7.5}}),
    "interrupted": ({"interrupted_at": 3}, {}),
    "failed": ({"reflect": ENDPOINT_DOWN}, {}),
}


@pytest.mark.parametrize("reason", ENDINGS)
def test_each_row_ends_a_run_in_an_answer(reason: str) -> None:
    """Whatever stops it, there is an answer with its reason, and only one of them is good enough."""
    replies, settings = ENDINGS[reason]
    if reason in ("nothing_new", "rounds_exhausted", "queries_exhausted"):
        replies = replies | {"cite": partly}
    result = World(**replies).research(**settings)
    assert result.stop_reason == reason and result.answer
    assert result.sufficient == (reason == "sufficient")


@pytest.mark.requirement("R3a")
def test_the_ending_names_what_nothing_cited_speaks_of() -> None:
    """And says nothing of names where a judge alone holds that an answer is supported in part."""
    lacking = World(cite=lambda effect, n: half(effect, n).changed(unnamed=("Marl Cup", "Oxley"))).research()
    assert lacking.detail == "what the answer cites supports it only in part: nothing of it names Marl Cup, Oxley"
    assert World(cite=half).research().detail == "what the answer cites supports it only in part"


def test_every_row_of_the_table_is_driven() -> None:
    """A row without a run that ends by it would be a row that nobody tried."""
    assert {rule.reason for rule in TABLE} - {"budget", "needs_clarification"} <= set(ENDINGS)


def test_two_rounds_without_anything_new_end_the_search() -> None:
    """The same texts again count as nothing; a round with one new text starts the count anew."""
    world = World(search=same("a", "b"), reflect=seeking, cite=partly)
    result = world.research(tier="deep")
    assert (result.stop_reason, result.detail) == ("nothing_new", "further searches found nothing new")
    assert [one.passages for one in result.rounds] == [2, 0, 0]
    gains = {6: "c"}
    world = World(search=lambda e, n: found("a", gains.get(n, "b")), reflect=seeking, cite=partly)
    assert [one.passages for one in world.research(tier="deep").rounds] == [2, 0, 1, 0, 0]


def test_a_round_that_learns_something_from_known_passages_is_not_stale() -> None:
    """In a small folder all is found at once, and each question of a task is read out of it in its own round."""

    def learning(effect: Effect, n: int) -> Reflection:
        answer = Finding(question=f"{n}?", answer=f"the {n}th" if n < 4 else "")
        return seeking(effect, n).changed(findings=(answer,))

    result = World(search=same("a"), reflect=learning, cite=partly).research(tier="deep")
    assert (result.stop_reason, len(result.rounds)) == ("nothing_new", 6)


def test_a_run_without_another_query_ends() -> None:
    """A reflection that wants nothing, or only what was asked, leaves nothing to search for."""
    for reflection in (Reflection(), Reflection(queries=queries("one", "two"))):
        result = World(reflect=reflection, cite=partly).research()
        assert (result.stop_reason, len(result.rounds)) == ("nothing_new", 1)
        assert result.detail == "there is nothing else to search for"


def test_what_a_judge_supports_is_good_enough_after_all() -> None:
    """Where the reflections found no answer, but the last look at all sources did, and a judge bears it out."""

    def late(effect: Effect, n: int) -> Cited:
        answer = partly(effect, n)
        return answer.changed(sentences=tuple(one.changed(verdict="supported") for one in answer.sentences))

    assert World(reflect=Reflection(), cite=late).research().stop_reason == "sufficient"


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("verdict", ["not_found", "partial", "not_checked"])
def test_only_what_is_supported_makes_a_doubtful_end_good(verdict: Any) -> None:
    """Any other verdict leaves the ending as it was."""

    def doubtful(effect: Effect, n: int) -> Cited:
        answer = partly(effect, n)
        return answer.changed(sentences=tuple(one.changed(verdict=verdict) for one in answer.sentences))

    assert not World(reflect=Reflection(), cite=doubtful).research().sufficient


def test_an_ending_stays_though_the_answer_used_up_the_budget() -> None:
    """The run ended since nothing was left to search for, not since the answer took the calls kept for it."""
    world = World(reflect=Reflection(), cite=partly)
    world.cost = lambda effect: Usage(
        calls=8 if isinstance(effect, Cite) else isinstance(effect, PlanQueries | Reflect)
    )
    result = world.research(budget={"calls": 11}, caps={"cite": 8})
    assert (result.usage.calls, result.stop_reason) == (10, "nothing_new")


@pytest.mark.requirement("R1")
def test_a_doubtful_reflection_does_not_end_the_run() -> None:
    """One that says how sure it is has to be sure enough; one that does not say it is taken at its word."""
    for confidence, reason in ((0.29, "nothing_new"), (0.3, "sufficient"), (None, "sufficient")):
        sure = lambda e, n, c=confidence: answering(e, n).changed(confidence=c)  # noqa: E731
        assert World(reflect=sure, cite=partly).research().stop_reason == reason


@pytest.mark.requirement("R3")
def test_a_value_that_the_cited_sentences_do_not_hold_is_no_good_answer() -> None:
    """Whatever the reflection says: what the claims of the answer say counts for more."""

    def wrong(effect: Effect, n: int) -> Cited:
        answer = partly(effect, n)
        claim = Claim(
            id="s1",
            start=0,
            end=5,
            text="It is",
            kind="sentence",
            reading=Reading(value="It is", form="text"),
            verdict="not_found",
        )
        return answer.changed(claims=(claim,))

    result = World(cite=wrong).research()
    assert (result.stop_reason, result.sufficient) == ("unsupported", False)


def test_sources_are_never_lost_or_moved() -> None:
    """The sources of each reflection's round are still there at the end, under the same numbers."""
    world = World(search=lambda e, n: found(f"t{n % 5}", f"t{n}"), reflect=seeking)
    result = world.research(tier="deep")
    names = {source.number: source.source for source in result.sources}
    reflections = [effect for effect in world.effects if isinstance(effect, Reflect)]
    for earlier, later in pairwise(reflections):
        assert {one.number for one in earlier.shown} | {one.number for one in later.shown} <= names.keys()
    assert all(names[one.number] == one.passage.source for each in reflections for one in each.shown)
    assert (
        len(set(names.values())) == len(names)
        and result.sources[0].text_sha256 == document("", "T0 is near the harbour.").text_sha256
    )
