"""What comes back for an effect: a value or a typed failure, with what it cost."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SerializeAsAny

from aeon.schema.config import Config
from aeon.schema.frozen import JsonValue
from aeon.schema.task import Question
from aeon.schema.usage import Usage
from aeon.schema.value import Value

__all__ = ["Answer", "Failure", "Outcome"]


class Failure(Value):
    """Why an effect has no value.

    ``allowance``: it would have spent more than allowed (``limit`` says of what). ``endpoint``: the model cannot be
    reached or used. ``completion``: the model answered, but with nothing usable. ``tool``: a tool failed.
    ``handler``: the module raised something of its own or returned a value of another type. ``interrupted``: it was
    broken off because the run was asked to stop. ``skipped``: a step that it builds on gave no output. ``waiting``:
    ``question`` is put, and its answer is not there yet. ``unknown``: a tool that changes the world was called, and
    whether it did so is not known.
    """

    kind: Literal[
        "allowance", "endpoint", "completion", "tool", "handler", "interrupted", "skipped", "waiting", "unknown"
    ]
    message: str
    limit: Literal["calls", "tokens", "seconds", "cost"] | None = None
    question: Question | None = None


class Outcome(Value):
    """The answer to one effect. Times are seconds since the run began and never run backwards.

    ``interrupted`` is true from the moment somebody asked the run to stop. ``config`` is set where a run is forked:
    from here on it holds instead of the one before.
    """

    value: SerializeAsAny[Value] | None = None
    failure: Failure | None = None
    usage: Usage = Usage()
    started: Annotated[float, Field(ge=0)] = 0.0
    ended: Annotated[float, Field(ge=0)] = 0.0
    interrupted: bool = False
    config: Config | None = None

    @property
    def broken_off(self) -> bool:
        """Whether an interrupt or an unusable endpoint kept the effect from being done, so that it still can be."""
        return self.failure is not None and self.failure.kind in ("interrupted", "endpoint")

    @property
    def undone(self) -> bool:
        """Whether the effect was not done, for whatever reason that is not its own, or may not have been."""
        kinds = ("endpoint", "interrupted", "skipped", "waiting", "unknown")
        return self.failure is not None and self.failure.kind in kinds

    @property
    def message(self) -> str:
        """Why there is no usable value, for people."""
        return self.failure.message if self.failure else "the handler returned a value of another type"


class Answer(Value):
    """The final answer; ``value`` is the object for a task with an ``answer_schema``."""

    text: str
    value: JsonValue = None
