"""How long a research run may take: the seconds of its tier, stretched for a model that is slower than hosted ones."""

from __future__ import annotations

from aeon.engines.research.config import ResearchConfig
from aeon.llm.adapter import LLMAdapter
from aeon.llm.speed import HOSTED, Speed, speed_of

__all__ = ["stretched", "timed"]

_PROMPT, _GENERATED = 1_000, 60
"""Tokens of a usual call of a research run."""
_BESIDE_ROUNDS = 5
"""Calls beside those of the rounds: the plan, the wording, and the checks."""


def timed(config: ResearchConfig, adapter: LLMAdapter) -> ResearchConfig:
    """The configuration with the time of its tier on this model, unless it has a limit on its time already."""
    if config.budget.seconds is not None:
        return config
    limits = config.limits()
    seconds = stretched(limits.seconds, limits.iterations + _BESIDE_ROUNDS, speed_of(adapter))
    return config.changed(budget=config.budget.changed(seconds=seconds))


def stretched(seconds: float, calls: int, speed: Speed) -> float:
    """Seconds on a hosted model, with what so many usual calls take longer on this one."""
    longer = speed.seconds(_PROMPT, _GENERATED) - HOSTED.seconds(_PROMPT, _GENERATED)
    return round(seconds + calls * max(0.0, longer), 1)
