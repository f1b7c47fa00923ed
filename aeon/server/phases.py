"""A line of the server's log at the end of each phase of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

import structlog

from aeon.observability.log import json_logger
from aeon.runtime.events import EffectEnded, Event, Noted, Observer, OnRecord, RunEnded, RunStarted
from aeon.schema import Settings, Value

__all__ = ["phase_log"]


def phase_log(file: TextIO) -> Callable[[], Observer]:
    """What makes observers that write to ``file``, as JSON Lines: phase, iteration, what is left, number of results."""
    logger = json_logger(file)
    return lambda: OnRecord(_Phases(logger))


class _Phases:
    """Observes one run."""

    def __init__(self, logger: structlog.typing.WrappedLogger) -> None:
        self._logger = logger
        self._iteration = 0
        self._results = 0
        self._spent = 0
        self._limit: int | None = None

    def __call__(self, event: Event, /) -> None:
        """Write what a phase came to."""
        match event:
            case RunStarted():
                self._begin(event.config)
                self._logger = self._logger.bind(run=event.execution_id, engine=event.engine)
                self._logger.info("run_started", bound_calls=event.bound.calls, token_budget=self._limit)
            case Noted():
                number = getattr(event.note, "pass_number", None) or getattr(event.note, "iteration", None)
                self._iteration = number if isinstance(number, int) else self._iteration
            case EffectEnded():
                self._effect(event)
            case RunEnded():
                end = event.conclusion
                self._logger.info("run_ended", stop_reason=end.stop_reason, calls=(end.usage + end.lost).calls)

    def _begin(self, config: Settings) -> None:
        self._limit = config.budget.tokens

    def _effect(self, event: EffectEnded) -> None:
        outcome = event.outcome
        self._spent += (outcome.usage + outcome.lost).tokens
        self._results += _results(outcome.value)
        if event.recorded:
            return
        self._logger.info(
            "phase",
            phase=event.effect.phase,
            number=event.number,
            iteration=self._iteration,
            token_budget=None if self._limit is None else max(0, self._limit - self._spent),
            tokens=self._spent,
            search_results=self._results,
            calls=outcome.usage.calls,
            seconds=round(outcome.ended - outcome.started, 3),
            failure=outcome.failure.kind if outcome.failure else None,
        )


def _results(value: Value | None) -> int:
    """How many passages or sources an outcome has."""
    found = getattr(value, "passages", None) or getattr(value, "sources", None) or ()
    return len(found) if isinstance(found, tuple) else 0
