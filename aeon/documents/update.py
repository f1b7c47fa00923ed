"""Bringing the index of a collection up to date, wherever it can be kept."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from aeon.documents.embedding import embedder
from aeon.documents.folder import Folder
from aeon.documents.index import ForeignIndex, Index, OtherVersion, is_damage
from aeon.documents.readers import MOST_BYTES, content, text_of
from aeon.documents.rows import Stamp
from aeon.errors import MissingExtraError, ToolFailed
from aeon.isolation.pool import Deadline, Unread
from aeon.text import one_line, printable

__all__ = ["Changes", "Update", "Updated"]

_PATIENCE = 120.0
"""Seconds to wait for another process that brings the same index up to date."""
_RECENT_NS = 2_000_000_000
"""A file that changed so short a time ago may change again and keep its time: its bytes are looked at next time."""


@dataclass
class Changes:
    """What an update did, by path: files that are new, changed and gone, and why others cannot be searched."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)

    def note(self, name: str, old: Stamp | None, is_readable: bool) -> None:
        """Note a file that is not as it was: what it was before, and whether it can be read now."""
        was_readable = old is not None and not old.reason
        if is_readable:
            (self.changed if was_readable else self.added).append(name)
        elif was_readable:
            self.removed.append(name)


@dataclass(frozen=True)
class Updated:
    """An open index that is up to date, why files are not in it, by path, and a line on the index itself."""

    index: Index
    reasons: dict[str, str]
    note: str


@dataclass(frozen=True)
class Update:
    """The files of a folder that an index has to hold. ``progress`` receives the files done and in all.

    ``is_gone`` says of a file of the index that is not among them whether it is to be removed. After
    the ``deadline`` no file is read any more.
    """

    folder: Folder
    names: tuple[str, ...]
    progress: Callable[[int, int], None]
    is_gone: Callable[[str], bool]
    deadline: Deadline | None = None

    def in_file(self, place: Path) -> Updated:
        """Return the index in that file, or in memory if the file cannot be written."""
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{place}.lock", timeout=_PATIENCE):
                return self._locked(place)
        except Timeout:
            reason = "another process is busy with it"
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
        except sqlite3.Error as error:
            reason = str(error)
        return self.in_memory(f"the index could not be kept ({one_line(reason)}); it is in memory for this run")

    def in_memory(self, note: str = "") -> Updated:
        """Return the index in memory. Raises ``ToolFailed`` if this SQLite has no full-text search."""
        try:
            return self._opened(":memory:", note)
        except sqlite3.Error as error:
            raise ToolFailed(f"the documents cannot be indexed: {error}") from None

    def _locked(self, place: Path) -> Updated:
        """The index in its file, built anew if the file holds something else."""
        try:
            return self._opened(str(place), "")
        except OtherVersion as error:
            note = f"the index was built anew: {error}"
            for path in _files(place):
                path.unlink()
        except ForeignIndex as error:
            note = f"the index was built anew: {error}; {_set_aside(place)}"
        except sqlite3.Error as error:
            if not is_damage(error):
                raise
            note = f"the index was built anew: it was damaged ({error}); {_set_aside(place)}"
        return self._opened(str(place), note)

    def _opened(self, place: str, note: str) -> Updated:
        index = Index(place)
        try:
            with index.update():
                changes = self.apply(index)
            index.pin()
        except BaseException:
            index.close()
            raise
        return Updated(index, changes.reasons, note)

    def apply(self, index: Index) -> Changes:
        """Bring the index up to date, within its ``update``; return what that changed.

        Raises ``sqlite3.Error`` if it cannot be written, and ``MissingExtraError`` if embeddings cannot be made.
        """
        stamps = index.stamps()
        changes = Changes(removed=sorted(name for name in set(stamps).difference(self.names) if self.is_gone(name)))
        for name in changes.removed:
            index.drop(name)
        if embed := embedder():
            for name in index.without_vectors():
                index.embed(name, embed)
        retrieved = datetime.now(UTC).isoformat(timespec="seconds")
        for done, name in enumerate(self.names, 1):
            reason = self._refresh(index, name, stamps.get(name), changes, retrieved)
            if reason:
                changes.reasons[name] = reason.removeprefix(f"{_label(name)} ")
            self.progress(done, len(self.names))
        return changes

    def _refresh(self, index: Index, name: str, old: Stamp | None, changes: Changes, retrieved: str) -> str:
        """Read a file if it has changed; return why it cannot be searched, "" if it can."""
        if name != printable(name):
            return "its name holds characters that cannot be shown"
        try:
            path = self.folder.find(name)
            stamp, data = _state(path, _label(name), old)
        except (ToolFailed, OSError) as error:
            index.drop(name)
            changes.note(name, old, False)
            return f"cannot be read: {error.strerror}" if isinstance(error, OSError) else str(error)
        if old and (old.sha256, old.size) == (stamp.sha256, stamp.size):
            if old != stamp:
                index.touch(name, stamp)
            return old.reason
        index.drop(name)
        reason = self._put(index, name, path.suffix, stamp, data, retrieved)
        changes.note(name, old, not reason)
        return reason

    def _put(self, index: Index, name: str, suffix: str, stamp: Stamp, data: bytes, retrieved: str) -> str:
        """Add a file with its text and embeddings; return why it cannot be searched, "" if it can."""
        try:
            if stamp.size > MOST_BYTES:
                raise ToolFailed(
                    f"is too large: {stamp.size / 1e6:,.1f} MB, at most {MOST_BYTES / 1e6:,.0f} MB are read"
                )
            text = text_of(data, suffix, _label(name), self.deadline)
        except (Unread, MissingExtraError) as error:
            return str(error)  # not kept: the next time, or once the extra is there, the file is read
        except ToolFailed as error:
            index.refuse(name, stamp._replace(reason=str(error)))
            return str(error)
        if index.put(name, stamp, text, retrieved) and (embed := embedder()):
            index.embed(name, embed)
        return ""


def _label(name: str) -> str:
    return one_line(name, 100)


def _state(path: Path, label: str, old: Stamp | None) -> tuple[Stamp, bytes]:
    """The state of a file and its bytes, which are read if its size or its time is another than before.

    The time is looked at before the bytes are read, so that a file that changes meanwhile is read again the next time.
    Text and hash are of the same bytes. Raises ``ToolFailed`` for a file that cannot be read.
    """
    status = path.stat()
    if old and old.mtime_ns and (old.size, old.mtime_ns) == (status.st_size, status.st_mtime_ns):
        return old, b""
    is_recent = time.time_ns() - status.st_mtime_ns < _RECENT_NS
    time_ns = 0 if is_recent else status.st_mtime_ns
    if status.st_size > MOST_BYTES:
        return Stamp(status.st_size, time_ns, "", ""), b""
    data = content(path, label)
    return Stamp(len(data), time_ns, hashlib.sha256(data).hexdigest(), ""), data


def _set_aside(place: Path) -> str:
    old = f"{place}.old"
    for path in _files(place):
        path.replace(old + str(path)[len(str(place)) :])
    return f"the old file is now {place.name}.old"


def _files(place: Path) -> list[Path]:
    """The files that SQLite keeps a database in."""
    return [path for suffix in ("", "-wal", "-shm") if (path := Path(f"{place}{suffix}")).exists()]
