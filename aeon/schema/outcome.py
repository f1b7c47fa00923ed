"""What comes back for an effect: a value or a typed failure, with what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, SerializeAsAny

from aeon.schema.claims import Claim, SentenceCheck
from aeon.schema.frozen import Frozen, JsonValue
from aeon.schema.task import Question, Task
from aeon.schema.usage import NOTHING, Usage
from aeon.schema.value import Value

__all__ = ["Answer", "Failure", "FailureKind", "Outcome"]

FailureKind = Literal[
    "allowance", "endpoint", "request", "completion", "tool", "handler", "interrupted", "skipped", "waiting",
    "unknown", "journal",
]  # fmt: skip

_RANK: Mapping[FailureKind, int] = {"waiting": 1, "journal": 2}


class Failure(Value):
    """Why an effect has no value.

    | kind | what happened |
    |---|---|
    | ``allowance`` | it would have spent more than allowed; ``limit`` says of what |
    | ``endpoint`` | the model cannot be reached or used at all |
    | ``request`` | the endpoint failed on this request: a timeout, a 400, a prompt that does not fit |
    | ``completion`` | the model answered, but with nothing usable |
    | ``tool`` | a tool failed |
    | ``handler`` | the handler raised something of its own or returned a value of another type |
    | ``interrupted`` | it was broken off because the run was asked to stop |
    | ``skipped`` | an effect that it waits for gave no output |
    | ``waiting`` | ``question`` is put, and its answer is not there yet |
    | ``unknown`` | a tool that changes the world was called, and whether it did so is not known |
    | ``journal`` | nothing may be done any more: the journal cannot be written, or the process ended too often |
    """

    kind: FailureKind
    message: str
    limit: Literal["calls", "tokens", "seconds", "cost"] | None = None
    question: Question | None = None

    def after(self, earlier: Failure | None) -> Failure:
        """The failure of both that a run ends by: the later one, but for what the record lacks.

        A journal that cannot be written goes before all else, then the first question that waits for its answer.
        """
        return earlier if earlier is not None and _RANK.get(earlier.kind, -1) >= _RANK.get(self.kind, 0) else self


class Outcome(Value):
    """The answer to one effect. Times are seconds since the run began and never run backwards.

    ``lost`` is what earlier lives of the run spent on effects that no entry keeps. ``interrupted`` is true from the
    moment somebody asked the run to stop. ``config`` is set where a run is forked: the settings from here on.
    """

    value: SerializeAsAny[Value] | None = None
    failure: Failure | None = None
    usage: Usage = NOTHING
    lost: Usage = NOTHING
    started: Annotated[float, Field(ge=0)] = 0.0
    ended: Annotated[float, Field(ge=0)] = 0.0
    interrupted: bool = False
    config: SerializeAsAny[Frozen] | None = None

    @property
    def broken_off(self) -> bool:
        """Whether an interrupt or an unusable endpoint kept the effect from being done, so that it still can be."""
        return self.failure is not None and self.failure.kind in ("interrupted", "endpoint", "journal")

    @property
    def undone(self) -> bool:
        """Whether the effect was not done, for whatever reason that is not its own, or may not have been."""
        kinds = ("endpoint", "interrupted", "skipped", "waiting", "unknown", "journal")
        return self.failure is not None and self.failure.kind in kinds

    @property
    def unknown(self) -> bool:
        """Whether a tool may have changed the world, and nobody knows if it did."""
        return self.failure is not None and self.failure.kind == "unknown"

    @property
    def message(self) -> str:
        """Why there is no usable value, for people."""
        return self.failure.message if self.failure else "the handler returned a value of another type"


class Answer(Value):
    """The final answer; ``value`` is the object for a task with an ``answer_schema``.

    ``problem`` says why the results stand there as they are, where they should have been put into words. ``claims`` are
    what the text says, each with what it rests on; ``sentence_checks``, what is known of each of its sentences.
    """

    text: str
    value: JsonValue = None
    problem: str = ""
    claims: tuple[Claim, ...] = ()
    sentence_checks: tuple[SentenceCheck, ...] = ()

    def lacks_value(self, task: Task) -> bool:
        """Whether a value of the task's schema was asked for and is not there; null may be one."""
        return task.answer_schema is not None and self.value is None and self.text.strip() != "null"
