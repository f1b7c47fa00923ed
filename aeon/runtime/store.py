"""Where a journal's lines last: a file to which many runs' worth of lines can be committed at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Protocol

from aeon.errors import JournalError
from aeon.runtime.gathering import Gathering

__all__ = ["FileStore", "Lines", "Store"]


class Store(Protocol):
    """Where a journal keeps its lines: a file, a database, or what stands in for one."""

    async def append(self, line: bytes) -> None:
        """Add a line; it lasts when this returns.

        Raises:
            JournalError: it could not be kept.
        """

    def append_now(self, line: bytes) -> None:
        """The same outside an event loop."""

    def close(self) -> None:
        """Let go of it."""


class Lines(Protocol):
    """Where lines are committed, several at once: a `SealedFile`, or what stands in for one."""

    def append(self, *lines: bytes) -> None:
        """Add lines; they last when this returns.

        Raises:
            JournalError: they could not be kept.
        """

    def close(self) -> None:
        """Let go of it."""


class FileStore:
    """A sealed file, or the like. Lines that come in while others are being written are committed together.

    The event loop never waits for the disk: a thread writes.
    """

    def __init__(self, file: Lines) -> None:
        self._file = file
        self._lines = Gathering(self._committed)
        self._writing = threading.Lock()

    async def append(self, line: bytes) -> None:
        """Add a line; it is on disk when this returns."""
        await self._lines.add(line)

    def append_now(self, *lines: bytes) -> None:
        """The same outside an event loop, for lines that are committed together."""
        self._commit(lines)

    def close(self) -> None:
        """Close the file, after what is being written."""
        with self._writing:
            self._file.close()

    async def _committed(self, lines: list[bytes]) -> list[JournalError | None]:
        """Commit lines in a thread; why it could not be done, for each of them."""
        try:
            await asyncio.to_thread(self._commit, lines)
        except JournalError as error:
            return [error] * len(lines)
        return [None] * len(lines)

    def _commit(self, lines: Sequence[bytes]) -> None:
        with self._writing:
            self._file.append(*lines)
