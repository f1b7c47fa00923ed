"""Budgets of multi-pass runs: a run stops within one effect of the end of one, and its answer rests on whole passes."""

from __future__ import annotations

import pytest
from kernel.world import CONVERGED, NOT_YET, World, add, found, step

from aeon.schema import Budget, Config, Failure, StepResult, Usage
from aeon.schema.effects import Effect


def long_run(cost_after: int, cost: Usage, seconds: float = 0.0) -> World:
    """Four refined passes of two steps each; effect number ``cost_after`` (from 0) alone costs something."""
    world = World(
        (step("a"), step("b", "a")), seconds=0.0, validate_plan=found("plan"), validate_results=found("answer"),
        refine_plan=lambda _, n: add(step(f"more{n}")), assess=lambda _, n: CONVERGED if n == 2 else NOT_YET,
    )  # fmt: skip
    world.cost = lambda effect: cost if len(world.effects) == cost_after else Usage()
    if seconds:
        world.takes = lambda wave: seconds if cost_after in wave else 0.0  # type: ignore[method-assign]
    return world


def length(world: World) -> int:
    """How many effects its run has."""
    world.run()
    return len(world.effects)


LENGTH = length(long_run(-1, Usage()))
KINDS = {
    "calls": (Budget(calls=20), Usage(calls=17), 0.0),
    "tokens": (Budget(tokens=1000), Usage(prompt_tokens=700, generated_tokens=50), 0.0),
    "seconds": (Budget(seconds=10), Usage(), 8.0),
    "cost": (Budget(cost=1.0), Usage(cost=0.9), 0.0),
}


@pytest.mark.requirement("K9", "K10", "K13")
@pytest.mark.parametrize("after", range(LENGTH - 1))
@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_that_runs_out_at_any_boundary_ends_the_run_there(kind: str, after: int) -> None:
    """No effect but synthesis follows; it gets the reserve; the result is labelled and names what was abandoned."""
    budget, cost, seconds = KINDS[kind]
    config = Config(budget=budget)
    world = long_run(after, cost, seconds)
    result = world.run(config)
    ended = world.end_of_batch(after)
    assert world.phases[ended:] == ["synthesize"]
    last: Effect = world.effects[-1]
    assert getattr(last.allowance, kind) == pytest.approx({"calls": 3, "tokens": 250, "seconds": 2, "cost": 0.1}[kind])
    finished = world.phases[:ended].count("assess")
    expected = "converged" if finished == 3 else f"{kind}_exhausted"
    assert result.stop_reason == expected
    executed = {s.id for p in result.history.passes for s in p.executed}
    planned = {s.id for s in last.plan.steps}  # type: ignore[attr-defined]
    assert set(result.abandoned) >= (planned - executed)
    assert not set(result.abandoned) & executed


GROWING = {"assess": NOT_YET, "refine_plan": lambda _, n: add(step(f"more{n}"))}


@pytest.mark.requirement("K10")
@pytest.mark.parametrize(("tokens", "last"), [(1200, "execute"), (1300, "validate_results")])
def test_a_pass_that_ends_at_a_boundary_after_its_execute_phase_counts(tokens: int, last: str) -> None:
    """What pass 2 executed is in the answer, though it was not assessed any more; the scores are those of pass 1."""
    world = World(**GROWING)  # type: ignore[arg-type]
    result = world.run(Config(budget=Budget(tokens=tokens)))
    assert world.phases[-2:] == [last, "synthesize"]
    assert [p.complete for p in result.history.passes] == [True, True]
    assert (result.stop_reason, result.pass_number, result.passes) == ("tokens_exhausted", 2, 2)
    assert result.assessment == NOT_YET and result.history.passes[1].assessment is None
    done = [s.id for s in world.effects[-1].plan.steps if s.status == "complete"]  # type: ignore[attr-defined]
    assert done == ["s1", "more0"]


@pytest.mark.requirement("K10", "K10a")
def test_a_pass_that_is_cut_short_in_its_execute_phase_does_not_count() -> None:
    """Between two waves of pass 2 the budget ends: the answer is that of pass 1, with its scores."""
    world = World(assess=NOT_YET, refine_plan=add(step("b"), step("c", "b")))
    world.cost = lambda effect: Usage(prompt_tokens=700 if effect.subject.startswith("step b") else 0)
    result = world.run(Config(budget=Budget(tokens=850)))
    assert world.waves == [["s1"], ["b"]]
    assert [p.complete for p in result.history.passes] == [True, False]
    assert (result.stop_reason, result.pass_number, result.passes) == ("tokens_exhausted", 1, 2)
    assert result.assessment == NOT_YET
    assert [s.id for s in world.effects[-1].plan.steps if s.status == "complete"] == ["s1"]  # type: ignore[attr-defined]


