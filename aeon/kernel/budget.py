"""Budgets as arithmetic: what a run may spend in all, what an effect may spend now, and what is kept for the end."""

from __future__ import annotations

from aeon.schema import Allowance, Bound, Config, Left, StopReason, TaskProfile, Usage, dearest

__all__ = ["allowance", "bound", "exhausted", "pass_limit"]

_HARDEST = TaskProfile(reasoning_depth=5, ambiguity=1, confidence_requirement="high")
_EXHAUSTED: tuple[StopReason, ...] = ("calls_exhausted", "tokens_exhausted", "seconds_exhausted", "cost_exhausted")


def bound(config: Config) -> Bound:
    """The most that any run under this configuration can spend, whatever the models say.

    Steps count once over the run, other effects once a pass; a question may cost a refinement, or a step, once more.
    """
    caps, again = config.caps, config.questions.most * max(config.caps.refine_plan, config.caps.execute)
    before = caps.profile + caps.plan + caps.validate_plan + caps.refine_plan + again
    each_pass = caps.validate_results + caps.assess + caps.refine_plan + caps.profile
    passes = pass_limit(_HARDEST, config)
    most = before + each_pass * passes + caps.execute * config.limits.total_steps + caps.synthesize
    calls = min(most, config.budget.calls or most)
    usage = Usage(prompt_tokens=calls * config.prompt_bytes, generated_tokens=calls * config.output_tokens)
    tokens = min(usage.tokens, config.budget.tokens or usage.tokens)  # no token is shorter than a byte
    return Bound(calls=calls, tokens=tokens, cost=dearest(config.prices.values(), usage, config.budget.cost))


def pass_limit(profile: TaskProfile, config: Config) -> int:
    """How many passes a task of this profile gets (its TTL): never fewer for a harder one, never above the limit."""
    extra = (profile.ambiguity > 0.5) + (profile.confidence_requirement == "high")
    return min(config.max_passes, profile.reasoning_depth + extra)


def allowance(left: Left, cap: int) -> Allowance:
    """What may be spent now: at most ``cap`` calls, and what is left of each budget."""
    return Allowance.made(calls=min(cap, left.calls), tokens=left.tokens, seconds=left.seconds, cost=left.cost)


def exhausted(left: Left) -> StopReason | None:
    """The first budget of which nothing is left."""
    return _EXHAUSTED[left.index(0)] if 0 in left else None
