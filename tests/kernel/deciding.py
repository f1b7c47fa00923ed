"""Asking a decision table as a run does."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.kernel.decide import Rule, Signals, first
from aeon.schema import Decision

__all__ = ["decide"]


def decide(rules: Sequence[Rule], signals: Signals) -> Decision:
    """The decision of the first rule that holds."""
    return first(rules, signals).decision(signals)
