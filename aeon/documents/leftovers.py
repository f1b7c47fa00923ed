"""Indexes whose folders are gone: beside each index lies a note of its folders, and of when it was used last."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterable
from pathlib import Path

from filelock import FileLock, Timeout

__all__ = ["KEPT_DAYS", "note_use", "remove_leftovers"]

KEPT_DAYS = 30
"""A folder may be on a drive that is not there now: its index stays so many days after its last use."""
_SUFFIX = ".folders"
_DAY = 86_400


def note_use(index: Path, roots: Iterable[Path]) -> None:
    """Write beside the index which folders it is of; the time of the note is that of the last use.

    Raises ``OSError`` if it cannot be written.
    """
    note = index.with_suffix(_SUFFIX)
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(json.dumps([str(root) for root in roots]), encoding="utf-8")


def remove_leftovers(place: Path) -> None:
    """Remove from ``place`` the indexes of folders that are gone and were not used for 30 days.

    One without a note, one in use, and one that cannot be removed stay.
    """
    oldest = time.time() - KEPT_DAYS * _DAY
    for note in place.glob(f"*{_SUFFIX}"):
        with contextlib.suppress(OSError, ValueError):  # a cache that is not tidied is no fault of a run
            if note.stat().st_mtime < oldest and _gone(note):
                _remove(note)


def _gone(note: Path) -> bool:
    """Whether a folder of the index is no longer there; without one of them, it is never opened."""
    roots = json.loads(note.read_text(encoding="utf-8"))
    return not all(Path(root).exists() for root in roots)


def _remove(note: Path) -> None:
    index = note.with_suffix(".sqlite")
    with contextlib.suppress(Timeout), FileLock(f"{index}.lock", timeout=0):
        for path in note.parent.glob(f"{note.stem}.*"):
            path.unlink()
