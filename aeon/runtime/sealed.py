"""A file of lines that can only grow, and that shows when it was edited.

Each line is a JSON object that ends in a seal over the line and the seal before it. A plain seal shows damage and a
careless edit: who edits with care makes the seals anew. One with a key shows any edit by whoever has not the key. A
line is on disk when ``append`` returns. One process at a time may append: the lock is on the file itself, so that
nothing lies beside it, and the system gives it up when the process ends, however it ends.
"""

from __future__ import annotations

import contextlib
import hmac
import io
import os
import re
from pathlib import Path

from filelock import lock_descriptor

from aeon.errors import InputFileError, JournalError
from aeon.runtime.header import refuse_no_path
from aeon.runtime.seals import KEY_VARIABLE, Sealer, sealer

__all__ = ["SealedFile", "read_sealed", "sealed", "sync_folder", "unsealed"]

_SEALED = re.compile(rb'(\{.*),"(seal|mac)":"([0-9a-f]{16,32})"\}', re.DOTALL)
_PLAIN = Sealer()
_OTHER_SEALS = {
    "seal": f"its lines are sealed with a key; name the file with that key in {KEY_VARIABLE}",
    "mac": f"was not sealed with your key, so anybody can have written it; to read it anyway, unset {KEY_VARIABLE}",
}


class SealedFile:
    """A sealed file open for appending; made by `create` or `reopen`."""

    def __init__(self, file: io.FileIO, seal: str = "", size: int = 0, made: Sealer = _PLAIN) -> None:
        self._file = file
        self._sealer = made
        self._seal = seal
        self._size = size

    @classmethod
    def create(cls, path: Path | str, lasting: bool = True) -> SealedFile:
        """A new file; ``lasting``: its name survives a power cut too, where the system can do that.

        Raises:
            UsageError: it is no path.
            InputFileError: it exists already or cannot be written.
            ConfigError: the key for its seals cannot be read.
        """
        refuse_no_path(path)
        made = sealer()
        try:
            file = io.FileIO(path, "x")
        except FileExistsError:
            raise InputFileError(f"{path}: exists already; a journal is never overwritten, name another") from None
        except OSError as error:
            raise InputFileError(f"{path}: cannot be written: {error.strerror}") from None
        _lock(path, file)
        if lasting:
            sync_folder(Path(path).resolve().parent)
        return cls(file, made=made)

    @classmethod
    def reopen(cls, path: Path | str) -> tuple[SealedFile, list[bytes], bool]:
        """An existing file, its lines, and whether a torn last line was cut off.

        Raises:
            InputFileError: it cannot be read or written, or another process is appending to it.
            JournalError: a line is damaged.
            ConfigError: the key for its seals cannot be read.
        """
        made = sealer()
        try:
            file = io.FileIO(path, "r+")
        except OSError as error:
            raise InputFileError(f"{path}: cannot be opened: {error.strerror}") from None
        try:
            _lock(path, file)
            lines, torn, seal = unsealed(path, file.readall(), made)  # Windows lets only the handle with the lock read
            size = os.fstat(file.fileno()).st_size - len(torn)
            if torn:
                file.truncate(size)
            file.seek(size)
        except OSError as error:
            file.close()
            raise InputFileError(f"{path}: cannot be written: {error.strerror}") from None
        except BaseException:
            file.close()
            raise
        return cls(file, seal, size, made), lines, bool(torn)

    @property
    def path(self) -> Path:
        """Where it is."""
        return Path(self._file.name)

    def append(self, *lines: bytes) -> None:
        """Add lines, JSON objects; they are on disk before this returns.

        Raises:
            JournalError: they could not be written; what was there before is whole.
        """
        start, _ = self.write(*lines)
        try:
            os.fsync(self._file.fileno())
        except (OSError, ValueError) as error:
            raise self.broken(error, start) from None

    def write(self, *lines: bytes) -> tuple[int, bytes]:
        """Add lines, JSON objects, which a power cut may lose: where in the file they begin, and their bytes there.

        Raises:
            JournalError: they could not be written; what was there before is whole.
        """
        seal, parts = self._seal, []
        for line in lines:
            whole, seal = sealed(line, seal, self._sealer)
            parts.append(whole)
        data = written = b"".join(parts)
        start = self._size
        try:
            while data:
                data = data[self._file.write(data) :]
        except (OSError, ValueError) as error:
            raise self.broken(error, start) from None
        self._seal = seal
        self._size += len(written)
        return start, written

    def close(self) -> None:
        """Close the file and give up the lock."""
        self._file.close()

    def broken(self, error: OSError | ValueError, size: int) -> JournalError:
        """Take back what was written beyond ``size``, and close; without a whole line, the file goes too."""
        with contextlib.suppress(OSError, ValueError):
            self._file.truncate(size)
        self.close()
        if not size:
            self.path.unlink(missing_ok=True)
        rest = "what was saved before is whole; continue with: aeon resume" if size else "nothing was saved"
        reason = error.strerror if isinstance(error, OSError) else "it is closed"
        return JournalError(f"{self.path}: cannot be written: {reason}; {rest}")


