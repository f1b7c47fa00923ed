"""Group commit: one wait for the disk for the lines of all journals in a folder.

A line goes into its journal, where it outlives the process, and into a log that all journals share. The log alone is
synced before the line counts: one wait for all lines that wait for it. After a power cut the log holds what journals
lack, and the next `CommitLog` of the folder writes it there before anybody reads them. A log that has become large
goes once the journals themselves are synced.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from aeon.errors import JournalError
from aeon.runtime.gathering import Gathering
from aeon.runtime.redo import Frame, encoded, redo, settle
from aeon.runtime.sealed import SealedFile, sync_folder
from aeon.runtime.store import Store

__all__ = ["CommitLog"]

_MOST = 16_000_000
_AT_ONCE = 64


class _Log:
    """One file of the log, and the names of the journals that it has lines of."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: set[str] = set()
        self.size = 0
        self._file = path.open("xb", buffering=0)
        sync_folder(path.parent)  # a log whose name a power cut takes is none

    def append(self, frames: Sequence[Frame]) -> None:
        """Add frames; they are on disk when this returns."""
        self.names.update(frame.name for frame in frames)
        for start in range(0, len(frames), _AT_ONCE):  # some at a time: the whole of it would be there twice
            data = b"".join(map(encoded, frames[start : start + _AT_ONCE]))
            self.size += len(data)
            while data:
                data = data[self._file.write(data) :]
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


class CommitLog:
    """The log of the journals in ``folder``, whose one user this is. A file of it has up to about ``most`` bytes.

    Raises:
        OSError: what an earlier log holds cannot be read or written.
    """

    def __init__(self, folder: Path, most: int = _MOST) -> None:
        redo(folder)
        self._folder = folder
        self._most = most
        self._latest = 0
        self._log: _Log | None = None
        self._full: deque[_Log] = deque()
        self._lines = Gathering(self._committed)
        self._writing = threading.Lock()
        self._writer = ThreadPoolExecutor(1, "aeon-log")
        self._settler = ThreadPoolExecutor(1, "aeon-settle")

    def create(self, path: Path) -> Store:
        """Where the lines of a new journal last.

        Raises:
            InputFileError: the file exists already or cannot be written.
        """
        return self.store(SealedFile.create(path, lasting=False))

    def store(self, file: SealedFile) -> Store:
        """Where the lines of a journal last that is in the folder."""
        return _GroupStore(self, file)

    async def append(self, file: SealedFile, line: bytes) -> None:
        """Add a line to a journal; it lasts when this returns.

        Raises:
            JournalError: it could not be kept.
        """
        await self._lines.add((file, line))

    def append_now(self, file: SealedFile, line: bytes) -> None:
        """The same outside an event loop."""
        start, data = file.write(line)
        try:
            self._sync([Frame(file.path.name, start, data)])
        except OSError as error:
            raise file.broken(error, start) from None

    def close(self) -> None:
        """Let go of the folder. Where the disk takes everything, no log is left."""
        self._writer.shutdown()
        with self._writing:
            self._give_up_log()
        self._settler.shutdown()

    async def _committed(self, batch: list[tuple[SealedFile, bytes]]) -> list[JournalError | None]:
        """Commit lines; why it could not be done, for each of them.

        The journals are written here, which does not wait for the disk: a thread that did it would wait for the
        interpreter after each. The log is written and synced in a thread.
        """
        lines: dict[SealedFile, list[bytes]] = {}
        for file, line in batch:
            lines.setdefault(file, []).append(line)
        failures: dict[SealedFile, JournalError] = {}
        frames: dict[SealedFile, Frame] = {}
        for file, several in lines.items():
            try:
                frames[file] = Frame(file.path.name, *file.write(*several))
            except JournalError as error:
                failures[file] = error
        try:
            await asyncio.get_running_loop().run_in_executor(self._writer, self._sync, [*frames.values()])
        except OSError as error:
            failures |= {file: file.broken(error, frame.start) for file, frame in frames.items()}
        return [failures.get(file) for file, _ in batch]

    def _sync(self, frames: Sequence[Frame]) -> None:
        """Have the log hold these frames, for good."""
        with self._writing:
            if self._log is None:
                self._latest += 1
                self._log = _Log(self._folder / f"commit-{self._latest:08}.log")
            try:
                self._log.append(frames)
            except OSError:  # what it holds of them may be torn: nothing must come after that
                self._give_up_log()
                raise
            if self._log.size > self._most:
                self._give_up_log()

    def _give_up_log(self) -> None:
        """Write no more to the log; once its journals are synced, nobody needs it."""
        if self._log is not None:
            self._log.close()
            self._full.append(self._log)
            self._log = None
            self._settler.submit(self._settle)

    def _settle(self) -> None:
        """Sync the journals of full logs, the oldest first: a log must not outlive one that came after it."""
        while self._full:
            if not settle(self._folder, self._full[0].names, self._full[0].path):
                return
            self._full.popleft()


class _GroupStore:
    """A journal's file, whose lines are committed with those of others."""

    def __init__(self, log: CommitLog, file: SealedFile) -> None:
        self._log = log
        self._file = file

    async def append(self, line: bytes) -> None:
        """Add a line; it lasts when this returns."""
        await self._log.append(self._file, line)

    def append_now(self, line: bytes) -> None:
        """The same outside an event loop."""
        self._log.append_now(self._file, line)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
