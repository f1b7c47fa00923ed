"""A folder that can be read and never left."""

from __future__ import annotations

import codecs
import difflib
import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from aeon.documents.opening import opened
from aeon.errors import InputFileError, ToolFailed
from aeon.text import one_line

__all__ = ["MOST_FILES", "Folder"]

MOST_FILES = 200_000
"""How many files of a folder are looked at."""
_MOST_COMPARED = 2_000
"""Names that one which is not there is compared with."""
_HEAD = 8_192


@dataclass(frozen=True)
class Folder:
    """A read-only view of the files in one folder and those below it; hidden ones are left out, and links to them.

    Nothing outside it is ever opened: neither through ``..`` nor an absolute path nor a symbolic link.
    """

    root: Path

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Folder:
        """Return the folder. Raises ``InputFileError`` if it is missing, unreadable or no folder."""
        try:
            root = Path(path).resolve(strict=True)
            with os.scandir(root):
                pass
        except (OSError, RuntimeError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputFileError(f"cannot read the folder {one_line(str(path))!r}: {reason}") from None
        return cls(root)

    @property
    def name(self) -> str:
        """What paths in it begin with where it is one of several."""
        return self.root.name

    def files(self) -> Iterator[tuple[str, int]]:
        """Give the relative path and the size in bytes of each file, sorted, up to 200,000 files."""
        yield from itertools.islice(self.walk(), MOST_FILES)

    def cut(self) -> tuple[Path, ...]:
        """The folders that hold more files than `files` gives."""
        more = next(itertools.islice(self.walk(), MOST_FILES, None), None)
        return () if more is None else (self.root,)

    def walk(self) -> Iterator[tuple[str, int]]:
        """Give the relative path and the size in bytes of each file, sorted, however many there are."""
        waiting = [""]
        while waiting:
            below = waiting.pop()
            entries = self._entries(below)
            waiting += [f"{below}{one.name}/" for one in reversed(entries) if one.is_dir(follow_symlinks=False)]
            for one in filter(self._is_file, entries):
                yield below + one.name, one.stat().st_size

    def _is_file(self, entry: os.DirEntry[str]) -> bool:
        """Whether it is a file that is shown; only a link has to be looked up."""
        if not entry.is_symlink():
            return entry.is_file(follow_symlinks=False)
        path = Path(entry.path)
        return path.is_file() and self._is_shown(path.resolve())

    def _entries(self, below: str) -> list[os.DirEntry[str]]:
        """What is in a folder below, in the order of names; nothing where it cannot be read."""
        try:
            with os.scandir(self.root / below) as found:
                return sorted((one for one in found if not one.name.startswith(".")), key=lambda one: one.name)
        except OSError:
            return []

    def find(self, name: str) -> Path:
        """Return the file of that relative path. Raises ``ToolFailed`` for one outside or that is not there."""
        label = repr(one_line(name, 100))
        try:
            exact = self.root / name  # else a model may have written it in another way
            path = (exact if exact.is_file() else self.root / name.strip().replace("\\", "/")).resolve()
            if not path.is_relative_to(self.root):
                raise ToolFailed(f"{label} is outside the folder; only the files listed by list_files can be read")
            is_file = path.is_file() and self._is_shown(path)
        except (OSError, RuntimeError, ValueError):
            raise ToolFailed(f"{label} is no path of a file") from None
        if is_file:
            return path
        names = [entry for entry, _ in itertools.islice(self.walk(), _MOST_COMPARED)]
        close = difflib.get_close_matches(name[:200], names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(close)}?" if close else f"there are: {', '.join(names[:10]) or 'none'}"
        raise ToolFailed(f"there is no file {label}; {hint}")

    def content(self, name: str, limit: int) -> str:
        """Return the text of the file of that relative path, up to ``limit`` bytes of it. Raises as `find`, `text`."""
        return self.text(self.find(name), limit)[0]

    def text(self, path: Path, limit: int) -> tuple[str, bool]:
        """Return the file's text, up to ``limit`` bytes of it, and whether that is all.

        Text is UTF-8 or else Latin-1. Raises ``ToolFailed`` for a binary or unreadable file.
        """
        label = path.relative_to(self.root).as_posix()
        try:
            with opened(path) as file:
                data = file.read(min(limit, _HEAD))
                if b"\x00" not in data:  # else it is not read to its end to be told so
                    data += file.read(limit - len(data))
                whole = not file.read(1)
        except OSError as error:
            raise ToolFailed(f"cannot read {label}: {error.strerror or error}") from None
        if b"\x00" in data:
            raise ToolFailed(f"{label} is a binary file, not text")
        try:
            decoder = codecs.getincrementaldecoder("utf-8-sig")()
            return decoder.decode(data, final=whole), whole
        except UnicodeDecodeError:
            return data.decode("latin-1"), whole

    def _is_shown(self, path: Path) -> bool:
        """Whether a file is neither outside nor hidden; its path has no links."""
        is_inside = path.is_relative_to(self.root)
        return is_inside and not any(part.startswith(".") for part in path.relative_to(self.root).parts)
