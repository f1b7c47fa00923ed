"""How members are asked, what counts as a vote, and which answer is taken."""

from __future__ import annotations

from typing import Any

import pytest

from aeon.assembly import combining
from aeon.engines.ensemble.config import EnsembleConfig
from aeon.engines.ensemble.rules import NO_ANSWER
from aeon.errors import ToolFailed
from aeon.llm.scripted import Scripted
from aeon.runtime.journal import Journal
from aeon.runtime.replay import replay
from aeon.schema import Task
from engines.ensemble.world import Cast

pytestmark = pytest.mark.requirement("E6", "E6c")
THREE = ("a", "b", "c")
FIVE = ("a", "b", "c", "d", "e")


def votes(*answers: str) -> dict[str, str]:
    """The script in which a, b, c, … say these."""
    return dict(zip("abcdefgh", answers, strict=False))


def entries(journal: Journal) -> list[str]:
    """The phases of the effects, in their order."""
    return [entry.phase for _, entry in sorted(journal.entries.items())]


def test_two_of_three_that_agree_are_enough() -> None:
    """Two are asked at once, their answers are compared, and the third is not asked at all."""
    cast, journal = Cast(votes("12", "12 apples", "13"), Scripted(['{"answer": "yes"}'] * 2)), Journal()
    result = cast.vote(journal, members=THREE)
    assert (result.answer, result.stop_reason, result.sufficient, result.taken) == ("12", "agreed", True, 1)
    assert result.detail == "2 of 3 members gave the same answer"
    assert entries(journal) == ["say", "say", "compare_answers"]
    assert [name for name, *_ in cast.heard] == ["a", "b"]
    assert result.votes == (2,)


def test_a_third_decides_between_two() -> None:
    """It is asked alone, and held against both."""
    cast, journal = Cast(votes("12", "13", "13")), Journal()
    result = cast.vote(journal, members=THREE)
    assert (result.answer, result.stop_reason, result.taken, result.votes) == ("13", "agreed", 2, (1, 2))
    assert entries(journal) == ["say", "say", "compare_answers", "say", "compare_answers"]


def test_of_five_three_are_asked_at_once() -> None:
    """As many as can make a majority; then one by one until one is there."""
    cast, journal = Cast(votes("1", "1", "2", "2", "1")), Journal()
    result = cast.vote(journal, members=FIVE)
    assert (result.answer, result.votes, len(result.ballots)) == ("1", (3, 2), 5)
    assert entries(journal) == ["say"] * 3 + ["compare_answers", "say", "compare_answers", "say", "compare_answers"]


def test_a_vote_that_cannot_be_won_any_more_ends() -> None:
    """With three different answers of four members, the last one could make a tie at best."""
    cast = Cast(votes("1", "2", "3", "1"))
    result = cast.vote(members=("a", "b", "c", "d"))
    assert (result.stop_reason, len(result.ballots), result.sufficient) == ("disagreement", 3, False)


@pytest.mark.requirement("E6f")
@pytest.mark.parametrize("answers", [("1", "2"), ("1", "1", "2", "2"), ("1", "2", "3")])
def test_a_tie_is_a_disagreement_that_shows_every_answer(answers: tuple[str, ...]) -> None:
    """With its votes and the members that gave it; nothing is taken."""
    members = tuple("abcd"[: len(answers)])
    result = Cast(votes(*answers)).vote(members=members)
    assert (result.stop_reason, result.sufficient, result.taken) == ("disagreement", False, None)
    for answer in set(answers):
        assert f"): {answer}" in result.answer
    assert result.answer.startswith("No answer has a majority of the members.\n- ")


@pytest.mark.requirement("E6g")
@pytest.mark.parametrize("broken", [ToolFailed("it broke"), ValueError("a bug")])
def test_a_member_that_says_nothing_usable_leaves_the_vote_to_the_others(broken: Exception) -> None:
    """Its own fallback, a doubtful word, is a vote like any other, and is outvoted."""
    result = Cast({"a": "7", "b": broken, "c": "7"}).vote(members=THREE)
    assert (result.answer, result.stop_reason, result.taken) == ("7", "agreed", 1)
    assert [one.phase for one in result.degraded] == ["say"]


