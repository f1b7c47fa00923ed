"""Budgets as arithmetic: what a run may spend in all, what an effect may spend now, and what is kept for the end."""

from __future__ import annotations

from typing import cast

from aeon.schema import Allowance, Bound, Config, Reserve, StopReason, TaskProfile, Usage

__all__ = ["allowance", "bound", "exhausted", "pass_limit"]


def bound(config: Config) -> Bound:
    """The most that any run under this configuration can spend, whatever the models say.

    Steps count once over the run, other effects once a pass; a question may cost a refinement, or a step, once more.
    """
    caps, again = config.caps, config.questions.most * max(config.caps.refine_plan, config.caps.execute)
    before = caps.profile + caps.plan + caps.validate_plan + caps.refine_plan + again
    each_pass = caps.validate_results + caps.assess + caps.refine_plan + caps.profile
    passes = pass_limit(TaskProfile(reasoning_depth=5, ambiguity=1, confidence_requirement="high"), config)
    most = before + each_pass * passes + caps.execute * config.limits.total_steps + caps.synthesize
    calls = min(most, config.budget.calls or most)
    tokens = calls * (config.prompt_bytes + config.output_tokens)  # a token is never shorter than a byte
    return Bound(calls=calls, tokens=min(tokens, config.budget.tokens or tokens), cost=config.budget.cost)


def pass_limit(profile: TaskProfile, config: Config) -> int:
    """How many passes a task of this profile gets (its TTL): never fewer for a harder one, never above the limit."""
    extra = (profile.ambiguity > 0.5) + (profile.confidence_requirement == "high")
    return min(config.max_passes, profile.reasoning_depth + extra)


def allowance(config: Config, spent: Usage, elapsed: float, cap: int, final: bool = False) -> Allowance:
    """What may be spent now: ``cap`` calls, and of each budget what is left but for the reserve, unless it is final."""
    budget = config.budget
    kept = Reserve(tokens=0, seconds=0, cost=0) if final else config.reserve
    kept_calls = 0 if final else config.caps.synthesize

    def left(limit: float | None, share_kept: float, used: float) -> float | None:
        return None if limit is None else max(0.0, limit * (1 - share_kept) - used)

    tokens = left(budget.tokens, kept.tokens, spent.tokens)
    return Allowance(
        calls=max(0, min(cap, bound(config).calls - kept_calls - spent.calls)),
        tokens=None if tokens is None else int(tokens),
        seconds=left(budget.seconds, kept.seconds, elapsed),
        cost=left(budget.cost, kept.cost, spent.cost),
    )


def exhausted(config: Config, spent: Usage, elapsed: float) -> StopReason | None:
    """The first budget of which nothing is left but the reserve."""
    left = allowance(config, spent, elapsed, cap=1)
    return cast("StopReason | None", next((f"{name}_exhausted" for name, amount in left if amount == 0), None))
