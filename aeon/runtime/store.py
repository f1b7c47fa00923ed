"""Where a journal's lines last: a file to which many runs' worth of lines can be committed at once."""

from __future__ import annotations

import asyncio
import threading
from typing import Protocol

from aeon.errors import JournalError

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
        self._waiting: list[tuple[bytes, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None
        self._writing = threading.Lock()

    async def append(self, line: bytes) -> None:
        """Add a line; it is on disk when this returns."""
        kept = asyncio.get_running_loop().create_future()
        self._waiting.append((line, kept))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        await kept

    def append_now(self, *lines: bytes) -> None:
        """The same outside an event loop, for lines that are committed together."""
        self._commit([*lines])

    def close(self) -> None:
        """Close the file, after what is being written."""
        with self._writing:
            self._file.close()

    async def _write(self) -> None:
        """Commit what waits, until nothing does."""
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                failure = await self._committed([line for line, _ in batch])
                for _, kept in batch:
                    if kept.done():
                        continue
                    if failure is None:
                        kept.set_result(None)
                    else:
                        kept.set_exception(failure)
        finally:
            self._writer = None

    async def _committed(self, lines: list[bytes]) -> JournalError | None:
        """Commit lines in a thread; why it could not be done."""
        try:
            await asyncio.to_thread(self._commit, lines)
        except JournalError as error:
            return error
        return None

    def _commit(self, lines: list[bytes]) -> None:
        with self._writing:
            self._file.append(*lines)
