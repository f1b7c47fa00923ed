"""Members side by side, none of which goes on when the run that they are in cannot.

After a question that waits for a person, nothing more is put on record; after an endpoint that failed, or an interrupt,
what is done belongs to an ending that is taken back when the run is resumed. What a person answers one member is known
to those that begin after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from aeon.kernel.compose import side_by_side
from aeon.kernel.decide import Signals
from aeon.kernel.engine import DEAD_AFTER, Halt, Run
from aeon.schema.config import Settings
from aeon.schema.effects import AskUser, Batch, Note, Program
from aeon.schema.outcome import Outcome
from aeon.schema.task import Reply

__all__ = ["together"]

T = TypeVar("T")
C = TypeVar("C", bound=Settings)
S = TypeVar("S", bound=Signals)
_ENDS = ("waiting", "endpoint", "journal")
"""Failures after which nothing that is asked for can be kept, or answered."""


def together(run: Run[C, S], programs: Iterable[Program[T]]) -> Program[tuple[T, ...]]:
    """The results of programs that run side by side within a run; all of them are halted where it cannot go on."""
    whole = side_by_side(*(_halted(run, program) for program in programs))
    outcomes: tuple[Outcome, ...] | None = None
    try:
        while True:
            request = _next(whole, outcomes)
            outcomes = _heard((yield request))
            _learn(run, request, outcomes)
            _foresee(run, outcomes)
    except StopIteration as end:
        results: tuple[T, ...] = end.value
        return results
    finally:
        whole.close()


def _foresee(run: Run[C, S], outcomes: Iterable[Outcome]) -> None:
    """Have the run hear of what ends it before the first member does, and so count requests that failed."""
    failing = run.failing
    for outcome in outcomes:
        failure, kind = outcome.failure, outcome.failure.kind if outcome.failure else ""
        failing = failing + 1 if kind == "request" else failing * (outcome.usage.calls == 0)
        if failure and (kind in _ENDS or (kind == "request" and failing == DEAD_AFTER)):
            run.signals.failure = failure.after(run.signals.failure)


def _heard(outcomes: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """The outcomes as members hear them: an interrupt may have come after the outcome of one of them."""
    stopped = any(outcome.interrupted for outcome in outcomes)
    return tuple([outcome.changed(interrupted=True) for outcome in outcomes]) if stopped else outcomes


def _learn(run: Run[C, S], request: Batch | Note, outcomes: Iterable[Outcome]) -> None:
    """Add what a person answered to the task of the run; what was only assumed is none of it."""
    for effect, outcome in zip(request.effects if isinstance(request, Batch) else (), outcomes, strict=False):
        if isinstance(effect, AskUser) and isinstance(outcome.value, Reply) and not outcome.value.assumed:
            run.task = run.task.clarified(effect.question, outcome.value)


def _halted(run: Run[C, S], program: Program[T]) -> Program[T]:
    """A program that is halted at its next batch where the run around it cannot go on."""
    outcomes: tuple[Outcome, ...] | None = None
    try:
        while True:
            request = _next(program, outcomes)
            while run.signals.failure is not None and isinstance(request, Batch):
                request = program.throw(Halt(run.decide(), midway=True))
            outcomes = yield request
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        program.close()


def _next(program: Program[T], outcomes: tuple[Outcome, ...] | None) -> Batch | Note:
    return next(program) if outcomes is None else program.send(outcomes)