@pytest.mark.requirement("E6f", "E6g")
def test_a_member_without_means_has_no_vote_and_the_detail_says_why() -> None:
    """Two that agree are a majority all the same."""
    options = {"b": {"budget": {"calls": 1}, "words": 3}}
    cast = Cast({"a": "7", "b": "8", "c": "7"}, Scripted(["7", "8", "7"]), calls=True)
    result = cast.vote(members=THREE, options=options)
    assert (result.answer, result.stop_reason) == ("7", "agreed")
    assert result.ballots[1].missing == "calls_exhausted" and result.ballots[1].place is None
    assert result.detail == "2 of 3 members gave the same answer; no vote: 2 (b: calls_exhausted)"


DIFFERENT = ['{"answer": "no"}']
"""What a model says of a pair of answers."""


@pytest.mark.requirement("E6", "E6f")
def test_texts_without_a_majority_are_merged_where_they_can_all_stand() -> None:
    """The model says so and writes one answer; of the members only those that ended well by themselves are in it."""
    merged = '{"contradict": false, "answer": "Warm, and near the sea."}'
    script = votes("It is warm.", "It is near the sea.", "It is dear?")
    cast, journal = Cast(script, Scripted([*DIFFERENT * 3, merged])), Journal()
    result = cast.vote(journal, members=THREE)
    assert (result.answer, result.stop_reason, result.sufficient) == ("Warm, and near the sea.", "merged", True)
    assert (result.taken, result.merged, result.rests_on) == (None, True, "")
    assert entries(journal)[-1] == "merge_answers"
    asked = cast.model.requests[-1].messages[-1].content
    assert "It is warm." in asked and "It is near the sea." in asked and "It is dear?" not in asked
    assert replay(journal, combining.ensemble(cast.plugins()).engine) == result


@pytest.mark.requirement("E6", "E6f")
@pytest.mark.parametrize(
    ("script", "said", "settings"),
    [
        (votes("It is open.", "It is closed."), [*DIFFERENT, '{"contradict": true, "answer": ""}'], {}),
        (votes("It is warm.", "It is near."), [*DIFFERENT], {"merge": False}),
        (votes("It is warm.", "It is near?"), [*DIFFERENT], {}),
        (votes("1", "2"), [], {}),
        (votes("It is warm.", "It is near."), [*DIFFERENT, *["no object"] * 3], {}),
    ],
    ids=["contradict", "switched off", "one ended well", "values", "no usable reply"],
)
def test_what_cannot_be_merged_stays_a_disagreement(
    script: dict[str, str], said: list[str], settings: dict[str, Any]
) -> None:
    """Answers that contradict each other, values, and where nothing usable came: all are shown."""
    cast = Cast(script, Scripted(said))
    result = cast.vote(members=("a", "b"), **settings)
    assert (result.stop_reason, result.sufficient, result.merged) == ("disagreement", False, False)
    assert all(answer in result.answer for answer in script.values()) and len(cast.model.requests) == len(said)


@pytest.mark.requirement("E6f", "E6g")
def test_too_few_votes_are_no_disagreement() -> None:
    """One answer is there, two votes are missing: neither a majority nor a quarrel. The answer shows all of it."""
    options = {name: {"budget": {"calls": 1}, "words": 3} for name in "bc"}
    cast = Cast({"a": "7", "b": "8", "c": "8"}, Scripted(["7", "8", "8"]), calls=True)
    result = cast.vote(members=THREE, options=options)
    assert (result.stop_reason, result.taken) == ("too_few_votes", None)
    assert "- 1 of 3 (1 a): 7" in result.answer
    assert "No vote: 2 (b: calls_exhausted), 3 (c: calls_exhausted)." in result.answer


@pytest.mark.requirement("E6f")
def test_without_any_answer_it_is_unanswered() -> None:
    """Every member ran out of calls."""
    options = {name: {"budget": {"calls": 1}, "words": 3} for name in "ab"}
    cast = Cast({"a": "7", "b": "8"}, Scripted(["7", "8"]), calls=True)
    assert cast.vote(members=("a", "b"), options=options).stop_reason == "unanswered"


