"""The tree, node by node: when it splits, what its children get, what is pruned, and how it ends."""

from __future__ import annotations

from typing import Any

import pytest

from aeon.engines.contractive.rules import BRANCH_TABLE, TABLE
from aeon.engines.contractive.values import Classes, Part, Parts, Reviewed, Samples
from aeon.schema import Failure, Task
from engines.contractive.world import World, classes, parts, samples

pytestmark = pytest.mark.requirement("E3", "E3j")
SPLIT = samples("1", "1", "2", "2")
AGREED = samples("1", "1", "1", "1")


def then(*values: Samples) -> Any:
    """These samples at the root, one after the other; the last one for ever. Children agree on 7."""
    left = list(values)

    def drawn(effect: Any) -> Samples:
        if effect.place != "1":
            return samples(*["7"] * effect.most)
        return left.pop(0) if len(left) > 1 else left[0]

    return drawn


@pytest.mark.requirement("E3b")
def test_what_samples_agree_on_is_not_split() -> None:
    """One look, and the answer; nothing else is asked."""
    world = World({"sample": AGREED})
    result = world.run()
    assert (result.stop_reason, result.short, result.sufficient) == ("agreed", "1", True)
    assert [effect.phase for effect in world.effects] == ["sample", "classify", "collapse"]
    assert result.uncertainty == 0.0 and len(result.tree) == 1


@pytest.mark.requirement("E3b")
def test_between_both_thresholds_a_node_is_neither_split_nor_good_enough() -> None:
    """Three of four: an uncertainty of .41 is above .4 and below .5."""
    result = World({"sample": samples("1", "1", "1", "2")}).run()
    assert (result.stop_reason, result.short, result.sufficient) == ("majority", "1", False)


@pytest.mark.requirement("E3b", "E3c")
def test_an_uncertain_node_is_split_and_looked_at_again() -> None:
    """Its children see the question above them, and the second look sees what they answered."""
    world = World({"sample": then(SPLIT, samples("2", "2", "2", "2")), "decompose": parts("What is a?", "What is b?")})
    result = world.run(Task(text="How much is a + b?", context="a and b are given."))
    assert (result.stop_reason, result.short) == ("agreed", "2")
    assert [node.place for node in result.tree] == ["1", "1.1", "1.2"]
    child = world.of["sample"][1]
    assert child.task.text == "What is a?"
    assert child.task.context == "a and b are given.\nHow much is a + b?"
    assert [one.answer for one in world.of["sample"][-1].solved] == ["7", "7"]
    assert [one.uncertainty for one in result.tree[0].rounds] == [0.5, 0.0]


@pytest.mark.requirement("E3a", "E3b")
def test_the_second_look_is_the_same_estimator() -> None:
    """As many samples, of the same length, at the same temperature, and classes that go on with those before."""
    world = World({"sample": then(SPLIT, AGREED), "decompose": parts("What is a?")})
    world.run()
    first, *_, last = [effect for effect in world.of["sample"] if effect.place == "1"]
    assert (first.most, first.tokens, first.temperature, first.steps) == (last.most, last.tokens, 0.7, last.steps)
    assert world.of["classify"][-1].known == ("1", "2")


@pytest.mark.requirement("E3b")
def test_the_same_class_twice_is_a_fixed_point() -> None:
    """Where most samples give it then."""
    world = World({"sample": then(SPLIT, samples("1", "1", "1", "2")), "decompose": parts("What is a?")})
    result = world.run()
    assert (result.stop_reason, result.short, result.sufficient) == ("fixed_point", "1", True)


@pytest.mark.requirement("E3b", "E3f")
def test_without_a_gain_there_is_no_further_split() -> None:
    """The answer is the most common one, and what contradicts it is kept."""
    world = World({"sample": then(SPLIT, samples("2", "2", "3", "3")), "decompose": parts("What is a?")})
    result = world.run()
    assert (result.stop_reason, result.sufficient, result.tree[0].splits) == ("no_gain", False, 1)
    assert {one.answer for one in result.contradictions} == {"1", "2", "3"} - {result.short}
    assert result.short == "2"


