"""A run with the same past and another future."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

from aeon.errors import Divergence, UsageError
from aeon.runtime.journal import Journal
from aeon.runtime.lines import Entry, Opening, Parent
from aeon.runtime.replay import AnyEngine, boundaries, resume_point
from aeon.schema import NOTHING, Bound, JsonValue, Settings
from aeon.schema.usage import ROUNDING

__all__ = ["fork"]


def fork(
    journal: Journal,
    at: int,
    engine: AnyEngine,
    config: Settings | None = None,
    value: JsonValue = None,
    path: Path | str | None = None,
) -> Journal:
    """A journal of a new run that shares the first ``at`` effects; resume it to run its future.

    From there on ``config`` holds, if it is given. ``value`` is the outcome of effect ``at`` as JSON, instead of having
    it answered anew. With a ``path`` the new journal is on disk.

    Raises:
        UsageError: ``at`` is no boundary of the run, there is no effect ``at`` to give a value to, the value is none
            of its outcomes, or ``config`` is none of this engine or allows less than the shared effects took.
        InputFileError: the new file exists already or cannot be written.
        JournalError: it could not be written to its end; nothing is left of it.
        Divergence: the journal is of another program or version.
    """
    if config is not None and not isinstance(config, engine.config):
        expected = engine.config.__name__
        raise UsageError(f"engine '{engine.name}' is configured by {expected}, not {type(config).__name__}")
    opening, entries = _past(journal, at, config, engine)
    if config is not None:
        _check_spent(entries, engine.bound(config))
    if value is not None:
        entries.append(_altered(journal, at, value, engine))
    _check(opening, entries, engine)
    forked = Journal.written(opening, entries, path)
    forked.authentic = journal.authentic
    return forked


def _past(journal: Journal, at: int, config: Settings | None, engine: AnyEngine) -> tuple[Opening, list[Entry]]:
    """What the fork shares with the run: its opening, for another run, and every entry up to there."""
    possible = _possible(journal, engine)
    if at not in possible:
        raise UsageError(f"--at {at}: is no boundary of this run; there are {_ranges(possible)}")
    opening = journal.opened
    parent = Parent(execution_id=opening.execution_id, at=at)
    changed = config.model_dump(mode="json") if config is not None else None
    entries = [journal.entries[number].changed(interrupted=False) for number in range(at)]
    if changed is not None and entries:
        entries[-1] = entries[-1].changed(config=changed)
    started = changed if changed is not None and at == 0 else opening.config
    update = {"execution_id": uuid.uuid4().hex, "config": started, "setup": journal.setup, "parent": parent}
    return opening.changed(**update), entries


def _check_spent(entries: list[Entry], bound: Bound) -> None:
    """Refuse settings that allow less than what is shared took: the fork would end before it begins."""
    spent = sum((entry.usage + entry.lost for entry in entries), NOTHING)
    units = zip(
        ("model calls", "tokens", "dollars"), (spent.calls, spent.tokens, spent.cost), bound.limits, strict=True
    )
    for unit, taken, most in units:
        if most is not None and taken > most + ROUNDING:
            raise UsageError(
                f"--set: the {len(entries)} effects that the fork shares took {round(taken, 6):,} {unit}, and these "
                f"settings allow {round(most, 6):,}; allow more, or fork at an earlier effect"
            )


def _possible(journal: Journal, engine: AnyEngine) -> tuple[int, ...]:
    """The boundaries up to where an interrupt or an unusable endpoint broke the run off: no ending is shared."""
    void = resume_point(journal, engine).void
    return tuple(b for b in boundaries(journal, engine) if not void or b <= min(void))


def _altered(journal: Journal, at: int, value: JsonValue, engine: AnyEngine) -> Entry:
    """The entry of effect ``at`` with another value."""
    if at not in journal.entries or at + 1 not in boundaries(journal, engine):
        raise UsageError(f"--at {at}: no single effect was issued there whose outcome could be another")
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        raise UsageError("--value: no journal can keep a lone surrogate, or a number that is not finite") from None
    update = {"value": value, "failure": None, "altered": True, "interrupted": False}
    return journal.entries[at].changed(**update)


def _check(opening: Opening, entries: list[Entry], engine: AnyEngine) -> None:
    """Step the fork in memory, so that what is wrong with it is said before there is a file."""
    try:
        boundaries(Journal.written(opening, entries), engine)
    except Divergence as error:
        if not any(entry.altered for entry in entries):
            raise
        raise UsageError(f"--value: {error}") from None


def _ranges(numbers: tuple[int, ...]) -> str:
    """Ascending numbers for people: ``0 to 3, 6``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{r[0]} to {r[-1]}" if len(r) > 1 else str(r[0]) for r in runs)
