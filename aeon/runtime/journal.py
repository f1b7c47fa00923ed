"""The journal: every outcome of a run in order, from which the run can be derived again without a model.

On disk it is a sealed file of JSON lines: an opening with task and configuration, then one line per effect. An outcome
is on disk before the next effect is issued, so that a crash loses at most the effects that were under way. A tool that
changes the world leaves a line before it is called, so that its call is never repeated unasked.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Literal, Protocol

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from aeon.errors import Divergence, InputFileError, JournalError
from aeon.kernel.effects import Effect
from aeon.runtime.sealed import SealedFile, read_sealed
from aeon.schema import Config, ExecutionHistory, Failure, Frozen, JsonObject, Outcome, Result, StopReason, Task, Usage

__all__ = ["Begun", "Ended", "Entry", "Journal", "Lines", "Opening", "Parent", "Resumed", "digest", "fingerprint"]

FORMAT: Literal["aeon-journal"] = "aeon-journal"
_BEGINNING = b'{"format":"aeon-journal",'


class Parent(Frozen):
    """The run that a fork shares its past with, and how many effects of it."""

    execution_id: str
    at: int


class Opening(Frozen):
    """The first line of a journal: what was run. ``setup`` is what the host needs to make the same modules again."""

    format: Literal["aeon-journal"] = FORMAT
    version: Literal[1] = 1
    execution_id: str
    task: Task
    config: Config
    setup: JsonObject = Field(default_factory=dict)
    parent: Parent | None = None


class Begun(Frozen):
    """While it answers effect ``number``, a tool that changes the world is about to be called."""

    line: Literal["begun"] = "begun"
    version: Literal[1] = 1
    number: int
    tool: str


class Entry(Frozen):
    """One effect and its outcome; ``value`` is the outcome's value as JSON, read back with the effect's result type.

    ``altered``: the value was put in by whoever forked the run. ``config`` is the configuration from here on, if it
    was changed.
    """

    line: Literal["entry"] = "entry"
    version: Literal[1] = 1
    number: int
    phase: str
    fingerprint: str
    value: JsonValue = None
    failure: Failure | None = None
    usage: Usage = Usage()
    started: float = 0.0
    ended: float = 0.0
    interrupted: bool = False
    altered: bool = False
    config: Config | None = None

    @classmethod
    def of(cls, number: int, effect: Effect, outcome: Outcome) -> Entry:
        """The entry for an effect that has its outcome."""
        value = outcome.value.model_dump(mode="json") if outcome.value is not None else None
        return cls(
            number=number, phase=effect.phase, fingerprint=fingerprint(effect), value=value, failure=outcome.failure,
            usage=outcome.usage, started=outcome.started, ended=outcome.ended, interrupted=outcome.interrupted,
        )  # fmt: skip

    def outcome(self, effect: Effect) -> Outcome:
        """The outcome as it was.

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
        except ValidationError as error:
            said = error.errors()[0]["msg"]
            raise Divergence(f"entry {self.number}: its value is no {effect.result.__name__}: {said}") from None
        return Outcome(
            value=value, failure=self.failure, usage=self.usage, started=self.started, ended=self.ended,
            interrupted=self.interrupted, config=self.config,
        )  # fmt: skip


class Resumed(Frozen):
    """From here on the run is taken up again: the entries ``void`` do not count, and no interrupt does."""

    line: Literal["resumed"] = "resumed"
    version: Literal[1] = 1
    void: tuple[int, ...]


class Ended(Frozen):
    """The run has ended; ``digest`` is of its history."""

    line: Literal["ended"] = "ended"
    version: Literal[1] = 1
    stop_reason: StopReason
    digest: str


_LINE: TypeAdapter[Begun | Entry | Resumed | Ended] = TypeAdapter(
    Annotated[Begun | Entry | Resumed | Ended, Field(discriminator="line")]
)


def fingerprint(effect: Effect) -> str:
    """16 hex digits that tell this effect from any other: its phase, and all its fields that are not their default."""
    return hashlib.sha256(f"{effect.phase}:{effect.model_dump_json(exclude_defaults=True)}".encode()).hexdigest()[:16]


