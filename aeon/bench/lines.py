"""Files of JSON Lines that a program may be stopped over: a line counts once its end is written."""

from __future__ import annotations

import os
from pathlib import Path

from aeon.errors import InputFileError

__all__ = ["append", "whole_lines"]


def whole_lines(path: Path) -> list[str]:
    """The lines of a file, none if it is not there; a torn one at the end is cut off the file.

    Raises:
        InputFileError: it cannot be read, or is no text.
    """
    try:
        data = path.read_bytes() if os.path.lexists(path) else b""
        whole = data[: data.rfind(b"\n") + 1]
        lines = whole.decode("utf-8").splitlines()
        if len(whole) < len(data):
            os.truncate(path, len(whole))
    except OSError as error:
        raise InputFileError(f"{path}: cannot be used: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputFileError(f"{path}: is no UTF-8 text") from None
    return lines


def append(path: Path, line: str) -> None:
    """Write one more line.

    Raises:
        InputFileError: it cannot be written.
    """
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    except OSError as error:
        raise InputFileError(f"{path}: cannot be written: {error.strerror or error}") from None
