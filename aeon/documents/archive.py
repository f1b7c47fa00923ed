"""A collection file: checked before it is read, and replaced as a whole, never changed in place.

So whoever has it open, or copies it, sees the collection before an update or the one after it, and a crash leaves the
one before.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import sqlite3
import stat
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

from aeon.documents.index import LAYOUT, MARK, ForeignIndex, Index, OtherVersion
from aeon.errors import InputFileError
from aeon.text import one_line

__all__ = ["replaced", "size_of", "whole"]

_BEGINNING = b"SQLite format 3\x00"
_HEADER = 100


class _Header(NamedTuple):
    """What the header of an SQLite file says, and how long the file is."""

    layout: int
    size: int
    length: int


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Index]:
    """Open the index of a collection file for reading; it is closed only if the block raises.

    Raises:
        InputFileError: there is no such file, it is no collection or one of another version, or it is damaged.
    """
    _check(path)
    index: Index | None = None
    try:
        index = Index(os.path.realpath(path), "read")
        yield index
    except BaseException as error:
        if index is not None:
            index.close()
        if isinstance(error, sqlite3.Error | ForeignIndex | OtherVersion):
            raise InputFileError(_damaged(path, str(error))) from None
        raise


def _check(path: Path) -> None:
    """Refuse what is no sound collection of this version, by its header. Raises ``InputFileError``."""
    label, header = _label(path), _header(path)
    if isinstance(header, str):
        make = f"{label} --into FILE makes one of it" if path.is_dir() else "FOLDER --into FILE makes one"
        raise InputFileError(f"{label}: is {header}, no collection; aeon collect {make}")
    if header.layout != LAYOUT:
        raise InputFileError(
            f"{label}: is a collection of another version of Aeon; make it anew: aeon collect FOLDER --into {label}"
        )
    if header.length < header.size:
        raise InputFileError(_damaged(path, f"{header.length:,} of {header.size:,} bytes are there"))


def _damaged(path: Path, why: str) -> str:
    label = _label(path)
    return f"{label}: is damaged ({one_line(why)}); make it anew: aeon collect FOLDER --into {label}"


def _header(path: Path) -> _Header | str:
    """What the header of a collection says, or what the file is instead. Raises ``InputFileError``: it is not there."""
    label = _label(path)
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            return "a folder"
        if not stat.S_ISREG(status.st_mode):
            return "no regular file"
        with path.open("rb") as file:
            head = file.read(_HEADER)
    except FileNotFoundError:
        raise InputFileError(f"{label}: there is no such file; aeon collect FOLDER --into {label} makes it") from None
    except (OSError, ValueError, RuntimeError) as error:
        raise InputFileError(f"{label}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return _parsed(head, status.st_size)


def _parsed(head: bytes, length: int) -> _Header | str:
    """What the first bytes of a file of that length say."""
    if not head:
        return "empty"
    if len(head) < _HEADER or not head.startswith(_BEGINNING):
        return "another kind of file"
    (page,), (pages,) = struct.unpack_from(">H", head, 16), struct.unpack_from(">I", head, 28)
    (layout,), (mark,) = struct.unpack_from(">i", head, 60), struct.unpack_from(">i", head, 68)
    if mark != MARK:
        return "the database of another program"
    return _Header(layout, (65_536 if page == 1 else page) * pages, length)


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[tuple[Index, str]]:
    """Change a collection file, or make it, within the block; if it raises, the file stays as it was.

    Gives an index with what the file holds, and a line on the file, "" if there is nothing to say. A collection of
    another version and a damaged one are set aside.

    Raises:
        InputFileError: something else is there, another process is changing it, or it cannot be written.
    """
    target = Path(os.path.realpath(path))
    lock = target.with_name(f".{target.name}.lock")
    try:
        with FileLock(lock, timeout=0):
            try:
                yield from _replaced(path, target)
            finally:
                lock.unlink(missing_ok=True)
    except Timeout:
        raise InputFileError(f"{_label(path)}: another process is writing it; try again when it is done") from None
    except (OSError, sqlite3.Error) as error:
        raise InputFileError(f"{_label(path)}: cannot be written: {_reason(error)}") from None


def _replaced(path: Path, target: Path) -> Iterator[tuple[Index, str]]:
    _remove_leftovers(target)  # of a process that was killed
    why = _unusable(path) if os.path.lexists(target) else ""
    aside = _free_name(target)
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        _begin(part, target, is_copy=not why)
        with contextlib.closing(Index(str(part), "build")) as index:
            yield index, f"{why}; the old file is now {aside.name}" if why else ""
            is_changed = index.writes > 0
            if is_changed:
                index.finish()
        if is_changed:
            _synced(part)
            if why:
                target.replace(aside)
            part.replace(target)
            _synced(target.parent)
    finally:
        _remove_leftovers(target)


def _begin(part: Path, target: Path, is_copy: bool) -> None:
    """Make the file that takes the target's place: with its mode, and with what it holds if it is a copy."""
    part.touch(exist_ok=False)
    if target.exists():
        part.chmod(stat.S_IMODE(target.stat().st_mode))
        if is_copy:
            shutil.copyfile(target, part)


def _remove_leftovers(target: Path) -> None:
    for part in target.parent.glob(f".{_escaped(target.name)}.*.part*"):
        part.unlink(missing_ok=True)


def _unusable(path: Path) -> str:
    """Why a collection that is there has to be made anew, "" if it can be brought up to date.

    Raises ``InputFileError`` if it is no collection.
    """
    header = _header(path)
    if isinstance(header, str):
        raise InputFileError(f"{_label(path)}: is {header}, no collection, and is not overwritten; name another file")
    if header.layout != LAYOUT:
        return "the collection was made anew: it was of another version of Aeon"
    try:
        with whole(path) as index, contextlib.closing(index):
            return "" if index.is_sound() else "the collection was made anew: it was damaged"
    except (InputFileError, sqlite3.Error):
        return "the collection was made anew: it was damaged"


def _free_name(target: Path) -> Path:
    """Where the old file goes: a name that nothing has."""
    number, place = 1, target.with_name(f"{target.name}.old")
    while os.path.lexists(place):
        number += 1
        place = target.with_name(f"{target.name}.old{number}")
    return place


def size_of(path: Path) -> int:
    """How many bytes a collection file has. Raises ``InputFileError`` if it is not there any more."""
    try:
        return path.stat().st_size
    except OSError as error:
        raise InputFileError(f"{_label(path)}: cannot be read: {error.strerror}") from None


def _synced(path: Path) -> None:
    """Wait until what was written is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _escaped(name: str) -> str:
    return "".join(f"[{one}]" if one in "*?[" else one for one in name)


def _reason(error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number == errno.ENOSPC or "disk is full" in str(error):
        return "the disk is full; it is as it was"
    return one_line(getattr(error, "strerror", None) or str(error)).lower()


def _label(path: Path) -> str:
    return one_line(str(path))
