"""A collection file in the place of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from aeon.documents.collection import Collection
from aeon.documents.folder import Folder
from aeon.documents.folders import Folders, Paths, each
from aeon.errors import ToolFailed, UsageError
from aeon.text import one_line

__all__ = ["Stored", "opened_paths"]


@dataclass(frozen=True)
class Stored(Folder):
    """The documents of a collection file as files of a folder; ``root`` is that file."""

    collection: Collection

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
    """Return a folder, several folders as one, or a collection file as a folder.

    Raises:
        InputFileError: one is missing, unreadable, or neither a folder nor a collection.
        UsageError: there is none, or a collection beside something else.
    """
    several = each(paths)
    files = [one for one in several if _is_file(one)]
    if not files:
        return Folders.open(several)
    if len(set(several)) > 1:
        raise UsageError(
            f"files: {one_line(files[0])} is a collection: name it alone, or add the folders to it: "
            f"aeon collect FOLDER --into {one_line(files[0])}"
        )
    path = Path(files[0]).resolve()
    return Stored(path, Collection.open(path))


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except OSError:
        return False
