"""What tells a journal of this version from any other file, before its seals are looked at."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import JsonValue

from aeon.errors import InputFileError, JournalError, UsageError
from aeon.runtime.lines import VERSION
from aeon.text import one_line

__all__ = ["BEGINNING", "broken_line", "is_journal", "refuse_no_path", "refuse_others"]

BEGINNING = b'{"format":"aeon-journal",'
"""How every journal begins."""


def is_journal(path: Path | str) -> bool:
    """Whether there is a file that begins as journals do.

    Raises:
        OSError: there is a file, and it cannot be read.
    """
    file = Path(path)
    if not file.is_file():
        return False
    with file.open("rb") as opened:
        return opened.read(len(BEGINNING)) == BEGINNING


def refuse_no_path(path: object) -> None:
    """Refuse what names no file. A number does: one that the process has open.

    Raises:
        UsageError: says what to pass.
    """
    if not isinstance(path, str | Path):
        raise UsageError(f"pass the path of a journal as a text or a Path, not {one_line(repr(path), 60)}")


def refuse_others(path: Path | str) -> None:
    """Refuse a file that is no journal, or one of another version.

    Raises:
        UsageError: it is no path.
        InputFileError: says what the file is and what to do.
    """
    refuse_no_path(path)
    file = Path(path)
    try:
        if file.exists() and not (file.is_file() or file.is_dir()):
            raise InputFileError(f"{path}: is no file but a pipe or a device; put the journal in a file")
        with file.open("rb") as opened:
            first = opened.read(len(BEGINNING))
            first += opened.readline() if first == BEGINNING else b""  # another program's line may have no end
    except OSError as error:
        raise InputFileError(f"{path}: cannot be read: {error.strerror}") from None
    if not first.startswith(BEGINNING):
        raise InputFileError(f"{path}: this is no Aeon journal; save one with: aeon run TASK --save FILE")
    if not first.endswith(b"\n") or 0 in first:
        raise InputFileError(f"{path}: holds no run: it broke off in the first line; delete it and run again")
    if (version := _version(first)) != VERSION:
        raise InputFileError(f"{path}: journal version {version} is not one this Aeon reads ({_what_to_do(version)})")


def _what_to_do(version: JsonValue) -> str:
    if isinstance(version, int) and version > VERSION:
        return "a newer Aeon wrote it: update Aeon"
    return f"it reads version {VERSION}: use the Aeon that wrote it, or run the task again"


def broken_line(path: Path | str, number: int, line: bytes) -> InputFileError | JournalError:
    """Why this line is none of a journal of this version."""
    if (version := _version(line)) != VERSION:
        return InputFileError(f"{path}: line {number} is of version {version}, which this Aeon does not read")
    return JournalError(f"{path}: line {number} is no line of a journal")


def _version(line: bytes) -> JsonValue:
    """The version that a line says it is of; the current one where it says nothing."""
    try:
        whole = json.loads(line)
    except (ValueError, RecursionError):
        return VERSION
    version: JsonValue = whole.get("version", VERSION) if isinstance(whole, dict) else VERSION
    return version