@pytest.mark.requirement("E3g")
def test_a_split_of_no_use_is_tried_with_other_prompts_twice() -> None:
    """Three attempts in all; then there is no other prompt."""
    world = World({"sample": SPLIT, "decompose": parts("How much is IT?")})
    result = world.run("How much is it?")
    assert [effect.attempt for effect in world.of["decompose"]] == [0, 1, 2]
    assert result.stop_reason == "undecided" and result.tree[0].stop == "rebranches"
    assert {one.reason for one in result.tree[0].pruned} == {"repeated"}


@pytest.mark.requirement("E3g")
def test_a_node_that_gained_and_is_not_settled_is_split_again() -> None:
    """With the next prompt, and other questions than those before."""
    rounds = then(samples("1", "2", "3", "4"), samples("2", "2", "1", "1"), samples("1", "1", "1", "1"))
    world = World({"sample": rounds, "decompose": lambda effect: parts(f"What is {effect.attempt}?")})
    result = world.run()
    assert [effect.attempt for effect in world.of["decompose"]] == [0, 1]
    assert world.of["decompose"][1].asked == ("What is 0?",)
    assert result.stop_reason == "agreed" and [one.splits for one in result.tree] == [2, 0, 0]


@pytest.mark.requirement("E3c", "E3d")
def test_what_is_too_much_irrelevant_or_repeated_is_pruned() -> None:
    """Each with its reason; twenty children are never worked on."""
    many = [Part(question=f"What is {n}?", relevance=0.9) for n in range(20)]
    odd = [Part(question="2. What is odd?", relevance=0.1), Part(question="what IS 0?"), Part(question="-  ")]
    world = World({"sample": then(SPLIT, AGREED), "decompose": Parts(parts=(many[0], *odd, *many[1:]))})
    result = world.run()
    reasons = [one.reason for one in result.tree[0].pruned]
    assert reasons == ["irrelevant", "repeated", "repeated", *["over the cap"] * 17]
    assert result.tree[0].pruned[0].question == "What is odd?"
    assert [node.question for node in result.tree[1:]] == ["What is 0?", "What is 1?", "What is 2?"]


@pytest.mark.requirement("E3c")
def test_no_more_branches_than_four_are_worked_on_at_once() -> None:
    """Also where children are split in their turn."""
    world = World(
        {"sample": SPLIT, "decompose": lambda effect: parts(*(f"{effect.place}: what is {n}?" for n in range(5)))},
        tokens=10, children=5, depth=3, loops=20, rebranches=0, branch_tokens=16_000, sample_tokens=8,
    )  # fmt: skip
    result = world.run()
    assert max(world.batches) == 4 and len(result.tree) > 10


@pytest.mark.requirement("E3f")
def test_a_child_that_is_unsure_hands_on_all_its_answers() -> None:
    """Contradictions are kept, not decided by who comes first."""
    left = [SPLIT, AGREED]

    def drawn(effect: Any) -> Samples:
        return left.pop(0) if effect.place == "1" else samples("5", "5", "6", "6")

    world = World({"sample": drawn, "decompose": parts("What is a?")}, depth=1)
    world.run()
    (solved,) = world.of["sample"][-1].solved
    assert (solved.answer, solved.others) == ("5", ("6",))


@pytest.mark.requirement("E3e")
def test_what_the_peer_rejects_is_used_in_no_other_node() -> None:
    """A rejected child is pruned; the second look sees the others alone."""
    world = World(
        {
            "sample": then(SPLIT, AGREED),
            "decompose": parts("What is a?", "What is b?"),
            "review": Reviewed(score=0.9),
            "review 1.1": Reviewed(score=0.1),
        },
        roles={"peer": "other"},
    )
    result = world.run()
    assert [one.question for one in world.of["sample"][-1].solved] == ["What is b?"]
    assert [(one.place, one.reason) for one in result.tree[0].pruned] == [("1.1", "rejected")]
    assert {effect.role for effect in world.of["review"]} == {"peer"}


@pytest.mark.requirement("E3e")
def test_the_next_answer_is_reviewed_where_the_best_is_rejected() -> None:
    """And it is ranked before the rejected one."""
    scores = {"1": 0.05, "2": 0.8}
    world = World(
        {"sample": samples("1", "1", "1", "2"), "review": lambda e: Reviewed(score=scores[e.answer])},
        roles={"peer": "other"},
    )
    result = world.run()
    assert (result.short, result.stop_reason) == ("2", "majority")
    assert [one.verdict for one in result.tree[0].candidates] == ["approved", "reject"]


