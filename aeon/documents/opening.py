"""Opening what was a file when it was looked up: something else may stand there since."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

__all__ = ["opened"]

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""A pipe that nobody writes to is opened at once too, instead of never."""


def opened(path: Path) -> BinaryIO:
    """The file, opened to be read. Raises ``OSError`` where it cannot be, or is no file but a pipe or a device."""
    file = os.fdopen(os.open(path, _FLAGS), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is no file")
    return file
