"""The index of a collection: one SQLite file with the texts, their passages, and the words and embeddings of these.

Files of the same text are one document. A document is named by the path of one of its files.
"""

from __future__ import annotations

import array
import bisect
import contextlib
import hashlib
import itertools
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path, PurePath
from typing import Literal

from aeon.documents.embedding import Embedder, Vectors
from aeon.documents.passages import passages
from aeon.documents.query import expression, spaced
from aeon.documents.readers import Text
from aeon.documents.rows import Row, Stamp, checked, each_checked, row_of
from aeon.documents.titles import title_of
from aeon.schema import Document

__all__ = ["LAYOUT", "MARK", "ForeignIndex", "Index", "OtherVersion", "is_damage"]

_APPLICATION = 0x41454F4E
MARK = 0x41454F43
"""SQLite's application id of a collection file; an index that Aeon keeps for itself has another."""
LAYOUT = 5
"""Counts up when tables, readers, the cutting into passages or embeddings change: an older index is then built anew."""
_BUSY_SECONDS = 30.0
_MOST_RANKED = 10_000
"""Passages that are ranked in one search, if any word of it is rare enough: ranking is what takes the time."""
_MOST_TIES = 500
"""Passages of one score that are put in order."""

_TABLES = """
    CREATE TABLE files (
        path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, sha256 TEXT NOT NULL,
        reason TEXT NOT NULL, document INTEGER
    ) WITHOUT ROWID;
    CREATE INDEX files_of ON files (document);
    CREATE TABLE folders (name TEXT PRIMARY KEY, path TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE documents (
        id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, title TEXT NOT NULL, retrieved TEXT NOT NULL,
        extractor TEXT NOT NULL, raw_sha256 TEXT NOT NULL, text_sha256 TEXT NOT NULL UNIQUE, text TEXT NOT NULL
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


class Index:
    """An open index. Not safe for several threads at once."""

    def __init__(self, place: str, use: Literal["keep", "build", "read"] = "keep") -> None:
        """Open the index in that file, or ":memory:", and make its tables if there are none.

        ``keep``: several processes may use the file, and one may write to it. ``build``: nobody else knows of the file
        yet; what happens to it in a crash does not matter. ``read``: nobody ever writes to the file.

        Raises ``ForeignIndex`` or ``OtherVersion`` for a file that holds something else, and ``sqlite3.Error`` for one
        that is damaged or cannot be used.
        """
        self._vectors: Vectors | None = None
        self._use = use
        address = f"{Path(place).absolute().as_uri()}?mode=ro&immutable=1" if use == "read" else place
        self._db = sqlite3.connect(
            address, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=use == "read"
        )
        try:
            self._prepare()
        except BaseException:
            self._db.close()
            raise

    def _prepare(self) -> None:
        mark = _APPLICATION if self._use == "keep" else MARK
        (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        (layout,) = self._db.execute("PRAGMA user_version").fetchone()
        if tables and application != mark:
            raise ForeignIndex("the file was the database of another program")
        if tables and layout != LAYOUT:
            raise OtherVersion("it was of another version of Aeon")
        if self._use == "read":
            self._check_schema()
            return
        safety = "WAL; PRAGMA synchronous = NORMAL" if self._use == "keep" else "MEMORY; PRAGMA synchronous = OFF"
        self._db.executescript(f"PRAGMA journal_mode = {safety}; PRAGMA temp_store = MEMORY;")
        if not tables:
            marks = f"PRAGMA application_id = {mark}; PRAGMA user_version = {LAYOUT};"
            self._db.executescript(f"BEGIN IMMEDIATE; {marks} {_TABLES} COMMIT;")

    def _check_schema(self) -> None:
        """Refuse a file from elsewhere with views, triggers or other tables than these: they could do anything."""
        self._db.execute("PRAGMA trusted_schema = OFF")
        with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
            fresh.executescript(_TABLES)
            if _schema(self._db) != _schema(fresh):
                raise ForeignIndex("its tables are not those of a collection")

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

    def finish(self) -> None:
        """Bring the words into the order in which they are read fastest."""
        self._db.execute("INSERT INTO words (words) VALUES ('optimize')")

    def is_sound(self) -> bool:
        """Whether the file is a sound database, as far as a look at all of it shows."""
        return bool(self._db.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))

    @property
    def writes(self) -> int:
        """How many rows were written since the index was opened."""
        return self._db.total_changes

    def folders(self) -> dict[str, str]:
        """The folders that a collection file is of: where each lies, by the name that its paths begin with."""
        return dict(each_checked(self._db.execute("SELECT name, path FROM folders ORDER BY name"), str, str))

    def note_folder(self, name: str, path: str) -> None:
        """Note where the folder of that name lies."""
        if self.folders().get(name) != path:
            self._db.execute("INSERT OR REPLACE INTO folders (name, path) VALUES (?, ?)", (name, path))

    def stamps(self) -> dict[str, Stamp]:
        """The state in which each file was read, by path."""
        rows = self._db.execute("SELECT path, size, mtime_ns, sha256, reason FROM files")
        return {path: Stamp(*stamp) for path, *stamp in each_checked(rows, str, int, int, str, str)}

    def touch(self, path: str, stamp: Stamp) -> None:
        """Note that a file has another time but says the same."""
        values = (stamp.size, stamp.mtime_ns, path)
        self._db.execute("UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?", values)

    def drop(self, path: str) -> None:
        """Remove a file; the document too, if no other file has its text, else that is named by another file."""
        row = self._db.execute("SELECT document FROM files WHERE path = ?", (path,)).fetchone()
        self._db.execute("DELETE FROM files WHERE path = ?", (path,))
        if row is None or row[0] is None:
            return
        query = "SELECT path, sha256 FROM files WHERE document = ? ORDER BY path LIMIT 1"
        if other := self._db.execute(query, row).fetchone():
            rename = "UPDATE documents SET path = ?, raw_sha256 = ? WHERE id = ? AND path = ?"
            self._db.execute(rename, (*other, *row, path))
        else:
            self._remove(row[0])

    def _remove(self, document: int) -> None:
        """Remove a document with all its passages."""
        one = (document,)
        rows = self._db.execute("SELECT id, text, heading, name FROM passages WHERE document = ?", one).fetchall()
        # An index without content of its own forgets a row only when it is given the very words that it was made of.
        self._db.executemany(
            "INSERT INTO words (words, rowid, text, heading, name) VALUES ('delete', ?, ?, ?, ?)",
            ((number, *map(spaced, words)) for number, *words in rows),
        )
        self._db.execute("DELETE FROM vectors WHERE document = ?", one)
        self._db.execute("DELETE FROM passages WHERE document = ?", one)
        self._db.execute("DELETE FROM documents WHERE id = ?", one)

    def refuse(self, path: str, stamp: Stamp) -> None:
        """Note a file that cannot be read, with the reason."""
        self._file(path, stamp, None)

    def put(self, path: str, stamp: Stamp, text: Text, retrieved: str) -> bool:
        """Add a file that the index does not hold, read at that time; return whether its text is new there."""
        digest = _digest(text.text)
        row = self._db.execute("SELECT id FROM documents WHERE text_sha256 = ?", (digest,)).fetchone()
        if row is not None:
            self._file(path, stamp, row[0])
            return False
        title = title_of(text, path)
        document = self._db.execute(
            "INSERT INTO documents (path, title, retrieved, extractor, raw_sha256, text_sha256, text)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (path, title, retrieved, text.extractor, stamp.sha256, digest, text.text),
        ).lastrowid
        self._file(path, stamp, document)
        name = PurePath(path).stem.replace("-", " ").replace("_", " ")
        insert = (
            "INSERT INTO passages (document, start, page, heading, name, text, sentences) VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
        for span in passages(text.text, text.pages):
            page = bisect.bisect(text.pages, span.start) if text.pages else None
            words = (text.text[span.start : span.end], span.heading, name)
            values = (document, span.start, page, span.heading, name, words[0], json.dumps(span.sentences))
            number = self._db.execute(insert, values).lastrowid
            self._db.execute(
                "INSERT INTO words (rowid, text, heading, name) VALUES (?, ?, ?, ?)", (number, *map(spaced, words))
            )
        return True

    def _file(self, path: str, stamp: Stamp, document: int | None) -> None:
        insert = "INSERT INTO files (path, size, mtime_ns, sha256, reason, document) VALUES (?, ?, ?, ?, ?, ?)"
        self._db.execute(insert, (path, *stamp, document))

    def without_vectors(self) -> list[str]:
        """The files whose passages have no embeddings."""
        query = "SELECT path FROM documents WHERE id NOT IN (SELECT document FROM vectors)"
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
        """The text of a file, ``None`` if the index does not hold it.

        Raises ``sqlite3.DatabaseError`` if it is not the text that was put there.
        """
        query = "SELECT text, text_sha256 FROM files JOIN documents ON id = document WHERE files.path = ?"
        row = self._db.execute(query, (path,)).fetchone()
        if row is None:
            return None
        text, digest = checked(row, str, str)
        if _digest(text) != digest:
            raise sqlite3.DatabaseError("a text is damaged")
        return str(text)

    def holders(self) -> dict[str, int]:
        """The number of the document that each file with a text has, by path."""
        rows = self._db.execute("SELECT path, document FROM files WHERE document IS NOT NULL")
        return dict(each_checked(rows, str, int))

    def paths(self) -> list[str]:
        """The paths that name the documents, in order."""
        rows = self._db.execute("SELECT path FROM documents ORDER BY path")
        return [path for (path,) in each_checked(rows, str)]

    def document(self, path: str) -> Document | None:
        """What is known of the document of a file, without its text; ``None`` if the index does not hold the file."""
        query = (
            "SELECT title, retrieved, extractor, files.sha256, text_sha256"
            " FROM files JOIN documents ON id = document WHERE files.path = ?"
        )
        row = self._db.execute(query, (path,)).fetchone()
        if row is None:
            return None
        title, retrieved, extractor, raw, digest = checked(row, str, str, str, str, str)
        return Document(
            source=path, title=title, retrieved=retrieved, extractor=extractor, raw_sha256=raw, text_sha256=digest
        )

    def passages(self) -> dict[int, int]:
        """How many passages each document has, by its number."""
        rows = self._db.execute("SELECT document, count(*) FROM passages GROUP BY document")
        return dict(each_checked(rows, int, int))

    def ranked(self, terms: list[str], keeps: Callable[[Row], bool] = lambda row: True) -> Iterator[Row]:
        """The passages that hold any of the terms, best first; of the same score, in the order of paths and places.

        With ``keeps`` only those of which it says so.
        """
        counts = {term: count for term in terms if (count := self._count(term, _MOST_RANKED + 1))}
        if counts and min(counts.values()) > _MOST_RANKED:  # only then it matters which of them is the rarest
            counts = {term: self._count(term, -1) for term in counts}
        match = expression(counts, _MOST_RANKED)
        if not match:
            return
        hits = self._db.execute("SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank", (match,))
        for score, group in itertools.groupby(hits, key=lambda hit: hit[1]):
            rows = (self._row(number, -score) for number, _ in group)
            kept = itertools.islice(filter(keeps, rows), _MOST_TIES)
            yield from sorted(kept, key=lambda row: (row.path, row.start))

    def nearest(self, question: str, embedder: Embedder) -> Iterator[Row]:
        """The passages that have embeddings, the most similar to a question first; of the same score, as `ranked`."""
        if self._vectors is None:
            self._vectors = self._load_vectors()
        (asked,) = embedder.embed([question])
        for number, cosine in self._vectors.nearest(asked):
            yield self._row(number, cosine)

    def _load_vectors(self) -> Vectors:
        query = "SELECT passages, vectors FROM vectors JOIN documents ON documents.id = document ORDER BY path"
        rows = [*each_checked(self._db.execute(query), bytes, bytes)]
        try:
            return Vectors(b"".join(numbers for numbers, _ in rows), b"".join(vectors for _, vectors in rows))
        except ValueError as error:
            raise sqlite3.DatabaseError(f"the embeddings are damaged: {error}") from None

    def _count(self, term: str, most: int) -> int:
        """How many passages hold a term, counted up to ``most``; -1 counts all. Counting reads the list of them."""
        query = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
        (count,) = self._db.execute(query, (term, most)).fetchone()
        return int(count)

    def _row(self, number: int, score: float) -> Row:
        row = self._db.execute(
            "SELECT path, start, passages.text, page, heading, sentences, document FROM passages"
            " JOIN documents ON documents.id = document WHERE passages.id = ?",
            (number,),
        ).fetchone()
        if row is None:
            raise sqlite3.DatabaseError("a passage is missing")
        return row_of(row, score)


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error means that the file is no sound index; else the disk is full, locked or cannot be written."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    return code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _schema(database: sqlite3.Connection) -> list[tuple[str, ...]]:
    """What makes the tables, but for those within the index of words, which differ between versions of SQLite."""
    query = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'words!_%' ESCAPE '!' ORDER BY name"
    return [(kind, name, " ".join((sql or "").split())) for kind, name, sql in database.execute(query)]
