"""Several folders that are read as one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from aeon.documents.folder import Folder
from aeon.errors import ToolFailed, UsageError
from aeon.text import one_line

__all__ = ["Folders", "Paths", "each", "roots", "unique_names"]

Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
"""One path or several."""


def each(paths: Paths) -> list[str]:
    """The paths, one by one. Raises ``UsageError`` for what is none."""
    several = paths if isinstance(paths, Iterable) and not isinstance(paths, str | bytes | os.PathLike) else [paths]
    return [_path(one) for one in several]


def _path(path: object) -> str:
    if isinstance(path, str | os.PathLike) and isinstance(name := os.fspath(path), str):
        return name
    raise UsageError(f"files: pass the path of a folder, or a list of them, not {one_line(repr(path), 60)}")


@dataclass(frozen=True)
class Folders(Folder):
    """Several folders as one; each path in it begins with the name of its folder, which no other one has.

    A file that several of them hold, one lying in another, is there once. ``root`` names them all, as ``PATH`` does;
    it is no folder itself.
    """

    parts: tuple[tuple[str, Folder], ...]

    @classmethod
    def open(cls, path: Paths) -> Folder:
        """Return one folder as it is, several as one.

        Raises ``InputFileError`` if one is missing, unreadable or no folder, and ``UsageError`` without any.
        """
        return cls.of(Folder.open(one) for one in each(path))

    @classmethod
    def of(cls, opened: Iterable[Folder]) -> Folder:
        """Return one folder as it is, several as one. Raises ``UsageError`` without any."""
        folders = [*{folder.root: folder for folder in opened}.values()]
        if not folders:
            raise UsageError("no folder is named")
        if len(folders) == 1:
            return folders[0]
        names = unique_names(folder.name for folder in folders)
        root = Path(os.pathsep.join(str(folder.root) for folder in folders))
        return cls(root, tuple(zip(names, folders, strict=True)))

    def files(self) -> Iterator[tuple[str, int]]:
        """Give the path and the size in bytes of each file, up to 200,000 files of each folder."""
        yield from self._once(Folder.files)

    def walk(self) -> Iterator[tuple[str, int]]:
        """Give the path and the size in bytes of each file, however many there are."""
        yield from self._once(Folder.walk)

    def _once(self, files: Callable[[Folder], Iterator[tuple[str, int]]]) -> Iterator[tuple[str, int]]:
        seen: set[Path] = set()
        for name, folder in self.parts:
            for path, size in files(folder):
                place = folder.root / path
                if place not in seen:
                    seen.add(place)
                    yield f"{name}/{path}", size

    def cut(self) -> tuple[Path, ...]:
        """The folders that hold more files than `files` gives."""
        return tuple(root for _, folder in self.parts for root in folder.cut())

    def find(self, name: str) -> Path:
        """Return the file of that path. Raises ``ToolFailed`` for one outside or that is not there."""
        folder, rest = self._part(name)
        return folder.find(rest)

    def content(self, name: str, limit: int) -> str:
        """Return the text of the file of that path. Raises as `Folder.content`."""
        folder, rest = self._part(name)
        return folder.content(rest, limit)

    def _part(self, name: str) -> tuple[Folder, str]:
        """The folder that a path begins with, and the rest of the path. Raises ``ToolFailed`` where there is none."""
        first, _, rest = name.lstrip().partition("/") if "/" in name else name.lstrip().partition("\\")
        folder = dict(self.parts).get(first)
        if folder is None:
            label, names = repr(one_line(name, 100)), ", ".join(name for name, _ in self.parts)
            raise ToolFailed(f"there is no file {label}; a path begins with the name of its folder: {names}")
        return folder, rest

    def text(self, path: Path, limit: int) -> tuple[str, bool]:
        """Return the file's text, up to ``limit`` bytes of it, and whether that is all; as `Folder.text`."""
        folder = next(folder for _, folder in self.parts if path.is_relative_to(folder.root))
        return folder.text(path, limit)


def roots(folder: Folder) -> tuple[Path, ...]:
    """Where the folder lies, or each of several."""
    return tuple(part.root for _, part in folder.parts) if isinstance(folder, Folders) else (folder.root,)


def unique_names(names: Iterable[str]) -> list[str]:
    """Return the names without what a path in a text could be misread for; where two are the same, with a number."""
    taken: list[str] = []
    for name in names:
        stem = unique = re.sub(r"[^\w. -]+", "-", name).strip() or "folder"
        number = 2
        while unique in taken:
            unique, number = f"{stem}-{number}", number + 1
        taken.append(unique)
    return taken
