"""The vote of programs: what counts as the same result, which class leads, and when nothing does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.multipass.results import same
from aeon.multipass.votes import Ballot
from aeon.schema import ToolUse
from aeon.schema.frozen import JsonValue
from aeon.schema.programs import ProgramText, Ran, Way
from aeon.schema.weight import Weight

pytestmark = pytest.mark.requirement("W3")
USE = ToolUse(id="s1.1", tool="sql", arguments={"query": "SELECT price FROM items"}, output=[])


def ran(*values: JsonValue) -> Ran:
    """What prints these values."""
    return Ran(values=values)


def ballot(*cast: tuple[Way, Ran]) -> Ballot:
    """These programs with what they gave."""
    return Ballot().cast([ProgramText(way=way, text=way) for way, _ in cast], [given for _, given in cast])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ran(2.50), ran("2.5")),
        (ran(0.1 + 0.2), ran(0.3)),
        (ran("Ms  Adler"), ran("ms adler")),
        (ran([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]), ran([["y", 2], ["x", 1.0]])),
        (ran("Omar", 96.5), ran([["Omar", 96.5]])),
        (ran("Omar"), ran([["Omar", 96.5]])),
        (ran("2025-03-04"), ran(["2025-03-04"])),
        (ran("Die H\u00e4lfte: 42,50 Euro"), ran(42.5)),
        (ran("1,250.5 euros"), ran([[1250.5]])),
        (ran("6.50 euros"), ran(6.5)),
        (ran("\u6bcf\u4eba 12 \u5143"), ran(12)),
        (ran("1.234 Euro"), ran(1234)),
        (ran("\u22125 Grad"), ran(-5)),
        (ran(True), ran([{"open": True}])),
        (ran(12345678901234567), ran([[12345678901234567]])),
    ],
)
def test_the_same_result_in_another_form(one: Ran, other: Ran) -> None:
    """Numbers by value, rows in any order; of one row one may have a value more."""
    assert same(one, other) and same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ran(2.5), ran(2.51)),
        (ran(None), ran(None)),
        (ran([]), ran([])),
        (ran([1, 1]), ran([1])),
        (ran(["Omar"]), ran([["Omar", 96.5], ["Lena", 3]])),
        (ran("allowed"), ran("not allowed")),
        (ran("3 of 15"), ran(15)),
        (ran("order 4102: 6.50"), ran(6.5)),
        (ran("A42"), ran(42)),
        (ran("12 euros"), ran("12 pounds")),
        (ran("2025-03-04"), ran("2025-04-03")),
        (ran([{"n": "A", "paid": True}]), ran([{"n": "A", "paid": False}])),
        (ran(3, 5), ran(5, 3)),
        (ran("007"), ran("7")),
        (ran("1E5"), ran("100000")),
        (ran(12345678901234567), ran(12345678901234568)),
        (ran(2024), ran("2024-03-05")),
        (ran(5), ran("-5 Grad")),
    ],
)
def test_another_result_and_none(one: Ran, other: Ran) -> None:
    """That two find nothing says nothing."""
    assert not same(one, other)


def test_ways_vote_and_not_how_often_one_was_asked_for() -> None:
    """What one prompt leads to twice is one vote."""
    made = ballot(
        ("query", ran(7)),
        ("query", ran(7)),
        ("reading", ran(9)),
        ("plain", ran(9)),
        ("program", Ran(problem="no table")),
    )
    assert [one.votes for one in made.ranked] == [2, 1] and made.lead is not None
    assert made.lead.first.ran.values == (9,) and made.problems == ("no table",)


@pytest.mark.parametrize(("score", "decided"), [(0.9, True), (0.4, False)])
def test_a_judge_weighs_the_classes(score: float, decided: bool) -> None:
    """One vote of which it is sure goes before one that it doubts; where it tells nothing apart, nothing is ahead."""
    made = ballot(("query", ran(7)), ("reading", ran(9)))
    assert not made.is_decided and len(made.unjudged(3)) == 2
    first, second = made.unjudged(3)
    made = made.weighed(first, Weight(score=0.4)).weighed(second, Weight(score=score))
    assert made.is_decided is decided and not made.unjudged(3)
    assert not decided or (made.lead is not None and made.lead.first.program.way == "reading")


def test_that_nothing_is_stated_is_a_result_like_others() -> None:
    """It leads where no other result stands well; where every other one is surely none, these vote for it, too."""
    made = ballot(("reading", ran("blue")), ("program", Ran(absent=True, problem="not stated")))
    assert not made.is_absent and not made.is_decided
    (one,) = made.unjudged(3)
    assert made.weighed(one, Weight(score=0.1)).is_absent
    sure = made.weighed(one, Weight(score=0.01))
    assert sure.is_absent and sure.is_decided and sure.lead is not None and sure.lead.votes == 2
    right = made.weighed(one, Weight(score=0.9))
    assert not right.is_absent and right.is_decided


def test_that_one_way_finds_nothing_settles_nothing() -> None:
    """It may have looked in the wrong place: a second one must find nothing, or say that nothing is stated."""
    empty, said = Ran(absent=True, uses=(USE,)), Ran(absent=True)
    for absent, others, decided in (
        (empty, ("query",), False),
        (said, ("query",), False),
        (empty, ("query", "program"), True),
    ):
        made = ballot(("reading", ran("blue")), *((way, absent) for way in others))  # type: ignore[misc]
        (one,) = made.unjudged(3)
        made = made.weighed(one, Weight(score=0.1))
        assert made.is_absent and made.is_decided is decided
    (one,) = (made := ballot(("reading", ran("blue")), ("query", empty))).unjudged(3)
    assert not made.weighed(one, Weight(score=0.01)).is_decided


def test_a_result_that_two_ways_lead_to_needs_no_judge() -> None:
    """One way alone does, unless it is a text that is yet to be written."""
    assert not ballot(("query", ran(7))).is_decided
    assert ballot(("query", ran(7)), ("plain", ran(7.0))).is_decided
    assert ballot(("program", Ran(writing="Write a letter."))).is_decided
    assert not ballot(("program", Ran(writing="Write a letter."))).unjudged(3)


def test_a_vote_is_worth_what_the_model_was_likely_to_write() -> None:
    """Two of which it was sure are worth more than two that it nearly did not write."""

    def voted(first: float | None, second: float | None) -> Ballot:
        programs = [
            ProgramText(way="query", text="a", likelihood=first),
            ProgramText(way="program", text="b", likelihood=second),
        ]
        return Ballot().cast(programs, [ran(7), ran(7)])

    sure, known, unlikely = voted(0.8, 0.8).lead, voted(None, None).lead, voted(0.0001, 0.001).lead
    assert sure is not None and known is not None and unlikely is not None
    assert sure.strength > known.strength > unlikely.strength
    assert known.is_vouched and not unlikely.is_vouched


def test_answers_that_are_all_different_decide_nothing() -> None:
    """Unless a judge tells them apart."""
    made = ballot(("reading", ran(1)), ("query", ran(2)), ("program", ran(3)), ("plain", ran(4)))
    for one in made.unjudged(4):
        made = made.weighed(one, Weight(score=0.9))
    assert not made.is_decided and not made.is_ahead and len(made.ranked) == 4


def test_without_a_result_nothing_leads() -> None:
    """Programs that give nothing are told about, and are no class."""
    made = ballot(("query", Ran(problem="it does not parse")), ("program", Ran()))
    assert made.lead is None and not made.is_decided and made.problems == ("it does not parse",)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9), st.lists, max_leaves=6
)


@given(st.lists(JSON, max_size=4), st.lists(JSON, max_size=4))
def test_any_result_can_be_compared(one: list[JsonValue], other: list[JsonValue]) -> None:
    """And it does not matter which comes first."""
    first, second = Ran(values=tuple(one)), Ran(values=tuple(other))
    assert same(first, second) == same(second, first)


def test_a_class_is_of_one_mind_with_all_its_members() -> None:
    """What is within two contradictory rows joins one of them, and does not join these."""
    made = ballot(("reading", ran(5)), ("query", ran("Anna", 5)), ("program", ran("Ben", 5)))
    assert [len(one.candidates) for one in made.classes] == [2, 1]


def test_a_class_that_another_speaks_for_is_judged_anew() -> None:
    """What was said of the first is not said of the one that takes its place."""
    made = ballot(("program", ran(5)))
    made = made.weighed(made.classes[0], Weight(score=0.95))
    cited = Ran(values=([{"name": "Wrong", "n": 5}],), uses=(USE,), cites=("s1.1",))
    made = made.cast([ProgramText(way="query", text="q")], [cited])
    assert made.classes[0].first.ran == cited and made.unjudged(2) == made.classes


def test_absence_that_something_was_found_in_counts_for_less() -> None:
    """As any other result; and what was refuted does not agree with it."""
    made = ballot(("reading", Ran(absent=True, problem="no")), ("program", Ran(absent=True, problem="no")))
    before = made.ranked[0].standing
    assert made.is_absent and made.objected(["it is there"]).ranked[0].standing == pytest.approx(before / 2)


def test_a_way_that_gave_nothing_was_asked_all_the_same() -> None:
    """It is not asked for again."""
    assert Ballot().cast([], [], ["reading"]).ways == ("reading",)
