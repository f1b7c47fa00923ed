"""The journal: every outcome of a run in order, from which the run can be derived again without a model.

On disk it is JSON Lines: an opening line with task and configuration, then one line per effect. A line is written and
synced before the next effect is issued, so that a crash loses at most the effect that was under way. Each line ends
in a seal, a digest of it and of the line before, so that an edit is found even where replay would not stumble over it.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
from pathlib import Path
from typing import Literal

from pydantic import JsonValue, ValidationError

from aeon.errors import Divergence, InputFileError, JournalError
from aeon.kernel.effects import Effect
from aeon.kernel.ports import Job
from aeon.schema import Config, Failure, Frozen, Outcome, Task, Usage

__all__ = ["Entry", "Journal", "Opening", "fingerprint"]

FORMAT: Literal["aeon-journal"] = "aeon-journal"
_SEALED = re.compile(rb'(\{.*),"seal":"([0-9a-f]{16})"\}', re.DOTALL)


class Opening(Frozen):
    """The first line of a journal: what was run."""

    format: Literal["aeon-journal"] = FORMAT
    version: Literal[1] = 1
    execution_id: str
    task: Task
    config: Config


class Entry(Frozen):
    """One effect and its outcome; ``value`` is the outcome's value as JSON, read back with the effect's result type."""

    number: int
    phase: str
    fingerprint: str
    value: JsonValue = None
    failure: Failure | None = None
    usage: Usage = Usage()
    started: float = 0.0
    ended: float = 0.0
    interrupted: bool = False

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
            value=value, failure=self.failure, usage=self.usage,
            started=self.started, ended=self.ended, interrupted=self.interrupted,
        )  # fmt: skip


def fingerprint(effect: Effect) -> str:
    """16 hex digits that tell this effect from any other: its phase and all its fields."""
    return hashlib.sha256(f"{effect.phase}:{effect.model_dump_json()}".encode()).hexdigest()[:16]


class Journal:
    """The entries of one run, in memory and, with a ``path``, on disk.

    Raises:
        InputFileError: the file exists already or cannot be written.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self.opening: Opening | None = None
        self.entries: dict[int, Entry] = {}
        self._file: io.FileIO | None = None
        self._seal = ""
        self._size = 0
        if path is not None:
            try:
                self._file = io.FileIO(path, "x")
            except FileExistsError:
                raise InputFileError(f"{path}: exists already; a journal is never overwritten, name another") from None
            except OSError as error:
                raise InputFileError(f"{path}: cannot be written: {error.strerror}") from None

    def open(self, job: Job, execution_id: str) -> None:
        """Write the opening line."""
        self.opening = Opening(execution_id=execution_id, task=job.task, config=job.config)
        self._write(self.opening)

    def append(self, entry: Entry) -> None:
        """Keep an entry; on disk before this returns."""
        self._write(entry)
        self.entries[entry.number] = entry

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, line: Frozen) -> None:
        if self._file is None:
            return
        bare = line.model_dump_json().encode()
        seal = _seal(bare, self._seal)
        sealed = bare[:-1] + f',"seal":"{seal}"}}\n'.encode()
        data = sealed
        try:
            while data:
                data = data[self._file.write(data) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._broken(error, self._file) from None
        self._seal = seal
        self._size += len(sealed)

    def _broken(self, error: OSError, file: io.FileIO) -> JournalError:
        """Take back what was written of a line; without a whole one, the file too."""
        with contextlib.suppress(OSError):
            file.truncate(self._size)
        if not self._size:
            Path(str(file.name)).unlink(missing_ok=True)
        self.close()
        rest = "what was saved before is whole" if self._size else "nothing was saved"
        return JournalError(f"{file.name}: cannot be written: {error.strerror}; {rest}")

    @classmethod
    def read(cls, path: Path | str) -> Journal:
        """A journal from disk.

        Raises:
            InputFileError: the file cannot be read or is no journal of this version.
            JournalError: an entry is damaged; names its line.
        """
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise InputFileError(f"{path}: cannot be read: {error.strerror}") from None
        lines = data.split(b"\n")
        torn = lines.pop()
        journal = cls()
        journal.opening = _opening(path, (lines or [torn])[0])
        if torn:
            raise JournalError(f"{path}: line {len(lines) + 1} is cut short; the run broke off while it was saved")
        seal = ""
        for number, line in enumerate(lines, 1):
            bare, seal = _unsealed(path, number, line, seal)
            if number == 1:
                continue
            try:
                entry = Entry.model_validate_json(bare)
            except ValidationError:
                raise _damaged(path, number) from None
            journal.entries[entry.number] = entry
        return journal


def _seal(bare: bytes, before: str) -> str:
    """16 hex digits over a line and the seal of the line before."""
    return hashlib.sha256(before.encode() + bare).hexdigest()[:16]


def _unsealed(path: Path | str, number: int, line: bytes, before: str) -> tuple[bytes, str]:
    """The line without its seal, and the seal."""
    match = _SEALED.fullmatch(line)
    bare = match[1] + b"}" if match else b""
    if match is None or match[2].decode() != _seal(bare, before):
        raise _damaged(path, number)
    return bare, match[2].decode()


def _damaged(path: Path | str, number: int) -> JournalError:
    return JournalError(f"{path}: line {number} is damaged or was edited; a journal stays as it was written")


def _opening(path: Path | str, line: bytes) -> Opening:
    try:
        head = json.loads(line) if line else None
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise InputFileError(f"{path}: this is no Aeon journal; save one with: aeon run TASK --save FILE")
    head.pop("seal", None)
    try:
        return Opening.model_validate(head)
    except ValidationError:
        raise InputFileError(f"{path}: journal version {head.get('version')} is not one this Aeon reads") from None
