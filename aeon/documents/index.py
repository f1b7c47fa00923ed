"""The index of a collection: one SQLite file with the texts, their passages, and the words and embeddings of these."""

from __future__ import annotations

import array
import bisect
import contextlib
import itertools
import json
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import NamedTuple

from aeon.documents.embedding import Embedder, Vectors
from aeon.documents.passages import Span
from aeon.documents.query import expression, spaced
from aeon.documents.readers import Text

__all__ = ["ForeignIndex", "Index", "OtherVersion", "Row", "Stamp", "is_damage"]

_APPLICATION = 0x41454F4E
_LAYOUT = 3
"""Counts up when tables, readers, the cutting into passages or embeddings change: an older index is then built anew."""
_BUSY_SECONDS = 30.0
_MOST_RANKED = 10_000
"""Passages that are ranked in one search, if any word of it is rare enough: ranking is what takes the time."""
_MOST_TIES = 500
"""Passages of one score that are put in order."""

_TABLES = """
    CREATE TABLE documents (
        id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
        sha256 TEXT NOT NULL, reason TEXT NOT NULL, text TEXT NOT NULL
    );
    CREATE TABLE passages (
        id INTEGER PRIMARY KEY, document INTEGER NOT NULL, start INTEGER NOT NULL, page INTEGER,
        heading TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, sentences TEXT NOT NULL
    );
    CREATE INDEX passages_of ON passages (document);
    CREATE VIRTUAL TABLE words USING fts5 (
        text, heading, name, content='', tokenize='porter unicode61 remove_diacritics 2'
    );
    CREATE TABLE vectors (document INTEGER PRIMARY KEY, passages BLOB NOT NULL, vectors BLOB NOT NULL);
    INSERT INTO words (words, rank) VALUES ('rank', 'bm25(1.0, 0.5, 0.3)');
"""


class ForeignIndex(Exception):
    """The file is the database of another program."""


class OtherVersion(Exception):
    """The file is an index of another version of this program."""


class Stamp(NamedTuple):
    """What a file was when it was read: its state, and why it could not be read, "" if it could."""

    size: int
    mtime_ns: int
    sha256: str
    reason: str


@dataclass(frozen=True)
class Row:
    """A passage as it is stored, with its score: more is better."""

    path: str
    start: int
    text: str
    page: int | None
    heading: str
    sentences: tuple[tuple[int, int], ...]
    score: float


