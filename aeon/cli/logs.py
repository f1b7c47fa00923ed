"""The log file of a run, and what is said of an observer that fails: neither ends the run."""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from aeon.cli.output import remark
from aeon.errors import InputFileError
from aeon.observability.log import log_observer
from aeon.runtime.events import Event
from aeon.runtime.header import is_journal

__all__ = ["LogFile", "faults_in_one_line"]


class LogFile:
    """An observer that appends every event to a file, and a context manager that closes it.

    Where the ``file`` takes no more, that is said once, and the run continues without it.

    Raises:
        InputFileError: the file cannot be opened, is none, or is a saved run.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            if _waits(path):
                raise InputFileError(f"{path}: is no file but a pipe, a socket or a disk; put the log in a file")
            if is_journal(path):
                raise InputFileError(f"{path}: is a saved run, which a log would damage; name another file for the log")
            self.file = Path(path).open("a", encoding="utf-8", buffering=1)  # noqa: SIM115 - closed by __exit__
        except OSError as error:
            raise InputFileError(f"{path}: cannot be written: {error.strerror}") from None
        self._observe = log_observer(self.file)
        self._broken = False

    def __call__(self, event: Event) -> None:
        """Write an event."""
        if self._broken:
            return
        try:
            self._observe(event)
        except OSError as error:
            self._broken = True
            remark(f"{self._path}: the log ends here: {error.strerror}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        with contextlib.suppress(OSError):  # what it could not take was mentioned
            self.file.close()


def _waits(path: str) -> bool:
    """Whether it is what would have to be read at the other end, or a whole disk; a terminal may take a log."""
    try:
        mode = os.stat(path).st_mode
    except OSError:  # it is said when it is opened
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISBLK(mode)


class _OneLine(logging.Handler):
    """Prints a warning of the runtime as one line; with ``AEON_DEBUG`` the traceback, too."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        cause = f": {type(error).__name__}: {error}" if error is not None else ""
        remark(f"{record.getMessage()}{cause}")
        if error is not None and os.environ.get("AEON_DEBUG"):
            traceback.print_exception(error)


@contextlib.contextmanager
def faults_in_one_line() -> Iterator[None]:
    """While it is entered, what the runtime has to say of an observer that raised is one line on standard error."""
    logger, handler = logging.getLogger("aeon"), _OneLine()
    before, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before
