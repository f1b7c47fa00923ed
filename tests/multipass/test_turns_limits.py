"""The tool loop at its limits: bounds, budgets and interrupts at every boundary, and what stays on record."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel.world import WildWorld, World, calls, looped, step

from aeon.kernel.passes import MULTIPASS
from aeon.multipass.plans import is_by_programs
from aeon.schema import (
    NOTHING,
    Bound,
    Budget,
    CallCaps,
    Config,
    Plan,
    Price,
    Questions,
    RefinementLimits,
    Reserve,
    Result,
    TaskProfile,
    Turn,
    Usage,
)
from aeon.schema.effects import Effect

PLANNED = TaskProfile(reasoning_depth=5, ambiguity=0, expected_step_count=4, form="tools")


class Loops(WildWorld):
    """A greedy world whose plans are steps with tools beside plain ones, all at once."""

    def say_profile(self, effect: Effect) -> TaskProfile:
        """Form tools, and a plan."""
        return PLANNED

    def say_plan(self, effect: Effect) -> Plan:
        """Some of both kinds, mostly side by side."""
        kinds = [self.random.choice((looped, looped, step)) for _ in range(self.random.randint(1, 5))]
        before = [(f"s{n - 1}",) if n and self.random.random() < 0.2 else () for n in range(len(kinds))]
        return Plan(steps=tuple(kind(f"s{n}", *before[n]) for n, kind in enumerate(kinds)))

    def say_turn(self, effect: Effect) -> Turn:
        """Calls, until it must answer, some that cannot be made, so that the next turn follows at once; then a text."""
        if effect.last:  # type: ignore[attr-defined]
            return super().say_turn(effect)
        wrong = self.random.choice(("", "no such tool"))
        made = calls(effect, "look", "count").calls
        return Turn(calls=tuple(one.changed(problem=wrong) for one in made))


CONFIGS = st.builds(
    Config, max_passes=st.integers(1, 5),
    budget=st.builds(
        Budget, calls=st.none() | st.integers(5, 60), tokens=st.none() | st.integers(1_000, 200_000),
        cost=st.none() | st.floats(0.001, 0.5),
    ),
    prompt_bytes=st.integers(1_000, 4_000), output_tokens=st.integers(64, 300),
    prices=st.dictionaries(st.just("one"), st.builds(Price, input=st.floats(0, 50), output=st.floats(0, 100))),
    limits=st.builds(
        RefinementLimits, turns=st.integers(1, 40), turns_per_step=st.integers(1, 9), calls_per_turn=st.integers(1, 3)
    ),
    caps=st.builds(CallCaps, **{phase: st.integers(0, 4) for phase in CallCaps.model_fields}),
    reserve=st.builds(Reserve, tokens=st.floats(0, 0.9), cost=st.floats(0, 0.9)),
    questions=st.builds(Questions, most=st.integers(0, 3)),
)  # fmt: skip


def shared(world: World, config: Config, most: Bound) -> None:
    """What the effects of each batch may spend together is what was left, but for the reserve."""
    before, outcomes = Usage(), iter(world.outcomes)
    for batch in world.batches:
        asking = [effect.allowance for effect in batch.effects if effect.allowance.calls]
        final = batch.effects[0].phase == "synthesize"
        assert sum(one.calls for one in asking) <= most.calls - before.calls
        if config.budget.tokens is not None and not final:
            free = int(config.budget.tokens * (1 - config.reserve.tokens * bool(config.caps.synthesize)))
            assert sum(one.tokens or 0 for one in asking) <= max(0, free - before.tokens)
        before += sum((outcome.usage for outcome in islice(outcomes, len(batch.effects))), Usage())


@pytest.mark.requirement("K12", "L1")
@given(config=CONFIGS, random=st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_steps_side_by_side_share_what_is_left(config: Config, random: Random) -> None:
    """Turns that each spend all they may stay within the bound together, also beside plain steps."""
    world = Loops(random, config, greedy=True)
    world.run(config)
    most = MULTIPASS.bound(config)
    assert world.spent.calls <= most.calls and world.spent.tokens <= most.tokens
    assert most.cost is None or world.spent.cost <= most.cost * (1 + 1e-9)
    turns = world.of("turn")
    texts = [effect for effect in turns if is_by_programs(effect.step)]  # type: ignore[attr-defined]
    assert len(turns) - len(texts) <= config.limits.turns and len(texts) <= config.limits.total_steps
    shared(world, config, most)
    for batch in world.batches:
        made = [effect.step for effect in batch.effects if effect.phase == "use_tool"]  # type: ignore[attr-defined]
        assert all(made.count(name) <= config.limits.calls_per_turn for name in made)
    done = {(effect.step.id, len(effect.exchanges)) for effect in turns}  # type: ignore[attr-defined]
    assert all(number < config.limits.turns_per_step * config.max_passes for _, number in done)


@pytest.mark.requirement("K12", "L1")
def test_each_of_several_loops_has_a_last_turn() -> None:
    """However few turns there are for all of them, as long as there is one for each."""
    for most in range(3, 12):
        world = World(
            [looped("a"), looped("b"), looped("c")], profile=PLANNED,
            turn=lambda e, _: Turn(text="7") if e.last else calls(e, "look"),
        )  # fmt: skip
        result = world.run(Config(limits=RefinementLimits(turns=most)))
        assert {s.status for s in result.history.passes[0].executed} == {"complete"}
        assert len(world.of("turn")) <= most


def two_loops(cost_after: int = -1, cost: Usage = NOTHING, seconds: float = 0.0) -> World:
    """A step that looks twice, then a plain one; effect number ``cost_after`` (from 0) alone costs something."""
    world = World(
        [looped("s1"), step("b", "s1")], profile=PLANNED, seconds=0.0,
        turn=lambda e, _: Turn(text="it is 7") if len(e.exchanges) == 2 else calls(e, "look", "count"),
    )  # fmt: skip
    world.cost = lambda effect: cost if len(world.effects) == cost_after else NOTHING
    world.takes = lambda wave: seconds if cost_after in wave else 0.0  # type: ignore[method-assign]
    return world


def length() -> int:
    """How many effects such a run has."""
    world = two_loops()
    world.run()
    return len(world.effects)


LENGTH = length()
KINDS = {
    "calls": (Budget(calls=20), Usage(calls=17), 0.0),
    "tokens": (Budget(tokens=1000), Usage(prompt_tokens=700, generated_tokens=50), 0.0),
    "seconds": (Budget(seconds=10), Usage(), 8.0),
    "cost": (Budget(cost=1.0), Usage(cost=0.9), 0.0),
}


def labelled(world: World, result: Result, after: int) -> None:
    """Nothing but synthesis follows that effect; what is pending is named, and what was found so far is there."""
    ended = world.end_of_batch(after)
    assert world.phases[ended:] == ["synthesize"]
    plan = world.effects[-1].plan  # type: ignore[attr-defined]
    assert result.abandoned == tuple(s.id for s in plan.steps if s.status == "pending")
    heard = [one.value for one in world.outcomes[:ended] if one.value is not None]
    found = [one.id for one in heard if type(one).__name__ == "ToolUse"]
    assert [use.id for s in plan.steps if s.id == "s1" for use in s.uses] == found
    assert result.answer == "the answer" and not result.sufficient


@pytest.mark.requirement("K9", "K10", "K13", "L1")
@pytest.mark.parametrize("after", range(LENGTH - 2))
@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_that_runs_out_in_a_loop_ends_it_there(kind: str, after: int) -> None:
    """At whichever boundary; the answer is made with the reserve, of what the tools gave until then."""
    budget, cost, seconds = KINDS[kind]
    world = two_loops(after, cost, seconds)
    result = world.run(Config(budget=budget))
    assert result.stop_reason == f"{kind}_exhausted"
    labelled(world, result, after)


@pytest.mark.requirement("K9", "K13", "L1")
@pytest.mark.parametrize("after", range(LENGTH - 2))
def test_an_interrupt_in_a_loop_ends_it_there(after: int) -> None:
    """After the effects that were under way nothing but synthesis follows, with what they gave."""
    world = two_loops()
    world.interrupted_at = after
    result = world.run()
    assert result.stop_reason == "interrupted"
    labelled(world, result, after)


@pytest.mark.requirement("H1", "L1")
@given(random=st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_a_result_with_turns_is_read_back_as_it_was(random: Random) -> None:
    """The calls, what came of them and what the answer cites are in the history, through JSON and back."""
    config = Config(max_passes=3, form="tools")
    world = WildWorld(random, config)
    result = world.run(config)
    assert Result.model_validate_json(result.model_dump_json()) == result
    given_uses = {outcome.value.id for outcome in world.outcomes if type(outcome.value).__name__ == "ToolUse"}  # type: ignore[union-attr]
    for record in result.history.passes:
        for one in record.executed:
            made = {use.id for use in one.uses if use.problem != "no such tool" and "not made" not in use.problem}
            failed = {use.id for use in one.uses if use.problem}
            assert made - failed <= given_uses