@pytest.mark.requirement("K10", "K10a", "K9")
def test_without_a_complete_pass_the_answer_rests_on_the_partial_one() -> None:
    """What the first pass completed is used, what it did not is abandoned and named."""
    world = World((step("a"), step("b", "a"), step("c", "b")))
    result = world.run(Config(budget=Budget(tokens=660)))
    assert world.phases == ["profile", "plan", "validate_plan", "execute", "execute", "synthesize"]
    assert [s.status for s in world.effects[-1].plan.steps] == ["complete", "complete", "pending"]  # type: ignore[attr-defined]
    assert (result.pass_number, result.abandoned, result.assessment) == (1, ("c",), None)


@pytest.mark.requirement("K10", "K10a")
def test_an_expired_ttl_is_labelled_with_scores_codes_and_pass_number() -> None:
    """The last pass counts as complete, and the result shows how far it came."""
    world = World(assess=NOT_YET, refine_plan=lambda _, n: add(step(f"more{n}")))
    result = world.run(Config(max_passes=2))
    assert (result.stop_reason, result.pass_number, result.assessment) == ("ttl_expired", 2, NOT_YET)
    assert all(p.complete for p in result.history.passes)


@pytest.mark.requirement("K9", "K13")
@pytest.mark.parametrize("after", range(LENGTH - 1))
def test_an_interrupt_at_any_boundary_ends_the_run_there(after: int) -> None:
    """After the effect that was under way nothing but synthesis follows."""
    world = long_run(-1, Usage())
    world.interrupted_at = after
    result = world.run()
    assert world.phases[world.end_of_batch(after) :] == ["synthesize"]
    assert result.stop_reason == "interrupted"
    assert result.answer == "the answer"


@pytest.mark.requirement("K9", "K13")
@pytest.mark.parametrize("limit", ["tokens", "seconds", "cost"])
def test_an_effect_that_a_budget_refused_ends_the_run_and_leaves_its_step_pending(limit: str) -> None:
    """A step that could not be afforded is abandoned, not failed."""
    world = World(execute=Failure(kind="allowance", limit=limit, message="too dear"))  # type: ignore[arg-type]
    result = world.run()
    assert (result.stop_reason, result.abandoned) == (f"{limit}_exhausted", ("s1",))
    assert result.history.passes[0].executed == ()


@pytest.mark.requirement("K9", "K12")
def test_a_step_that_used_up_its_own_calls_fails_and_the_run_goes_on() -> None:
    """The cap of one effect is no budget of the run."""
    spent = Failure(kind="allowance", limit="calls", message="all 4 calls are used")
    world = World((step("a"), step("b")), execute=lambda e, _: spent if e.step.id == "a" else DONE)
    result = world.run()
    assert [s.status for s in result.history.passes[0].executed] == ["failed", "complete"]
    assert result.stop_reason == "converged"


DONE = StepResult(output=1, mode="tool")
REFUSED = Failure(kind="allowance", limit="tokens", message="too dear")
BROKEN_OFF = Failure(kind="interrupted", message="broken off")


@pytest.mark.requirement("K10")
@pytest.mark.parametrize("cut", [REFUSED, BROKEN_OFF])
@pytest.mark.parametrize("phase", ["execute", "validate_results", "assess"])
def test_a_pass_whose_phase_was_cut_off_does_not_count(phase: str, cut: Failure) -> None:
    """Where a budget or an interrupt cuts a phase off in its middle, the pass is not complete."""
    world = World(assess=NOT_YET)

    def reply(effect: Effect, n: int) -> object:
        if cut is BROKEN_OFF:
            world.interrupted_at = len(world.effects)
        return cut

    world.replies[phase] = reply  # type: ignore[assignment]
    result = world.run()
    assert [p.complete for p in result.history.passes] == [False]
    assert result.stop_reason == ("tokens_exhausted" if cut is REFUSED else "interrupted")
