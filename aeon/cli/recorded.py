"""A set of saved runs of any engines, from files and folders, each derived again; and which of them were right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, StrictBool, ValidationError

from aeon.assembly.roles import author_of
from aeon.assembly.runs import replay
from aeon.errors import Divergence, InputFileError, JournalError, UsageError
from aeon.observability.metrics import UNENDED
from aeon.runtime.header import is_journal
from aeon.runtime.journal import Journal
from aeon.schema import Conclusion, Frozen
from aeon.settings.files import content

__all__ = ["LeftOut", "Recorded", "gather", "read_labels"]

_SHAPE = '{"run": FILE NAME OR EXECUTION ID, "correct": true|false}'


class LeftOut(Frozen):
    """A run that does not count, and why."""

    run: str
    execution_id: str
    why: str


class Recorded(NamedTuple):
    """Runs that ended, by their path, and those that do not count.

    ``models`` are the names of the models that made them, by path; "" where that is more than one, or not on record.
    """

    ended: dict[str, Conclusion]
    left_out: tuple[LeftOut, ...]
    models: dict[str, str]

    def ids(self) -> Iterator[tuple[str, str]]:
        """The path and the execution id of every run, counted or not."""
        yield from ((path, result.execution_id) for path, result in self.ended.items())
        yield from ((run.run, run.execution_id) for run in self.left_out)


class _Label(Frozen):
    """Whether the answer of a run, named by its file or its execution id, is right."""

    run: str = Field(min_length=1)
    correct: StrictBool


def gather(paths: Sequence[str]) -> Recorded:
    """The runs in these files and, at any depth, folders; of a folder only the files that are journals.

    Left out are runs that have not ended or were interrupted, and copies of a run that is among them.

    Raises:
        InputFileError: a path holds no run, one that is damaged or of another version, or one of an engine that is
            not installed.
    """
    ended: dict[str, Conclusion] = {}
    left_out: list[LeftOut] = []
    first: dict[str, str] = {}
    models: dict[str, str] = {}
    for path in dict.fromkeys(file for one in paths for file in _files(one)):
        name, result, why, models[str(path)] = _read(path)
        if name in first:
            why = f"is a copy of {first[name]}"
        first.setdefault(name, str(path))
        if result is None or why:
            left_out.append(LeftOut(run=str(path), execution_id=name, why=why))
        else:
            ended[str(path)] = result
    return Recorded(ended, tuple(left_out), models)


def _files(path: str) -> list[Path]:
    folder = Path(path)
    if not folder.is_dir():
        return [folder]
    files = sorted(file for file in folder.rglob("*") if file.is_file() and _is_journal(file))
    if not files:
        raise InputFileError(f"{path}: holds no runs; save some there with: aeon run TASK --save FILE")
    return files


def _is_journal(file: Path) -> bool:
    try:
        return is_journal(file)
    except OSError as error:
        raise InputFileError(f"{file}: cannot be read: {error.strerror}") from None


def _read(path: Path) -> tuple[str, Conclusion | None, str, str]:
    """The execution id and the result of a run, or why it does not count; and its model."""
    try:
        journal = Journal.read(path)
    except JournalError as error:
        raise InputFileError(str(error)) from None
    name, model = journal.opened.execution_id, author_of(journal.setup)
    try:
        result: Conclusion = replay(journal)
    except (Divergence, UsageError) as error:
        raise InputFileError(f"{path}: {error}") from None
    except JournalError:
        return name, None, "had not ended when it was saved", model
    why = {"waiting": "waits for an answer", "interrupted": "was interrupted"}
    return name, result, why[result.stop_reason] if result.stop_reason in UNENDED else "", model


def read_labels(path: str, runs: Recorded) -> dict[str, bool]:
    """Whether the answer is right, by execution id, from a file of JSON Lines.

    Raises:
        InputFileError: it cannot be read, holds no label, or a line is malformed, names no run or more than one, or
            says otherwise than an earlier one.
    """
    lines = content(path).splitlines()
    names = _named(runs)
    right: dict[str, bool] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            label = _Label.model_validate_json(line)
        except ValidationError:
            raise InputFileError(f"{path}: line {number} is not {_SHAPE}") from None
        meant = names.get(label.run, set())
        if len(meant) != 1:
            what = f"more than one run is called {label.run!r}; name it by its execution id or path" if meant else (
                f"there is no run {label.run!r} among those given"
            )  # fmt: skip
            raise InputFileError(f"{path}: line {number}: {what}")
        (name,) = meant
        if right.setdefault(name, label.correct) != label.correct:
            raise InputFileError(f"{path}: line {number}: {label.run!r} is said to be right and wrong")
    if not right:
        raise InputFileError(f"{path}: holds no labels; each line is {_SHAPE}")
    return right


def _named(runs: Recorded) -> dict[str, set[str]]:
    """Which runs a label can mean by an execution id, a path or a file name."""
    names: dict[str, set[str]] = {}
    for path, execution_id in runs.ids():
        for name in (execution_id, path, Path(path).name):
            names.setdefault(name, set()).add(execution_id)
    return names
