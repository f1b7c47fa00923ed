"""A run of any engine as its journal tells it: the data that reports, flowcharts and pages are made of."""

from __future__ import annotations

from typing import NamedTuple

from aeon.schema import Conclusion, Decision, Outcome, Task
from aeon.schema.effects import Effect

__all__ = ["Done", "Trail"]


class Done(NamedTuple):
    """Effect ``number`` of a run (from 0) and its outcome, ``None`` where there is none yet.

    ``altered``: whoever forked the run put the outcome's value in.
    """

    number: int
    effect: Effect
    outcome: Outcome | None
    altered: bool = False


class Trail(NamedTuple):
    """A run: its effects batch by batch, and the decisions that it noted, by the number of effects before them.

    ``result`` is ``None`` where the run had not ended. From a result alone there are neither task nor batches.
    """

    engine: str
    execution_id: str
    task: Task | None = None
    batches: tuple[tuple[Done, ...], ...] = ()
    decisions: tuple[tuple[int, Decision], ...] = ()
    result: Conclusion | None = None