def sync_folder(folder: Path) -> None:
    """Have the names of new files survive a power cut, where the system can do that."""
    with contextlib.suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def read_sealed(path: Path | str) -> tuple[list[bytes], bytes, str]:
    """The lines of a file without their seals, what is left of a torn last one, and the last seal.

    Raises:
        InputFileError: the file cannot be read.
        JournalError: a line is damaged; names it.
        ConfigError: the key for its seals cannot be read.
    """
    made = sealer()
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputFileError(f"{path}: cannot be read: {error.strerror}") from None
    return unsealed(path, data, made)


def sealed(line: bytes, before: str, made: Sealer = _PLAIN) -> tuple[bytes, str]:
    """A line, a JSON object, as it stands in the file after one with the seal ``before``; and its own seal."""
    seal = made.seal(line, before)
    return line[:-1] + f',"{made.name}":"{seal}"}}\n'.encode(), seal


def unsealed(path: Path | str, data: bytes, made: Sealer = _PLAIN) -> tuple[list[bytes], bytes, str]:
    """What `read_sealed` gives, from the bytes of a file; ``path`` names it, and ``made`` made its seals.

    Raises:
        InputFileError: other seals were made: with a key, or without.
        JournalError: a line is damaged; names it.
    """
    *whole, torn = data.split(b"\n")
    if whole and not torn and 0 in whole[-1]:  # a power cut left a hole in the line that was being written
        torn = whole.pop() + b"\n"
    lines: list[bytes] = []
    seal = ""
    for number, line in enumerate(whole, 1):
        match = _SEALED.fullmatch(line)
        if match is not None and number == 1 and match[2].decode() != made.name:
            raise InputFileError(f"{path}: {_OTHER_SEALS[made.name]}")
        bare, seal = _parted(match, seal, made)
        if not seal:
            raise JournalError(f"{path}: line {number} is damaged or was edited; a journal stays as it was written")
        lines.append(bare)
    return lines, torn, seal


def _parted(match: re.Match[bytes] | None, before: str, made: Sealer) -> tuple[bytes, str]:
    """The line without its seal, and the seal; that is empty if it is not the one that is made of the line."""
    if match is None or match[2].decode() != made.name:
        return b"", ""
    bare, seal = match[1] + b"}", match[3].decode()
    return bare, seal if hmac.compare_digest(seal, made.seal(bare, before)) else ""


def _lock(path: Path | str, file: io.FileIO) -> None:
    try:
        free = lock_descriptor(file.fileno(), blocking=False)
    except OSError:  # a file system without locks: nothing to hold on to
        return
    if not free:
        file.close()
        raise InputFileError(f"{path}: another process is working on this run; wait until it has ended")
