"""Documents of a folder that can be searched."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

from aeon.documents.folder import Folder
from aeon.documents.folders import roots
from aeon.documents.index import Index, Row
from aeon.documents.leftovers import note_use, remove_leftovers
from aeon.documents.query import terms
from aeon.documents.update import Update
from aeon.errors import ToolFailed
from aeon.home import cache_dir
from aeon.schema import Passage
from aeon.text import one_line, printable

__all__ = ["Collection"]


def _silent(done: int, total: int) -> None:
    pass


class Collection:
    """Some documents of a folder, as they were when the collection was made. Several threads may use it.

    ``documents`` are the paths of those that can be searched, ``skipped`` the others, each with a reason, and ``note``
    says in a line what was wrong with the index, "" if nothing was.
    """

    def __init__(
        self, index: Index, documents: tuple[str, ...], skipped: tuple[tuple[str, str], ...], note: str
    ) -> None:
        self.documents = documents
        self.skipped = skipped
        self.note = note
        self._index = index
        self._paths = frozenset(documents)
        self._lock = threading.Lock()

    @classmethod
    def of(
        cls,
        folder: Folder,
        paths: Iterable[str],
        index: Path | Literal[":memory:"] | None = None,
        progress: Callable[[int, int], None] = _silent,
    ) -> Collection:
        """Return the collection of these files; only those that are new or have changed are read.

        ``index`` is the file that keeps what was read: by default one for each folder, below `cache_dir`, where those
        of folders that are gone are removed in time, or ":memory:". It may hold more files of the folder than these;
        files that are gone are removed from it. An index that is damaged is built anew, one that cannot be kept is in
        memory; ``note`` says so. ``progress`` receives the files done and in all. Raises ``ToolFailed`` if this SQLite
        has no full-text search.
        """
        names = tuple(dict.fromkeys(paths))
        place = Path(index or _kept_place(folder))
        update = Update(folder, names, progress)
        updated = update.in_memory() if str(place) == ":memory:" else update.in_file(place)
        documents = tuple(name for name in names if name not in updated.reasons)
        skipped = tuple((printable(name), reason) for name, reason in updated.reasons.items())
        return cls(updated.index, documents, skipped, updated.note)

    def search(self, question: str, most: int = 3) -> list[Passage]:
        """Return the passages that fit a question best, best first; no two of them overlap.

        A question without content words finds nothing. Raises ``ToolFailed`` if the index was damaged meanwhile.
        """
        words = terms(question)
        chosen: list[Passage] = []
        if not words or most < 1:
            return chosen
        with self._lock, _readable():
            for row in self._index.ranked(words):
                passage = _passage(row)
                if passage.source in self._paths and not any(_overlap(passage, other) for other in chosen):
                    chosen.append(passage)
                if len(chosen) == most:
                    break
        return chosen

    def text(self, source: str) -> str:
        """Return the text of a document, which all spans refer to. Raises ``ToolFailed`` if it is not one."""
        with self._lock, _readable():
            text = self._index.text(source) if source in self._paths else None
        if text is None:
            raise ToolFailed(f"there is no document {one_line(source, 100)!r}")
        return text

    def close(self) -> None:
        """Close the index; the collection cannot be searched any more."""
        with self._lock:
            self._index.close()


def _kept_place(folder: Folder) -> Path:
    """Where the index of the folder is kept; its use is noted, and indexes of folders that are gone are removed."""
    name = hashlib.sha256(os.fsencode(folder.root)).hexdigest()
    place = cache_dir() / "collections" / f"{name}.sqlite"
    with contextlib.suppress(OSError):  # where nothing can be written, the index itself says so
        note_use(place, roots(folder))
    remove_leftovers(place.parent)
    return place


def _passage(row: Row) -> Passage:
    end = row.start + len(row.text)
    place = Passage(source=row.path, start=row.start, end=end, text=row.text, page=row.page, heading=row.heading)
    return place.changed(sentences=row.sentences, score=row.score)


def _overlap(a: Passage, b: Passage) -> bool:
    return a.source == b.source and a.start < b.end and b.start < a.end


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise ToolFailed(f"the index of the documents cannot be read: {error}") from None
