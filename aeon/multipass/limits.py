"""What a task's profile makes of the configuration: how many passes it gets, and how large its plan may grow."""

from __future__ import annotations

import math
from functools import lru_cache

from aeon.multipass.sampling import PROGRAMS
from aeon.schema.config import Config, RefinementLimits
from aeon.schema.judgment import TaskProfile

__all__ = ["is_one_step", "limits_for", "most_calls", "pass_limit", "revised"]

_HARDEST = TaskProfile(
    reasoning_depth=5,
    ambiguity=1,
    information_sufficiency=0,
    dependency_complexity="high",
    expected_step_count=50,
    expected_tool_usage="extensive",
    output_breadth="broad",
    confidence_requirement="high",
)
"""The profile that gets as much as any."""
_USUAL = 10  # the limit on passes, and on attempts, that a profile's tiers are made for; a higher one stretches them
_FEW_STEPS, _DEEPEST = 8, 5
"""Steps that a model with tools does in one go, and the depth from which on not: a plan would only say it again."""


def is_one_step(profile: TaskProfile, config: Config) -> bool:
    """Whether the task is its own plan.

    It is where a model works with tools in whatever form, and the task is not long. One that works by programs plans
    only where that is asked for: its plans are worse than none.
    """
    form = profile.form if config.form == "auto" else config.form
    if form == "program":
        return not config.thorough
    return (
        form == "tools"
        and profile.inferred
        and (profile.expected_step_count <= _FEW_STEPS and profile.reasoning_depth < _DEEPEST)
    )


def most_calls(config: Config) -> int:
    """The most model calls that a run can make.

    Steps and turns count once over the run, other effects once a pass; a question may cost a refinement, or a step,
    once more, and a refined plan is checked once more. A step is done as a whole, or turn by turn, or by programs: then
    a turn may write its text.
    """
    caps = config.caps
    again = config.questions.most * max(caps.refine_plan, caps.execute)
    refined = caps.refine_plan + caps.validate_plan
    before = caps.profile + caps.plan + caps.validate_plan + refined + again
    each_pass = caps.validate_results + caps.assess + refined + caps.profile
    a_round = caps.write + PROGRAMS * (caps.run_program + caps.weigh)
    steps = max(caps.execute, caps.turn) * config.limits.total_steps
    steps += caps.turn * config.limits.turns + a_round * config.limits.rounds
    return before + each_pass * pass_limit(_HARDEST, config) + steps + caps.synthesize


def pass_limit(profile: TaskProfile, config: Config) -> int:
    """How many passes a task of this profile gets (its TTL): never fewer for a harder one, never above the limit.

    A pass for each tier of depth, and a seventh of them more for each thing that makes the task harder; two at least,
    so that what a judge finds in the first can be mended.
    """
    harder = (
        profile.ambiguity > 0.5,
        profile.information_sufficiency < 0.5,
        profile.dependency_complexity == "high",
        profile.expected_step_count > 5,
        profile.expected_tool_usage == "extensive",
        profile.output_breadth == "broad",
        profile.confidence_requirement == "high",
    )
    passes = profile.reasoning_depth * (1 + sum(harder) / len(harder))
    return _stretched(max(2.0, passes), config.max_passes)


def _stretched(tiers: float, limit: int) -> int:
    """What a profile gets of a limit that is the usual one, or lower; in proportion more of a higher one."""
    return min(limit, math.ceil(tiers * max(1.0, limit / _USUAL)))


def limits_for(profile: TaskProfile, config: Config) -> RefinementLimits:
    """How large a task of this profile lets a plan get, and how often it may change: never above the limits.

    A first plan may have four steps more than twice as many as expected; two deltas for each tier of depth, and two.
    """
    limits = config.limits
    if not profile.inferred:
        return limits
    plan_steps = min(limits.plan_steps, 2 * profile.expected_step_count + 4)
    return _limits(limits, plan_steps, _stretched(2 * profile.reasoning_depth + 2, limits.attempts))


@lru_cache(maxsize=256)  # runs with the same limits share them: thousands may be under way
def _limits(limits: RefinementLimits, plan_steps: int, attempts: int) -> RefinementLimits:
    return limits.changed(plan_steps=plan_steps, attempts=attempts)


def revised(profile: TaskProfile, again: TaskProfile, first: TaskProfile) -> TaskProfile:
    """The next version of a profile, inferred ``again``: its depth at most one tier away from the ``first`` one's."""
    depth = min(max(again.reasoning_depth, first.reasoning_depth - 1), first.reasoning_depth + 1)
    return again.changed(reasoning_depth=depth, version=profile.version + 1)
