"""The run from top to bottom: rounds, every row of the table, searches that fail, limits, and what stands in."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from kernel.world import ENDPOINT_DOWN

from aeon.engines.research.effects import Cite, PlanQueries, Reflect, Summarise
from aeon.engines.research.materials import size_of
from aeon.engines.research.rules import TABLE
from aeon.engines.research.values import Cited, Digest, Digests, Providers, Reflection
from aeon.schema import Claim, Failure, Found, Reading, Usage
from aeon.schema.effects import Effect
from engines.research.world import (
    World,
    answering,
    cited,
    document,
    found,
    once,
    partly,
    passage,
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


def test_a_reflection_is_shown_which_texts_no_search_found() -> None:
    """Of the texts at hand whose titles are known."""
    providers = Providers(local=("shelf",), titles=("t0.txt", "t1.txt", "the archive"))
    world = World(search=same("t0", "t1"), find_providers=providers)
    world.research()
    (reflect,) = [one for one in world.effects if isinstance(one, Reflect)]
    assert {one.passage.source for one in reflect.texts} == {"t0.txt", "t1.txt"} and reflect.titles == ("the archive",)


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


def test_a_model_that_reads_passages_is_given_more_of_texts_at_hand() -> None:
    """A source has several; pages of the web are whole, and of each provider as many as are configured."""
    world = World(local=("shelf",), web=("web",))
    world.research(most_results=4)
    assert {(one.provider, one.most) for one in world.searches} == {("shelf", 12), ("web", 4)}
    whole = World(local=("shelf",), find_providers=Providers(local=("shelf",), whole=1_000))
    whole.research(most_results=4)
    assert {one.most for one in whole.searches} == {4}


def test_a_reflection_is_shown_what_all_rounds_found() -> None:
    """Nothing that was found is dropped; how many passages are new is said, and what was missing before."""
    told = Reflection(gaps=("who built it",), queries=queries("four"))
    world = World(reflect=once(told, answering))
    world.research()
    one, two = (effect for effect in world.effects if isinstance(effect, Reflect))
    assert {text.query for text in one.texts} == {"one", "two", "three"} and (one.new, one.gaps) == (3, ())
    assert {text.query for text in two.texts} == {"one", "two", "three", "four"}
    assert (two.new, two.gaps) == (1, ("who built it",))
    assert [(asked.query, asked.hits) for asked in two.asked] == [("one", 1), ("two", 1), ("three", 1), ("four", 1)]


def test_where_no_query_is_said_the_search_is_over() -> None:
    """Whoever names what is missing and asks for nothing says that no search would help."""
    world = World(reflect=once(Reflection(gaps=("who built it",)), answering), cite=partly)
    result = world.research(check=False)
    assert len(world.rounds) == 1 and "nothing else" in result.detail


def test_where_no_query_is_left_a_judge_is_asked_and_nobody_reflects() -> None:
    """The answer is next anyway; unless nobody is to judge it."""
    world = World()
    assert world.research(max_queries=3).stop_reason == "sufficient"
    assert "reflect" not in world.phases
    plain = World()
    plain.research(max_queries=3, check=False)
    assert plain.phases.count("reflect") == 1


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


def said_to_be(reply: Any) -> Any:
    """A supported answer of which a judge says that it is this."""
    return lambda effect, n: cited(effect, n).changed(reply=reply)


ENDINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "sufficient": ({}, {}),
    "not_stated": ({"cite": Cited(text="The sources do not say.")}, {}),
    "partly_supported": ({"cite": half}, {}),
    "incomplete": ({"cite": said_to_be("part")}, {}),
    "unverified": ({"cite": partly}, {}),
    "schema_unmet": ({}, {"schema": {"type": "object"}}),
    "misconfigured": ({"local": (), "web": ("web",), "search": problem("configuration", retryable=False)}, {}),
    "search_failed": ({"local": ()}, {}),
    "rounds_exhausted": ({"reflect": seeking, "cite": partly}, {"max_iters": 2, "max_queries": 50, "check": False}),
    "queries_exhausted": ({"reflect": seeking, "cite": partly}, {"max_queries": 5, "check": False}),
    "nothing_new": ({"reflect": Reflection(), "cite": partly}, {"check": False}),
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
    result = World(**replies).research(**settings)
    assert result.stop_reason == reason and result.answer
    assert result.sufficient == (reason == "sufficient")


@pytest.mark.requirement("G4")
@pytest.mark.parametrize("reply", ["not_stated", "hedge", "refusal"])
def test_what_says_nothing_is_never_sufficient(reply: Any) -> None:
    """However sure the reflection was, and though each sentence is supported by what it cites."""
    result = World(cite=said_to_be(reply)).research()
    assert (result.stop_reason, result.sufficient, result.reply) == ("not_stated", False, reply)


@pytest.mark.requirement("G4")
def test_an_answer_with_a_sentence_that_nobody_judged_is_unverified() -> None:
    """One of two is enough for that; without a check that was switched off, nobody was to judge it."""

    def one_of_two(effect: Effect, n: int) -> Cited:
        answer = cited(effect, n)
        (whole,) = answer.sentences
        return answer.changed(sentences=(whole, whole.changed(verdict="not_checked")))

    assert World(cite=one_of_two).research().stop_reason == "unverified"
    assert World(cite=one_of_two).research(check=False).stop_reason == "sufficient"


def test_every_row_of_the_table_is_driven() -> None:
    """A row without a run that ends by it would be a row that nobody tried."""
    assert {rule.reason for rule in TABLE} - {"budget", "needs_clarification"} <= set(ENDINGS)


def test_two_rounds_without_anything_new_end_the_search() -> None:
    """The same texts again count as nothing; a round with one new text starts the count anew."""
    world = World(search=same("a", "b"), reflect=seeking, cite=partly)
    result = world.research(tier="deep", check=False)
    assert (result.stop_reason, result.detail) == ("nothing_new", "further searches found nothing new")
    assert [one.passages for one in result.rounds] == [2, 0, 0]
    gains = {6: "c"}
    world = World(search=lambda e, n: found("a", gains.get(n, "b")), reflect=seeking, cite=partly)
    assert [one.passages for one in world.research(tier="deep").rounds] == [2, 0, 1, 0, 0]


def test_a_run_without_another_query_ends() -> None:
    """A reflection that wants nothing, or only what was asked, leaves nothing to search for."""
    for reflection in (Reflection(), Reflection(queries=queries("one", "two"))):
        result = World(reflect=reflection, cite=partly).research(check=False)
        assert (result.stop_reason, len(result.rounds)) == ("nothing_new", 1)
        assert result.detail == "there is nothing else to search for"


def test_what_a_judge_supports_is_good_enough_after_all() -> None:
    """Where no reflection was content, but the answer is one, and a judge bears out each sentence."""
    assert World(reflect=Reflection(), cite=cited).research().stop_reason == "sufficient"


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("verdict", ["not_found", "partial", "not_checked"])
def test_only_what_is_supported_makes_a_doubtful_end_good(verdict: Any) -> None:
    """Any other verdict leaves the ending as it was."""

    def doubtful(effect: Effect, n: int) -> Cited:
        answer = cited(effect, n)
        return answer.changed(sentences=tuple(one.changed(verdict=verdict) for one in answer.sentences))

    assert not World(reflect=Reflection(), cite=doubtful).research().sufficient


def test_an_ending_stays_though_the_answer_used_up_the_budget() -> None:
    """The run ended since nothing was left to search for, not since the answer took the calls kept for it."""
    world = World(reflect=Reflection(), cite=partly)
    world.cost = lambda effect: Usage(
        calls=8 if isinstance(effect, Cite) else isinstance(effect, PlanQueries | Reflect)
    )
    result = world.research(budget={"calls": 11}, caps={"cite": 8}, check=False)
    assert (result.usage.calls, result.stop_reason) == (10, "nothing_new")


@pytest.mark.requirement("R1")
def test_a_doubtful_reflection_does_not_end_the_run() -> None:
    """One that says how sure it is has to be sure enough; one that does not say it is taken at its word."""
    for confidence, reason in ((0.29, "nothing_new"), (0.3, "sufficient"), (None, "sufficient")):
        sure = lambda e, n, c=confidence: answering(e, n).changed(confidence=c)  # noqa: E731
        assert World(reflect=sure, cite=partly).research(check=False).stop_reason == reason


@pytest.mark.requirement("R3")
def test_a_value_that_the_cited_sentences_do_not_hold_is_no_good_answer() -> None:
    """Whatever the reflection says: what the claims of the answer say counts for more."""

    def wrong(effect: Effect, n: int) -> Cited:
        answer = cited(effect, n)
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
        assert {(one.number, one.passage) for one in earlier.texts} <= {
            (one.number, one.passage) for one in later.texts
        }
    assert all(names[one.number] == one.passage.source for each in reflections for one in each.texts)
    assert len(set(names.values())) == len(names)
    assert result.sources[0].text_sha256 == document("", "T0 is near the harbour.").text_sha256


LONG = "It is near the harbour. " * 60


def long_ones(effect: Effect, n: int) -> Any:
    """A search that finds a text of 1.4 kB that nothing else found."""
    return found(**{f"t{n}": f"T{n}. {LONG}"}, provider=effect.provider)  # type: ignore[attr-defined]


@pytest.mark.requirement("R4")
def test_what_cannot_be_read_at_once_is_summarised_before_it_is_reflected_on() -> None:
    """Sources of earlier rounds first; what they said is behind their numbers, and the prompt gets their digests."""
    world = World(search=long_ones, reflect=seeking, find_providers=Providers(local=("shelf",), room=9_000))
    result = world.research()
    made = [effect for effect in world.effects if isinstance(effect, Summarise)]
    assert made
    for effect in world.effects:
        if isinstance(effect, Reflect | Cite):
            assert all(one.title for one in effect.digests) and size_of(effect.texts, effect.digests) <= 9_000
            assert {one.number for one in effect.texts}.isdisjoint(one.number for one in effect.digests)
        if isinstance(effect, Summarise):
            assert size_of(effect.texts) <= 9_000
    first = [one.number for one in made[0].texts]
    assert set(first[:3]) == {1, 2, 3} and result.rounds[0].sources == 3  # those of the round before
    summaries = [one.summarised for one in result.rounds]
    assert not summaries[0] and set(first) <= set(summaries[1])
    assert all(set(earlier) <= set(later) for earlier, later in pairwise(summaries))
    last = next(effect for effect in world.effects if isinstance(effect, Cite))
    assert {one.number for one in last.digests} == set(summaries[-1])


@pytest.mark.requirement("R4")
def test_a_source_that_a_summary_leaves_out_is_not_asked_about_again() -> None:
    """It has nothing to do with the task; the answer is made of what is left. Its title stays."""
    world = World(
        search=long_ones, reflect=seeking, find_providers=Providers(local=("shelf",), room=5_000), summarise=Digests()
    )
    result = world.research()
    made = [{one.number for one in effect.texts} for effect in world.effects if isinstance(effect, Summarise)]
    assert made and sum(map(len, made)) == len(set().union(*made))
    (last,) = (effect for effect in world.effects if isinstance(effect, Cite))
    assert (
        all(one == Digest(number=one.number, title=one.title) for one in last.digests) and last.texts and result.answer
    )


@pytest.mark.requirement("R4")
def test_nothing_is_summarised_where_no_text_is_left() -> None:
    """Digests that are too long themselves lose sentences in prompts; no request is made for them."""
    wordy = lambda effect, n: Digests(digests=(Digest(number=1, summary="s" * 499),))  # noqa: E731
    room = Providers(local=("shelf",), room=300)
    world = World(search=same("a"), reflect=seeking, find_providers=room, summarise=wordy)
    world.replies["search"] = found(a=LONG)
    world.research(max_iters=2)
    made = [effect for effect in world.effects if isinstance(effect, Summarise)]
    assert len(made) == 1 and made[0].texts


@pytest.mark.requirement("R4")
def test_a_passage_of_a_source_that_has_a_digest_is_shown_all_the_same() -> None:
    """A later query finds another part of a long text; the digest is of the first part alone."""
    whole = "".join(f"Part {n}. {LONG}" for n in range(8))
    starts = [match.start() for match in re.finditer("Part", whole)]

    def part(effect: Effect, n: int) -> Any:
        start, end = starts[n], (*starts, len(whole))[n + 1]
        there = passage("long.txt", whole[start:end], start)
        return Found(provider="shelf", passages=(there,), documents=(document("long.txt", whole),))

    world = World(search=part, reflect=seeking, find_providers=Providers(local=("shelf",), room=6_000))
    world.research(max_queries=5)
    assert world.phases.count("summarise") == 1
    (cite,) = (effect for effect in world.effects if isinstance(effect, Cite))
    assert [one.number for one in cite.digests] == [1]
    assert {one.passage.start for one in cite.texts} == set(starts[3:5])


@pytest.mark.requirement("R4")
def test_a_summary_that_fails_is_a_degradation_and_ends_in_an_answer() -> None:
    """The run goes on without it, and says so; the texts stay, of which prompts show as many as fit."""
    world = World(
        search=long_ones, reflect=seeking, find_providers=Providers(local=("shelf",), room=5_000),
        summarise=Failure(kind="completion", message="the model declined"),
    )  # fmt: skip
    result = world.research()
    assert {one.phase for one in result.degraded} == {"summarise"} and result.answer
    assert {one.phase for one in result.error_log} == {"summarise"}
    (last,) = (effect for effect in world.effects if isinstance(effect, Cite))
    assert not last.digests and {one.number for one in last.texts} == {one.number for one in result.sources}


@pytest.mark.requirement("R4")
def test_a_round_summarises_at_most_as_often_as_set() -> None:
    """Where one source alone is too long, the run goes on with a part of it."""
    room = Providers(local=("shelf",), room=400)
    world = World(search=long_ones, reflect=seeking, find_providers=room)
    world.research(max_iters=1, most_summaries=2)
    assert world.phases.count("summarise") == 2
    none = World(search=long_ones, reflect=seeking, find_providers=room)
    none.research(max_iters=1, most_summaries=0)
    assert none.phases.count("summarise") == 0 and none.phases[-1] == "cite"
