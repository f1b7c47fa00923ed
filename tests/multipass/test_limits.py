"""What follows from configuration and profile before a run spends anything: its bound, its passes, its plan's size."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel.world import NOT_YET, WildWorld, World, add, found, looped, step

from aeon.kernel.passes import MULTIPASS
from aeon.multipass.limits import limits_for, pass_limit
from aeon.schema import (
    Budget,
    CallCaps,
    Config,
    Price,
    Questions,
    RefinementLimits,
    Reserve,
    Step,
    TaskProfile,
    Usage,
)

SHARES = st.floats(0, 0.9)


def maybe(values: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.none() | values


BUDGETS = st.builds(
    Budget, calls=maybe(st.integers(1, 90)), tokens=maybe(st.integers(1, 900_000)),
    seconds=maybe(st.floats(0.5, 90)), cost=maybe(st.floats(0.001, 0.2)),
)  # fmt: skip
LIMITS = st.builds(
    RefinementLimits, attempts_per_fragment=st.integers(0, 3), attempts=st.integers(0, 10),
    plan_steps=st.integers(1, 12), total_steps=st.integers(1, 24), turns=st.integers(1, 40),
    turns_per_step=st.integers(1, 12), calls_per_turn=st.integers(1, 4),
)  # fmt: skip
PRICES = st.builds(Price, input=st.floats(0, 50), output=st.floats(0, 100))
CONFIGS = st.builds(
    Config, max_passes=st.integers(1, 10), budget=BUDGETS, limits=LIMITS,
    prices=st.dictionaries(st.sampled_from(("one", "two")), PRICES),
    caps=st.builds(CallCaps, **{phase: st.integers(0, 4) for phase in CallCaps.model_fields}),
    reserve=st.builds(Reserve, tokens=SHARES, seconds=SHARES, cost=SHARES),
    questions=st.builds(Questions, most=st.integers(0, 3)),
)  # fmt: skip


@pytest.mark.requirement("K12")
@given(config=CONFIGS, random=st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_no_run_exceeds_its_bound_even_if_every_effect_spends_all_it_may(config: Config, random: Random) -> None:
    """Endless issues, blocked steps and refinements, each spending its whole allowance, stay within the bound."""
    world = WildWorld(random, config, greedy=True)
    result = world.run(config)
    most = MULTIPASS.bound(config)
    assert world.spent.calls <= most.calls
    assert world.spent.tokens <= most.tokens
    assert most.cost is None or world.spent.cost <= most.cost * (1 + 1e-9)
    assert result.bound == most


@pytest.mark.requirement("K12", "X1")
@pytest.mark.parametrize(("made", "phase"), [(step, "execute"), (looped, "turn")])
def test_the_bound_is_enough_for_steps_of_each_form(made: Callable[..., Step], phase: str) -> None:
    """Each gets all the calls of its phase, though those before it spent all that they may: it is not counted twice."""
    caps = CallCaps(**{**dict.fromkeys(CallCaps.model_fields, 0), phase: 2})
    limits = RefinementLimits(total_steps=3, plan_steps=3, turns=3, rounds=3)
    config = Config(max_passes=1, caps=caps, limits=limits, questions=Questions(most=0))
    world = World([made(f"s{n}") for n in range(3)], lambda effect: Usage(calls=effect.allowance.calls))
    result = world.run(config)
    assert [effect.allowance.calls for effect in world.of(phase)] == [2, 2, 2]
    assert 6 <= result.usage.calls <= result.bound.calls


@pytest.mark.requirement("K12")
def test_the_bound_counts_every_effect_that_a_run_can_issue() -> None:
    """Preparation once, each step, turn and round once, five judgments a pass, one effect more a question."""
    caps = CallCaps(**dict.fromkeys(CallCaps.model_fields, 1))
    limits = RefinementLimits(total_steps=7, turns=9, rounds=2)
    config = Config(max_passes=3, caps=caps, limits=limits, questions=Questions(most=5))
    bound = MULTIPASS.bound(config)
    assert bound.calls == 5 + 5 + 7 + 9 + 2 * 5 + 3 * 5 + 1
    assert bound.tokens == 52 * (config.prompt_bytes + config.generated_tokens)


@pytest.mark.requirement("K12", "J2")
def test_a_limit_on_passes_above_the_usual_ten_gives_more_of_them() -> None:
    """The hardest task gets as many as are allowed, and the bound counts them."""
    hardest = TaskProfile(
        reasoning_depth=5, ambiguity=1, information_sufficiency=0, dependency_complexity="high",
        expected_step_count=50, expected_tool_usage="extensive", output_breadth="broad", confidence_requirement="high",
    )  # fmt: skip
    assert [pass_limit(hardest, Config(max_passes=most)) for most in (3, 10, 11, 30)] == [3, 10, 11, 30]
    calls = [MULTIPASS.bound(Config(max_passes=most)).calls for most in (10, 11, 30)]
    assert calls == sorted(set(calls))
    limits = RefinementLimits(attempts_per_fragment=99, attempts=99, total_steps=99)
    config = Config(max_passes=14, limits=limits, budget=Budget(cost=None))
    world = World(profile=hardest, assess=NOT_YET, refine_plan=lambda _, n: add(step(f"more{n}", "s1")))
    world.replies["validate_results"] = lambda effect, n: found(effect.executed[-1])  # type: ignore[attr-defined]
    assert world.run(config).passes == 14


LEVELS = ("low", "medium", "high")
USAGES = ("none", "minimal", "moderate", "extensive")
BREADTHS = ("narrow", "moderate", "broad")
AXES: dict[str, tuple[object, ...]] = {
    "reasoning_depth": tuple(range(1, 6)),
    "ambiguity": tuple(n / 8 for n in range(9)),
    "information_sufficiency": tuple(n / 8 for n in range(8, -1, -1)),
    "dependency_complexity": LEVELS,
    "expected_step_count": tuple(range(1, 51)),
    "expected_tool_usage": USAGES,
    "output_breadth": BREADTHS,
    "confidence_requirement": LEVELS,
}
"""The values of each field of a profile, from those of an easy task to those of a hard one."""


@st.composite
def easier_and_harder(draw: st.DrawFn) -> tuple[TaskProfile, TaskProfile]:
    """Two profiles of which the second is at least as hard in every field."""
    places = {name: sorted(draw(st.tuples(*[st.integers(0, len(axis) - 1)] * 2))) for name, axis in AXES.items()}
    easy, hard = ({name: AXES[name][pair[n]] for name, pair in places.items()} for n in (0, 1))
    return TaskProfile.model_validate(easy), TaskProfile.model_validate(hard)


@pytest.mark.requirement("J2", "K9")
@given(profiles=easier_and_harder(), most=st.integers(1, 40), limits=LIMITS)
def test_a_harder_task_never_gets_less_and_none_gets_more_than_the_limits(
    profiles: tuple[TaskProfile, TaskProfile], most: int, limits: RefinementLimits
) -> None:
    """Passes, plan size and attempts grow with every field of the profile, up to the global limits."""
    config = Config(max_passes=most, limits=limits)
    easy, hard = profiles
    assert 1 <= pass_limit(easy, config) <= pass_limit(hard, config) <= most
    for name in RefinementLimits.model_fields:
        small, large = (getattr(limits_for(profile, config), name) for profile in profiles)
        assert small <= large <= getattr(limits, name), name


@pytest.mark.requirement("J2")
@pytest.mark.parametrize("name", AXES)
def test_every_field_of_a_profile_counts(name: str) -> None:
    """Each alone, from its easiest to its hardest value, gives a task more passes."""
    easy = TaskProfile.model_validate({field: axis[0] for field, axis in AXES.items()} | {"reasoning_depth": 2})
    hard = easy.changed(**{name: AXES[name][-1]})
    assert pass_limit(hard, Config()) > pass_limit(easy, Config()) == 2


@pytest.mark.requirement("J2")
@pytest.mark.parametrize(("steps", "depth", "plan_steps", "attempts"), [(1, 1, 6, 4), (3, 3, 10, 8), (50, 5, 12, 10)])
def test_the_caps_on_a_plan_follow_from_the_profile(steps: int, depth: int, plan_steps: int, attempts: int) -> None:
    """The planner is told how large its plan may be, and refinements end at the attempts that the task deserves."""
    profile = TaskProfile(expected_step_count=steps, reasoning_depth=depth, ambiguity=0)
    limits = limits_for(profile, Config())
    assert (limits.plan_steps, limits.attempts) == (plan_steps, attempts)
    world = World(profile=profile)
    world.run()
    assert world.of("plan")[0].most_steps == plan_steps  # type: ignore[attr-defined]


@pytest.mark.requirement("J2", "J7")
def test_a_profile_that_was_not_inferred_takes_nothing_away() -> None:
    """Where the judgment failed, the global limits hold."""
    assert limits_for(TaskProfile(inferred=False), Config()) == Config().limits
