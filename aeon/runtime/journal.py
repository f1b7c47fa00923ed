"""The journal: every outcome of a run in order, from which the run can be derived again without a model.

On disk it is JSON Lines: an opening line with task and configuration, then one line per effect. A line is written and
synced before the next effect is issued, so that a crash loses at most the effect that was under way.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from pathlib import Path
from typing import Literal

from pydantic import JsonValue, ValidationError

from aeon.errors import Divergence, InputFileError, JournalError
from aeon.kernel.effects import Effect
from aeon.kernel.ports import Job
from aeon.schema import Config, Failure, Frozen, Outcome, Task, Usage

__all__ = ["Entry", "Journal", "Opening", "fingerprint"]

FORMAT: Literal["aeon-journal"] = "aeon-journal"


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
            raise Divergence(f"entry {self.number}: its value is no {effect.result.__name__}: {error.errors()[0]['msg']}") from None
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
        if path is not None:
            try:
                self._file = io.FileIO(path, "x")
            except FileExistsError:
                raise InputFileError(f"{path}: exists already; a journal is never overwritten, name another file") from None
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
        data = line.model_dump_json().encode() + b"\n"
        try:
            while data:
                data = data[self._file.write(data) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            name = self._file.name
            self.close()
            raise JournalError(f"{name}: cannot be written: {error.strerror}; what was saved before is whole") from None

    @classmethod
    def read(cls, path: Path | str) -> Journal:
        """A journal from disk.

        Raises:
            InputFileError: the file cannot be read or is no journal of this version.
            JournalError: an entry is damaged; names its line.
        """
        try:
            lines = Path(path).read_bytes().splitlines()
        except OSError as error:
            raise InputFileError(f"{path}: cannot be read: {error.strerror}") from None
        journal = cls()
        journal.opening = _opening(path, lines)
        for number, line in enumerate(lines[1:], 2):
            try:
                entry = Entry.model_validate_json(line)
            except ValidationError:
                raise JournalError(f"{path}: line {number} is damaged; a journal cannot be edited") from None
            journal.entries[entry.number] = entry
        return journal


def _opening(path: Path | str, lines: list[bytes]) -> Opening:
    try:
        head = json.loads(lines[0]) if lines else None
    except ValueError:
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise InputFileError(f"{path}: this is no Aeon journal; save one with: aeon run TASK --save FILE")
    try:
        return Opening.model_validate(head)
    except ValidationError:
        raise InputFileError(f"{path}: journal version {head.get('version')} is not one this Aeon reads") from None