@pytest.mark.requirement("E6d")
def test_members_that_did_not_find_the_answer_agree_on_that() -> None:
    """Whatever their words."""
    result = Cast({"a": "-", "b": "-", "c": "12"}).vote(members=THREE)
    assert (result.classes, result.votes) == (("not stated",), (2,))
    assert (result.stop_reason, result.sufficient) == ("doubted", False)
    assert "not_stated" not in NO_ANSWER


@pytest.mark.requirement("E6e")
def test_the_first_of_the_majority_that_ended_well_is_taken() -> None:
    """A member that doubts is not, though it came first."""
    model = Scripted(['{"answer": "yes"}'] * 2)  # the same number with other words: the model says that it is the same
    result = Cast({"a": "12?", "b": "12", "c": "13"}, model).vote(members=THREE)
    assert (result.answer, result.taken, result.stop_reason, result.sufficient) == ("12", 2, "agreed", True)


@pytest.mark.requirement("E6e")
def test_a_majority_of_doubts_is_no_good_answer() -> None:
    """It is the answer, and not good enough."""
    result = Cast({"a": "12?", "b": "12?", "c": "13"}).vote(members=THREE)
    assert (result.answer, result.taken, result.stop_reason, result.sufficient) == ("12?", 1, "doubted", False)


LONG = "the valve is closed by hand when the tank on the roof has run dry"
LONGER = "somebody shuts it whenever no water is left in the upper tank"


@pytest.mark.requirement("E6d")
@pytest.mark.parametrize(("said", "reason"), [(["yes", "yes"], "agreed"), (["no"], "disagreement")])
def test_other_words_are_put_to_the_model_both_ways(said: list[str], reason: str) -> None:
    """What the model says of whether one follows from the other decides."""
    model = Scripted([f'{{"answer": "{word}"}}' for word in said])
    result = Cast({"a": LONG, "b": LONGER}, model).vote(members=("a", "b"), merge=False)
    assert (result.stop_reason, result.usage.calls) == (reason, len(said))


@pytest.mark.requirement("E6d")
def test_a_comparison_that_cannot_be_made_takes_other_words_for_another_answer() -> None:
    """It never hides a doubt; the same words are the same answer without any model."""
    model = Scripted([])
    result = Cast({"a": LONG, "b": LONGER, "c": LONG}, model).vote(members=THREE, caps={"compare_answers": 0})
    assert (result.votes, result.answer) == ((2, 1), LONG)


@pytest.mark.requirement("E6h")
def test_samples_of_one_engine_differ_in_their_seeds_alone() -> None:
    """The first is the engine as it is; members of several engines take turns."""
    cast = Cast({"a": "1", "b": "2"})
    result = cast.vote(members=("a", "b"), samples=2)
    assert [(name, seed) for name, _, _, seed in cast.heard] == [("a", 0), ("b", 0), ("a", 1)] + [("b", 1)] * (
        len(result.ballots) == 4
    )
    assert [(one.engine, one.seed) for one in result.ballots] == [(name, seed) for name, _, _, seed in cast.heard]
    config = EnsembleConfig(members=("a",))
    assert [tuple(seat) for seat in config.seats] == [("a", 0), ("a", 1), ("a", 2)]


@pytest.mark.requirement("E6a")
def test_an_effect_is_answered_by_the_member_that_asked_for_it() -> None:
    """All members call theirs `say`, and each has another effect of this name."""
    cast = Cast({"a": "1", "b": "2", "c": "3"})
    result = cast.vote(members=THREE)
    assert [(name, scope) for name, scope, *_ in cast.heard] == [("a", "/1"), ("b", "/2"), ("c", "/3")]
    assert [one.answer for one in result.ballots] == ["1", "2", "3"]


def test_a_member_with_a_value_gives_its_value_and_unread_parts_are_named() -> None:
    """What of the task was too long for prompts stands in the result."""
    task = Task(text="How much is it?", context="x" * 7_000)
    result = Cast(votes("1", "1")).vote(members=("a", "b"), task=task)
    assert [one.part for one in result.unread] == ["context"]


@pytest.mark.parametrize("settings", [{"members": ()}, {"members": ("a",), "samples": 1}, {"samples": 16}])
def test_settings_out_of_range_are_refused(settings: dict[str, Any]) -> None:
    """No member, one, or too many."""
    with pytest.raises(ValueError):
        EnsembleConfig.model_validate(settings)
