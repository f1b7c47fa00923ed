"""Plans change by deltas only: what has run is never edited, and no delta can break a plan."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel.world import plan, step

from aeon.multipass.plans import fresh_id, problems
from aeon.multipass.refine import Attempts, apply
from aeon.schema import (
    Plan,
    RefinementAction,
    RefinementLimits,
    Step,
    ToolLoop,
    fragment,
)

STATUSES = ("pending", "pending", "complete", "complete", "failed", "invalid")
LIMITS = RefinementLimits()


def attempts(**limits: int) -> Attempts:
    return Attempts(RefinementLimits.model_validate(limits))


def act(kind: str, target: str | None, *steps: Step) -> RefinementAction:
    return RefinementAction.model_validate({"type": kind, "target": target, "steps": steps})


def some_plan(random: Random, size: int) -> Plan:
    """A sound plan, in any state."""
    ids = [random.choice((f"s{n}", f"s{n}_r1", "x" * 50 + str(n))) for n in range(size)]
    steps = []
    for n, i in enumerate(ids):
        needs = random.sample(ids[:n], random.randint(0, min(n, 2)))
        status = random.choice(STATUSES)
        steps.append(step(i, *needs, status=status, output="o", depth=random.choice((0, 0, 5))))
    random.shuffle(steps)
    return plan(*steps)


def some_action(random: Random, now: Plan) -> RefinementAction:
    """Any delta, sound or not."""
    ids = [s.id for s in now.steps]
    target = random.choice([*ids, *ids, None, "nowhere", "plan"])
    names = ["new1", "new2", "new3", *ids]
    steps = []
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        name = target if random.random() < 0.4 and target else random.choice(names)
        needs = random.sample([*names, "nowhere"], random.choice((0, 0, 1, 2)))
        status = "complete" if random.random() < 0.1 else "pending"
        same = now.find(name) if random.random() < 0.2 else None
        depth = random.choice((0, 0, 0, 5, 6))
        steps.append(same or step(name, *needs, status=status, description=random.choice("pqr"), depth=depth))
    return act(random.choice(("ADD", "MODIFY", "REMOVE", "REPLACE")), target, *steps)


def content(one: Step) -> dict[str, object]:
    """All of a step but its place in the plan and its status."""
    return one.model_dump(exclude={"index", "total", "status"})


@pytest.mark.requirement("K7", "K8")
@given(random=st.randoms(use_true_random=False), size=st.integers(1, 8))
@settings(max_examples=400, deadline=None)
def test_refinement_keeps_its_invariants_for_any_plan_and_any_deltas(random: Random, size: int) -> None:
    """Plans stay sound and within limits, what has run stays as it ran, and each delta is applied or refused."""
    before = some_plan(random, size)
    used = attempts(total_steps=random.choice((8, 10, 24)))
    for _ in range(4):
        actions = [some_action(random, before) for _ in range(random.randint(0, 4))]
        after, applied, rejected = apply(before, actions, used)
        assert problems(after, used.limits.total_steps, used.limits.subplan_depth) == ()
        for old in (s for s in before.steps if s.executed):
            new = after.find(old.id)
            assert new is not None, "a step that has run was removed"
            assert content(new) == content(old)
            assert new.status == old.status or (old.status, new.status) == ("complete", "invalid")
        assert all(s.status == "pending" for s in after.steps if before.find(s.id) is None)
        assert sorted(map(repr, [*applied, *(r.action for r in rejected)])) == sorted(map(repr, actions))
        assert all(r.reason for r in rejected)
        assert [s.index for s in after.steps] == list(range(1, len(after.steps) + 1)) or after == before
        assert used.used.total() <= used.limits.attempts
        assert all(n <= used.limits.attempts_per_fragment for n in used.used.values())
        assert applied or after == before
        before = after


@pytest.mark.requirement("K7")
@given(random=st.randoms(use_true_random=False), size=st.integers(1, 8))
@settings(max_examples=200, deadline=None)
def test_no_pending_step_waits_for_one_that_a_refinement_invalidated(random: Random, size: int) -> None:
    """Whatever was waiting for a contradicted step waits for what stands in for it."""
    before = some_plan(random, size)
    target = random.choice(before.steps)
    after, applied, _ = apply(before, [act("REPLACE", target.id, step("new1"))], attempts())
    if applied:
        newly = {s.id for s in after.steps if s.status == "invalid" and before.find(s.id) != s}
        newly -= {s.id for s in before.steps if s.status == "invalid"}
        assert not any(newly & set(s.dependencies) for s in after.steps if s.status in ("pending", "complete"))


@pytest.mark.requirement("K7")
def test_add_puts_steps_behind_their_target_or_at_the_end() -> None:
    """The new numbering follows the new order."""
    after, *_ = apply(plan(step("a"), step("b")), [act("ADD", "a", step("m")), act("ADD", None, step("z"))], attempts())
    assert [(s.id, s.index, s.total) for s in after.steps] == [("a", 1, 4), ("m", 2, 4), ("b", 3, 4), ("z", 4, 4)]


@pytest.mark.requirement("K7")
def test_modify_changes_a_pending_step_and_keeps_its_id() -> None:
    """Its place in the plan stays the same."""
    after, *_ = apply(plan(step("a"), step("b")), [act("MODIFY", "a", step("a", description="do more"))], attempts())
    assert [(s.id, s.description) for s in after.steps] == [("a", "do more"), ("b", "do b")]


@pytest.mark.requirement("K7")
def test_remove_takes_a_step_that_nothing_depends_on() -> None:
    """A step that others build on stays."""
    before = plan(step("a"), step("b", "a"))
    after, _, rejected = apply(before, [act("REMOVE", "a"), act("REMOVE", "b")], attempts())
    assert [s.id for s in after.steps] == ["a"]
    assert rejected[0].reason == "step 'b' depends on 'a', which does not exist"


@pytest.mark.requirement("K7")
def test_replacing_a_pending_step_hands_its_dependents_to_the_last_new_step() -> None:
    """The dependents wait for the end of the fragment that took its place."""
    before = plan(step("a"), step("b", "a"), step("c", "b"))
    after, *_ = apply(before, [act("REPLACE", "b", step("b1", "a"), step("b2", "b1"))], attempts())
    assert [(s.id, s.dependencies) for s in after.steps] == [("a", ()), ("b1", ("a",)), ("b2", ("b1",)), ("c", ("b2",))]


@pytest.mark.requirement("K7", "K8")
def test_replacing_a_complete_step_invalidates_it_and_redoes_what_was_built_on_it() -> None:
    """The old outputs stay in the plan as invalid; new versions, pending, build on the replacement."""
    done = {"status": "complete", "output": 1}
    before = plan(step("a", **done), step("b", "a", **done), step("c", "b"), step("d", **done))
    after, *_ = apply(before, [act("REPLACE", "a", step("a_r1", description="do it right"))], attempts())
    assert {s.id: (s.status, s.dependencies) for s in after.steps} == {
        "a": ("invalid", ()), "a_r1": ("pending", ()), "b": ("invalid", ("a",)), "b_r1": ("pending", ("a_r1",)),
        "c": ("pending", ("b_r1",)), "d": ("complete", ()),
    }  # fmt: skip
    assert after.find("a").output == 1  # type: ignore[union-attr]
    assert after.find("b_r1").output is None  # type: ignore[union-attr]


@pytest.mark.requirement("K7", "K8")
@pytest.mark.parametrize("status", ["failed", "invalid"])
def test_replacing_a_step_that_went_wrong_keeps_it_as_it_was(status: str) -> None:
    """Only its dependents move to the replacement."""
    before = plan(step("a", status=status, problem="no"), step("b", "a"))
    after, *_ = apply(before, [act("REPLACE", "a", step("a_r1"))], attempts())
    assert [(s.id, s.status, s.dependencies) for s in after.steps] == [
        ("a", status, ()), ("a_r1", "pending", ()), ("b", "pending", ("a_r1",)),
    ]  # fmt: skip


@pytest.mark.requirement("K7")
def test_the_whole_plan_is_replaced_only_by_an_explicit_recorded_delta() -> None:
    """What has run stays, all that has not is replaced, and the delta stands in the record."""
    before = plan(step("a", status="complete"), step("b", "a"), step("c"))
    action = act("REPLACE", None, step("n", "a"))
    after, applied, _ = apply(before, [action], attempts())
    assert [s.id for s in after.steps] == ["a", "n"]
    assert applied == (action,)


DONE = step("done", status="complete")


@pytest.mark.requirement("K7", "K8")
@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (act("MODIFY", "nowhere", step("nowhere")), "there is no such step"),
        (act("MODIFY", "done", step("done", description="x")), "that step has run"),
        (act("REMOVE", "done"), "that step has run"),
        (act("REMOVE", None), "that step has run"),
        (act("REMOVE", "b", step("x")), "only REMOVE"),
        (act("ADD", "b"), "only REMOVE"),
        (act("MODIFY", "b", step("x")), "keeps the step's id"),
        (act("ADD", None, step("x", status="complete")), "cannot have run"),
        (act("MODIFY", "b", step("b", "done")), "changes nothing"),
        (act("REPLACE", "b", step("x", "done", description="do b")), "changes nothing"),
        (act("ADD", None, step("b")), "is used 2 times"),
        (act("ADD", None, step("x", "nowhere")), "which does not exist"),
        (act("MODIFY", "b", step("b", "c")), "in a circle"),
        (act("ADD", None, *(step(f"x{n}") for n in range(22))), "at most 24 are allowed"),
    ],
)
def test_a_delta_that_would_break_the_plan_is_refused_with_its_reason(action: RefinementAction, reason: str) -> None:
    """The plan stays as it is, and the record keeps the delta and why it was refused."""
    before = plan(DONE, step("b", "done"), step("c", "b"))
    after, _, rejected = apply(before, [action], attempts())
    assert after == before
    assert rejected[0].action == action
    assert reason in rejected[0].reason


@pytest.mark.requirement("K7")
def test_a_refinement_cannot_empty_a_plan() -> None:
    """The last step stays."""
    after, _, rejected = apply(plan(step("a")), [act("REMOVE", "a")], attempts())
    assert [s.id for s in after.steps] == ["a"]
    assert rejected[0].reason == "the plan has no steps"


@pytest.mark.requirement("K7")
def test_replacing_the_whole_plan_by_itself_changes_nothing() -> None:
    """A refinement that changes nothing is no refinement."""
    before = plan(step("a"), step("b", "a"))
    _, applied, _ = apply(before, [act("REPLACE", None, *before.steps)], attempts())
    assert applied == ()


@pytest.mark.requirement("K7")
def test_a_step_with_the_longest_id_can_be_redone() -> None:
    """The version of a step whose id is as long as ids may be is refused or made, but nothing is raised."""
    done = {"status": "complete"}
    apply(plan(step("a", **done), step("x" * 64, "a", **done)), [act("REPLACE", "a", step("n"))], attempts())


@pytest.mark.requirement("K7")
@pytest.mark.parametrize("change", [{"incoming_context": "s0"}, {"action": ToolLoop()}])
def test_a_change_of_the_action_is_a_change(change: dict[str, object]) -> None:
    """Only a step that does the same work as before counts as no change."""
    _, applied, _ = apply(plan(step("a")), [act("MODIFY", "a", step("a", **change))], attempts())
    assert bool(applied) == ("action" in change)


@pytest.mark.requirement("K8")
def test_a_fragment_has_three_attempts_over_all_its_versions() -> None:
    """Refused deltas that were tried count; the fourth is refused for the limit alone."""
    used = attempts()
    now = plan(step("s2"), step("z"))
    for n in range(3):
        name = "s2" if n == 0 else f"s2_r{n}"
        now, applied, _ = apply(now, [act("REPLACE", name, step(f"s2_r{n + 1}", description=f"try {n}"))], used)
        assert applied
    after, _, rejected = apply(now, [act("MODIFY", "s2_r3", step("s2_r3", description="try 4"))], used)
    assert after == now
    assert rejected[0].reason == "its refinement attempts are used up"
    assert apply(now, [act("MODIFY", "z", step("z", description="other"))], used)[1]


@pytest.mark.requirement("K8")
def test_a_run_has_ten_attempts() -> None:
    """The eleventh is refused whatever it targets."""
    now, used = plan(*(step(f"s{n}") for n in range(12))), attempts()
    changes = [act("MODIFY", f"s{n}", step(f"s{n}", description="other")) for n in range(12)]
    _, applied, rejected = apply(now, changes, used)
    assert (len(applied), len(rejected)) == (10, 2)


@pytest.mark.requirement("K8")
def test_a_tried_delta_that_was_refused_costs_an_attempt() -> None:
    """A planner that keeps proposing circles runs out of attempts."""
    used = attempts(attempts_per_fragment=2)
    circle = act("MODIFY", "a", step("a", "b"))
    before = plan(step("a"), step("b", "a"))
    _, _, rejected = apply(before, [circle, circle, circle], used)
    assert [r.reason.split(":")[0] for r in rejected] == [
        "these steps depend on each other in a circle", "these steps depend on each other in a circle",
        "its refinement attempts are used up",
    ]  # fmt: skip


@pytest.mark.requirement("K8")
def test_a_replacement_by_several_steps_nests_one_deeper_and_the_sixth_level_is_refused() -> None:
    """The depth follows from what a delta does to the plan; five levels are the limit."""
    now, used = plan(step("a")), attempts(attempts=99, attempts_per_fragment=99)
    target = "a"
    for level in range(1, 6):
        ids = (f"l{level}", f"m{level}")
        now, applied, _ = apply(now, [act("REPLACE", target, *map(step, ids))], used)
        assert applied and [now.find(i).depth for i in ids] == [level, level]  # type: ignore[union-attr]
        target = ids[0]
    after, _, rejected = apply(now, [act("REPLACE", target, step("l6"), step("m6"))], used)
    assert after == now and rejected[0].reason == "subplans are nested deeper than 5"


@pytest.mark.requirement("K8")
@pytest.mark.parametrize(
    ("action", "depth"),
    [
        (act("REPLACE", "b", step("n", depth=5)), 2),
        (act("REPLACE", "b", step("n", depth=5), step("m")), 3),
        (act("ADD", "b", step("n", depth=5), step("m")), 2),
        (act("MODIFY", "b", step("b", description="other", depth=5)), 2),
        (act("ADD", None, step("n", depth=5)), 0),
        (act("REPLACE", None, step("n", depth=5)), 0),
    ],
    ids=["one for one", "several for one", "beside", "modified", "at the end", "the whole plan"],
)
def test_nobody_states_the_depth_of_a_step(action: RefinementAction, depth: int) -> None:
    """Whatever depth a delta's steps claim, it is that of their place: their target's, or one more for a subplan."""
    after, applied, _ = apply(plan(step("a"), step("b", depth=2)), [action], attempts())
    assert applied
    assert {after.find(one.id).depth for one in action.steps} == {depth}  # type: ignore[union-attr]


@pytest.mark.requirement("K8")
def test_versions_of_a_step_are_one_fragment() -> None:
    """The id without its version names the fragment."""
    assert [fragment(i) for i in ("s2", "s2_r1", "s2_r12", "s2_rx")] == ["s2", "s2", "s2", "s2_rx"]
    assert fresh_id(plan(step("s2"), step("s2_r1")), "s2_r1") == "s2_r2"
    assert LIMITS.attempts_per_fragment == 3
