"""What a log of commits holds, and how journals get from it what a power cut took from them.

A log is a row of frames: bytes of a journal, with the place where they stand in it, and a checksum. To do them again
where they stand already changes nothing.
"""

from __future__ import annotations

import errno
import logging
import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from aeon.runtime.sealed import sync_folder

__all__ = ["Frame", "encoded", "frames_of", "redo", "settle"]

_HEAD = struct.Struct(">IHQI")
_log = logging.getLogger("aeon")


class Frame(NamedTuple):
    """Bytes of the journal ``name``, from the byte ``start`` on."""

    name: str
    start: int
    data: bytes


def encoded(frame: Frame) -> bytes:
    """A frame as it stands in a log."""
    name = frame.name.encode()
    head = _HEAD.pack(0, len(name), frame.start, len(frame.data))
    body = head[4:] + name + frame.data
    return zlib.crc32(body).to_bytes(4) + body


def frames_of(data: bytes) -> Iterator[Frame]:
    """The frames of a log, up to one that is not whole."""
    place = 0
    while place + _HEAD.size <= len(data):
        checksum, named, start, size = _HEAD.unpack_from(data, place)
        begin = place + _HEAD.size
        end = begin + named + size
        if end > len(data) or zlib.crc32(data[place + 4 : end]) != checksum:
            return
        yield Frame(data[begin : begin + named].decode(), start, data[begin + named : end])
        place = end


def redo(folder: Path) -> None:
    """Have the journals in a folder hold all that its logs hold, for good; then no log is left.

    Raises:
        OSError: a log or a journal cannot be read or written.
    """
    logs = sorted(folder.glob("commit-*.log"))
    frames: dict[str, list[Frame]] = {}
    for path in logs:
        for frame in frames_of(path.read_bytes()):
            frames.setdefault(frame.name, []).append(frame)
    for name, several in frames.items():
        _mend(folder / name, several)
    if not settle(folder, frames, *logs):
        raise OSError(errno.EIO, "its journals cannot be synced")


def settle(folder: Path, names: Iterable[str], *logs: Path) -> bool:
    """Sync journals, then remove the logs; whether that could be done. A journal that was taken away needs nothing."""
    try:
        for name in names:
            _sync(folder / name)
        sync_folder(folder)
        for path in logs:
            path.unlink(missing_ok=True)
    except OSError as error:
        _log.warning("journals cannot be synced, their log stays: %s", error.strerror)
        return False
    return True


def _sync(path: Path) -> None:
    try:
        with path.open("r+b", buffering=0) as file:
            os.fsync(file.fileno())
    except FileNotFoundError:
        return


def _mend(path: Path, frames: list[Frame]) -> None:
    """Write into a journal what it lacks of these frames.

    It may be shorter, or have holes, which are zeros. One that somebody has continued meanwhile stays as it is.
    """
    data = path.read_bytes() if path.exists() else b""
    whole = data
    for frame in frames:
        end = frame.start + len(frame.data)
        if whole[frame.start : end] != frame.data:
            if frame.start > len(whole):
                break
            whole = whole[: frame.start] + frame.data
    if whole == data:
        return
    if len(data) > len(whole) or any(old not in (new, 0) for old, new in zip(data, whole, strict=False)):
        _log.warning("%s was continued by others after a power cut, and stays as it is", path.name)
        return
    path.touch()
    with path.open("r+b") as file:
        file.write(whole)
