"""Asking a decision table as a run does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from aeon.kernel.decide import Rule, Signals, first
from aeon.schema import Decision

__all__ = ["decide"]

S = TypeVar("S", bound=Signals)


def decide(rules: Sequence[Rule[S]], signals: S) -> Decision:
    """The decision of the first rule that holds."""
    return first(rules, signals).decision(signals)
