"""Budgets: what may be spent, that it is never exceeded, and that a run stops within one effect of its end."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.kernel.budget import allowance, bound, exhausted, pass_limit
from aeon.kernel.effects import Effect
from aeon.schema import (
    Allowance,
    Budget,
    CallCaps,
    Config,
    Failure,
    Price,
    Questions,
    RefinementLimits,
    Reserve,
    StepResult,
    TaskProfile,
    Usage,
)
from kernel.world import CONVERGED, NOT_YET, WildWorld, World, add, found, step

LEVELS = ("low", "medium", "high")
DEPTHS = st.integers(1, 5)
SHARES = st.floats(0, 0.9)


def maybe(values: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.none() | values


BUDGETS = st.builds(
    Budget, calls=maybe(st.integers(1, 90)), tokens=maybe(st.integers(1, 900_000)),
    seconds=maybe(st.floats(0.5, 90)), cost=maybe(st.floats(0.001, 0.2)),
)  # fmt: skip
CONFIGS = st.builds(
    Config,
    max_passes=st.integers(1, 10), budget=BUDGETS,
    limits=st.builds(RefinementLimits, attempts_per_fragment=st.integers(0, 3), attempts=st.integers(0, 10),
                     plan_steps=st.integers(1, 12), total_steps=st.integers(1, 24)),
    caps=st.builds(CallCaps, **{phase: st.integers(0, 4) for phase in CallCaps.model_fields}),
    reserve=st.builds(Reserve, tokens=SHARES, seconds=SHARES, cost=SHARES),
)  # fmt: skip


PRICES = st.builds(Price, input=st.floats(0, 50), output=st.floats(0, 100))


@pytest.mark.requirement("K12")
@given(config=CONFIGS, random=st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_no_run_exceeds_its_bound_even_if_every_effect_spends_all_it_may(config: Config, random: Random) -> None:
    """Endless issues, blocked steps and refinements, each spending its whole allowance, stay within the bound."""
    world = WildWorld(random, config, greedy=True)
    result = world.run(config)
    most = bound(config)
    assert world.spent.calls <= most.calls
    assert world.spent.tokens <= most.tokens
    assert most.cost is None or world.spent.cost <= most.cost * (1 + 1e-9)
    assert result.bound == most


@pytest.mark.requirement("K12")
@given(config=CONFIGS)
def test_the_bound_is_never_above_a_budget(config: Config) -> None:
    """A budget for calls, tokens or cost caps the bound."""
    most = bound(config)
    assert config.budget.calls is None or most.calls <= config.budget.calls
    assert config.budget.tokens is None or most.tokens <= config.budget.tokens
    assert most.cost is None  # nobody knows what the models cost


@pytest.mark.requirement("K12", "X1", "O4")
@given(config=CONFIGS, prices=st.lists(PRICES, min_size=1, max_size=3))
def test_the_bound_on_the_cost_is_that_of_the_dearest_model(config: Config, prices: list[Price]) -> None:
    """It is what all calls cost at their largest, at most the budget; with one model of unknown price there is none."""
    named: dict[str, Price | None] = {f"model {number}": price for number, price in enumerate(prices)}
    most = bound(config.changed(prices=named))
    largest = Usage(prompt_tokens=most.calls * config.prompt_bytes, generated_tokens=most.calls * config.output_tokens)
    dearest = max(price.of(largest) for price in prices)
    assert most.cost == (dearest if config.budget.cost is None else min(dearest, config.budget.cost))
    assert bound(config.changed(prices={**named, "another": None})).cost is None


@pytest.mark.requirement("K12")
def test_the_bound_counts_every_effect_that_a_run_can_issue() -> None:
    """Preparation once, each step once, four judgments a pass, one more effect a question, and one synthesis."""
    caps = CallCaps(**dict.fromkeys(CallCaps.model_fields, 1))
    config = Config(max_passes=3, caps=caps, limits=RefinementLimits(total_steps=7), questions=Questions(most=5))
    assert bound(config).calls == 4 + 7 + 3 * 4 + 5 + 1
    assert bound(config).tokens == 29 * (config.prompt_bytes + config.output_tokens)


@pytest.mark.requirement("K12", "J2")
def test_the_bound_counts_no_more_passes_than_the_hardest_task_gets() -> None:
    """From seven passes on, which no profile goes beyond, a higher limit does not raise the bound."""
    assert bound(Config(max_passes=6)).calls < bound(Config(max_passes=7)).calls == bound(Config(max_passes=1000)).calls


@pytest.mark.requirement("J2", "K9")
@given(
    depths=st.tuples(DEPTHS, DEPTHS).map(sorted), vague=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted),
    levels=st.tuples(st.integers(0, 2), st.integers(0, 2)).map(sorted), most=st.integers(1, 9),
)  # fmt: skip
def test_a_harder_task_never_gets_fewer_passes_and_none_gets_more_than_the_limit(
    depths: list[int], vague: list[float], levels: list[int], most: int
) -> None:
    """Passes grow with depth, ambiguity and the confidence asked for, between one and the global limit."""
    easy, hard = (
        TaskProfile(reasoning_depth=depth, ambiguity=ambiguity, confidence_requirement=LEVELS[level])  # type: ignore[arg-type]
        for depth, ambiguity, level in zip(depths, vague, levels, strict=True)
    )
    config = Config(max_passes=most)
    assert 1 <= pass_limit(easy, config) <= pass_limit(hard, config) <= most


@pytest.mark.requirement("J2")
def test_depth_ambiguity_and_confidence_each_count() -> None:
    """One pass per tier of depth, one more for an ambiguous task, one more for high confidence."""
    limits = [
        pass_limit(TaskProfile(reasoning_depth=2, ambiguity=a, confidence_requirement=c), Config())
        for a, c in ((0.5, "low"), (0.51, "low"), (0.5, "high"), (0.51, "high"))
    ]
    assert limits == [2, 3, 3, 4]


@pytest.mark.requirement("K12")
@given(
    calls=st.integers(0, 60), tokens=maybe(st.integers(0, 9_999)), cost=maybe(st.floats(0, 1)),
    cap=st.integers(0, 8), shares=st.integers(1, 12),
)  # fmt: skip
def test_a_split_allowance_never_exceeds_the_whole(
    calls: int, tokens: int | None, cost: float | None, cap: int, shares: int
) -> None:
    """Shares add up to no more than the whole, none is above the cap, and earlier ones are served first."""
    parts = Allowance(calls=calls, tokens=tokens, seconds=7, cost=cost).split(shares, cap)
    assert len(parts) == shares
    assert sum(p.calls for p in parts) == min(calls, cap * shares)
    assert [p.calls for p in parts] == sorted((p.calls for p in parts), reverse=True)
    assert tokens is None or sum(p.tokens or 0 for p in parts) <= tokens
    assert cost is None or sum(p.cost or 0 for p in parts) <= cost * (1 + 1e-9)
    assert {p.seconds for p in parts} == {7}


@pytest.mark.requirement("K9", "K12")
@given(config=CONFIGS, calls=st.integers(0, 99), tokens=st.integers(0, 999_999), elapsed=st.floats(0, 99))
def test_an_allowance_never_reaches_into_the_reserve(config: Config, calls: int, tokens: int, elapsed: float) -> None:
    """However much is spent, what an effect may spend leaves the reserve; only the last effect may take it."""
    spent = Usage(calls=calls, prompt_tokens=tokens)
    now = allowance(config.left(bound(config), spent, elapsed), cap=4)
    last = allowance(config.left(bound(config), spent, elapsed, final=True), cap=4)
    assert now.calls == 0 or calls + now.calls + config.caps.synthesize <= bound(config).calls
    if config.budget.tokens is not None and now.tokens:
        assert tokens + now.tokens <= config.budget.tokens * (1 - config.reserve.tokens) + 1e-6
    if config.budget.tokens is not None and last.tokens:
        assert tokens + last.tokens <= config.budget.tokens
    assert (last.calls, last.tokens or 0, last.seconds or 0, last.cost or 0) >= (
        now.calls, now.tokens or 0, now.seconds or 0, now.cost or 0,
    )  # fmt: skip


@pytest.mark.requirement("K9")
def test_an_unlimited_budget_is_never_exhausted() -> None:
    """Without budgets only calls are limited, by the bound."""
    config = Config(budget=Budget(cost=None))
    most = bound(config)
    assert exhausted(config.left(most, Usage(prompt_tokens=10**9, cost=10**6), elapsed=10**6)) is None
    assert exhausted(config.left(most, Usage(calls=most.calls), elapsed=0)) == "calls_exhausted"


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


LENGTH = len((lambda w: (w.run(), w.effects)[1])(long_run(-1, Usage())))
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


@pytest.mark.requirement("K10")
def test_a_pass_cut_short_does_not_count_and_the_answer_rests_on_the_one_before() -> None:
    """Expiry between the execution of pass 2 and its assessment: the answer is that of pass 1, with its scores."""
    world = World(assess=NOT_YET, refine_plan=lambda _, n: add(step(f"more{n}")))
    result = world.run(Config(budget=Budget(tokens=1200)))
    assert world.phases[-3:] == ["execute", "validate_results", "synthesize"]
    assert [p.complete for p in result.history.passes] == [True, False]
    assert (result.stop_reason, result.pass_number, result.passes) == ("tokens_exhausted", 1, 2)
    assert result.assessment == NOT_YET
    assert [s.id for s in world.effects[-1].plan.steps if s.status == "complete"] == ["s1"]  # type: ignore[attr-defined]


@pytest.mark.requirement("K10", "K9")
def test_without_a_complete_pass_the_answer_rests_on_the_partial_one() -> None:
    """What the first pass completed is used, what it did not is abandoned and named."""
    world = World((step("a"), step("b", "a"), step("c", "b")))
    result = world.run(Config(budget=Budget(tokens=660)))
    assert world.phases == ["profile", "plan", "validate_plan", "execute", "execute", "synthesize"]
    assert [s.status for s in world.effects[-1].plan.steps] == ["complete", "complete", "pending"]  # type: ignore[attr-defined]
    assert (result.pass_number, result.abandoned, result.assessment) == (1, ("c",), None)


@pytest.mark.requirement("K10")
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
    world = World((step("a"), step("b")), execute=lambda e, _: spent if e.step.id == "a" else StepResult(output=1))
    result = world.run()
    assert [s.status for s in result.history.passes[0].executed] == ["failed", "complete"]
    assert result.stop_reason == "converged"


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
