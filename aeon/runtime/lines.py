"""The lines of a journal: what each of them holds, and the digests that tell one effect or result from another."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import Field, GetPydanticSchema, JsonValue, TypeAdapter, ValidationError, WithJsonSchema
from pydantic_core.core_schema import any_schema

from aeon.errors import Divergence
from aeon.schema import (
    NOTHING,
    Allowance,
    Conclusion,
    Expected,
    Failure,
    Frozen,
    JsonObject,
    Outcome,
    Settings,
    Task,
    Usage,
)
from aeon.schema.effects import Effect

__all__ = [
    "EXPECTED",
    "LEFT_OUT",
    "LINE",
    "VERSION",
    "Begun",
    "Called",
    "Ended",
    "Entry",
    "Line",
    "Opening",
    "Parent",
    "Resumed",
    "digest",
    "fingerprint",
]

VERSION: Literal[2] = 2
EXPECTED = "expected"
"""What in the setup of a run says what it was expected to take."""
LEFT_OUT = "left_out"
"""What in the setup of a run says which files of its folders were not read."""
_NO_ALLOWANCE = Allowance(calls=0)
J = TypeVar("J")
Unchecked: TypeAlias = Annotated[J, GetPydanticSchema(lambda _kind, _handler: any_schema())]
"""JSON that is written and read as it is: nothing in it is looked at."""


class Parent(Frozen):
    """The run that a fork shares its past with, and how many effects of it."""

    execution_id: str
    at: int = Field(ge=0)


class Opening(Frozen):
    """The first line: what was run, on which engine. ``setup`` is what the host needs to make the same handlers again.

    ``config`` is the engine's configuration as JSON; a `Journal` reads and validates it with the engine's own class.
    """

    format: Literal["aeon-journal"] = "aeon-journal"
    version: Literal[2] = VERSION
    execution_id: str
    engine: str
    task: Task
    config: Annotated[Unchecked[JsonObject], WithJsonSchema({"type": "object"})]
    setup: JsonObject = Field(default_factory=dict)
    parent: Parent | None = None

    @property
    def expected(self) -> Expected | None:
        """What the run was expected to take when it began, if like runs were on record then."""
        try:
            return Expected.model_validate(self.setup[EXPECTED])
        except (KeyError, ValidationError):
            return None

    @property
    def left_out(self) -> str:
        """Which files of its folders the run began without, "" for none."""
        said = self.setup.get(LEFT_OUT, "")
        return said if isinstance(said, str) else ""


class Called(Frozen):
    """While it answers effect ``number``, a model is about to be called.

    ``most`` is what the effect can have cost after that in this life, with all that it was charged before.
    """

    line: Literal["called"] = "called"
    version: Literal[2] = VERSION
    number: int = Field(ge=0)
    most: Usage


class Begun(Frozen):
    """While it answers effect ``number``, a tool that changes the world is about to be called."""

    line: Literal["begun"] = "begun"
    version: Literal[2] = VERSION
    number: int = Field(ge=0)
    tool: str


class Entry(Frozen):
    """One effect and its outcome; ``value`` is the outcome's value as JSON, read back with the effect's result type.

    ``altered``: the value was put in by whoever forked the run. ``config`` is the configuration from here on, if it
    was changed.
    """

    line: Literal["entry"] = "entry"
    version: Literal[2] = VERSION
    number: int = Field(ge=0)
    phase: str
    fingerprint: str
    value: Unchecked[JsonValue] = None
    failure: Failure | None = None
    usage: Usage = NOTHING
    lost: Usage = NOTHING
    started: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    ended: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    interrupted: bool = False
    altered: bool = False
    config: JsonObject | None = None

    @classmethod
    def of(cls, number: int, effect: Effect, outcome: Outcome) -> Entry:
        """The entry for an effect that has its outcome."""
        value = outcome.value.model_dump(mode="json") if outcome.value is not None else None
        return cls(
            number=number,
            phase=effect.phase,
            fingerprint=fingerprint(effect),
            value=value,
            failure=outcome.failure,
            usage=outcome.usage,
            lost=outcome.lost,
            started=outcome.started,
            ended=outcome.ended,
            interrupted=outcome.interrupted,
        )

    def outcome(self, effect: Effect, config: type[Settings]) -> Outcome:
        """The outcome as it was; ``config`` is the class of the run's configuration.

        Raises:
            Divergence: the effect is not the one that this entry answers, or the value does not fit it.
        """
        if fingerprint(effect) != self.fingerprint:
            raise Divergence(
                f"entry {self.number}: the journal holds the outcome of '{self.phase}' for another request than the "
                f"'{effect.phase}' that is asked for now; it was edited, or made by another version"
            )
        try:
            value = effect.result.model_validate(self.value) if self.value is not None else None
            changed = config.model_validate(self.config) if self.config is not None else None
        except ValidationError as error:
            reason = error.errors()[0]["msg"]
            raise Divergence(f"entry {self.number}: its value is no {effect.result.__name__}: {reason}") from None
        return Outcome(
            value=value,
            failure=self.failure,
            usage=self.usage,
            lost=self.lost,
            started=self.started,
            ended=self.ended,
            interrupted=self.interrupted,
            config=changed,
        )


class Resumed(Frozen):
    """From here on another life of the run: the entries ``void`` do not count, and no interrupt does.

    The effects ``again`` are issued again as they were; other void entries belong to an ending that is taken back.
    ``setup`` is what the run is made of from here on, where that is something else than before.
    """

    line: Literal["resumed"] = "resumed"
    version: Literal[2] = VERSION
    void: tuple[int, ...]
    again: tuple[int, ...] = ()
    setup: JsonObject | None = None


class Ended(Frozen):
    """The run has ended; ``digest`` is of its result."""

    line: Literal["ended"] = "ended"
    version: Literal[2] = VERSION
    stop_reason: str
    digest: str

    @classmethod
    def of(cls, result: Conclusion) -> Ended:
        """The line for a run that ended so."""
        return cls(stop_reason=result.stop_reason, digest=digest(result))


Line: TypeAlias = Begun | Called | Entry | Resumed | Ended
LINE: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="line")])
"""What reads a line after the first."""


def fingerprint(effect: Effect) -> str:
    """16 hex digits that tell this effect from any other: its phase, and all fields that are not their default.

    What it may spend is left out: that is not what is asked.
    """
    request = effect.changed(allowance=_NO_ALLOWANCE).model_dump_json(exclude_defaults=True)
    return hashlib.sha256(f"{effect.phase}:{request}".encode()).hexdigest()[:16]


def digest(result: Conclusion) -> str:
    """32 hex digits that tell what happened in the run of this result from any other.

    What follows from the rest, and what the result names as outside its digest, is left out, and so are values that are
    the default: a field or a setting that a later version adds, or another default of a setting, leaves the digest as
    it is. So does the mark of what a fork put in, which is the journal's and not the program's.
    """
    dumped = result.recorded().model_dump(mode="json", exclude_defaults=True, exclude=result.outside_digest)
    text = json.dumps(dumped, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