def digest(history: ExecutionHistory) -> str:
    """32 hex digits that tell what happened in this history from any other.

    The configuration is left out, which the opening holds word for word, and so are values that are the default: a
    field or a setting that a later version adds, or another default of a setting, leaves the digest as it is.
    """
    said = history.model_dump(
        mode="json", exclude_defaults=True, exclude={"configuration": True, "conclusion": {"bound"}}
    )
    told = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def _end_of(result: Result) -> Ended:
    return Ended(stop_reason=result.stop_reason, digest=digest(result.history))


class Lines(Protocol):
    """Where a journal's lines are kept: a sealed file on disk, or what stands in for one."""

    def append(self, line: bytes) -> None:
        """Add a line; it lasts when this returns."""

    def close(self) -> None:
        """Let go of it."""


class Journal:
    """The entries of one run, in memory and, with a ``path``, on disk; or wherever ``lines`` keeps them.

    ``begun`` holds the tools that change the world and were called, by the number of the effect that they were called
    for; ``torn``: the last line was cut short by a crash and does not count.

    Raises:
        InputFileError: the file exists already or cannot be written.
    """

    def __init__(self, path: Path | str | None = None, lines: Lines | None = None) -> None:
        self.opening: Opening | None = None
        self.begun: dict[int, str] = {}
        self.torn = False
        self._entries: dict[int, Entry] = {}
        self._made: dict[int, tuple[Effect, Outcome]] = {}
        self._ended: Ended | None = None
        self._result: Result | None = None
        self._file = SealedFile.create(path) if path is not None else lines

    @property
    def entries(self) -> dict[int, Entry]:
        """The entries that count, by the number of their effect."""
        for number, (effect, outcome) in self._made.items():  # a journal in memory makes them when somebody looks
            self._entries[number] = Entry.of(number, effect, outcome)
        self._made.clear()
        return self._entries

    @property
    def ended(self) -> Ended | None:
        """How the run ended, if it did."""
        if self._result is not None:
            self._ended = _end_of(self._result)
            self._result = None
        return self._ended

    @property
    def config(self) -> Config:
        """The configuration in force at the end of what the journal holds.

        Raises:
            JournalError: the journal holds no run.
        """
        changed = [entry.config for _, entry in sorted(self.entries.items()) if entry.config]
        return changed[-1] if changed else self.opened.config

    @property
    def stopped(self) -> bool:
        """Whether an interrupt counts in it."""
        return any(entry.interrupted for entry in self.entries.values())

    @property
    def opened(self) -> Opening:
        """The opening.

        Raises:
            JournalError: there is none yet.
        """
        if self.opening is None:
            raise JournalError("the journal holds no run")
        return self.opening

    def open(self, opening: Opening) -> None:
        """Write the opening line."""
        self.opening = opening
        self._write(opening)

    def begin(self, number: int, tool: str) -> None:
        """Note that effect ``number`` is about to call a tool that changes the world; on disk before this returns."""
        self._keep(Begun(number=number, tool=tool))

    def append(self, number: int, effect: Effect, outcome: Outcome) -> None:
        """Keep the outcome of an effect; on disk before this returns."""
        if self._file is None:
            self._made[number] = (effect, outcome)
        else:
            self._keep(Entry.of(number, effect, outcome))

    def copy(self, line: Entry | Ended) -> None:
        """Keep a line of another journal."""
        self._keep(line)

    def outcome(self, number: int, effect: Effect) -> Outcome | None:
        """The outcome that it holds for this effect, if any.

        Raises:
            Divergence: it holds one for another effect, or one that does not fit.
        """
        entry = self.entries.get(number) if number in self._entries or number in self._made else None
        return entry.outcome(effect) if entry else None

    def resume(self, void: tuple[int, ...]) -> None:
        """Take the run up again without the entries ``void``."""
        self._keep(Resumed(void=void))

    def end(self, result: Result) -> None:
        """Note how the run ended.

        Raises:
            Divergence: it had ended before, with another history.
        """
        if self.ended is not None:
            if self.ended != _end_of(result):
                raise Divergence("the end: every outcome is the same, but the history is not; another version made it")
        elif self._file is None:
            self._result = result
        else:
            self._keep(_end_of(result))

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file is not None:
            self._file.close()
            self._file = None

    @classmethod
    def read(cls, path: Path | str) -> Journal:
        """A journal from disk, to be looked at.

        Raises:
            InputFileError: the file cannot be read or is no journal of this version.
            JournalError: a line is damaged; names it.
        """
        _refuse_others(path)
        lines, torn, _ = read_sealed(path)
        return cls.of(path, lines, bool(torn))

    @classmethod
    def reopen(cls, path: Path | str) -> Journal:
        """A journal from disk, to be gone on with; until it is closed nobody else may.

        Raises:
            InputFileError: as for `read`; or it cannot be written, or another process is going on with it.
            JournalError: a line is damaged; names it.
        """
        _refuse_others(path)
        file, lines, torn = SealedFile.reopen(path)
        try:
            return cls.of(path, lines, torn, file)
        except BaseException:
            file.close()
            raise

    @classmethod
    def of(cls, path: Path | str, lines: list[bytes], torn: bool = False, more: Lines | None = None) -> Journal:
        """The journal that these lines, without their seals, are; ``path`` names it, and ``more`` keeps what follows.

        Raises:
            InputFileError: a line is of another version.
            JournalError: a line is none of a journal; names it.
        """
        journal = cls(lines=more)
        journal.torn = torn
        try:
            journal.opening = Opening.model_validate_json(lines[0])
        except ValidationError:
            raise _no_line(path, 1, lines[0]) from None
        for number, line in enumerate(lines[1:], 2):
            try:
                journal._take(_LINE.validate_json(line))
            except ValidationError:
                raise _no_line(path, number, line) from None
        return journal

    def _keep(self, line: Begun | Entry | Resumed | Ended) -> None:
        self._write(line)
        self._take(line)

    def _take(self, line: Begun | Entry | Resumed | Ended) -> None:
        """Have a line count."""
        match line:
            case Entry():
                self._entries[line.number] = line
            case Begun():
                self.begun[line.number] = line.tool
            case Ended():
                self._ended = line
            case Resumed():
                self._ended = self._result = None
                kept = (entry for number, entry in self.entries.items() if number not in line.void)
                self._entries = {entry.number: entry.model_copy(update={"interrupted": False}) for entry in kept}

    def _write(self, line: Frozen) -> None:
        if self._file is not None:
            self._file.append(line.model_dump_json().encode())