@pytest.mark.requirement("E3e")
@pytest.mark.parametrize(
    ("score", "reason"),
    [(0.9, "agreed"), (0.6, "agreed"), (0.5, "agreed"), (0.35, "major_revision"), (0.05, "rejected"), (None, "agreed")],
)
def test_the_band_of_the_peers_score_counts(score: float | None, reason: str) -> None:
    """Whatever word the peer used: one that approves with .05 rejects."""
    world = World({"sample": AGREED, "review": Reviewed(score=score, said="approved")}, roles={"peer": "other"})
    result = world.run()
    assert result.stop_reason == reason and result.short == "1"
    assert result.sufficient == (reason == "agreed")


@pytest.mark.requirement("E3e")
def test_the_host_scores_an_answer_by_its_shares_of_the_samples() -> None:
    """The mean of its share of all samples and of that of the latest look, whatever the answer looks like."""
    result = World({"sample": then(SPLIT, samples("2", "2", "2", "1")), "decompose": parts("What is a?")}).run()
    scores = {one.answer: (one.share, one.latest, one.before) for one in result.tree[0].candidates}
    assert scores == {"2": (0.625, 0.75, 0.6875), "1": (0.375, 0.25, 0.3125)}


@pytest.mark.requirement("E3e")
def test_a_peer_that_fails_costs_no_run() -> None:
    """It is recorded as degraded, and the answer as not reviewed."""
    failed = Failure(kind="completion", message="the peer answered prose")
    result = World({"sample": AGREED, "review": failed}, roles={"peer": "other"}).run()
    assert result.stop_reason == "agreed" and result.tree[0].candidates[0].verdict == "not_reviewed"
    assert [one.phase for one in result.degraded] == ["review"]


def test_without_any_answer_the_run_says_so() -> None:
    """Samples that cannot be used are none."""
    result = World({"sample": Samples(unusable=4)}).run()
    assert (result.stop_reason, result.short, result.uncertainty) == ("unanswered", "", None)
    assert result.answer == "?" and not result.sufficient


def test_a_tree_without_levels_or_splits_ends_undecided() -> None:
    """And says which of them was missing."""
    for name in ("depth", "loops"):
        result = World({"sample": SPLIT}, **{name: 0}).run()
        assert (result.stop_reason, result.tree[0].stop) == ("undecided", name)


@pytest.mark.requirement("E3c")
def test_what_does_not_pay_for_two_children_and_another_look_is_not_split() -> None:
    """The tokens of the next look are kept back before anything is split."""
    result = World({"sample": SPLIT}, tokens=1_500, budget={"tokens": 9_000}).run()
    assert (result.stop_reason, result.tree[0].stop, result.tree[0].splits) == ("undecided", "short", 0)


def test_a_look_that_takes_more_than_the_budget_ends_the_run() -> None:
    """What was drawn before is the answer."""
    result = World({"sample": SPLIT}, budget={"tokens": 200}).run()
    assert result.stop_reason == "overspent" and result.short == "1"


def test_classes_that_cannot_be_are_not_believed() -> None:
    """A place that there is not, or too few of them: the answer is in the class of its very words, else alone."""
    world = World({"sample": samples("1", "1", "2", "3"), "classify": Classes(places=(9, 9))}, depth=0)
    assert world.run().tree[0].rounds[0].places == (0, 0, 1, 2)


def test_an_interrupt_ends_the_run_with_what_there_is() -> None:
    """As in any engine."""
    world = World({"sample": AGREED})
    outcome = world._outcome
    world._outcome = lambda effect: outcome(effect).changed(interrupted=True)  # type: ignore[method-assign]
    result = world.run()
    assert (result.stop_reason, result.short) == ("interrupted", "1")


def test_every_row_has_words_for_the_docs() -> None:
    """So that the tables on the page say when each holds."""
    assert all(rule.when for rule in (*BRANCH_TABLE, *TABLE))
    assert {"rejected", "agreed", "fixed_point", "no_gain", "undecided"} <= {rule.reason for rule in TABLE}


def test_places_follow_answers() -> None:
    """The double that these tests use puts equal words together."""
    world = World({"sample": samples("b", "a", "b", "a")}, depth=0)
    assert world.run().tree[0].rounds[0].places == (0, 1, 0, 1) and classes(world.of["classify"][0]).places
