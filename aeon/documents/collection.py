"""Documents of a folder that can be searched."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from aeon.documents.archive import whole
from aeon.documents.embedding import embedder
from aeon.documents.folder import Folder
from aeon.documents.folders import roots
from aeon.documents.fusion import fused, share
from aeon.documents.index import Index
from aeon.documents.leftovers import note_use, remove_leftovers
from aeon.documents.plain import clean, with_columns
from aeon.documents.query import terms
from aeon.documents.readers import Text
from aeon.documents.rows import Row, Stamp
from aeon.documents.update import Update
from aeon.errors import ToolFailed
from aeon.home import cache_dir
from aeon.isolation.deadline import Deadline
from aeon.schema import Document, Passage
from aeon.text import one_line, printable

__all__ = ["Collection"]

_FUSED = 10
"""Passages of each ranking that are fused. Of more, those that hold a common word crowd out the most similar ones."""
_LEAST_SIMILAR = 0.1
"""Cosine below which a passage has nothing to do with a question: three of four passages are below it."""


def _silent(done: int, total: int) -> None:
    pass


class Collection:
    """Documents of a folder or of a collection file, as they were when it was opened. Several threads may use it.

    ``documents`` are the paths of those that can be searched, ``skipped`` the other files, each with a reason: those
    that are ``unread``, and those of the same text as another, with which they are one document. ``note`` says in a
    line what was wrong with the index, "" if nothing was.
    """

    def __init__(
        self, index: Index, names: tuple[str, ...] | None, skipped: tuple[tuple[str, str], ...] = (), note: str = ""
    ) -> None:
        self._index = index
        self._lock = threading.Lock()
        self._sources: dict[int, str] | None = None
        self.unread = skipped
        if names is None:
            self.documents = tuple(index.paths())
        else:
            self._sources, same = _documents(index, names)
            self.documents = tuple(self._sources.values())
            skipped += same
        self.skipped = skipped
        self.note = note

    @classmethod
    def of(
        cls,
        folder: Folder,
        paths: Iterable[str],
        index: Path | Literal[":memory:"] | None = None,
        progress: Callable[[int, int], None] = _silent,
        deadline: Deadline | None = None,
    ) -> Collection:
        """Return the collection of these files; only those that are new or have changed are read.

        ``index`` is the file that keeps what was read: by default one for each folder, below `cache_dir`, where those
        of folders that are gone are removed in time, or ":memory:". It may hold more files of the folder than these;
        files that are gone are removed from it. An index that is damaged is built anew, one that cannot be kept is in
        memory; ``note`` says so. ``progress`` receives the files done and in all. What is not read by
        the ``deadline`` is skipped, and read the next time.

        Raises:
            ToolFailed: this SQLite has no full-text search.
            MissingExtraError: the extra embeddings is there but cannot be used.
        """
        names = tuple(dict.fromkeys(paths))
        place = Path(index or _kept_place(folder))
        update = Update(folder, names, progress, lambda name: not (folder.root / name).is_file(), deadline)
        updated = update.in_memory() if str(place) == ":memory:" else update.in_file(place)
        readable = tuple(name for name in names if name not in updated.reasons)
        skipped = tuple((printable(name), reason) for name, reason in updated.reasons.items())
        with _readable():
            return cls(updated.index, readable, skipped, updated.note)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Collection:
        """Return the collection in a file that `collect` made. It is only read, and needs no folder of documents.

        What is opened stays as it is, whatever happens to the file.

        Raises:
            InputFileError: there is no such file, it is no collection or one of another version, or it is damaged.
        """
        with whole(Path(path)) as index:
            return cls(index, None)

    @classmethod
    def of_text(cls, name: str, text: str) -> Collection:
        """Return the collection of one text under that name, kept in memory; `text` gives it as it is read.

        Commas between columns are semicolons there, so that two cells with digits are not one number.

        Raises:
            ToolFailed: this SQLite has no full-text search.
        """
        return cls.of_texts({name: Text(with_columns(clean(text)))})

    @classmethod
    def of_texts(cls, texts: Mapping[str, Text]) -> Collection:
        """Return the collection of some texts as they stand, by name, kept in memory; equal ones are one document.

        Raises:
            ToolFailed: this SQLite has no full-text search.
        """
        try:
            index = Index(":memory:")
            with index.update():
                for name, whole in texts.items():
                    if index.put(name, Stamp(0, 0, "", ""), whole, "") and (embed := embedder()):
                        index.embed(name, embed)
            return cls(index, tuple(texts))
        except sqlite3.Error as error:
            raise ToolFailed(f"the {', '.join(texts)} cannot be indexed: {error}") from None

    def search(self, question: str, most: int = 3, takes: Callable[[str], bool] | None = None) -> list[Passage]:
        """Return the passages that fit a question best, best first; two share at most one sentence.

        With ``takes`` only documents are searched of whose path it says so: no other takes the place of one.

        They are ranked by the words that they share with it (BM25) and, with the extra embeddings, by similarity too,
        which alone finds what is said in other words. A question without content words finds nothing.

        Raises:
            ToolFailed: the index was damaged meanwhile.
            MissingExtraError: the extra embeddings is there but cannot be used.
        """
        words = terms(question)
        with self._lock, _readable():
            return _apart(self._ranked(question, words, takes), most) if words else []

    def nearest(self, question: str, most: int = 3) -> list[Passage]:
        """Return the most similar passages, however little they are; none without the extra embeddings.

        It is for those who judge what they read: of a question in other words the right passage is often no more
        similar than others. Raises as `search`.
        """
        embed = embedder() if terms(question) else None
        with self._lock, _readable():
            return _apart(self._own(self._index.nearest(question, embed)), most) if embed is not None else []

    def _ranked(self, question: str, words: list[str], takes: Callable[[str], bool] | None) -> Iterator[Row]:
        """The passages for a question; behind the first and the most similar ones, those that hold a word of it."""
        keeps = self._keeps(takes)
        by_words = self._own(self._index.ranked(words, keeps))
        first = list(itertools.islice(by_words, _FUSED))
        embed = embedder()
        if embed is None:
            yield from itertools.chain(first, by_words)
            return
        near = itertools.takewhile(lambda row: row.score >= _LEAST_SIMILAR, self._index.nearest(question, embed))
        similar = list(itertools.islice(self._own(filter(keeps, near)), _FUSED))
        rows = {(row.path, row.start): row for row in (*first, *similar)}
        ranking = fused([[(row.path, row.start) for row in ranked] for ranked in (first, similar)])
        yield from (replace(rows[place], score=score) for place, score in ranking)
        for rank, row in enumerate(by_words, len(first) + 1):
            if (row.path, row.start) not in rows:
                yield replace(row, score=share(rank))

    def _keeps(self, takes: Callable[[str], bool] | None) -> Callable[[Row], bool]:
        """What says whether a row is of a document that is taken."""
        if takes is None:
            return lambda row: True
        return lambda row: any(takes(own.path) for own in self._own((row,)))

    def _own(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows of the documents of this collection, each under the path that names its document here."""
        if self._sources is None:
            yield from rows
            return
        for row in rows:
            if source := self._sources.get(row.document):
                yield row if row.path == source else replace(row, path=source)

    def text(self, source: str) -> str:
        """Return the text of a document, which all spans refer to.

        Raises ``ToolFailed`` if there is no such document or the index was damaged meanwhile.
        """
        with self._lock, _readable():
            text = self._index.text(source) if source in self._paths else None
        if text is None:
            raise _absent(source)
        return text

    def document(self, source: str) -> Document:
        """Return what is known of a document, without its text: title, hashes, how and when it was read.

        Raises ``ToolFailed`` as `text`.
        """
        with self._lock, _readable():
            document = self._index.document(source) if source in self._paths else None
        if document is None:
            raise _absent(source)
        return document

    @cached_property
    def _paths(self) -> frozenset[str]:
        return frozenset(self.documents)

    def passages(self) -> dict[str, int]:
        """How many passages each document has, by the path that names it. Raises ``ToolFailed`` as `search`."""
        with self._lock, _readable():
            counts, holders = self._index.passages(), self._index.holders()
        return {source: counts.get(holders[source], 0) for source in self.documents}

    def sizes(self) -> dict[str, int]:
        """How many bytes the file of each document had. Raises ``ToolFailed`` as `search`."""
        with self._lock, _readable():
            stamps = self._index.stamps()
        return {source: stamps[source].size for source in self.documents}

    def files(self) -> dict[str, tuple[str, ...]]:
        """The files of each document, by the path that names it. Raises ``ToolFailed`` as `search`."""
        with self._lock, _readable():
            holders = self._index.holders()
        numbers = {holders[source]: source for source in self.documents}
        files: dict[str, list[str]] = {source: [] for source in self.documents}
        for path, number in holders.items():
            if number in numbers:
                files[numbers[number]].append(path)
        return {source: tuple(paths) for source, paths in files.items()}

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


