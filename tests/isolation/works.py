"""Work for a process of its own: what a reader may do, good and bad."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from pathlib import Path

from aeon.errors import MissingExtraError, ToolFailed

__all__ = [
    "crash", "ends", "fails", "fills", "hides", "lacks", "length", "loops", "number", "prints", "raises", "says",
    "sleeps", "vanishes", "writes",
]  # fmt: skip


def length(data: bytes, factor: int = 1) -> int:
    """How many bytes there are, so many times."""
    return len(data) * factor


def number(data: bytes) -> int:
    """The number of the process."""
    return os.getpid()


def prints(data: bytes) -> str:
    """Write where the answer goes."""
    sys.stdout.write('{"error": "", "bytes": 3, "last": false}\n')
    sys.stdout.flush()
    os.write(1, b"nonsense\n")
    return "said"


def fills(data: bytes, size: int) -> int:
    """Take so much memory."""
    return len(bytearray(size))


def hides(data: bytes, size: int) -> int:
    """Hold so much memory when the work is done."""
    globals()["_HIDDEN"] = bytearray(os.urandom(1024)) * (size // 1024)
    return os.getpid()


def loops(data: bytes) -> None:
    """Never end, and work all the time."""
    while True:
        pass


def sleeps(data: bytes, seconds: float) -> str:
    """Do nothing for some time."""
    time.sleep(seconds)
    return "awake"


def says(data: bytes, size: int) -> str:
    """Give a text of so many characters."""
    return "x" * size


def writes(data: bytes, path: str, size: int) -> None:
    """Write a file of so many bytes."""
    Path(path).write_bytes(bytes(size))


def fails(data: bytes) -> None:
    """Fail as a reader does."""
    raise ToolFailed("a.x is broken")


def lacks(data: bytes) -> None:
    """Fail for lack of an extra."""
    raise MissingExtraError("install it")


def raises(data: bytes) -> None:
    """Fail as no reader should."""
    raise ValueError("two\nlines")


def crash(data: bytes, name: str) -> None:
    """End by a signal, as native code does."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.kill(os.getpid(), getattr(signal, name))
    time.sleep(60)


def vanishes(data: bytes) -> None:
    """End without a word."""
    os._exit(3)


def ends(data: bytes) -> int:
    """Answer, and end when that is done."""
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    return os.getpid()
