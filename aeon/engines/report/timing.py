"""How long an agent may take: its seconds, stretched for a model that is slower than hosted ones."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aeon.engines.report.config import ReportConfig
from aeon.errors import CompletionError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.speed import HOSTED, speed_of

__all__ = ["fitted", "limit"]

_PROMPT, _GENERATED = 1_000, 60
"""Tokens of a usual call of a report."""


def fitted(config: ReportConfig, adapter: LLMAdapter) -> ReportConfig:
    """The configuration with the factor that this model is slower than hosted ones by, unless one is set."""
    if config.reasoning.speed_factor is not None:
        return config
    longer = speed_of(adapter).seconds(_PROMPT, _GENERATED) / HOSTED.seconds(_PROMPT, _GENERATED)
    return config.changed(reasoning=config.reasoning.changed(speed_factor=round(max(1.0, longer), 2)))


@asynccontextmanager
async def limit(agent: str, seconds: float) -> AsyncIterator[None]:
    """Let an agent work for so many seconds.

    Raises:
        CompletionError: they were not enough; the rest of the run continues without the agent.
    """
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise CompletionError(f"the {agent} did not answer within {seconds:g} s") from None
