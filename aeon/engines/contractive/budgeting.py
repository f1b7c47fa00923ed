"""The tokens of a run, from its preset."""

from __future__ import annotations

from aeon.engines.contractive.config import ContractiveConfig
from aeon.llm.adapter import LLMAdapter

__all__ = ["budgeted"]


def budgeted(config: ContractiveConfig, adapter: LLMAdapter) -> ContractiveConfig:
    """The configuration with the tokens of its preset, unless it has a limit on them already."""
    if config.budget.tokens is not None:
        return config
    return config.changed(budget=config.budget.changed(tokens=config.limits.tokens))
