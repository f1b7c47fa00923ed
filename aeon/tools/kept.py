"""Tables that took long to read, kept from run to run for as long as their files stay as they are."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from aeon.documents.folder import Folder
from aeon.errors import ToolFailed
from aeon.home import cache_dir
from aeon.tables.stated import beside
from aeon.tools.tablefile import DATABASE, Known

__all__ = ["LONG", "find", "keep", "name_of"]

LONG = 1.0
"""Seconds of reading from which on tables are kept."""
_VERSION = 6
"""Of how files are read: what another version kept is read anew."""
_MOST_BYTES = 8 * 1024**3
_OLD, _YOUNG = 30 * 86_400, 3_600
"""Seconds since it was used after which what is kept is removed; before which it never is, as a run may use it."""


def name_of(folder: Folder, paths: Sequence[str], engine: str) -> str:
    """What tables of these files are kept by: where the files are, their sizes and times, and what states readings.

    Empty where one of the files is not there. ``engine`` is the version of DuckDB.
    """
    try:
        files = [folder.find(label) for label in paths]
        stated = [one for file in files if (one := beside(file))]
        logs = [one for file in files if (one := file.with_name(f"{file.name}-wal")).exists()]  # of SQLite
        stamps = [(str(file), _stamp(file)) for file in (*files, *stated, *logs)]
    except (OSError, ToolFailed):
        return ""
    text = json.dumps([_VERSION, engine, [*paths], stamps])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def find(name: str) -> tuple[Path, Known] | None:
    """The folder with the file of tables that is kept by a name, and what is known of them."""
    if not name:
        return None
    place = _root() / name
    try:
        known = Known.of(place)
        os.utime(place)
        (place / DATABASE).stat()
    except (OSError, msgspec.DecodeError):
        return None
    return place, known


def keep(scratch: Path, name: str) -> Path | None:
    """Keep what is in a folder, which moves; ``None`` where that cannot be done, and for what has no name.

    What is too old or too much goes.
    """
    if not name:
        return None
    place = _root() / name
    moved = place.with_name(f".{name}-{os.getpid()}")
    try:
        _root().mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copytree(scratch, moved)
        moved.rename(place)
    except OSError:
        shutil.rmtree(moved, ignore_errors=True)
        return None
    shutil.rmtree(scratch, ignore_errors=True)
    _tidy()
    return place


def _root() -> Path:
    return cache_dir() / "tables"


def _stamp(file: Path) -> Sequence[int]:
    status = file.stat()
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _tidy() -> None:
    """Remove what nobody used for long, and what was used the longest ago where there is too much."""
    now, size = time.time(), 0
    with contextlib.suppress(OSError):
        used = sorted(((place.stat().st_mtime, place) for place in _root().iterdir()), reverse=True)
        for at, place in used:
            size += sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
            if now - at > _OLD or (size > _MOST_BYTES and now - at > _YOUNG):
                shutil.rmtree(place, ignore_errors=True)
