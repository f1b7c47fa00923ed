"""A collection file in the place of a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from aeon.documents.collection import Collection
from aeon.documents.folder import Folder
from aeon.documents.folders import Folders, Paths, each
from aeon.errors import ToolFailed
from aeon.text import one_line

__all__ = ["Stored", "opened_paths", "parted"]


@dataclass(frozen=True)
class Stored(Folder):
    """The documents of a collection file as files of a folder; ``root`` is that file."""

    collection: Collection

    @property
    def name(self) -> str:
        """What paths in it begin with where it is one of several."""
        return self.root.stem

    def walk(self) -> Iterator[tuple[str, int]]:
        """Give the path of each document and the size in bytes of its file."""
        yield from self.collection.sizes().items()

    def find(self, name: str) -> Path:
        """Raise ``ToolFailed``: a document of a collection is no file."""
        raise ToolFailed(f"{one_line(name, 100)!r} is in a collection, and no file")

    def content(self, name: str, limit: int) -> str:
        """Return the first ``limit`` characters of the text of a document. Raises ``ToolFailed`` if there is none."""
        return self.collection.text(name)[:limit]


def opened_paths(paths: Paths) -> Folder:
    """Return a folder, or a collection file as one; several of them as one.

    Raises:
        InputFileError: one is missing, unreadable, or neither a folder nor a collection.
        UsageError: there is none.
    """
    return Folders.of(_opened(one) for one in dict.fromkeys(each(paths)))


def parted(folder: Folder) -> tuple[Folders | None, dict[str, Collection]]:
    """Of several folders as one, those of files, and the collections by the names that their paths begin with."""
    parts = folder.parts if isinstance(folder, Folders) else ()
    stored = {name: part.collection for name, part in parts if isinstance(part, Stored)}
    plain = tuple((name, part) for name, part in parts if name not in stored)
    root = Path(os.pathsep.join(str(part.root) for _, part in plain))
    return (Folders(root, plain) if plain else None), stored


def _opened(path: str) -> Folder:
    if not _is_file(path):
        return Folder.open(path)
    place = Path(path).resolve()
    return Stored(place, Collection.open(place))


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except OSError:
        return False
