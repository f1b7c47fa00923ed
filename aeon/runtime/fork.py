"""A run with the same past and another future."""

from __future__ import annotations

import uuid
from pathlib import Path

from aeon.errors import Divergence, JournalError, UsageError
from aeon.kernel.phases import run
from aeon.runtime.journal import Entry, Journal, Opening, Parent
from aeon.runtime.replay import Make, boundaries, standing
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
        UsageError: ``at`` is no boundary of the run, there is no effect ``at`` to give a value to, or the value is none
            of its outcomes.
        InputFileError: the new file exists already or cannot be written.
        JournalError: it could not be written to its end; nothing is left of it.
        Divergence: the journal is of another program or version.
    """
    opening, entries = _past(journal, at, config, program)
    if value is not None:
        entries.append(_altered(journal, at, value, program))
    _try(opening, entries, program)
    forked = Journal(path)
    try:
        _fill(forked, opening, entries)
    except JournalError:
        forked.close()
        if path is not None:
            Path(path).unlink(missing_ok=True)
        raise
    return forked


def _past(journal: Journal, at: int, config: Config | None, program: Make) -> tuple[Opening, list[Entry]]:
    """What the fork shares with the run: its opening, for another run, and every entry up to there."""
    possible = _possible(journal, program)
    if at not in possible:
        raise UsageError(f"--at {at}: is no boundary of this run; there are {_ranges(possible)}")
    opening = journal.opened
    parent = Parent(execution_id=opening.execution_id, at=at)
    started = config if config and at == 0 else opening.config
    entries = [journal.entries[number].model_copy(update={"interrupted": False}) for number in range(at)]
    if config and entries:
        entries[-1] = entries[-1].model_copy(update={"config": config})
    update = {"execution_id": uuid.uuid4().hex, "config": started, "parent": parent}
    return opening.model_copy(update=update), entries


def _possible(journal: Journal, program: Make) -> tuple[int, ...]:
    """The boundaries up to where an interrupt or an unusable endpoint broke the run off: no ending is shared."""
    void = standing(journal, program).void
    return tuple(b for b in boundaries(journal, program) if not void or b <= min(void))


def _altered(journal: Journal, at: int, value: JsonValue, program: Make) -> Entry:
    """The entry of effect ``at`` with another value."""
    if at not in journal.entries or at + 1 not in boundaries(journal, program):
        raise UsageError(f"--at {at}: no single effect was issued there whose outcome could be another")
    update = {"value": value, "failure": None, "altered": True, "interrupted": False}
    return journal.entries[at].model_copy(update=update)


def _try(opening: Opening, entries: list[Entry], program: Make) -> None:
    """Step the fork in memory, so that what is wrong with it is said before there is a file."""
    tried = Journal()
    _fill(tried, opening, entries)
    try:
        boundaries(tried, program)
    except Divergence as error:
        if not any(entry.altered for entry in entries):
            raise
        raise UsageError(f"--value: {error}") from None


def _fill(journal: Journal, opening: Opening, entries: list[Entry]) -> None:
    journal.open(opening)
    for entry in entries:
        journal.copy(entry)


def _ranges(numbers: tuple[int, ...]) -> str:
    """Ascending numbers for people: ``0 to 3, 6``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{r[0]} to {r[-1]}" if len(r) > 1 else str(r[0]) for r in runs)
