"""What failed in a run beside its searches, for the error log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from aeon.engines.research.effects import Pause, Search
from aeon.engines.research.record import ErrorRecord, PhaseProblem
from aeon.schema import FailureKind, Outcome
from aeon.schema.effects import AskUser, Batch, Effect, Program

__all__ = ["failed", "logged"]

T = TypeVar("T")
_APART = (Search, Pause, AskUser)
"""A search has records of its own, which say what became of it; that nobody answers a question is no error."""
_AGAIN = ("request", "endpoint")
"""Kinds of failures that the same call may not have later."""
_STOPPED = ("interrupted", "waiting")


def logged(program: Program[T], errors: list[ErrorRecord]) -> Program[T]:
    """The same program; each effect without a value that it should have is added to the log."""
    try:
        asked = next(program)
        while True:
            outcomes = yield asked
            if isinstance(asked, Batch):
                errors += _failures(asked, outcomes)
            asked = program.send(outcomes)
    except StopIteration as end:
        value: T = end.value
        return value


def failed(phase: str, kind: FailureKind, message: str, now: float) -> ErrorRecord:
    """The record of a phase that gave nothing usable, so that something stood in for it."""
    problem = PhaseProblem(kind=kind, message=message, retryable=kind in _AGAIN)
    return ErrorRecord(phase=phase, problem=problem, then="done without", seconds=round(now, 3))


def _failures(batch: Batch, outcomes: tuple[Outcome, ...]) -> Iterator[ErrorRecord]:
    for effect, outcome in zip(batch.effects, outcomes, strict=True):
        kind = _kind(effect, outcome)
        if kind is not None and kind not in _STOPPED and not isinstance(effect, _APART):
            yield failed(effect.phase, kind, outcome.message, outcome.ended)


def _kind(effect: Effect, outcome: Outcome) -> FailureKind | None:
    if outcome.failure is not None:
        return outcome.failure.kind
    return None if isinstance(outcome.value, effect.result) else "handler"
