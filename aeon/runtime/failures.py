"""The typed failure for whatever a handler raises."""

from __future__ import annotations

from aeon.errors import (
    AeonError,
    AllowanceExhausted,
    CompletionError,
    InputFileError,
    JournalError,
    MissingExtraError,
    ModelError,
    OutcomeUnknown,
    ToolError,
    Waiting,
    WeightsError,
)
from aeon.runtime.ledger import Ledger
from aeon.schema import Failure, FailureKind, Outcome, Question, Usage
from aeon.schema.effects import AskUser, Effect

__all__ = ["BROKEN_OFF", "failure_of", "unknown", "waiting"]

BROKEN_OFF = Failure(kind="interrupted", message="broken off because the run was asked to stop")


def failure_of(error: Exception, effect: Effect, ledger: Ledger) -> Failure:
    """What kept this effect from having a value, seen for what it is where the run was stopped or its time is over."""
    failure = _classified(error)
    if failure.kind == "waiting" and not isinstance(effect, AskUser):
        return failure.changed(kind="handler")  # only a question can wait for its answer
    if failure.kind == "unknown":
        return failure.changed(question=_whether_done(effect, failure.message))
    if ledger.closed and failure.kind == "allowance":
        return BROKEN_OFF
    if failure.kind in ("endpoint", "request") and ledger.seconds_left() == 0:
        return Failure(kind="allowance", limit="seconds", message=f"the time for this step is over: {failure.message}")
    return failure


def unknown(effect: Effect, tool: str, now: float) -> Outcome:
    """The outcome of an effect that had called a tool, which changes the world, when the process ended."""
    message = f"{tool} had been called when the process ended, and whether it was done is not known"
    failure = Failure(kind="unknown", message=message, question=_whether_done(effect, message))
    return Outcome(failure=failure, usage=Usage(tool_calls=1), started=now, ended=now)


def waiting(effect: AskUser) -> Outcome:
    """The outcome of a question that has no answer yet; no journal keeps it."""
    return Outcome(failure=Failure(kind="waiting", message=effect.question.text, question=effect.question))


def _whether_done(effect: Effect, message: str) -> Question:
    """Whether a call was done; a later call of the same step, after "repeat", is another question than the first."""
    what = f"{effect.subject}: {message}. Was it done"
    before = sum(one.question.startswith(what) for one in effect.task.clarifications)
    which = f" this time (call {before + 1})" if before else ""
    return Question(text=f"{what}{which}?", options=("done", "repeat", "stop"))


def _classified(error: Exception) -> Failure:
    text = str(error).encode(errors="backslashreplace").decode()
    message = " ".join(text.split()) or type(error).__name__
    if isinstance(error, AllowanceExhausted):
        return Failure(kind="allowance", message=message, limit=error.limit)
    if isinstance(error, ModelError):
        return Failure(kind="endpoint" if error.fatal else "request", message=message)
    kind = next((kind for errors, kind in _KINDS if isinstance(error, errors)), None)
    if kind is None:
        return Failure(kind="handler", message=f"{type(error).__name__}: {message}")
    return Failure(kind=kind, message=message)


_KINDS: tuple[tuple[tuple[type[AeonError], ...], FailureKind], ...] = (
    ((WeightsError, MissingExtraError, InputFileError), "endpoint"),
    ((OutcomeUnknown,), "unknown"),
    ((Waiting,), "waiting"),
    ((CompletionError,), "completion"),
    ((ToolError,), "tool"),
    ((JournalError,), "journal"),
    ((AeonError,), "handler"),
)
"""The kind of failure that each error is; the first row that fits."""