def _documents(index: Index, names: Iterable[str]) -> tuple[dict[int, str], tuple[tuple[str, str], ...]]:
    """Which of the files names each document, the first one, and the others of the same text, each with a reason."""
    holders = index.holders()
    sources: dict[int, str] = {}
    same: list[tuple[str, str]] = []
    for name in names:
        source = sources.setdefault(holders[name], name)
        if source != name:
            same.append((name, f"the same text as {one_line(source, 60)}"))
    return sources, tuple(same)


def _absent(source: str) -> ToolFailed:
    return ToolFailed(f"there is no document {one_line(source, 100)!r}")


def _passage(row: Row) -> Passage:
    end = row.start + len(row.text)
    place = Passage(source=row.path, start=row.start, end=end, text=row.text, page=row.page, heading=row.heading)
    return place.changed(sentences=row.sentences, score=row.score)


def _apart(rows: Iterable[Row], most: int) -> list[Passage]:
    """The first passages, at most so many, of which no two say the same."""
    chosen: list[Passage] = []
    for passage in map(_passage, rows if most > 0 else ()):
        if not any(_overlap(passage, other) for other in chosen):
            chosen.append(passage)
        if len(chosen) == most:
            break
    return chosen


def _overlap(a: Passage, b: Passage) -> bool:
    """Whether two passages say the same: one sentence is what those that follow each other share."""
    return a.source == b.source and len({*a.sentences} & {*b.sentences}) > 1


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise ToolFailed(f"the index of the documents cannot be read: {error}") from None