class Index:
    """An open index. Not safe for several threads at once."""

    def __init__(self, place: str) -> None:
        """Open the index in that file, or ":memory:", and make its tables if there are none.

        Raises ``ForeignIndex`` or ``OtherVersion`` for a file that holds something else, and ``sqlite3.Error`` for one
        that is damaged or cannot be used.
        """
        self._vectors: Vectors | None = None
        self._db = sqlite3.connect(place, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            self._prepare()
        except BaseException:
            self._db.close()
            raise

    def _prepare(self) -> None:
        (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        (layout,) = self._db.execute("PRAGMA user_version").fetchone()
        if tables and application != _APPLICATION:
            raise ForeignIndex("the file was the database of another program")
        if tables and layout != _LAYOUT:
            raise OtherVersion("it was of another version of Aeon")
        self._db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;")
        if not tables:
            marks = f"PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {_LAYOUT};"
            self._db.executescript(f"BEGIN IMMEDIATE; {marks} {_TABLES} COMMIT;")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextlib.contextmanager
    def update(self) -> Iterator[None]:
        """Make all changes within the block, or none of them if it raises."""
        self._db.execute("BEGIN IMMEDIATE")
        self._vectors = None
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise

    def pin(self) -> None:
        """Read from now on what the index holds now, whatever another process writes to it later."""
        self._db.execute("BEGIN")
        self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()

    def stamps(self) -> dict[str, Stamp]:
        """The state in which each file was read, by path."""
        rows = self._db.execute("SELECT path, size, mtime_ns, sha256, reason FROM documents")
        return {path: Stamp(*stamp) for path, *stamp in rows}

    def touch(self, path: str, stamp: Stamp) -> None:
        """Note that a file has another time but says the same."""
        values = (stamp.size, stamp.mtime_ns, path)
        self._db.execute("UPDATE documents SET size = ?, mtime_ns = ? WHERE path = ?", values)

    def drop(self, path: str) -> None:
        """Remove a file with all its passages."""
        found = self._db.execute("SELECT id FROM documents WHERE path = ?", (path,)).fetchone()
        if found is None:
            return
        rows = self._db.execute("SELECT id, text, heading, name FROM passages WHERE document = ?", found).fetchall()
        # An index without content of its own forgets a row only when it is given the very words that it was made of.
        self._db.executemany(
            "INSERT INTO words (words, rowid, text, heading, name) VALUES ('delete', ?, ?, ?, ?)",
            ((number, *map(spaced, words)) for number, *words in rows),
        )
        self._db.execute("DELETE FROM vectors WHERE document = ?", found)
        self._db.execute("DELETE FROM passages WHERE document = ?", found)
        self._db.execute("DELETE FROM documents WHERE id = ?", found)

    def put(self, path: str, stamp: Stamp, text: Text, spans: Iterable[Span]) -> None:
        """Add a file that the index does not hold."""
        insert = "INSERT INTO documents (path, size, mtime_ns, sha256, reason, text) VALUES (?, ?, ?, ?, ?, ?)"
        document = self._db.execute(insert, (path, *stamp, text.text)).lastrowid
        name = PurePath(path).stem.replace("-", " ").replace("_", " ")
        insert = (
            "INSERT INTO passages (document, start, page, heading, name, text, sentences) VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
        for span in spans:
            page = bisect.bisect(text.pages, span.start) if text.pages else None
            words = (text.text[span.start : span.end], span.heading, name)
            values = (document, span.start, page, span.heading, name, words[0], json.dumps(span.sentences))
            number = self._db.execute(insert, values).lastrowid
            self._db.execute(
                "INSERT INTO words (rowid, text, heading, name) VALUES (?, ?, ?, ?)", (number, *map(spaced, words))
            )

    def without_vectors(self) -> list[str]:
        """The files whose passages have no embeddings."""
        query = "SELECT path FROM documents WHERE reason = '' AND id NOT IN (SELECT document FROM vectors)"
        return [path for (path,) in self._db.execute(query)]

    def embed(self, path: str, embedder: Embedder) -> None:
        """Add the embeddings of the passages of a file that has none."""
        rows = self._db.execute(
            "SELECT passages.id, heading, passages.text FROM passages JOIN documents ON documents.id = document"
            " WHERE path = ? ORDER BY start",
            (path,),
        ).fetchall()
        vectors = embedder.embed([f"{heading}. {text}" if heading else text for _, heading, text in rows])
        numbers = array.array("q", [number for number, *_ in rows])
        if sys.byteorder == "big":
            numbers.byteswap()
        values = (numbers.tobytes(), vectors.tobytes(), path)
        self._db.execute("INSERT INTO vectors SELECT id, ?, ? FROM documents WHERE path = ?", values)

    def text(self, path: str) -> str | None:
        """The text of a file, ``None`` if the index does not hold it."""
        row = self._db.execute("SELECT text FROM documents WHERE path = ? AND reason = ''", (path,)).fetchone()
        return None if row is None else str(row[0])

    def ranked(self, terms: list[str]) -> Iterator[Row]:
        """The passages that hold any of the terms, best first; of the same score, in the order of paths and places."""
        counts = {term: count for term in terms if (count := self._count(term))}
        match = expression(counts, _MOST_RANKED)
        if not match:
            return
        hits = self._db.execute("SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank", (match,))
        for score, group in itertools.groupby(hits, key=lambda hit: hit[1]):
            rows = [self._row(number, -score) for number, _ in itertools.islice(group, _MOST_TIES)]
            yield from sorted(rows, key=lambda row: (row.path, row.start))

    def nearest(self, question: str, embedder: Embedder) -> Iterator[Row]:
        """The passages that have embeddings, the most similar to a question first; of the same score, as `ranked`."""
        if self._vectors is None:
            self._vectors = self._load_vectors()
        (asked,) = embedder.embed([question])
        for number, cosine in self._vectors.nearest(asked):
            yield self._row(number, cosine)

    def _load_vectors(self) -> Vectors:
        query = "SELECT passages, vectors FROM vectors JOIN documents ON documents.id = document ORDER BY path"
        rows = self._db.execute(query).fetchall()
        try:
            return Vectors(b"".join(numbers for numbers, _ in rows), b"".join(vectors for _, vectors in rows))
        except ValueError as error:
            raise sqlite3.DatabaseError(f"the embeddings are damaged: {error}") from None

    def _count(self, term: str) -> int:
        """How many passages hold a term."""
        (count,) = self._db.execute("SELECT count(*) FROM words WHERE words MATCH ?", (term,)).fetchone()
        return int(count)

    def _row(self, number: int, score: float) -> Row:
        row = self._db.execute(
            "SELECT path, start, passages.text, page, heading, sentences FROM passages"
            " JOIN documents ON documents.id = document WHERE passages.id = ?",
            (number,),
        ).fetchone()
        if row is None:
            raise sqlite3.DatabaseError("a passage is missing")
        path, start, text, page, heading, spans = row
        return Row(path, start, text, page, heading, tuple((first, last) for first, last in json.loads(spans)), score)


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error means that the file is no sound index; else the disk is full, locked or cannot be written."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    return code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT)
