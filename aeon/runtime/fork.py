"""A run with the same past and another future."""

from __future__ import annotations

import uuid
from pathlib import Path

from aeon.errors import UsageError
from aeon.kernel.phases import run
from aeon.runtime.journal import Journal, Parent
from aeon.runtime.replay import Make, boundaries
from aeon.schema import Config, JsonValue

__all__ = ["fork"]


def fork(
    journal: Journal,
    at: int,
    config: Config | None = None,
    value: JsonValue = None,
    path: Path | str | None = None,
    program: Make = run,
) -> Journal:
    """A journal of a new run that shares the first ``at`` effects; resume it to run its future.

    From there on ``config`` holds, if it is given. ``value`` is the outcome of effect ``at`` as JSON, instead of having
    it answered anew. With a ``path`` the new journal is on disk.

    Raises:
        UsageError: ``at`` is no boundary of the run, or there is no effect ``at`` to give a value to.
        InputFileError: the new file exists already or cannot be written.
        Divergence: the journal is of another program or version.
    """
    possible = boundaries(journal, program)
    if at not in possible:
        raise UsageError(f"--at {at}: is no boundary of this run; there are {_ranges(possible)}")
    if value is not None and (at not in journal.entries or at + 1 not in possible):
        raise UsageError(f"--at {at}: no single effect was issued there whose outcome could be another")
    opening = journal.opened
    parent = Parent(execution_id=opening.execution_id, at=at)
    started = config if config and at == 0 else opening.config
    forked = Journal(path)
    forked.open(opening.model_copy(update={"execution_id": uuid.uuid4().hex, "config": started, "parent": parent}))
    for number in range(at):
        entry = journal.entries[number].model_copy(update={"interrupted": False})
        changed = config if number == at - 1 else None
        forked.append(entry.model_copy(update={"config": changed or entry.config}))
    if value is not None:
        update = {"value": value, "failure": None, "altered": True, "interrupted": False}
        forked.append(journal.entries[at].model_copy(update=update))
    return forked


def _ranges(numbers: tuple[int, ...]) -> str:
    """Ascending numbers for people: ``0 to 3, 6``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{r[0]} to {r[-1]}" if len(r) > 1 else str(r[0]) for r in runs)