def _refuse_others(path: Path | str) -> None:
    """Refuse a file that is no journal, or one of another version, before any seal is looked at."""
    given = Path(path)
    try:
        if given.exists() and not (given.is_file() or given.is_dir()):
            raise InputFileError(f"{path}: is no file but a pipe or a device; put the journal in a file")
        with given.open("rb") as file:
            first = file.read(len(_BEGINNING))
            first += file.readline() if first == _BEGINNING else b""  # another program's line may have no end
    except OSError as error:
        raise InputFileError(f"{path}: cannot be read: {error.strerror}") from None
    if not first.startswith(_BEGINNING):
        raise InputFileError(f"{path}: this is no Aeon journal; save one with: aeon run TASK --save FILE")
    if not first.endswith(b"\n") or 0 in first:
        raise InputFileError(f"{path}: holds no run: it broke off in the first line; delete it and run again")
    if (version := _version(first)) != 1:
        raise InputFileError(f"{path}: journal version {version} is not one this Aeon reads")


def _version(line: bytes) -> JsonValue:
    """The version that a line says it is of; 1 where it says nothing."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return 1
    version: JsonValue = found.get("version", 1) if isinstance(found, dict) else 1
    return version


def _no_line(path: Path | str, number: int, line: bytes) -> InputFileError | JournalError:
    if (version := _version(line)) != 1:
        return InputFileError(f"{path}: line {number} is of version {version}, which this Aeon does not read")
    return JournalError(f"{path}: line {number} is no line of a journal")
